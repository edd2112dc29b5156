"""What an environment is about, whoever drives it: instances, operators, spaces, masks, rewards, arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from dacalns.core.graph import PLAIN_FEATURES, RICH_FEATURES, WINDOW_FEATURES
from dacalns.core.sight import PHASES, SIGHT
from dacalns.gym.instances import Given, Instances, nodes_of
from dacalns.instances import Instance
from dacalns.instances.features import PLAIN, problem_called
from dacalns.search.acceptance import AcceptanceCriterion, Accepts, PythonAcceptance, as_acceptance
from dacalns.search.observation import Observation
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.stepper import Stepper
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

# Levels of the scale where it is an action, unless there is a number.
LEVELS = 10
# Wider than what is ever seen; without bounds, some learners take no observation.
FAR = 1000.0
Mask = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Choices:
    """How the actions of an environment are the operators of one search.

    Parameters
    ----------
    destroy, repair
        For each action, the number of the operator in the search. An action that is masked stands for one that is not:
        they are counted off, again and again.
    destroy_mask, repair_mask
        1 for the actions that are operators of the search.
    """

    destroy: npt.NDArray[np.int64]
    repair: npt.NDArray[np.int64]
    destroy_mask: Mask
    repair_mask: Mask


class Task:
    """The one definition of the environments' arguments, which `TwoPhaseEnv` explains."""

    def __init__(
        self,
        *,
        paired: bool,
        instances: Given,
        problem: str,
        portfolio: str | Portfolio,
        acceptance: str | AcceptanceCriterion | Accepts | None,
        iterations: int,
        max_nodes: int | None,
        max_edges: int | None,
        neighbours: int,
        scale: bool | int,
        observe: bool,
    ) -> None:
        self.paired = paired
        self.instances = Instances(instances, problem)
        self.iterations = whole_number("iterations", iterations, minimum=1)
        self.neighbours = whole_number("neighbours", neighbours, minimum=1)
        self.nodes = self.instances.nodes
        if max_nodes is not None:
            self.nodes = whole_number("max_nodes", max_nodes, minimum=2)
        # Neighbours are linked both ways; a depot and its customers, too, and every customer has two arcs.
        self.edges = self.nodes * (2 * self.neighbours + 4)
        if max_edges is not None:
            self.edges = whole_number("max_edges", max_edges, minimum=1)
        self.portfolio = as_portfolio(portfolio)
        self.acceptance = None if acceptance is None else as_acceptance(acceptance)
        fit = [self.portfolio.for_features(features) for features in self.instances.features]
        self.destroys = _union(self.portfolio.destroy, [each.destroy for each in fit])
        self.repairs = _union(self.portfolio.repair, [each.repair for each in fit])
        self.levels = self._levels(scale)
        widest = max(self.instances.features, key=lambda each: (not each <= PLAIN, len(each)))
        plain = WINDOW_FEATURES if widest else PLAIN_FEATURES
        self.features = plain if widest <= PLAIN else RICH_FEATURES
        self.observe = bool(observe)
        self.sizes = self.arrays().sizes()  #: how many nodes, features, edges and numbers there is room for

    def _levels(self, scale: bool | int) -> int:
        """The number of levels of the scale; 0 where it is no action."""
        if scale is False:
            return 0
        levels = LEVELS if scale is True else whole_number("scale", scale, minimum=2)
        if not any(each.name in self.destroys and each.scale.low < each.scale.high for each in self.portfolio.destroy):
            raise InputError(
                f"scale is {scale}, but portfolio {shown(self.portfolio.name)} has no destroy operator with a range; "
                "expected one, such as random_removal.at(count=(5, 20)); leave scale out, or choose paper."
            )
        return levels

    @property
    def actions(self) -> int:
        """How many actions there are, without levels of the scale."""
        sizes = len(self.destroys), len(self.repairs)
        return sizes[0] * sizes[1] if self.paired else max(sizes)

    @property
    def action_space(self) -> spaces.Space[Any]:
        """The space of actions."""
        return spaces.MultiDiscrete([self.actions, self.levels]) if self.levels else spaces.Discrete(self.actions)

    def observation_space(self, actions: int | None = None) -> spaces.Dict:
        """Return the space of observations, with a mask for so many actions, or for all."""
        nodes, edges = self.nodes, self.edges
        mask = spaces.MultiBinary(self.actions + self.levels if actions is None else actions)
        numbers = PHASES + len(self.destroys) + len(SIGHT)
        search = spaces.Box(-1.0, 1.0, (numbers,), np.float32)
        if not self.observe:
            return spaces.Dict({"search": search, "action_mask": mask})
        return spaces.Dict(
            {
                "nodes": spaces.Box(-FAR, FAR, (nodes, len(self.features)), np.float32),
                "node_mask": spaces.MultiBinary(nodes),
                "edge_index": spaces.Box(0, nodes - 1, (2, edges), np.int64),
                "edge_weight": spaces.Box(0.0, FAR, (edges,), np.float32),
                "edge_mask": spaces.MultiBinary(edges),
                "search": search,
                "action_mask": mask,
            }
        )

    def arrays(self, batch: int | None = None) -> Observation:
        """Return new arrays for an observation, or for those of several searches."""
        return Observation.empty(self.nodes, len(self.features), self.edges, len(self.destroys), batch)

    def require_room(self, instance: Instance) -> None:
        """Raise an `InputError` if an instance does not fit into the spaces."""
        if self.observe and (nodes := nodes_of(instance)) > self.nodes:
            raise InputError(
                f"{shown(instance.name)} has {nodes} nodes, and max_nodes is {self.nodes}; expected at least as many; "
                "raise max_nodes."
            )
        known = {name for each in self.instances.features for name in each}
        if new := instance.features - known:
            seen = " and ".join(sorted(problem_called(each) for each in self.instances.features))
            raise InputError(
                f"{shown(instance.name)} has {', '.join(sorted(new))}, and the environment is made for {seen}; "
                "expected instances of these; name another in instances, or in problem."
            )

    def stepper(self, instance: Instance, *, another: bool = False) -> Stepper:
        """Return a new stepper; one beside others has copies of what is plain Python, as that may keep something."""
        portfolio, acceptance = self.portfolio, self.acceptance or self.portfolio.acceptance
        if another:
            portfolio = portfolio.in_another_search()
            if isinstance(acceptance, PythonAcceptance):
                acceptance = acceptance.in_another_search()
        return Stepper(instance, portfolio, acceptance, budget=self.iterations)

    def choices(self, stepper: Stepper) -> Choices:
        """Return how the actions are the operators of a stepper."""
        destroy = _places(self.destroys, [each.name for each in stepper.portfolio.destroy])
        repair = _places(self.repairs, [each.name for each in stepper.portfolio.repair])
        most = len(self.destroys) if self.paired else self.actions, len(self.repairs) if self.paired else self.actions
        return Choices(
            _filled(destroy, most[0]), _filled(repair, most[1]), _mask(destroy, most[0]), _mask(repair, most[1])
        )

    def mask(self, choices: Choices, destroyed: bool) -> Mask:
        """Return the mask of the actions, those of the scale behind: which of them are operators now."""
        if self.paired:
            mask = np.outer(choices.destroy_mask, choices.repair_mask).ravel()
        else:
            mask = choices.repair_mask if destroyed else choices.destroy_mask
        if not self.levels:
            return mask.copy()
        levels = np.ones(self.levels, dtype=np.int8)
        if destroyed:
            levels[1:] = 0  # a repair has no scale
        return np.concatenate([mask, levels])


def _union(operators: Any, fit: Any) -> list[str]:
    """The names of the operators that some problem can use, in the order of the portfolio."""
    used = {each.name for side in fit for each in side}
    return [each.name for each in operators if each.name in used]


def _places(names: list[str], own: list[str]) -> list[int]:
    """For each operator of the environment its number in the search, or -1."""
    return [own.index(name) if name in own else -1 for name in names]


def _filled(places: list[int], size: int) -> npt.NDArray[np.int64]:
    known = [place for place in places if place >= 0]
    padded = [*places, *[-1] * (size - len(places))]
    return np.array([place if place >= 0 else known[k % len(known)] for k, place in enumerate(padded)])


def _mask(places: list[int], size: int) -> Mask:
    return np.array([place >= 0 for place in places] + [False] * (size - len(places)), dtype=np.int8)
