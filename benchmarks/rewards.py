"""What the paper's rewards pay for each destroy operator: at once, and with what the repair earns after it.

    python benchmarks/rewards.py [--sets cvrp-large vrptw-large] [--seeds 1]

Operators are drawn evenly, max(2000, 50 n) iterations, the paper's portfolio and the preset's rewards. A line for each
destroy operator, with what it earns itself, what regret repair earns after it, and the sum that the two-step target
counts.
"""

import argparse
from dataclasses import replace

import numpy as np

import dacalns
from dacalns.core.actor_critic import destroy_reward, repair_reward
from dacalns.core.selection import TRIAL
from dacalns.core.stepper import VALUE

DISCOUNT = dacalns.PRESETS["paper"].learning.discount
# Without the bonus for operators that are seldom used: here they are used alike.
REWARDS = replace(dacalns.PRESETS["paper"].rewards, delta=0.0)
REGRET = 2


def searched(name: str, seed: int) -> list[tuple[int, float, float, bool]]:
    """The iterations of one search that ended with regret repair: destroy operator, rewards, better."""
    stepper, rng = dacalns.Stepper(name, "paper", seed=seed), np.random.default_rng(seed)
    table = dacalns.DualActorCritic(REWARDS).blank_memory(stepper.instance, stepper.portfolio).table
    iterations = dacalns.default_iterations(stepper.instance.customers)
    found = []
    for iteration in range(iterations):
        stepper.progress.values[VALUE.fraction] = iteration / iterations
        destroy, repair = int(rng.integers(2)), int(rng.integers(3))
        stepper.destroy(destroy)
        stepper.repair(repair)
        stepper.accept()
        if repair == REGRET:
            before, destroyed, after, best = (
                stepper.progress.trial[k] for k in (TRIAL.before, TRIAL.destroyed, TRIAL.after, TRIAL.best)
            )
            own = destroy_reward(table, before, destroyed, best)
            found.append((destroy, own, repair_reward(table, before, after, best, repair), bool(after < before)))
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
