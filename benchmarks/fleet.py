"""Fewest vehicles first, then distance, on Solomon's instances with exact distances, beside what is published.

    python benchmarks/fleet.py [INSTANCE …] [--seconds 30] [--seeds 1]

Every solution is checked again by the independent checker. `at` is when the number of vehicles was reached, and the gap
is that of the distance, where the vehicles are as few as published.
"""

import argparse

import numpy as np

import dacalns

OBJECTIVE = "vehicles-then-distance"


def main() -> None:
    """Print a line for each instance and seed, and what it comes to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", default=dacalns.instance_names("solomon"))
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    dacalns.solve("R101", stop=dacalns.MaxIterations(1), objective=OBJECTIVE)  # compile before the clock runs
    print(f"{'instance':9s} seed vehicles published bound {'at':>8s} {'distance':>9s} {'gap':>8s}")
    excess, gaps = [], []
    for name in arguments.instances:
        instance = dacalns.read(name, rounding="exact")
        for seed in range(arguments.seeds):
            result = dacalns.solve(instance, stop=arguments.seconds, seed=seed, objective=OBJECTIVE)
            verdict = dacalns.check(instance, result.routes)
            assert verdict.feasible, (name, seed, verdict.violations)
            assert abs(verdict.cost - result.cost) < 1e-6, (name, seed, verdict.cost, result.cost)
            assert result.fleet_phase is not None
            assert result.best_known_vehicles is not None, f"nothing is published for {name}"
            vehicles = len(result.routes)
            reached = next(event.seconds for event in result.history if event.vehicles == vehicles)
            gap = "-" if result.gap_percent is None else f"{result.gap_percent:.3f} %"
            print(
                f"{name:9s} {seed:4d} {vehicles:8d} {result.best_known_vehicles:9d} {result.fleet_phase.bound:5d} "
                f"{reached:6.2f} s {result.cost:9.2f} {gap:>8s}",
                flush=True,
            )
            excess.append(vehicles - result.best_known_vehicles)
            gaps += [] if result.gap_percent is None else [result.gap_percent]
    print(
        f"{len(excess)} runs of {arguments.seconds:g} s: as few vehicles as published in {excess.count(0)}, "
        f"{sum(excess)} too many in the others; mean gap of the distance where as few "
        f"{np.mean(gaps) if gaps else np.nan:.3f} %"
    )


if __name__ == "__main__":
    main()
