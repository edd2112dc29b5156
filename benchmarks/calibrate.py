"""Calibrate the classic baseline: acceptance and wheel, once, on generated instances.

    python benchmarks/calibrate.py [--seeds 10] [--jobs 2] [--json FILE]

Every setting gets max(2000, 50 n) iterations of the paper's operators on the same 36 CVRP and 36 VRPTW instances (20 to
79 customers, none of them a benchmark instance or a sample of one). First both annealings at many temperatures, each
with Ropke and Pisinger's wheel and with a quick one; then, at the annealing that was best for Ropke and Pisinger's
wheel, other wheels. The gap is to the best cost that any setting or seed found on the instance. The best annealing
becomes `dacalns.ACCEPTANCES["calibrated"]`, the same for every method; the best wheel is `roulette:tuned`.
"""

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

import dacalns

CLASSIC = dacalns.Roulette()
QUICK = dacalns.Roulette(scores=(30, 20, 10, 0), segment=5, reaction=0.4)
SCORES = ((33, 9, 13, 0), (33, 13, 9, 0), (30, 20, 10, 0), (20, 10, 2, 0), (1, 1, 0, 0))
WHEELS = [
    dacalns.Roulette(scores, segment, reaction)
    for scores, segment, reaction in product(SCORES, (5, 20, 100), (0.1, 0.4))
]
ANNEALINGS = [
    *(
        dacalns.SimulatedAnnealing(start, end)
        for start, end in product((0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05), (0.001, 0.002, 0.003, 0.005, 0.008))
        if end < start
    ),
    *(
        dacalns.LocalAnnealing(start, end)
        for start, end in product((0.5, 0.8, 1.2, 1.8, 2.7, 4.0), (0.1, 0.2, 0.3, 0.5, 0.77, 1.2))
        if end < start
    ),
]

Setting = tuple[dacalns.AcceptanceCriterion, dacalns.Roulette]


@cache
def instances() -> list[dacalns.Instance]:
    """36 CVRP with few and many customers a route, a tight fleet on every second, and 36 VRPTW of all kinds."""
    made = []
    for k in range(36):
        instance = dacalns.generate_cvrp(
            20 + 59 * k // 35,
            depot=("central", "eccentric", "random")[k % 3],
            positions=("random", "clustered", "mixed")[k // 3 % 3],
            route_length=(6, 9, 14)[k // 2 % 3],
            seed=7000 + k,
        )
        if k % 2:
            needed = int(np.ceil(instance.demands.sum() / instance.capacity))
            instance = instance.with_(fleet=needed + 1)
        made.append(instance)
    for k in range(36):
        made.append(
            dacalns.generate_vrptw(
                20 + 59 * k // 35,
                positions=("random", "clustered", "mixed")[k % 3],
                horizon=("short", "long")[k // 3 % 2],
                seed=8000 + k,
            )
        )
    return made


def costs(task: tuple[int, Setting, int]) -> list[float]:
    """One instance under one setting, all seeds."""
    which, (acceptance, wheel), seeds = task
    found = [
        dacalns.solve(instances()[which], portfolio="paper", acceptance=acceptance, selector=wheel, seed=seed)
        for seed in range(seeds)
    ]
    return [result.cost if result.feasible else np.inf for result in found]


def table_of(pool: ProcessPoolExecutor, settings: Sequence[Setting], seeds: int) -> np.ndarray:
    """Costs by setting, instance and seed."""
    made = range(len(instances()))
    tasks = [(which, setting, seeds) for which in made for setting in settings]
    found = np.array(list(pool.map(costs, tasks, chunksize=4)))
    return found.reshape(len(made), len(settings), seeds).transpose(1, 0, 2)


def ranked(settings: Sequence[Setting], table: np.ndarray, best: np.ndarray) -> list[tuple[float, float, float, int]]:
    """Mean gaps in percent of both problems, of CVRP and of VRPTW, and the setting; the best setting first."""
    gaps = np.minimum(100 * (table / best[:, None] - 1), 100).mean(axis=2)
    cvrp = np.array([instance.problem == "cvrp" for instance in instances()])
    return sorted(
        (float(gaps[k].mean()), float(gaps[k, cvrp].mean()), float(gaps[k, ~cvrp].mean()), k)
        for k in range(len(settings))
    )


def show(title: str, settings: Sequence[Setting], table: np.ndarray, best: np.ndarray) -> int:
    """Print a table and return the best setting."""
    print(f"\n{title}\n   both   CVRP  VRPTW")
    rows = ranked(settings, table, best)
    for both, of_cvrp, of_vrptw, k in rows:
        acceptance, wheel = settings[k]
        said = f"{wheel.scores}, segment {wheel.segment}, reaction {wheel.reaction}"
        print(f"{both:7.3f} {of_cvrp:6.3f} {of_vrptw:6.3f}  {acceptance}  {said}")
    return rows[0][3]


def main() -> None:
    """Run all settings and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    seeds = arguments.seeds
    # Compile once, before the processes start.
    for annealing in (ANNEALINGS[0], ANNEALINGS[-1]):
        dacalns.solve(
            instances()[0], portfolio="paper", selector=CLASSIC, acceptance=annealing, stop=dacalns.MaxIterations(1)
        )
    print(f"{len(instances())} generated instances, {seeds} seeds; mean gap to the best found, %")
    first = [(annealing, wheel) for wheel in (CLASSIC, QUICK) for annealing in ANNEALINGS]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        annealed = table_of(pool, first, seeds)
        best = annealed.min(axis=(0, 2))
        chosen = ranked(first[: len(ANNEALINGS)], annealed[: len(ANNEALINGS)], best)[0][3]
        second = [(ANNEALINGS[chosen], wheel) for wheel in WHEELS]
        wheeled = table_of(pool, second, seeds)
    best = np.minimum(best, wheeled.min(axis=(0, 2)))
    half = len(ANNEALINGS)
    show("Annealings, Ropke and Pisinger's wheel", first[:half], annealed[:half], best)
    show("Annealings, scores 30, 20, 10, segments of 5, reaction 0.4", first[half:], annealed[half:], best)
    show(f"Wheels, {ANNEALINGS[chosen]}", second, wheeled, best)
    if arguments.json:
        said = [[repr(acceptance), repr(wheel)] for acceptance, wheel in (*first, *second)]
        arguments.json.write_text(json.dumps({"settings": said, "costs": [*annealed.tolist(), *wheeled.tolist()]}))


if __name__ == "__main__":
    main()
