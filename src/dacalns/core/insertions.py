"""Where a customer is inserted most cheaply: the innermost loops of the search."""

import numpy as np
from numba.extending import overload

from dacalns.core.jit import inlined
from dacalns.core.model import END, USED
from dacalns.core.rng import random_float
from dacalns.core.routes import fits
from dacalns.core.terms import (
    added,
    distance,
    distance_back,
    distance_to,
    has_room,
    in_time,
    is_route,
    left_too_late,
    leg_now,
)


def overlooked(blink, rng):
    """True if a place is overlooked, which happens with probability ``blink``; never where ``blink`` is None."""
    return blink is not None and random_float(rng) < blink


@overload(overlooked, strict=False, jit_options={"error_model": "numpy", "_nrt": False, "forceinline": True})
def _overlooked(blink, rng):
    if getattr(blink, "dtype", blink).__class__.__name__ == "NoneType":
        return lambda blink, rng: False  # noqa: ARG005
    return lambda blink, rng: random_float(rng) < blink


@inlined
def cheapest_position(problem, solution, customer, route):
    """The least added distance of ``customer`` in ``route`` and the node to put it behind (END: the front).

    The distance is infinite where it fits nowhere. ``route`` may be the next empty one, if the fleet has another.
    """
    if not is_route(problem, route) or not has_room(problem, solution, route, customer):
        return np.inf, END
    return cheaper_position(problem, solution, customer, route, np.inf, None, None)


@inlined
def cheaper_position(problem, solution, customer, route, least, blink, rng):
    """The least added distance of ``customer`` in ``route`` and the node to put it behind, if it is below ``least``.

    The caller has seen to the load. A place that would be chosen is overlooked with probability ``blink``, or never
    (None).
    """
    leg, succ = solution.leg, solution.succ
    place = END
    before, node = END, solution.first[route]
    home = distance(problem, solution, route, customer, END)
    hither = distance_back(problem, solution, route, END, customer, home)  # from `before` to the customer
    while node and not left_too_late(problem, solution, route, before, customer):
        to = distance(problem, solution, route, customer, node)
        delta = added(problem, solution, route, hither, to, leg[node])
        if (
            delta < least
            and in_time(problem, solution, route, before, customer, node, hither, to)
            and not overlooked(blink, rng)
        ):
            least = delta
            place = before
        before = node
        hither = distance_back(problem, solution, route, node, customer, to)
        node = succ[node]
    if not node:
        delta = added(problem, solution, route, hither, home, distance(problem, solution, route, before, END))
        if (
            delta < least
            and in_time(problem, solution, route, before, customer, END, hither, home)
            and not overlooked(blink, rng)
        ):
            least = delta
            place = before
    return least, place


@inlined
def added_distance(problem, solution, customer, route, after):
    """What ``customer`` adds to ``route`` behind ``after``; infinite if it does not fit there."""
    if not fits(problem, solution, customer, route, after):
        return np.inf
    following = solution.succ[after] if after else solution.first[route]
    hither = distance(problem, solution, route, after, customer)
    onward = distance_to(problem, solution, route, customer, following)
    now = leg_now(problem, solution, route, after, following)
    return added(problem, solution, route, hither, onward, now)


# Where routes with room have very many places, only those beside near customers and at the ends of routes are looked
# at, so that the work of an insertion does not grow with the instance.
#
# If there are more than MANY places, only those beside the NEAR nearest customers are looked at: there both cost alike.
# Insertion by a table does so with more than MANY customers, and looks at the routes of the NEAR nearest ones.
MANY, NEAR = 400, 40


@inlined
def much_room(problem, solution, customer):
    """True if the routes with room for ``customer`` have more than ``MANY`` places."""
    if len(solution.route) <= MANY:
        return False
    places = 0
    for route in range(solution.counts[USED]):
        if has_room(problem, solution, route, customer):
            places += solution.size[route]
            if places > MANY:
                return True
    return False
