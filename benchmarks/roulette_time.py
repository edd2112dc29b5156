"""Selectors in the time that roulette takes for the paper's iterations, on generated instances not trained on.

    python benchmarks/roulette_time.py cvrp|vrptw [--sizes 60-79] [--sort short|long] [--instances 100] [--seeds 10]
        [--selectors dac-t,wheel] [--jobs 2] [--json FILE]

The paper's portfolio. Roulette does max(2000, 50 n) iterations, then each of the others gets the seconds that this
took, with the same seed. The gap is that of the mean costs to roulette's, in percent, negative is better; then its
standard error over the instances, wins, losses and ties, p of a one-sided Wilcoxon test, and p of the same test for
losing. The sort is the horizon of VRPTW, and for CVRP how many customers a route has; both if left out.
"""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import wilcoxon

import dacalns
from dacalns.learning.sources import Generated, as_source
from dacalns.util.errors import InputError

# Of the stream of instances; no training uses it.
HELD_OUT = 20_601
PORTFOLIO = "paper"


@dataclass(frozen=True)
class Comparison:
    """What is compared on one instance."""

    source: Generated
    number: int
    selectors: tuple[str, ...]
    seeds: int


def costs(comparison: Comparison) -> list[list[float]]:
    """For each seed, roulette's cost and that of each of the selectors in its time."""
    instance = comparison.source.instance(comparison.number)
    iterations = dacalns.MaxIterations(max(2000, 50 * instance.customers))
    found = []
    for seed in range(comparison.seeds):
        of_roulette = dacalns.solve(instance, selector="roulette", portfolio=PORTFOLIO, seed=seed, stop=iterations)
        others = [
            dacalns.solve(instance, selector=selector, portfolio=PORTFOLIO, seed=seed, stop=of_roulette.seconds).cost
            for selector in comparison.selectors
        ]
        found.append([of_roulette.cost, *others])
    return found


def line(selector: str, gaps: np.ndarray) -> str:
    """A selector's gaps to roulette in the table."""
    wins, losses = int((gaps < -1e-9).sum()), int((gaps > 1e-9).sum())
    better, worse = (
        wilcoxon(gaps, alternative=which).pvalue if wins + losses else 1.0 for which in ("less", "greater")
    )
    error = gaps.std(ddof=1) / len(gaps) ** 0.5 if len(gaps) > 1 else np.nan
    counts = f"{wins}/{losses}/{len(gaps) - wins - losses}"
    return f"{selector[-28:]:28s} {gaps.mean():+8.3f} {error:8.3f} {counts:>12s} {better:8.4f} {worse:8.4f}"


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=("cvrp", "vrptw"))
    parser.add_argument("--sizes", default="60-79")
    parser.add_argument("--sort", choices=("short", "long"))
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--selectors", default="dac-t")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="gaps of each selector, by instance")
    arguments = parser.parse_args()
    selectors = tuple(arguments.selectors.split(","))
    try:
        sort = f":{arguments.sort}" if arguments.sort else ""
        source = as_source(arguments.problem, f"generated:{arguments.sizes}{sort}", HELD_OUT)
        assert isinstance(source, Generated)
        costs(Comparison(Generated(arguments.problem, 2, 2), 0, selectors, 1))  # compile before any clock runs
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    work = [Comparison(source, number, selectors, arguments.seeds) for number in range(arguments.instances)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        means = np.array(list(pool.map(costs, work, chunksize=1))).mean(axis=1)
    gaps = 100 * (means[:, 1:] / means[:, :1] - 1)
    print(f"{arguments.problem}, {source}: {len(gaps)} instances, {arguments.seeds} seeds, in roulette's time")
    print(f"{'selector':28s} {'gap %':>8s} {'error':>8s} {'w/l/t':>12s} {'p':>8s} {'p losing':>8s}")
    for selector, of_selector in zip(selectors, gaps.T, strict=True):
        print(line(selector, of_selector))
    if arguments.json:
        named = zip(selectors, gaps.T.tolist(), strict=True)
        arguments.json.write_text(json.dumps({"instances": str(source), "gaps": dict(named)}))


if __name__ == "__main__":
    main()
