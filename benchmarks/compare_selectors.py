"""Compare selectors on instance sets: the tables behind every claim about learning.

    python benchmarks/compare_selectors.py [--sets cvrp-small cvrp-medium ...] [--files X/*.vrp]
        [--selectors random ucb] [--against roulette] [--pairs ucb:random] [--budget iterations|time]
        [--time-factor 1] [--portfolio paper] [--seeds 10] [--jobs 2] [--json FILE]

Budget `iterations`: max(2000, 50 n) for every selector. Budget `time`: every selector gets, per instance and seed, the
wall seconds that the `--against` selector needs for as many iterations on that instance: the median over the seeds,
measured first in the same process, times `--time-factor`. Seeds are 0, 100, 200, ... One process for each core; on
each instance the selectors take turns, seed by seed, so that drift of the machine hits all alike. Everything is
compiled before.

Every answer is checked by `dacalns.check`. A run whose best leaves customers unserved counts as 100 % worse than the
best-known value (or than the best cost found, where none is known), and the table says how many there were.

The best-known value of a sampled instance is the reference that the package lists (`benchmarks/references.py`); of a
file, what the package lists for its very data, or the cost of the feasible solution in the `.sol` file of the same name
beside it.
"""

import argparse
import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import dacalns
from dacalns.bench.comparison import Comparison, Run, compare, comparison_table
from dacalns.errors import InputError
from dacalns.instances.atomic import require_writable, write_atomically
from dacalns.study.gaps import TIE
from dacalns.study.signed_rank import scipy_stats

STRATA = [f"{problem}-{size}" for problem in ("cvrp", "vrptw") for size in ("small", "medium", "large")]
# Enough iterations to touch every operator.
WARM_UP = 50


@dataclass(frozen=True)
class Task:
    """Some seeds of all selectors on one instance, one after the other in one process."""

    source: str
    selectors: tuple[str, ...]
    against: str
    portfolio: str
    budget: str
    time_factor: float
    seeds: tuple[int, ...]


def tasks_for(sources: Sequence[str], arguments: argparse.Namespace) -> list[Task]:
    """The work, large instances first, so that no core waits long for the last one.

    A budget of time is measured over all seeds in the process that then uses it, so an instance is one task. Without
    it, each seed is one.
    """
    seeds = tuple(range(0, 100 * arguments.seeds, 100))
    groups = [seeds] if arguments.budget == "time" else [(seed,) for seed in seeds]
    by_size = sorted(sources, key=lambda source: -load(source).customers)
    return [
        Task(
            source, arguments.selectors, arguments.against, arguments.portfolio, arguments.budget,
            arguments.time_factor, group,
        )
        for source in by_size
        for group in groups
    ]  # fmt: skip


def turns(selectors: Sequence[str], seed: int) -> list[str]:
    """The order of the selectors: another one begins at the next seed."""
    first = seed // 100 % len(selectors)
    return [*selectors[first:], *selectors[:first]]


def solve_task(task: Task) -> list[Run]:
    """All runs of a task."""
    instance = load(task.source)
    stop: dacalns.StoppingCriterion = dacalns.MaxIterations(dacalns.default_iterations(instance.customers))
    if task.budget == "time":
        needed = [_run(task, instance, task.against, stop, seed).seconds for seed in task.seeds]
        stop = dacalns.MaxTime(task.time_factor * median(needed))
    return [
        _run(task, instance, selector, stop, seed) for seed in task.seeds for selector in turns(task.selectors, seed)
    ]


