"""Regret insertion with noise (Ropke and Pisinger 2006), so that the same bank is not always served the same way."""

from dacalns.core.best_first import fill_by_best
from dacalns.core.jit import kernel

# How much noise at most, as a fraction of the distance to the farthest neighbour listed, which up to 101 customers is
# the farthest of all. On larger instances the largest distance would drown what places differ by.
ETA = 0.025
# With noise, the third-cheapest route may become the cheapest.
DEPTH = 3


@kernel
def noisy_regret_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that seems to lose most by its second-best route."""
    fill_by_best(problem, solution, DEPTH, ETA, rng)
