"""The speed benchmark, which is the command ``dac-alns bench``."""

import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from dacalns.bench.driving import CITED, PHASES, PORTFOLIO, TOGETHER, Driven, measure_driving
from dacalns.bench.measure import (
    BUSY,
    CUSTOMERS,
    FROZEN,
    LEAST_PEER_ITERATIONS,
    ONLINE,
    ROUNDS,
    LearnedSpeed,
    Startup,
    Throughput,
    measure_learned,
    measure_memory,
    measure_startup,
    measure_throughput,
    this_machine,
)
from dacalns.bench.pure_python import load_alns
from dacalns.bench.speed_cases import LearnedCase, SpeedCase, learned_cases, speed_cases
from dacalns.bench.tables import (
    Bar,
    bar_table,
    driving_table,
    learned_table,
    operator_table,
    split_table,
    throughput_table,
)
from dacalns.util.errors import InputError
from dacalns.util.files import require_writable, write_atomically
from dacalns.version import __version__

NOTE = (
    "One core. Both sides run in turn, {rounds} rounds of {seconds:.3g} s on each instance (pure Python: at least "
    "{least} iterations a round), and the medians are shown: the speed of a machine drifts, so trust the ratios more "
    "than the rates. The pure-Python side is the same five operators, with insertion costs cached alike, on the "
    "alns package {alns}. The learned selectors run in turn with roulette in the same way. The frozen policies among "
    "them are not trained: they choose evenly, as roulette does at first, so that what differs is the choosing."
)


def run_speed(console: Console, seconds: float = 3.0, json_path: Path | None = None) -> dict[str, Any]:
    """Measure speed, start-up and memory, and print a table of each.

    Parameters
    ----------
    console
        The console to print on.
    seconds
        The seconds for each side on each instance.
    json_path
        A file to which the figures are written as well.

    Returns
    -------
    dict
        The figures, and under ``missed`` a sentence for each target that was not met.

    Raises
    ------
    InputError
        If the package ``alns`` is not installed, ``seconds`` is no positive number, or ``json_path`` cannot be written.
    """
    if not 0 < seconds < float("inf"):
        raise InputError(f"seconds is {seconds!r}; expected more than 0; 3 is enough.")
    load_alns()
    if json_path is not None:
        require_writable(json_path)

    note = NOTE.format(rounds=ROUNDS, seconds=seconds / ROUNDS, least=LEAST_PEER_ITERATIONS, alns=version("alns"))
    console.print(note, highlight=False)
    machine = this_machine() | {"alns": version("alns")}
    if machine["load_average"] > BUSY:
        console.print(
            f"Other work is running: load average {machine['load_average']:.1f} on {machine['cpus']} CPUs. "
            "Rates and times below are worse than they could be.",
            style="yellow",
            highlight=False,
        )
    rows = []
    for case in speed_cases():
        instance = case.load()
        # This is a plain line, because a spinner would take time from the pure-Python side.
        console.print(f"measuring {instance.name} …", style="dim", highlight=False)
        measured = measure_throughput(instance, seconds)
        rows.append((measured, *_speed_bars(case, measured)))
    throughputs = [measured for measured, _, _ in rows]
    console.print(throughput_table(rows), operator_table(throughputs))

    learned = []
    for learned_case in learned_cases():
        instance = learned_case.load()
        console.print(f"measuring learned selectors on {instance.name} …", style="dim", highlight=False)
        with_network = measure_learned(instance, seconds)
        learned.append((with_network, _learned_bars(learned_case, with_network)))
    console.print(learned_table(learned), split_table([measured for measured, _ in learned]))

    # The first case is the one that has a target for its ratio.
    instance = speed_cases()[0].load()
    console.print(f"measuring searches driven from Python on {instance.name} …", style="dim", highlight=False)
    driven = measure_driving(instance, seconds)
    driving_bars = _driving_bars(driven)
    peer = throughputs[0].peer_iterations_per_second
    console.print(driving_table(instance.name, driven, driving_bars, peer))
    console.print(f"Operators are drawn evenly from portfolio {PORTFOLIO}. {CITED}", highlight=False)

    with console.status("start-up: compiling once with an empty cache …"):
        startup_bars = _startup_bars(measure_startup())
    console.print(bar_table("Start-up, wall clock of a command that solves for 0 s", startup_bars))
    with console.status(f"memory: {CUSTOMERS:,} customers …"):
        memory_bars = _memory_bars(measure_memory())
    console.print(bar_table("Memory of a fresh process", memory_bars))

    speed_bars = [bar for _, *of_row in rows for bar in of_row if bar is not None]
    speed_bars += [bar for _, of_row in learned for bar in of_row.values()]
    bars = [*speed_bars, *driving_bars.values(), *startup_bars, *memory_bars]
    missed = [str(bar) for bar in bars if not bar.met]
    for sentence in missed:
        console.print(f"missed: {sentence}", style="red", highlight=False)
    figures = {
        "version": __version__,
        "machine": machine,
        "seconds": seconds,
        "rounds": ROUNDS,
        "throughput": [asdict(measured) | {"ratio": measured.ratio} for measured in throughputs],
        "learned": [asdict(each) | {"time_ratios": each.time_ratios} for each, _ in learned],
        "driven": {"instance": instance.name, "portfolio": PORTFOLIO}
        | {name: asdict(speed) for name, speed in driven.items()},
        "targets": [asdict(bar) | {"met": bar.met} for bar in bars],
        "missed": missed,
    }
    if json_path is not None:
        write_atomically(json_path, json.dumps(figures, indent=1, allow_nan=False) + "\n")
    return figures


def _speed_bars(case: SpeedCase, measured: Throughput) -> tuple[Bar, Bar | None]:
    speed = Bar(measured.instance, measured.iterations_per_second, case.iterations_per_second, "iterations/s")
    if case.ratio is None:
        return speed, None
    return speed, Bar(f"{measured.instance} over pure Python", measured.ratio, case.ratio, "times")


def _learned_bars(case: LearnedCase, measured: LearnedSpeed) -> dict[str, Bar]:
    return {
        name: Bar(f"{measured.instance}, {name}", measured.iterations_per_second[name], least, "iterations/s")
        for name, least in ((ONLINE, case.online), (FROZEN, case.frozen))
        if least is not None
    }


def _driving_bars(driven: dict[str, Driven]) -> dict[str, Bar]:
    return {
        name: Bar(f"driven from Python, {name}", driven[name].blind, least, "iterations/s")
        for name, least in ((PHASES, 8_000), (TOGETHER, 60_000))
    }


def _startup_bars(measured: Startup) -> list[Bar]:
    return [
        Bar("warm, compiled code in the cache", measured.warm, 1.5, "s", at_least=False),
        Bar("cold, all compiled", measured.cold, 45, "s", at_least=False),
    ]


def _memory_bars(mebibytes: float | None) -> list[Bar]:
    if mebibytes is None:
        return []
    return [Bar(f"peak, {CUSTOMERS:,} customers", mebibytes, 1024, "MiB", at_least=False)]
