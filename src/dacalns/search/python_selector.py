"""Selectors in plain Python: what they implement, what they see and what they are told."""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dacalns.core import stepper as steps
from dacalns.core.model import BANKED, Solution
from dacalns.core.routes import total_length
from dacalns.instances import Instance
from dacalns.search.solution_graph import Edges, edges, node_features
from dacalns.search.start import routes_of
from dacalns.search.stepper import Stepper


class State:
    """What a Python selector sees of the search: the current solution, or what destroying left of it.

    Nothing can be changed through it. It is a live view that computes a value when it is asked for: look at it during
    the call and keep values, not the state, for the state will show a later moment.
    """

    __slots__ = ("_solution", "_stepper")

    def __init__(self, stepper: Stepper, solution: Solution) -> None:
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
        return routes_of(self._solution)

    @property
    def unserved(self) -> list[int]:
        """The customers in no route, in ascending order: those removed, and any that did not fit before."""
        return sorted(self._solution.bank[: self._solution.counts[BANKED]].tolist())

    @property
    def removed_fraction(self) -> float:
        """The part of all customers that is in no route; 0 where every one is served."""
        return float(self._solution.counts[BANKED] / self._stepper.instance.customers)

    @property
    def cost(self) -> float:
        """Distance of the routes, in the instance's units."""
        return float(total_length(self._solution)) / self._stepper.instance.scale

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
        return int(self._stepper.progress.counters[steps.ITERATION])

    @property
    def fraction(self) -> float:
        """The part of the budget that is used, from 0 to 1."""
        return float(self._stepper.progress.values[steps.FRACTION])

    @property
    def node_features(self) -> npt.NDArray[np.float32]:
        """What the network of a learned selector sees of each node: a row for the depot, then one for each customer.

        The columns are x, y, demand and served; with time windows also opens, closes, width, service, arrival and
        waiting. All are relative: to the depot, a vehicle's load, or the length of the day.
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


class Outcome(NamedTuple):
    """What came of an iteration.

    ``before``, ``after`` and ``best`` are what the search minimises, in the instance's units: the distance, plus a
    penalty larger than any distance for every customer that is not served.
    """

    destroy: int  #: the destroy operator that was used
    repair: int  #: the repair operator that was used
    outcome: str  #: ``best``, ``better``, ``accepted``, or ``nothing new``: not accepted, or accepted once before
    accepted: bool  #: whether the repaired solution is the current one now, new or not
    before: float  #: the current solution's cost before it was destroyed
    destroyed: float  #: distance of what destroying left
    after: float  #: the repaired solution's cost
    best: float  #: the best cost before this iteration
    seconds: float  #: time of both operators


class PythonSelector(Protocol):
    """A selector in plain Python, which the compiled loop calls back.

    Any object with these three methods will do. It is called by its class in results, unless it has a ``name``. If it
    has a method ``start(destroy_names, repair_names, seed)``, that is called once at the beginning of every run: a
    selector that begins anew there, and draws from a generator with that seed, can be used again and again and gives
    the same answer for the same seed.
    """

    def select_destroy(self, state: State) -> int:
        """The number of a destroy operator, from 0 to ``state.destroys`` - 1, for the current solution."""

    def select_repair(self, destroyed: State, destroy: int) -> int:
        """The number of a repair operator for what ``destroy`` left, from 0 to ``destroyed.repairs`` - 1."""

    def update(self, outcome: Outcome) -> None:
        """Learn from what came of it."""
