"""Which operators earn their place: a portfolio without each of its operators, and with each that is not in it.

    python benchmarks/ablation.py [--base full | --destroy NAME … --repair NAME …] [--only NAME …] [--instances 8]
        [--problems cvrp vrptw] [--first 0] [--seeds 2] [--seconds 0.5] [--cpu] [--jobs 1] [--json FILE]

All get the same time on the same generated instances of 60 to 200 customers, and choose operators at random, evenly.
`--problems` says what kinds of instances: `cvrp`, `vrptw`, or features of richer ones, such as `pairs+windows`.
Gaps, in percent, are to the best that any of them found. A difference is to the base, instance by instance, with the
95 % bootstrap interval of its mean: above 0 for an operator that was taken out (-) and below 0 for one that was put in
(+), the operator is worth its time.

`--only` takes out or puts in only the operators named; `--first` is the number of the first instance, so that other
instances are generated; `--jobs` says how many instances are searched at once, each on a core. With `--cpu`, seconds
are those of the processor, for machines on which other work runs: pilot searches measure what an iteration takes, and
each search gets as many iterations as fit.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np

import dacalns
from dacalns.instances.features import PROBLEMS
from dacalns.search.portfolio import as_portfolio
from dacalns.study.statistics import bootstrap_interval
from dacalns.util.errors import InputError
from dacalns.util.values import require_choice

BASE = "base"
# A pilot's iterations, and how many pilots there are: the fastest counts, since other work can only slow one down.
PILOT, PILOTS = 2000, 3
# No iteration takes less, in seconds. Where a pilot seems to, its clock was too coarse, and a search would never end.
LEAST = 1e-6

Costs = dict[str, list[float]]  # of each configuration, one for each seed


def generated(problem: str, number: int) -> dacalns.Instance:
    """The instance of this number; sizes, places, lengths of routes and horizons vary."""
    seed = 70_000 + number
    if problem not in PROBLEMS:
        customers = int(np.random.default_rng([len(PROBLEMS), number]).integers(60, 201))
        return dacalns.generate_rich(customers, problem.split("+"), seed=seed)
    rng = np.random.default_rng([list(PROBLEMS).index(problem), number])
    customers = int(rng.integers(60, 201))
    positions = ("random", "clustered", "mixed")[number % 3]
    if problem == "cvrp":
        depot = ("central", "eccentric", "random")[number // 3 % 3]
        length = float(np.exp(rng.uniform(math.log(4), math.log(28))))
        return dacalns.generate_cvrp(customers, depot, positions, route_length=length, seed=seed)
    return dacalns.generate_vrptw(customers, positions, ("short", "long")[number % 2], seed=seed)


def configurations(
    base: dacalns.Portfolio, problem: str, only: Sequence[str] | None = None
) -> dict[str, dacalns.Portfolio]:
    """The base, the base without each of its operators, and the base with each that is not in it, for ``problem``.

    An operator without which there would be none of its kind stays.
    """
    features = PROBLEMS[problem] if problem in PROBLEMS else generated(problem, 0).features
    base = base.for_features(features)
    found = {BASE: base}
    for kind, registry in (("destroy", dacalns.DESTROY_OPERATORS), ("repair", dacalns.REPAIR_OPERATORS)):
        present = getattr(base, kind)
        names = [operator.name for operator in present]
        changed = {
            f"- {left_out.name}": [operator for operator in present if operator is not left_out]
            for left_out in present
            if len(present) > 1
        }
        changed |= {
            f"+ {name}": [*present, operator]
            for name, operator in registry.items()
            if name not in names and operator.fits(features)
        }
        for label, operators in changed.items():
            if only is None or label[2:] in only:
                both = {"destroy": base.destroy, "repair": base.repair, kind: operators}
                found[label] = dacalns.Portfolio(
                    **both, name=label, acceptance=base.acceptance, construction=base.construction
                )
    return found


def costs_at_equal_time(
    instance: dacalns.Instance, portfolios: dict[str, dacalns.Portfolio], seeds: int, seconds: float, cpu: bool
) -> Costs:
    """What each portfolio's searches come to."""
    stops: dict[str, dacalns.StoppingCriterion] = dict.fromkeys(portfolios, dacalns.MaxTime(seconds))
    if cpu:
        taken = cpu_of_an_iteration(instance, portfolios)
        stops = {label: dacalns.MaxIterations(max(1, round(seconds / taken[label]))) for label in portfolios}
    costs: Costs = {label: [] for label in portfolios}
    for seed in range(seeds):
        for label, portfolio in portfolios.items():
            result = dacalns.solve(instance, portfolio=portfolio, selector="random", stop=stops[label], seed=seed)
            assert result.feasible, (instance.name, label, seed)
            costs[label].append(result.cost)
    return costs


