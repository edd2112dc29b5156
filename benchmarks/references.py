"""Reference costs for the sampled VRPTW instances, for which none is published.

    python benchmarks/references.py [NAME ...] [--seconds 20] [--seeds 1] [--ours 5] [--selector roulette]
        [--study DIR] [--out FILE]

Without names, every instance of the set `vrptw`, large ones first. Each is solved by PyVRP for `--seconds` and by this
package for `--ours` seconds, with every seed; 0 seconds leave one of them out. `--study` adds all runs of a study.
Every solution is checked by `dacalns.check` under the rules of the instance, and only feasible ones count.

The output is the file that the package ships, `src/dacalns/instances/data/references.csv`. It keeps the cheapest of
what it lists already and what is found now, and is written after every instance, so a run may be stopped at any time.
A run takes one core.
"""

import argparse
import csv
import io
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyvrp
from pyvrp.stop import MaxRuntime

import dacalns
from dacalns.instances.best_known import REFERENCES, BestKnown, read_references
from dacalns.study.rows import Row
from dacalns.study.store import Store
from dacalns.util.errors import InputError
from dacalns.util.files import require_writable, write_atomically
from dacalns.util.values import did_you_mean, number_text

Routes = list[list[int]]


def pyvrp_routes(instance: dacalns.Instance, seconds: float, seed: int) -> Routes:
    """The best routes that PyVRP finds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "instance.vrp")
        dacalns.write_instance(instance, path)
        data = pyvrp.read(path, round_func=instance.rounding)
    # What PyVRP has read must be what we check: the same integers, and no vehicle more.
    assert np.array_equal(data.distance_matrix(0), instance.distances), instance.name
    assert data.num_vehicles == instance.fleet, instance.name
    best = pyvrp.solve(data, MaxRuntime(seconds), seed=seed, collect_stats=False).best
    return [[visit.idx + 1 for visit in route if visit.is_client()] for route in best.routes()]


def our_routes(instance: dacalns.Instance, selector: str, seconds: float, seed: int) -> Routes:
    """The best routes that this package finds."""
    result = dacalns.solve(instance, portfolio="paper", selector=selector, stop=dacalns.MaxTime(seconds), seed=seed)
    if result.stopped_by == "interrupt":  # a search answers Ctrl-C with the best so far; here it is to end everything
        raise KeyboardInterrupt
    return result.routes


def solutions(instance: dacalns.Instance, arguments: argparse.Namespace) -> Iterator[tuple[str, Routes]]:
    """All solutions of an instance that are asked for, each with its origin."""
    for seed in arguments.seeds:
        if arguments.seconds:
            origin = f"PyVRP {version('pyvrp')}, {arguments.seconds:g} s, seed {seed}"
            yield origin, pyvrp_routes(instance, arguments.seconds, seed)
        if arguments.ours:
            origin = f"dac-alns {dacalns.__version__} {arguments.selector}, {arguments.ours:g} s, seed {seed}"
            yield origin, our_routes(instance, arguments.selector, arguments.ours, seed)
    for row in arguments.rows.get(instance.name, ()):
        yield f"dac-alns {row.version} {row.selector}, {row.budget}, seed {row.seed}", row.routes


def cheapest_rows(folder: Path) -> dict[str, list[Row]]:
    """By instance, the cheapest feasible run of a study."""
    with Store(folder) as store:
        rows = {row.key: row for study in store.studies() for row in study.rows.values() if row.feasible}
    cheapest: dict[str, list[Row]] = {}
    for row in sorted(rows.values(), key=lambda row: row.cost or 0.0):
        cheapest.setdefault(row.instance, [row])
    return cheapest


def feasible(instance: dacalns.Instance, found: Iterable[tuple[str, Routes]]) -> Iterator[BestKnown]:
    """The solutions that the checker finds feasible, at the cost that it measures."""
    assert instance.fleet is not None
    for origin, routes in found:
        verdict = dacalns.check(instance, routes)
        if verdict.feasible:
            yield BestKnown(verdict.cost, instance.rounding, instance.fleet, origin=origin)
        else:
            print(f"{instance.name}: {origin}: not feasible: {verdict.violations[0]}", file=sys.stderr)


def keep_cheapest(path: Path, name: str, found: Sequence[BestKnown]) -> BestKnown | None:
    """Write what was found into the file unless that lists a cost as low, and return what it then lists."""
    listed = read_references(path) if path.is_file() else {}
    for reference in found:
        if name not in listed or reference.cost < listed[name].cost:
            listed[name] = reference
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("name", "cost", "rounding", "fleet", "origin"))
    for each, kept in sorted(listed.items()):
        writer.writerow((each, number_text(kept.cost), kept.rounding, kept.fleet, kept.origin))
    write_atomically(path, text.getvalue())
    return listed.get(name)


def parse(given: Sequence[str]) -> argparse.Namespace:
    """The arguments, checked as far as they can be before the first run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each run of PyVRP")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--ours", type=float, default=5.0, help="seconds for each run of this package")
    parser.add_argument("--selector", default="roulette", help="of our runs, such as dac-t")
    parser.add_argument("--study", type=Path, metavar="DIR", help="the folder of a study")
    parser.add_argument("--out", type=Path, default=REFERENCES)
    arguments = parser.parse_args(given)
    require_writable(arguments.out)
    sampled = dacalns.instance_names("vrptw")
    for name in arguments.names:
        if name not in sampled:
            hint = did_you_mean(name, sampled) or "`dac-alns instances vrptw` lists them."
            raise InputError(f"instance is {name!r}; expected one of the set vrptw; {hint}")
    arguments.rows = {} if arguments.study is None else cheapest_rows(arguments.study)
    return arguments


def main(given: Sequence[str]) -> None:
    """Find references, and say what each run found."""
    arguments = parse(given)
    instances = map(dacalns.read, arguments.names or dacalns.instance_names("vrptw"))
    for instance in sorted(instances, key=lambda instance: -instance.customers):
        found = list(feasible(instance, solutions(instance, arguments)))
        kept = keep_cheapest(arguments.out, instance.name, found)
        costs = "; ".join(f"{reference.cost:.10g} ({reference.origin})" for reference in found) or "nothing"
        print(f"{instance.name}: found {costs}; listed {kept.cost if kept else None}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
