"""Insertion, and then a local search around the customers that were inserted."""

from dacalns.core.blinks import BLINK, draw_order, fill_in_order
from dacalns.core.jit import kernel
from dacalns.core.local_search import improve_around_served
from dacalns.core.model import BANKED
from dacalns.core.noisy_repair import noisy_regret_repair


@kernel
def polished_blink_repair(problem, solution, rng):
    """Serve the waiting customers with blinks, then improve what is around them."""
    waited = solution.counts[BANKED]
    fill_in_order(problem, solution, draw_order(problem, rng), BLINK, rng)
    improve_around_served(problem, solution, waited)


@kernel
def polished_regret_repair(problem, solution, rng):
    """Serve the waiting customers by regret with noise, then improve what is around them."""
    waited = solution.counts[BANKED]
    noisy_regret_repair(problem, solution, rng)
    improve_around_served(problem, solution, waited)
