"""Several cores against one at equal wall time: mean gaps to the best-known values, wins, losses and ties.

    python benchmarks/jobs.py [INSTANCE …] [--seconds 2] [--jobs 2] [--seeds 1] [--portfolio full] [--selector roulette]

Without instances, 20 bundled ones: the ten largest of CVRP and ten of VRPTW with 100 customers. Each is solved by one
search and by several side by side, in turns, the one that goes first changing, so that a machine which grows slower is
unfair to neither. With `--iterations N` every search has N iterations instead of a time: then a busy machine does not
matter, and the answer is that of as many idle cores.
"""

import argparse

import numpy as np

import dacalns
from dacalns.engines import usable_cores

INSTANCES = [
    "A-n61-k9",
    "A-n62-k8",
    "A-n64-k9",
    "A-n69-k9",
    "A-n80-k10",
    "B-n67-k10",
    "B-n78-k10",
    "P-n65-k10",
    "P-n70-k10",
    "P-n76-k5",
    "R104",
    "R107",
    "R112",
    "R203",
    "R208",
    "R211",
    "RC106",
    "RC108",
    "RC203",
    "RC208",
]


def gap(result: dacalns.Result) -> float:
    """The gap in percent; a solution must be feasible and its best-known cost known."""
    assert result.gap_percent is not None, f"{result.instance}: unserved {result.unserved}, known {result.best_known}"
    return result.gap_percent


def main() -> None:
    """Print a line for each instance, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", default=INSTANCES, metavar="INSTANCE")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--iterations", type=int, help="for each search, instead of seconds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--portfolio", default="full")
    parser.add_argument("--selector", default="roulette")
    given = parser.parse_args()
    cores = len(usable_cores())
    if given.iterations is None and cores < given.jobs:
        parser.error(f"{given.jobs} jobs need as many cores, and there are {cores}; give --iterations instead")
    stop = dacalns.MaxTime(given.seconds) if given.iterations is None else dacalns.MaxIterations(given.iterations)
    chosen = {"portfolio": given.portfolio, "selector": given.selector}
    for name in ("A-n32-k5", "R101"):  # compile before the clock runs
        dacalns.solve(name, jobs=2, stop=dacalns.MaxIterations(10), **chosen)
    budget = f"{given.seconds} s" if given.iterations is None else f"{given.iterations} iterations each"
    print(f"dac-alns {dacalns.__version__}, {given.portfolio}, {given.selector}, {budget}, {cores} cores")
    print(f"{'instance':12s} {'1 job':>9s} {f'{given.jobs} jobs':>9s} {'iterations/s':>14s}")
    gaps, speeds = [], []
    for number, name in enumerate(given.instances):
        instance = dacalns.read(name)
        rows = []
        for seed in range(given.seeds):
            order = (1, given.jobs) if (number + seed) % 2 == 0 else (given.jobs, 1)
            found = {jobs: dacalns.solve(instance, jobs=jobs, seed=seed, stop=stop, **chosen) for jobs in order}
            rows.append([gap(found[1]), gap(found[given.jobs])])
            speeds.append(found[given.jobs].iterations_per_second / found[1].iterations_per_second)
        gaps += rows
        one, several = np.mean(rows, axis=0)
        print(f"{name:12s} {one:7.3f} % {several:7.3f} % {np.mean(speeds[-given.seeds :]):13.2f}x", flush=True)
    one, several = np.array(gaps).T
    difference = several - one
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
    wins, losses = int((difference < -1e-9).sum()), int((difference > 1e-9).sum())
    print(f"{'mean':12s} {one.mean():7.3f} % {several.mean():7.3f} % {np.mean(speeds):13.2f}x")
    print(
        f"{len(given.instances)} instances, {given.seeds} seeds: {given.jobs} jobs are {difference.mean():+.3f} ± "
        f"{error:.3f} points from one; better {wins}, worse {losses}, the same {len(gaps) - wins - losses} times"
    )


if __name__ == "__main__":
    main()