def cpu_of_an_iteration(instance: dacalns.Instance, portfolios: dict[str, dacalns.Portfolio]) -> dict[str, float]:
    """Seconds of the processor that an iteration takes, without what a search takes to begin."""
    start = dacalns.solve(instance, selector="random", stop=dacalns.MaxIterations(1)).routes

    def pilot(portfolio: dacalns.Portfolio, iterations: int) -> float:
        before = time.process_time()
        stop = dacalns.MaxIterations(iterations)
        dacalns.solve(instance, portfolio=portfolio, selector="random", stop=stop, start=start)
        return time.process_time() - before

    def fastest(iterations: int) -> dict[str, float]:
        # One after the other, and all again: so a slow moment hits all of them.
        rounds = [{label: pilot(portfolios[label], iterations) for label in portfolios} for _ in range(PILOTS)]
        return {label: min(taken[label] for taken in rounds) for label in portfolios}

    fastest(1)  # compile and load
    short, long = fastest(1), fastest(PILOT + 1)
    return {label: max(LEAST, (long[label] - short[label]) / PILOT) for label in portfolios}


def gaps(costs: Costs) -> dict[str, float]:
    """The mean gap of each configuration on one instance, in percent, to the best of all."""
    best = min(map(min, costs.values()))
    return {label: 100 * (float(np.mean(found)) / best - 1) for label, found in costs.items()}


def line(label: str, instances: Sequence[dict[str, float]]) -> str:
    """The mean gap of a configuration on the instances that have it, and its difference to the base."""
    having = [found for found in instances if label in found]
    if not having:
        return f"{'':>8s} {'':>8s} {'':18s}"
    differences = [found[label] - found[BASE] for found in having]
    interval = bootstrap_interval(differences)
    ends = "" if interval is None or label == BASE else f"[{interval[0]:+.3f}, {interval[1]:+.3f}]"
    difference = "" if label == BASE else f"{np.mean(differences):+.3f}"
    return f"{np.mean([found[label] for found in having]):8.3f} {difference:>8s} {ends:18s}"


def table(found: dict[str, list[dict[str, float]]]) -> list[str]:
    """The lines of the table, from the gaps on each problem's instances."""
    together = [instance for instances in found.values() for instance in instances]
    labels = list(dict.fromkeys(label for instance in together for label in instance))
    columns = {**found, "both" if len(found) == 2 else "all": together}
    lines = [
        "  ".join([f"{'mean gap, difference, 95 %':28s}", *(f"{name:>8s}".ljust(36) for name in columns)]).rstrip()
    ]
    for label in labels:
        lines.append("  ".join([f"{label:28s}", *(line(label, instances) for instances in columns.values())]).rstrip())
    return lines


def base_portfolio(name: str, destroy: Sequence[str] | None, repair: Sequence[str] | None) -> dacalns.Portfolio:
    """The portfolio of this name, or one of these operators, with the annealing of `full`."""
    if destroy and repair:
        return dacalns.Portfolio(
            destroy, repair, name=BASE, acceptance=dacalns.LocalAnnealing(), construction="savings"
        )
    if destroy or repair:
        raise InputError(f"--destroy is {destroy} and --repair is {repair}; expected both or neither.")
    return as_portfolio(name)


def measured(arguments: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    """The gaps on every instance of each problem; what was found is written after each."""
    base = base_portfolio(arguments.base, arguments.destroy, arguments.repair)
    known = [operator.name for operator in (*base.destroy, *base.repair)]
    known += [*dacalns.DESTROY_OPERATORS, *dacalns.REPAIR_OPERATORS]
    for name in arguments.only or ():
        require_choice("operator of --only", name, tuple(dict.fromkeys(known)))
    numbers = range(arguments.first, arguments.first + arguments.instances)
    problems = dict.fromkeys(arguments.problems)
    tasks = [(number, problem) for number in numbers for problem in problems]
    costs_of = partial(costs_of_task, arguments)
    found: dict[str, list[dict[str, float]]] = {problem: [] for problem in problems}
    raw = []
    with ExitStack() as stack:
        mapped = stack.enter_context(ProcessPoolExecutor(arguments.jobs)).map if arguments.jobs > 1 else map
        for (number, problem), (customers, costs) in zip(tasks, mapped(costs_of, tasks), strict=True):
            found[problem].append(gaps(costs))
            raw.append({"problem": problem, "number": number, "customers": customers, "costs": costs})
            if arguments.json:
                arguments.json.write_text(json.dumps(raw))
            print(f"{problem} {number}: {customers} customers", file=sys.stderr, flush=True)
    return found


def costs_of_task(arguments: argparse.Namespace, task: tuple[int, str]) -> tuple[int, Costs]:
    """How many customers an instance has, and what the searches on it come to."""
    number, problem = task
    base, instance = base_portfolio(arguments.base, arguments.destroy, arguments.repair), generated(problem, number)
    portfolios = configurations(base, problem, arguments.only)
    costs = costs_at_equal_time(instance, portfolios, arguments.seeds, arguments.seconds, arguments.cpu)
    return instance.customers, costs


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="full")
    parser.add_argument("--destroy", nargs="+", metavar="NAME")
    parser.add_argument("--repair", nargs="+", metavar="NAME")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), metavar="PROBLEM")
    parser.add_argument("--instances", type=int, default=8, help="of each problem")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    try:
        found = measured(arguments)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    clock = "of the processor" if arguments.cpu else "of the clock"
    print(f"{arguments.instances} instances of each problem, {arguments.seeds} seeds, {arguments.seconds} s {clock}")
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