def _run(
    task: Task, instance: dacalns.Instance, selector: str, stop: dacalns.StoppingCriterion, seed: int
) -> Run:  # fmt: skip
    result = dacalns.solve(instance, selector=selector, portfolio=task.portfolio, stop=stop, seed=seed)
    where = f"{task.source}, {selector}, seed {seed}"
    if result.stopped_by != "criterion":
        raise InputError(f"{where}: stopped by {result.stopped_by}; a comparison needs whole runs; start it again.")
    verdict = dacalns.check(instance, result.routes)
    missing = sum(violation.kind == "missing" for violation in verdict.violations)
    if len(verdict.violations) != missing or missing != len(result.unserved):
        raise InputError(f"{where}: the answer is not what it says: {verdict.violations[0]}")
    if abs(verdict.cost - result.cost) > 1e-6 * max(1.0, result.cost):
        raise InputError(f"{where}: the answer says cost {result.cost:.10g}; checked, it is {verdict.cost:.10g}.")
    return Run(
        task.source, selector, seed, result.cost, missing, result.iterations, result.seconds, best_known(task.source)
    )


@cache
def load(source: str) -> dacalns.Instance:
    """An instance by name or path, read once in each process."""
    return dacalns.read(source)


@cache
def best_known(source: str) -> float | None:
    """The listed value, or the cost of the solution beside the file, measured by the rules of the instance."""
    instance = load(source)
    beside = Path(source).with_suffix(".sol")
    if instance.best_known is not None or not (os.path.isfile(source) and beside.is_file()):
        return instance.best_known
    verdict = dacalns.check(instance, dacalns.read_solution(beside)[0])
    return verdict.cost if verdict.feasible else None


def split_pair(text: str, selectors: Sequence[str]) -> tuple[str, str]:
    """The two selectors of ``ONE:OTHER``; names of selectors may have colons themselves."""
    for place, letter in enumerate(text):
        if letter == ":" and text[:place] in selectors and text[place + 1 :] in selectors:
            return text[:place], text[place + 1 :]
    raise InputError(f"pair {text!r} is not of two selectors that run; expected ONE:OTHER of {', '.join(selectors)}.")


def prepare(source: str, selectors: Sequence[str], portfolio: str) -> None:
    """Compile, or load into this process, all that the selectors need."""
    for selector in selectors:
        dacalns.solve(load(source), selector=selector, portfolio=portfolio, stop=dacalns.MaxIterations(WARM_UP))


