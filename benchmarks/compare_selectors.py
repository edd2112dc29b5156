"""Which selector is best on a portfolio at equal time, on instances that no policy was trained on.

    python benchmarks/compare_selectors.py cvrp [--instances 40] [--folder DIR] [--seeds 5] [--seconds 1] [--jobs 2]
    python benchmarks/compare_selectors.py vrptw …

The instances are generated (100 to 200 customers, from a seed that no training uses) and, with a folder, its files of
up to `--most` customers. Every selector gets the same seconds on one core. The gap is to the best cost that any of them
found, or to a solution beside the file if that is better. The policy is compared with each of the others by a one-sided
Wilcoxon test over the instances' mean gaps.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import wilcoxon

import dacalns
from dacalns.learning.sources import Generated

HELD_OUT = 977
LEARNED = "dac-t"
OTHERS = ("random", "roulette", "ucb", "wheel")


@dataclass(frozen=True)
class Run:
    """What to run."""

    instance: dacalns.Instance
    selector: str
    portfolio: str
    seed: int
    seconds: float


def outcome(run: Run) -> tuple[float, float]:
    """Cost, and the part of the time that selection took."""
    result = dacalns.solve(
        run.instance, selector=run.selector, portfolio=run.portfolio, seed=run.seed, stop=run.seconds
    )
    return (result.cost if result.feasible else np.inf), result.time.selection / result.seconds


def instances(problem: str, count: int, folder: Path | None, most: int) -> tuple[list[dacalns.Instance], list[float]]:
    """The instances, and what their costs are compared with at least."""
    source = Generated(problem, 100, 200, HELD_OUT)
    made = [source.instance(number) for number in range(count)]
    known = [np.inf] * count
    for path in sorted(folder.iterdir()) if folder else []:
        if path.suffix in (".vrp", ".txt"):
            instance = dacalns.read(path)
            if instance.problem == problem and instance.customers <= most:
                beside = path.with_suffix(".sol")
                made.append(instance)
                known.append(
                    dacalns.check(instance, dacalns.read_solution(beside)[0]).cost if beside.exists() else np.inf
                )
    return made, known


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=("cvrp", "vrptw"))
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--most", type=int, default=400, help="customers in a file of the folder")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--portfolio", default="full")
    parser.add_argument("--learned", default=LEARNED, help="the policy that is compared with the others")
    parser.add_argument("--others", default=",".join(OTHERS))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    selectors = (arguments.learned, *arguments.others.split(","))
    made, known = instances(arguments.problem, arguments.instances, arguments.folder, arguments.most)
    for selector in selectors:  # compile before any clock runs
        dacalns.solve(made[0], selector=selector, portfolio=arguments.portfolio, stop=dacalns.MaxIterations(1))
    runs = [
        Run(instance, selector, arguments.portfolio, seed, arguments.seconds)
        for instance in made
        for seed in range(arguments.seeds)
        for selector in selectors
    ]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        found = np.array(list(pool.map(outcome, runs, chunksize=1)))
    costs = found[:, 0].reshape(len(made), arguments.seeds, len(selectors))
    overhead = found[:, 1].reshape(costs.shape).mean(axis=(0, 1))
    best = np.minimum(costs.min(axis=(1, 2)), known)
    gaps = np.minimum(100 * (costs / best[:, None, None] - 1), 100).mean(axis=1)
    print(
        f"{arguments.problem}, portfolio {arguments.portfolio}: {len(made)} instances, {arguments.seeds} seeds, "
        f"{arguments.seconds:g} s each; {arguments.learned} against"
    )
    print(f"{'selector':28s} {'mean gap %':>10s} {'difference':>10s} {'w/l/t':>9s} {'p':>7s} {'selection':>9s}")
    for k, selector in enumerate(selectors):
        difference = gaps[:, 0] - gaps[:, k]
        wins, losses = int((difference < -1e-9).sum()), int((difference > 1e-9).sum())
        p = wilcoxon(difference, alternative="less").pvalue if wins + losses else 1.0
        tail = (
            f"{difference.mean():10.3f} {f'{wins}/{losses}/{len(made) - wins - losses}':>9s} {p:7.4f}"
            if k
            else 28 * " "
        )
        print(f"{selector[-28:]:28s} {gaps[:, k].mean():10.3f} {tail} {100 * overhead[k]:7.1f} %")
    if arguments.json:
        names = [instance.name for instance in made]
        arguments.json.write_text(json.dumps({"instances": names, "selectors": selectors, "gaps": gaps.tolist()}))


if __name__ == "__main__":
    main()
