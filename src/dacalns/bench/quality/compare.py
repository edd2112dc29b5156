"""Run solvers side by side."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dacalns.bench.measure import BUSY, this_machine
from dacalns.bench.peers import Peer
from dacalns.bench.quality.arena import Arena
from dacalns.bench.quality.comparison import Comparison, Contestant, SubsetResult
from dacalns.bench.quality.files import require_folder, write_comparison
from dacalns.bench.quality.plan import expected_seconds, runs_of
from dacalns.bench.quality.report import NOTE, instance_cells, rich_table, standings_table, subset_title
from dacalns.bench.quality.subset import Subset
from dacalns.instances import Instance
from dacalns.util.errors import InputError

HEADING = "instance"
INSTALL = 'pip install "dac-alns[peers]"'


def compare(
    console: Console,
    subsets: Sequence[Subset],
    contestants: Sequence[Peer],
    folder: Path | None = None,
    command: str = "",
    arena: Arena | None = None,
) -> Comparison:
    """Run every solver on every instance, one at a time, and print how they stand.

    A solver that is not installed, or does not start, is named and left out. Ctrl-C ends the runs; what is there is
    printed and written all the same.

    Parameters
    ----------
    console
        Where to print.
    subsets
        What to run on.
    contestants
        Who runs; wins are counted for the first one.
    folder
        Where to write all runs and the tables; nowhere if left out.
    command
        What repeats this comparison, for the files.
    arena
        Where they run.

    Raises
    ------
    InputError
        If the folder cannot be written to, or no solver is left.
    """
    if folder is not None:
        require_folder(folder)
    comparison = Comparison(command, this_machine(), [], [])
    if comparison.machine["load_average"] > BUSY:
        console.print(
            f"Other work is running: load average {comparison.machine['load_average']:.1f} on "
            f"{comparison.machine['cpus']} CPUs. Solvers get less than the time that is written here.",
            style="yellow",
            highlight=False,
        )
    with arena or Arena() as open_arena:
        try:
            _run_all(console, subsets, contestants, open_arena, comparison, folder)
        except KeyboardInterrupt:
            comparison.interrupted = True
            console.print("Interrupted; this is what there is:", style="red")
    _print_standings(console, comparison)
    if folder is not None:
        for path in write_comparison(folder, comparison):
            console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)
    return comparison


def _run_all(
    console: Console,
    subsets: Sequence[Subset],
    contestants: Sequence[Peer],
    arena: Arena,
    comparison: Comparison,
    folder: Path | None,
) -> None:
    ready = _ready(console, contestants, arena, comparison)
    minutes = expected_seconds(subsets, ready) / 60
    console.print(f"{len(ready)} solvers, one at a time on one core: about {minutes:.1f} minutes.", highlight=False)
    for subset in subsets:
        result = SubsetResult(subset)
        comparison.results.append(result)
        console.print(f"\n{subset_title(result)}", style="bold", highlight=False, markup=False)
        width = max(len(name) for name in (HEADING, *(instance.name for instance in subset.instances)))
        _print_line(console, width, [HEADING, "n", "reference", *(peer.key for peer in ready)], style="dim")
        for number, instance in enumerate(subset.instances):
            _run_instance(ready, arena, result, instance, number)
            gaps = instance_cells(result, instance.name, [peer.key for peer in ready])
            _print_line(console, width, [instance.name, str(instance.customers), *gaps])
        if folder is not None:
            write_comparison(folder, comparison)


def _ready(console: Console, contestants: Sequence[Peer], arena: Arena, comparison: Comparison) -> list[Peer]:
    """Return those that are installed and start, and note who is not and why."""
    ready, missing, solvers = [], [], []
    for peer in contestants:
        version = peer.version()
        if version is None:
            missing.append(f"{peer.name} is not installed and left out; to have it: {INSTALL}")
            continue
        # A plain line: a spinner would take turns with the solvers.
        console.print(f"loading {peer.name} {version} …", style="dim", highlight=False)
        fault = arena.warm_up(peer)
        if fault:
            missing.append(f"{peer.name} {version} does not start and is left out: {fault}")
            continue
        ready.append(peer)
        solvers.append(Contestant(peer.key, peer.name, version))
    for sentence in missing:
        console.print(sentence, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if not ready:
        raise InputError(f"No solver is left; expected at least one; install the peers: {INSTALL}")
    comparison.missing, comparison.solvers = missing, solvers
    return ready


def _run_instance(ready: Sequence[Peer], arena: Arena, result: SubsetResult, instance: Instance, number: int) -> None:
    """Run all solvers in turn, seed by seed; who goes first changes, since the speed of a machine drifts."""
    subset = result.subset
    for seed in range(subset.seeds):
        shift = (number + seed) % len(ready)
        found = {
            peer.key: arena.run(peer, instance, subset.seconds, seed)
            for peer in [*ready[shift:], *ready[:shift]]
            if seed < runs_of(peer, subset)
        }
        result.runs += [found[peer.key] for peer in ready if peer.key in found]


def _print_line(console: Console, width: int, cells: Sequence[str], style: str | None = None) -> None:
    name, customers, reference, *gaps = cells
    line = f"{name:{width}} {customers:>5} {reference:>9}" + "".join(f" {gap:>7}" for gap in gaps)
    console.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


def _print_standings(console: Console, comparison: Comparison) -> None:
    for result in comparison.results:
        if result.runs:
            console.print(f"\n{subset_title(result)}", style="bold", highlight=False, markup=False)
            console.print(rich_table(standings_table(result, comparison.solvers)))
        for sentence in result.alarms:
            console.print(sentence, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if any(result.runs for result in comparison.results):
        console.print(NOTE, style="dim", highlight=False)
