"""What Python code of the user's sees of a search."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dacalns.core import stepper as steps
from dacalns.core.model import BANKED, Solution
from dacalns.core.terms import solution_cost
from dacalns.instances import Instance
from dacalns.search.policy_view import Edges, edges, node_features
from dacalns.search.start import answer_of, unvisited_in

if TYPE_CHECKING:
    from dacalns.search.stepper import Stepper


class State:
    """What Python code sees of the search: the current solution, or what destroying left of it.

    Nothing can be changed through it. It is a live view that computes a value when it is asked for: look at it during
    the call and keep values, not the state, for the state will show a later moment.
    """

    __slots__ = ("_solution", "_stepper")

    def __init__(self, stepper: "Stepper", solution: Solution) -> None:
        self._stepper, self._solution = stepper, solution

    @property
    def instance(self) -> Instance:
        """What is being solved."""
        return self._stepper.instance

    @property
    def destroys(self) -> int:
        """The number of destroy operators to choose from."""
        return len(self._stepper.portfolio.destroy)

    @property
    def repairs(self) -> int:
        """The number of repair operators to choose from."""
        return len(self._stepper.portfolio.repair)

    @property
    def routes(self) -> list[list[int]]:
        """The routes as new lists of customers, in the order of their first ones."""
        return answer_of(self.instance, self._solution)[0]

    @property
    def unserved(self) -> list[int]:
        """The customers in no route, in ascending order: those removed, and any that were left out before."""
        return unvisited_in(self.instance, self._solution)

    @property
    def removed_fraction(self) -> float:
        """The part of all customers that is in no route; 0 where every one is served."""
        if self.instance.is_plain:
            return float(self._solution.counts[BANKED] / self.instance.customers)
        return len(self.unserved) / self.instance.customers

    @property
    def cost(self) -> float:
        """Distance of the routes, in the instance's units."""
        return float(solution_cost(self._stepper.problem, self._solution)) / self._stepper.instance.scale

    @property
    def current_cost(self) -> float:
        """Distance of the current solution, which is the one to be destroyed or just destroyed."""
        return self._stepper.current_cost

    @property
    def best_cost(self) -> float:
        """Distance of the best solution so far."""
        return self._stepper.best_cost

    @property
    def iteration(self) -> int:
        """Iterations done so far, not counting this one."""
        return int(self._stepper.progress.counters[steps.COUNTER.iteration])

    @property
    def fraction(self) -> float:
        """The part of the budget that is used, from 0 to 1."""
        return float(self._stepper.progress.values[steps.VALUE.fraction])

    @property
    def node_features(self) -> npt.NDArray[np.float32]:
        """What the network of a learned selector sees of each node: a row for the depot, then one for each customer.

        The columns are x, y, demand and served; with time windows also opens, closes, width, service, arrival and
        waiting. Problems beyond CVRP and VRPTW have all of these, and those of `dacalns.core.rich_view.Beyond`, whose
        rows are for customers as the search numbers them: one for each window of a customer. All are relative: to the
        depot, a vehicle's load, or the length of the day.
        """
        return node_features(self._stepper.graph, self._stepper.problem, self._solution)

    @property
    def edges(self) -> Edges:
        """The graph between them, as three arrays: tails, heads and weights of the edges, each in both directions.

        A node is linked to its ten nearest neighbours, and to the nodes before and after it in its route. The weight
        is one over the distance, in units of the usual distance of neighbours; twice that for neighbours in a route.
        """
        return edges(self._stepper.graph, self._stepper.problem, self._solution)

    def __repr__(self) -> str:
        return f"State({self.instance.name}, iteration {self.iteration}, removed {len(self.unserved)})"
