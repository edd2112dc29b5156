"""Choose the start and end of simulated annealing: once, for roulette, on generated instances.

    python benchmarks/calibrate_annealing.py [--seeds 5] [--jobs 2] [--json FILE]

Every setting gets max(2000, 50 n) iterations with the classic roulette on the same generated CVRP and VRPTW instances
(n from 30 to 100, none of them a benchmark instance or a sample of one). The gap is to the best cost that any setting
or seed found. The setting with the lowest mean over both problems becomes the default for every method.
"""

import argparse
import itertools
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import dacalns

STARTS = (0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05)
ENDS = (0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005)
SETTINGS = [(start, end) for start, end in itertools.product(STARTS, ENDS) if end < start]


def instances() -> list[dacalns.Instance]:
    """12 CVRP with few and many customers a route, a tight fleet on every second, and 12 VRPTW of all kinds."""
    sizes = (30, 45, 60, 70, 80, 100)
    made = []
    for k, customers in enumerate(2 * sizes):
        instance = dacalns.generate_cvrp(
            customers,
            depot=("central", "eccentric", "random")[k % 3],
            positions=("random", "clustered", "mixed")[k // 2 % 3],
            route_length=(6, 9, 14)[k % 3],
            seed=7000 + k,
        )
        if k % 2:
            needed = int(np.ceil(instance.demands.sum() / instance.capacity))
            instance = instance.with_(fleet=needed + 1)
        made.append(instance)
    for k, customers in enumerate(2 * sizes):
        made.append(
            dacalns.generate_vrptw(
                customers,
                positions=("random", "clustered", "mixed")[k % 3],
                horizon=("short", "long")[k // 3 % 2],
                seed=8000 + k,
            )
        )
    return made


def costs(task: tuple[int, int, tuple[int, ...]]) -> tuple[int, int, list[float]]:
    """One instance under one setting, all seeds."""
    which, setting, seeds = task
    instance = instances()[which]
    annealing = dacalns.SimulatedAnnealing(*SETTINGS[setting])
    found = [dacalns.solve(instance, portfolio="paper", acceptance=annealing, seed=seed) for seed in seeds]
    return which, setting, [result.cost if result.feasible else np.inf for result in found]


def main() -> None:
    """Run all settings and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    made = instances()
    dacalns.solve(made[0], portfolio="paper", stop=dacalns.MaxIterations(1))  # compile once, before the processes start
    seeds = tuple(range(arguments.seeds))
    tasks = [(which, setting, seeds) for which in range(len(made)) for setting in range(len(SETTINGS))]
    table = np.full((len(made), len(SETTINGS), len(seeds)), np.nan)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for which, setting, found in pool.map(costs, tasks, chunksize=4):
            table[which, setting] = found
    best = table.min(axis=(1, 2), keepdims=True)
    gaps = np.minimum(100 * (table / best - 1), 100).mean(axis=2)
    cvrp = np.array([instance.problem == "cvrp" for instance in made])
    rows = sorted(
        (float(gaps[:, k].mean()), float(gaps[cvrp, k].mean()), float(gaps[~cvrp, k].mean()), *setting)
        for k, setting in enumerate(SETTINGS)
    )
    print(f"{len(made)} generated instances, {len(seeds)} seeds, roulette; mean gap to the best found, %")
    print("  start     end    both   CVRP  VRPTW")
    for both, of_cvrp, of_vrptw, start, end in rows:
        print(f"{start:7g} {end:7g} {both:7.3f} {of_cvrp:6.3f} {of_vrptw:6.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
