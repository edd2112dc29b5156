"""The classic search at the paper's budget: mean gap to the best-known values.

    python benchmarks/quality.py [--sets cvrp-large solomon] [--selector roulette] [--seeds 10] [--jobs 2]

max(2000, 50 n) iterations, seeds 0, 100, …, 900, the paper's portfolio and the fleet limits of the best-known lists.
Every solution is checked again by the independent checker; a cost below a best-known value is an error.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import dacalns


def gaps(task: tuple[str, str, int]) -> tuple[str, list[float]]:
    """The gaps of one instance over the seeds, in percent."""
    name, selector, seeds = task
    instance = dacalns.read(name)
    found = []
    for seed in range(0, 100 * seeds, 100):
        result = dacalns.solve(instance, portfolio="paper", selector=selector, seed=seed)
        verdict = dacalns.check(instance, result.routes)
        assert verdict.feasible == result.feasible, (name, seed, verdict.violations)
        assert abs(verdict.cost - result.cost) < 1e-6, (name, seed, verdict.cost, result.cost)
        assert result.gap_percent is None or result.gap_percent >= -1e-9, (name, seed, result.cost)
        found.append(100.0 if result.gap_percent is None else result.gap_percent)
    return name, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["cvrp-large", "solomon"])
    parser.add_argument("--selector", default="roulette")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    dacalns.solve(
        "A-n32-k5", portfolio="paper", selector=arguments.selector
    )  # compile once, before the processes start
    print(f"dac-alns {dacalns.__version__}, {arguments.selector}, {arguments.seeds} seeds, max(2000, 50 n) iterations")
    for set_name in arguments.sets:
        tasks = [(name, arguments.selector, arguments.seeds) for name in dacalns.instance_names(set_name)]
        with ProcessPoolExecutor(arguments.jobs) as pool:
            table = dict(pool.map(gaps, tasks))
        values = np.array(list(table.values()))
        worst = max(table, key=lambda name: float(np.mean(table[name])))
        print(
            f"{set_name:12s} {len(table):3d} instances  mean gap {values.mean():.3f} %  best of the seeds "
            f"{values.min(axis=1).mean():.3f} %  worst instance {worst} {np.mean(table[worst]):.2f} %"
        )


if __name__ == "__main__":
    main()
