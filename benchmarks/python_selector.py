"""What a selector in plain Python costs: microseconds an iteration, always random removal and regret repair.

    python benchmarks/python_selector.py [--seconds 1] [--rounds 5] [--instances A-n32-k5 A-n80-k10 R101]

The sides run in turn, so that they share what else the machine does, and the medians are printed.
"""

import argparse
import statistics
import time

import dacalns


class Constant:
    """Always the same pair, with a look at nothing."""

    def select_destroy(self, state):
        """Random removal."""
        return 0

    def select_repair(self, destroyed, destroy):
        """Regret repair."""
        return 2

    def update(self, outcome):
        """Learn nothing."""


class Looking(Constant):
    """The same pair, with a look at the routes and the removed customers."""

    def select_destroy(self, state):
        """Random removal."""
        return 0 * len(state.routes)

    def select_repair(self, destroyed, destroy):
        """Regret repair."""
        return 2 + 0 * len(destroyed.unserved)


def by_loop(selector: object):
    """Microseconds an iteration of `dacalns.solve`."""

    def measure(instance: dacalns.Instance, seconds: float) -> float:
        result = dacalns.solve(instance, portfolio="paper", selector=selector, stop=seconds)
        return 1e6 / result.iterations_per_second

    return measure


def by_stepper(instance: dacalns.Instance, seconds: float) -> float:
    """Microseconds an iteration of a stepper that Python drives."""
    stepper, iterations, began = dacalns.Stepper(instance, "paper"), 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        stepper.destroy(0)
        stepper.repair(2)
        stepper.accept()
        iterations += 1
    return 1e6 * (time.perf_counter() - began) / iterations


SIDES = {
    "compiled, FixedWeights": by_loop(dacalns.FixedWeights([[0, 0, 1], [0, 0, 0]])),
    "Python, looks at nothing": by_loop(Constant()),
    "Python, looks at the routes": by_loop(Looking()),
    "Python drives a Stepper": by_stepper,
}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each side in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--instances", nargs="+", default=["A-n32-k5", "A-n80-k10", "R101"])
    options = parser.parse_args()
    for name in options.instances:
        instance = dacalns.read(name)
        for measure in SIDES.values():
            measure(instance, 0.1)
        rounds = [[measure(instance, options.seconds) for measure in SIDES.values()] for _ in range(options.rounds)]
        for side, figures in zip(SIDES, zip(*rounds, strict=True), strict=True):
            print(f"{name:10}  {side:30}{statistics.median(figures):8.1f} µs")


if __name__ == "__main__":
    main()
