"""String removal and insertion with blinks at equal time: mean gap to the best-known values.

    python benchmarks/strings.py INSTANCE … --seconds 1.1 [--portfolio strings] [--annealing 0.008 0.0001] [--seeds 3]

`strings` is string removal with `blink_repair`, the pair of SISR; any other portfolio by its name. Instances are names
or files; a file's best-known cost is read from the `.sol` file beside it. Operators are chosen at random, evenly.
"""

import argparse
from pathlib import Path

import numpy as np

import dacalns

STRINGS = dacalns.Portfolio(["string_removal"], ["blink_repair"], name="strings")


def best_known(name: str, result: dacalns.Result) -> float:
    """The published cost of the instance, or the one of the solution beside its file."""
    beside = Path(name).with_suffix(".sol")
    if beside.exists():
        return dacalns.check(dacalns.read(name), dacalns.read_solution(beside)[0]).cost
    assert result.gap_percent is not None, f"{name} has no best-known cost"
    return result.cost / (1 + result.gap_percent / 100)


def main() -> None:
    """Print a line for each instance, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="+")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--portfolio", default="strings")
    parser.add_argument("--annealing", type=float, nargs=2, default=(0.008, 0.0001), metavar=("START", "END"))
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    portfolio = STRINGS if arguments.portfolio == "strings" else arguments.portfolio
    chosen = {"portfolio": portfolio, "selector": "random"}
    chosen["acceptance"] = dacalns.SimulatedAnnealing(*arguments.annealing)
    dacalns.solve("A-n32-k5", stop=dacalns.MaxIterations(1), **chosen)  # compile before the clock runs
    print(f"{'instance':16s} {'mean gap':>9s} {'best':>8s} {'µs an iteration: all':>21s} destroy repair selector")
    means = []
    for name in arguments.instances:
        found = [dacalns.solve(name, stop=arguments.seconds, seed=seed, **chosen) for seed in range(arguments.seeds)]
        assert all(result.feasible for result in found), name
        gaps = [100 * (result.cost / best_known(name, result) - 1) for result in found]
        means.append(np.mean(gaps))
        iterations = sum(result.iterations for result in found)
        parts = [
            1e6 * sum(seconds) / iterations
            for seconds in (
                [result.seconds for result in found],
                [sum(result.operators.destroy_seconds) for result in found],
                [sum(result.operators.repair_seconds) for result in found],
                [result.time.selection for result in found],
            )
        ]
        print(
            f"{Path(name).stem:16s} {means[-1]:7.3f} % {min(gaps):6.3f} % {parts[0]:21.2f} {parts[1]:7.2f} "
            f"{parts[2]:6.2f} {parts[3]:8.2f}",
            flush=True,
        )
    print(f"{len(means)} instances, {arguments.seeds} seeds, {arguments.seconds} s: mean gap {np.mean(means):.3f} %")


if __name__ == "__main__":
    main()
