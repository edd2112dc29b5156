"""Compare the speed, the costs and the cold start of two source trees of this package.

    python benchmarks/old_new.py --old OLD --new NEW [INSTANCE ...] [--seconds 4] [--repetitions 5]

OLD and NEW are checkouts, and an INSTANCE is a bundled name or a file. Each tree solves each instance with the default
settings (full portfolio, default selector) and the same seed and iterations, in a fresh process for every repetition.
The trees take turns, and the tree that goes first changes, because the speed of a machine drifts.

Both trees must end with the same cost on every instance; otherwise the exit code is 1. Iterations a second are shown by
the clock on the wall and by the processor time of the user, which other work on the machine disturbs less; both are
medians, without reading the instance, compiling, and building the first solution. The cold start is the wall-clock time
of a command that solves for no time at all, with an empty folder for compiled code and with Python's bytecode there.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

INSTANCES = ["A-n80-k10", "R101"]
COLD_START = ["-m", "dacalns", "solve", "A-n32-k5", "--time", "0", "--quiet"]
OLD, NEW = "old", "new"


class Tree:
    """A checkout, and the environment in which Python imports its package and keeps its compiled code."""

    def __init__(self, name: str, root: Path, folder: Path) -> None:
        self.name, self.source, self._folder = name, root.resolve() / "src", folder / name
        if not (self.source / "dacalns" / "__init__.py").is_file():
            sys.exit(
                f"{root} is no checkout of dac-alns: it has no src/dacalns. Give --{name} the folder of a checkout."
            )

    def run(self, arguments: list[str], kernels: str = "kernels") -> str:
        """Run Python with this tree's package, and return what it prints."""
        environment = os.environ | {
            "PYTHONPATH": str(self.source),
            "PYTHONPYCACHEPREFIX": str(self._folder / "bytecode"),
            "NUMBA_CACHE_DIR": str(self._folder / kernels),
            "TMPDIR": str(self._folder),  # compiled code may be kept among temporary files
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, *arguments]
        # The folder is another one so that no package lies beside the command.
        return subprocess.run(
            command, env=environment, cwd=self._folder, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def search(self, instance: str, **budget: float) -> dict[str, Any]:
        """Solve an instance in a process of this tree, and return its cost, iterations and times."""
        request = json.dumps({"instance": instance, **budget})
        return dict(json.loads(self.run([str(Path(__file__).resolve()), "--worker", str(self.source), request])))

    def cold_start(self, number: int) -> float:
        """Return the seconds that the command takes with an empty folder for compiled code."""
        began = time.perf_counter()
        # The first one fills the folder that the searches use.
        self.run(COLD_START, kernels="kernels" if number == 0 else f"kernels-{number}")
        return time.perf_counter() - began


def worker(source: str, request: dict[str, Any]) -> dict[str, Any]:
    """Solve an instance as asked, with times that leave out all that precedes the first iteration."""
    import dacalns

    if not Path(dacalns.__file__).is_relative_to(source):
        sys.exit(f"the package was imported from {dacalns.__file__} rather than from {source}")
    instance = dacalns.read(request["instance"])
    if "seconds" in request:
        dacalns.solve(instance, stop=dacalns.MaxIterations(1), seed=request["seed"])
        result = dacalns.solve(instance, stop=dacalns.MaxTime(request["seconds"]), seed=request["seed"])
        return {"iterations": result.iterations}
    stop = dacalns.MaxIterations(int(request["iterations"]))
    # The first search loads the compiled code, the second has everything but the iterations.
    times = []
    for criterion in (dacalns.MaxIterations(1), dacalns.MaxIterations(1), stop):
        wall, user = time.perf_counter(), os.times().user
        result = dacalns.solve(instance, stop=criterion, seed=request["seed"])
        times.append((time.perf_counter() - wall, os.times().user - user))
    (wall_before, user_before), (wall_all, user_all) = times[1:]
    return {
        "cost": result.cost,
        "routes": result.routes,
        "iterations": result.iterations,
        "wall": wall_all - wall_before,
        "user": user_all - user_before,
    }


def in_turn(trees: list[Tree], number: int) -> list[Tree]:
    """Return the trees in an order that changes from one repetition to the next."""
    return trees if number % 2 == 0 else trees[::-1]


def measure_cold_starts(trees: list[Tree], repetitions: int) -> dict[str, float]:
    """Return the least time of each tree: compiling is the same work every time, and other work can only add to it."""
    for tree in trees:
        tree.run(COLD_START, kernels="kernels-for-bytecode")
    times: dict[str, list[float]] = {tree.name: [] for tree in trees}
    for number in range(repetitions):
        for tree in in_turn(trees, number):
            times[tree.name].append(tree.cold_start(number))
    return {name: min(each) for name, each in times.items()}


def row(name: str, found: dict[str, list[dict[str, Any]]]) -> str:
    """Return a line of the table: the iterations and, by either clock, both speeds and their ratio."""
    iterations = found[OLD][0]["iterations"]
    cells = [f"{name:14} {iterations:>10,}"]
    for clock in ("wall", "user"):
        old, new = (iterations / median(each[clock] for each in found[side]) for side in (OLD, NEW))
        cells.append(f"{old:>10,.0f} {new:>10,.0f} {new / old:>7.3f}")
    # The fastest of each side says most where other work comes and goes.
    best = [min(each["user"] for each in found[side]) for side in (OLD, NEW)]
    cells.append(f"{best[0] / best[1]:>7.3f}")
    return " ".join(cells)


def main() -> int:
    """Print the tables; return 1 if any cost or route differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", default=INSTANCES, metavar="INSTANCE", help="bundled name or file")
    parser.add_argument("--old", type=Path, required=True, metavar="OLD", help="checkout that is compared with")
    parser.add_argument("--new", type=Path, required=True, metavar="NEW", help="checkout that is compared")
    parser.add_argument("--seconds", type=float, default=4.0, help="rough length of a search, by the old tree's speed")
    parser.add_argument("--iterations", type=int, help="iterations of every search, instead of seconds")
    parser.add_argument("--repetitions", type=int, default=5, help="searches of each tree on each instance")
    parser.add_argument("--cold", type=int, default=1, help="cold starts of each tree; 0 leaves them out")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.repetitions < 1 or (given.iterations is not None and given.iterations < 2):
        parser.error("--repetitions must be at least 1, and --iterations at least 2")
    names = [str(Path(each).resolve()) if Path(each).is_file() else each for each in given.instances]
    differences = []
    with tempfile.TemporaryDirectory(prefix="dacalns-old-new-") as folder:
        trees = [Tree(OLD, given.old, Path(folder)), Tree(NEW, given.new, Path(folder))]
        cold = measure_cold_starts(trees, given.cold) if given.cold else {}
        for name, seconds in cold.items():
            print(f"cold start, {name}: {seconds:.1f} s", flush=True)
        print(f"{'':14} {'':>10} {'iterations/s, wall':>28} {'iterations/s, user':>29} {'fastest':>7}")
        heads = "".join(f" {'old':>10} {'new':>10} {'ratio':>7}" for _ in range(2))
        print(f"{'instance':14} {'iterations':>10}{heads} {'ratio':>7}", flush=True)
        for name in names:
            for tree in reversed(trees):  # compiles what large instances need besides
                probe = tree.search(name, seconds=min(given.seconds, 2.0), seed=given.seed)
            iterations = given.iterations or max(2, round(probe["iterations"] * given.seconds / min(given.seconds, 2)))
            found: dict[str, list[dict[str, Any]]] = {OLD: [], NEW: []}
            for number in range(given.repetitions):
                for tree in in_turn(trees, number):
                    found[tree.name].append(tree.search(name, iterations=iterations, seed=given.seed))
            shown = Path(name).stem
            print(row(shown, found), flush=True)
            answers = {(each["cost"], str(each["routes"])) for side in found.values() for each in side}
            if len(answers) > 1:
                costs = [sorted({each["cost"] for each in found[side]}) for side in (OLD, NEW)]
                differences.append(f"{shown}: the answers differ; costs are {costs[0]} (old) and {costs[1]} (new)")
    for sentence in differences:
        print(sentence)
    print(f"{len(names) - len(differences)} of {len(names)} instances have the same cost and routes in both trees")
    return 1 if differences else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        print(json.dumps(worker(sys.argv[2], json.loads(sys.argv[3]))))
    else:
        sys.exit(main())
