"""A destroy operator of your own, compiled into the search: a random customer leaves together with its neighbours."""

import dacalns
from dacalns import between, random_int, remove


@dacalns.destroy_operator(count=(5, 20))
def neighbour_removal(problem, solution, count, rng):
    """Remove a random customer and those nearest to it: they can change places with one another."""
    centre = 1 + random_int(rng, len(problem.demand) - 1)
    remove(problem, solution, centre)
    for _ in range(count - 1):
        nearest = 0
        for customer in range(1, len(problem.demand)):
            served = solution.route[customer] >= 0
            if served and (nearest == 0 or between(problem, centre, customer) < between(problem, centre, nearest)):
                nearest = customer
        if nearest:
            remove(problem, solution, nearest)


portfolio = dacalns.PORTFOLIOS["full"].with_(destroy=[neighbour_removal])

if __name__ == "__main__":
    for name in ("A-n80-k10", "RC108"):
        print(dacalns.solve(name, portfolio=portfolio, stop=dacalns.MaxIterations(5000), seed=1))
