"""How many short searches a process makes in a second, beside PyVRP: services and studies make many.

    python benchmarks/short_solves.py [--solves 300] [--iterations 100] [--customers 15]

Every search is of another instance, half of them with time windows. PyVRP's iterations are other ones; what is compared
is what a call costs besides. The machine should be idle.
"""

import argparse
import time
from collections.abc import Callable

import pyvrp
import pyvrp.stop

import dacalns
from dacalns.bench.peers.with_pyvrp import problem_data

OURS: dict[str, dict[str, str]] = {
    "roulette, paper": {"selector": "roulette", "portfolio": "paper"},
    "roulette, full": {"selector": "roulette", "portfolio": "full"},
    "dac-t, full (the default)": {},
    "dac, paper (learns)": {"selector": "dac", "portfolio": "paper"},
}


def instances(total: int, customers: int, first: int) -> list[dacalns.Instance]:
    """As many as asked for, every other one with windows."""
    makers = dacalns.generate_cvrp, dacalns.generate_vrptw
    return [makers[k % 2](customers, seed=first + k) for k in range(total)]


def rate(solve: Callable[[dacalns.Instance], object], problems: list[dacalns.Instance]) -> float:
    """Searches in a second."""
    began = time.perf_counter()
    for problem in problems:
        solve(problem)
    return len(problems) / (time.perf_counter() - began)


def main() -> None:
    """Print a line for each, and how many times as many it makes as PyVRP."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=300)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--customers", type=int, default=15)
    asked = parser.parse_args()

    def by_pyvrp(problem: dacalns.Instance) -> object:
        return pyvrp.solve(problem_data(problem), pyvrp.stop.MaxIterations(asked.iterations), display=False)

    warming = instances(4, asked.customers, 10_000)
    rate(by_pyvrp, warming)
    theirs = rate(by_pyvrp, instances(asked.solves, asked.customers, 0))
    print(f"{'PyVRP':26} {theirs:7.0f} searches/s")
    for name, options in OURS.items():

        def by_us(problem: dacalns.Instance, options: dict[str, str] = options) -> object:
            stop = dacalns.MaxIterations(asked.iterations)
            return dacalns.solve(problem, stop=stop, **options)  # type: ignore[arg-type]

        rate(by_us, warming)
        ours = rate(by_us, instances(asked.solves, asked.customers, 0))
        print(f"{name:26} {ours:7.0f} searches/s, {ours / theirs:.1f} times as many")


if __name__ == "__main__":
    main()
