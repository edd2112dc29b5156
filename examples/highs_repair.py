"""A repair operator in plain Python: HiGHS decides who goes where, a mixed-integer program inside portfolio full."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import dacalns


def highs_repair(draft, rng):
    """Round after round, put at most one customer into each route, so that all of a round together cost least."""
    while places := [place for customer in draft.unserved for place in draft.places(customer)]:
        opened = len(draft.routes)  # numbers from here on open a route: one in a round
        who, which = [place.customer for place in places], [min(place.route, opened) for place in places]
        customers, row_of_customer = np.unique(who, return_inverse=True)
        routes, row_of_route = np.unique(which, return_inverse=True)
        columns = np.tile(np.arange(len(places)), 2)
        rows = np.concatenate([row_of_customer, len(customers) + row_of_route])
        once = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(customers) + len(routes), len(places)))
        cost = np.array([place.cost for place in places])
        answer = milp(
            cost - 10.0 * (1.0 + np.abs(cost).max()),  # to serve somebody is worth more than any place costs
            integrality=np.ones(len(places)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(once, -np.inf, 1),
            options={"time_limit": 1.0},
        )
        chosen = [] if answer.x is None else [place for place, x in zip(places, answer.x, strict=True) if x > 0.5]
        if not chosen:
            return
        for place in sorted(chosen, key=lambda place: place.route):
            try:
                draft.insert(*place[1:])
            except dacalns.InputError:  # two trips of one vehicle, or two of one group: another round decides
                continue


# HiGHS takes milliseconds where the operators of full take microseconds, so it has its turn once in 250 iterations.
portfolio = dacalns.PORTFOLIOS["full"].with_(repair=[highs_repair], mixture={"highs_repair": 0.01})

if __name__ == "__main__":
    result = dacalns.solve("A-n80-k10", portfolio=portfolio, stop=2.0, seed=1)
    print(result)
    used = result.operators
    for name, uses, seconds in zip(used.repair, used.repair_uses, used.repair_seconds, strict=True):
        print(f"{name}: {uses} uses, {1000 * seconds / max(1, uses):.3f} ms each")
