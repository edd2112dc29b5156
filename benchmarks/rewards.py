"""What the paper's rewards pay for each destroy operator: at once, and with what the repair earns after it.

    python benchmarks/rewards.py [--sets cvrp-large vrptw-large] [--seeds 1]

Operators are drawn evenly, max(2000, 50 n) iterations, the paper's portfolio and the preset's rewards. A line for each
destroy operator, with what it earns itself, what regret repair earns after it, and the sum that the two-step target
counts.
"""

import argparse

import numpy as np

import dacalns
from dacalns.core.selection import AFTER, BEFORE, BEST, DESTROYED
from dacalns.core.stepper import FRACTION

DISCOUNT = dacalns.PRESETS["paper"].learning.discount
REWARDS = dacalns.PRESETS["paper"].rewards
REGRET = 2


def earned(trial: np.ndarray) -> tuple[float, float, bool]:
    """R_destroy, the tier of R_repair, and whether the iteration ended in a better solution."""
    before, destroyed, after, best = (trial[place] for place in (BEFORE, DESTROYED, AFTER, BEST))
    potential = REWARDS.beta * (best - destroyed) / best
    destroy = REWARDS.alpha2 + potential if destroyed <= best else REWARDS.alpha1 + potential
    destroy = destroy if destroyed < before or destroyed <= best else 0.0
    repair = REWARDS.new_best if after < best else REWARDS.better if after < before else REWARDS.otherwise
    return destroy, repair, bool(after < before)


def searched(name: str, seed: int) -> list[tuple[int, float, float, bool]]:
    """The iterations of one search that ended with regret repair: destroy operator, rewards, better."""
    stepper, rng = dacalns.Stepper(name, "paper", seed=seed), np.random.default_rng(seed)
    iterations = dacalns.default_iterations(stepper.instance.customers)
    found = []
    for iteration in range(iterations):
        stepper.progress.values[FRACTION] = iteration / iterations
        destroy, repair = int(rng.integers(2)), int(rng.integers(3))
        stepper.destroy(destroy)
        stepper.repair(repair)
        stepper.accept()
        if repair == REGRET:
            found.append((destroy, *earned(stepper.progress.trial)))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["cvrp-large", "vrptw-large"])
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{'':14s} {'':14s} R_destroy  R_repair  two-step  better")
    for set_name in arguments.sets:
        rows = [row for name in dacalns.instance_names(set_name) for seed in range(arguments.seeds)
                for row in searched(name, seed)]  # fmt: skip
        for destroy, label in enumerate(("random removal", "worst removal")):
            own, repair, better = np.array([row[1:] for row in rows if row[0] == destroy]).mean(axis=0)
            both = own + DISCOUNT * repair
            print(f"{set_name:14s} {label:14s} {own:9.3f} {repair:9.3f} {both:9.3f} {100 * better:6.1f} %")


if __name__ == "__main__":
    main()
