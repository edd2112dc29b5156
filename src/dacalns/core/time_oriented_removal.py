"""Removal of near customers served at about the same time (Pisinger and Ropke 2007), for problems with windows."""

import numpy as np

from dacalns.core.jit import kernel
from dacalns.core.related_removal import remove_related

# Only so many nearest customers are compared, since being far apart counts for nothing among them.
NEAR = np.int64(40)


@kernel
def time_oriented_removal(problem, solution, count, rng):
    """Remove a random customer and, mostly, those of its nearest whose service begins closest in time to its own."""
    remove_related(problem, solution, count, NEAR, 0.0, 1.0, 0.0, rng)