def run_all(tasks: Sequence[Task], jobs: int) -> list[Run]:
    """All runs, on so many cores."""
    runs: list[Run] = []
    # One core for each process. New processes, not copies of this one: linear algebra counts its threads when loaded.
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    what = (tasks[0].source, tasks[0].selectors, tasks[0].portfolio)
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=prepare, initargs=what) as pool:
        waiting = [pool.submit(solve_task, task) for task in tasks]
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                runs += future.result()
                if sys.stderr.isatty():
                    print(f"\r{done} of {len(tasks)} tasks", end="", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return runs


def rows_of(
    runs: Sequence[Run], groups: dict[str, list[str]], pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, Comparison]]:  # fmt: skip
    """A row for each group of instances and each pair of selectors; the last group is everything."""
    members = {name: set(sources) for name, sources in groups.items()}
    if len(groups) > 1:
        members["all"] = set().union(*members.values())
    return [
        (name, compare([run for run in runs if run.instance in inside], *pair))
        for name, inside in members.items()
        for pair in pairs
    ]


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse(given: Sequence[str]) -> argparse.Namespace:
    """The arguments, with all that can be wrong about them told before the first run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sets", nargs="+", metavar="SET", help="sets of bundled instances; the six strata if no files"
    )
    parser.add_argument("--files", nargs="+", default=[], metavar="FILE", help="instance files, a group of their own")
    parser.add_argument("--selectors", nargs="+", default=["random", "ucb"], metavar="NAME")
    parser.add_argument("--against", default="roulette", metavar="NAME", help="the baseline")
    parser.add_argument("--pairs", nargs="+", default=[], metavar="ONE:OTHER", help="further direct comparisons")
    parser.add_argument("--budget", choices=("iterations", "time"), default="iterations")
    parser.add_argument("--time-factor", type=float, default=1.0, help="of the baseline's time, for --budget time")
    parser.add_argument("--portfolio", default="paper")
    parser.add_argument("--seeds", type=int, default=10, help="how many: 0, 100, 200, ...")
    parser.add_argument("--jobs", type=int, default=cores(), help="processes, at most one for each core")
    parser.add_argument("--json", type=Path, help="write all runs and rows here")
    arguments = parser.parse_args(given)
    if not 1 <= arguments.jobs <= cores():
        raise InputError(f"jobs is {arguments.jobs}; expected 1 to {cores()}, one process for each core.")
    if arguments.seeds < 1:
        raise InputError(f"seeds is {arguments.seeds}; expected 1 or more.")
    if not 0 < arguments.time_factor < float("inf"):
        raise InputError(f"time-factor is {arguments.time_factor}; expected a number above 0.")
    if arguments.json is not None:
        require_writable(arguments.json)
    arguments.selectors = tuple(dict.fromkeys((arguments.against, *arguments.selectors)))
    arguments.pairs = [split_pair(text, arguments.selectors) for text in arguments.pairs]
    if arguments.sets is None:
        arguments.sets = [] if arguments.files else STRATA
    scipy_stats()  # before hours are spent
    return arguments


def heading(arguments: argparse.Namespace, command: str) -> str:
    """What was run, where, and how to read it."""
    budget = "max(2000, 50 n) iterations"
    if arguments.budget == "time":
        factor = "" if arguments.time_factor == 1 else f"{arguments.time_factor:g} times "
        budget = f"{factor}the median time that {arguments.against} needs for {budget} on the instance"
    return "\n".join(
        [
            f"`{command}`",
            "",
            f"dac-alns {dacalns.__version__}, Python {platform.python_version()}, {cores()} CPU cores, "
            f"{arguments.jobs} processes; budget {budget}; {arguments.seeds} seeds (0, 100, ...); "
            f"portfolio {arguments.portfolio}.",
            "Negative gaps are better. Ties: averages equal within 1e-9 of their value. p: one-sided Wilcoxon "
            "signed-rank test on the averages, ties dropped. A run that leaves customers unserved counts as 100 % "
            "worse than the best-known value or, where none is known, than the best cost found. Time: mean over the "
            "instances of the ratio of mean run times.",
        ]
    )


def main(given: Sequence[str]) -> None:
    """Run everything and print the tables."""
    arguments = parse(given)
    groups = {name: dacalns.instance_names(name) for name in arguments.sets}
    if arguments.files:
        groups["files"] = arguments.files
    sources = list(dict.fromkeys(source for members in groups.values() for source in members))
    tasks = tasks_for(sources, arguments)
    prepare(sources[0], arguments.selectors, arguments.portfolio)
    runs = run_all(tasks, arguments.jobs)
    against_base = [(selector, arguments.against) for selector in arguments.selectors]
    rows = rows_of(runs, groups, against_base + arguments.pairs)
    command = shlex.join(["python", "benchmarks/compare_selectors.py", *given])
    print(heading(arguments, command), comparison_table(rows), sep="\n\n")
    below = sorted({run.instance for run in runs if _below_best_known(run)})
    if below:
        print(f"\nBELOW the best-known value, to be looked into: {', '.join(below)}")
    if arguments.json is not None:
        write_atomically(arguments.json, json.dumps(_as_data(arguments, command, runs, rows), indent=1) + "\n")


def _below_best_known(run: Run) -> bool:
    return not run.unserved and run.best_known is not None and run.cost < run.best_known * (1 - TIE)


def _as_data(
    arguments: argparse.Namespace, command: str, runs: Sequence[Run], rows: Sequence[tuple[str, Comparison]]
) -> dict[str, Any]:
    return {
        "command": command,
        "version": dacalns.__version__,
        "cores": cores(),
        "budget": arguments.budget,
        "rows": [{"instances_of": name, **asdict(row)} for name, row in rows],
        "runs": [asdict(run) for run in sorted(runs, key=lambda run: (run.instance, run.selector, run.seed))],
    }


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
