"""Whole routes at once."""

from dacalns.core.jit import kernel
from dacalns.core.model import USED
from dacalns.core.routes import insert, link, recompute, remove, settle


@kernel
def place_routes(problem, solution, visits, sizes):
    """Serve waiting customers by new routes, one after the other in ``visits``, each with as many as ``sizes`` says.

    Of a route that is not feasible, those are left waiting who break a limit behind the ones before them.
    """
    begin = 0
    for k in range(len(sizes)):
        end = begin + sizes[k]
        if not place_route(problem, solution, visits[begin:end]):
            number, last = solution.counts[USED], 0
            for place in range(begin, end):
                if insert(problem, solution, visits[place], number, last):
                    last = visits[place]
        begin = end


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
