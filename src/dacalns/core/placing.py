"""A whole route at once."""

from dacalns.core.jit import kernel
from dacalns.core.model import USED
from dacalns.core.routes import link, recompute, remove, settle


@kernel
def place_route(problem, solution, visits):
    """Serve waiting customers by a new route in this order, if that is feasible; return whether it is.

    Its beginnings need not be: they may return to the depot too late.
    """
    number = solution.counts[USED]
    if number >= problem.fleet:
        return False
    last = 0
    for k in range(len(visits)):
        link(problem, solution, visits[k], number, last)
        last = visits[k]
    if recompute(problem, solution, number) == 0 and solution.load[number] <= problem.capacity:
        return True
    for k in range(len(visits)):
        remove(problem, solution, visits[k])
    settle(problem, solution)
    return False
