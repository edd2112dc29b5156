"""Where routes with room have very many places, only those beside near customers and beside the depot are looked at.

So the work of an insertion does not grow with the instance.
"""

from dacalns.core.distances import between
from dacalns.core.jit import inlined
from dacalns.core.model import USED

# If there are more than MANY places, only those beside the NEAR nearest customers are looked at: there both cost alike.
# Insertion by a table does so with more than MANY customers, and looks at the routes of the NEAR nearest ones.
MANY, NEAR = 400, 40


@inlined
def much_room(problem, solution, customer):
    """Whether the routes with room for ``customer`` have more than ``MANY`` places."""
    if len(solution.route) <= MANY:
        return False
    most = problem.capacity - problem.demand[customer]
    places = 0
    for route in range(solution.counts[USED]):
        if solution.load[route] <= most:
            places += solution.size[route]
            if places > MANY:
                return True
    return False


@inlined
def in_time(problem, solution, customer, before, after):
    """Whether ``customer`` may be served between two that follow one another (0: the depot)."""
    if not problem.timed:
        return True
    start = max(problem.opens[customer], solution.depart[before] + between(problem, before, customer))
    if start > problem.closes[customer]:
        return False
    return start + problem.service[customer] + between(problem, customer, after) <= solution.latest[after]
