"""Trained policies that no longer learn: DAC-T, which has a network, and the learned wheel, which is a table."""

import os
from collections.abc import Set
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dacalns.core import actor_critic as kernels
from dacalns.core import policy_table as layout
from dacalns.core import selection
from dacalns.core.brain import count_parameters, parameter_layout
from dacalns.core.selection import HEADER, Memory, new_memory
from dacalns.instances import Instance
from dacalns.search.portfolio import PORTFOLIOS, Portfolio, is_of_paper, paper_readings
from dacalns.search.selector import Selector
from dacalns.search.stopping import StoppingCriterion
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, context_size, parameters_of
from dacalns.selectors.card import Card, TrainedPortfolio, require_match
from dacalns.selectors.checkpoint import TIMED, Tensors, load_checkpoint, policy_file
from dacalns.selectors.settings import require_fraction
from dacalns.selectors.wheels import FixedWeights
from dacalns.util.errors import InputError
from dacalns.util.shown import shown_path
from dacalns.util.values import whole_number

# A run of the network costs as much as some iterations, and its decisions hardly change while a search goes on. So a
# decision is used ("held") for many iterations.
PAPER_HOLD = 500
# In searches of equal time, running the network a quarter as often was better by 0.03 ± 0.025 % on 246 generated
# instances.
TIMED_HOLD = 2000
# Iterations of other portfolios take microseconds however many customers there are, but the network looks at all
# customers. With these numbers it takes about 2 % of the time.
LEAST_HOLD, HOLD_PER_CUSTOMER = 1000, 20
# The widest network that can be trained has fewer; a card that asks for more is damaged.
MOST_PARAMETERS = 20_000_000
LEARNERS: dict[str, type[ActorCritic]] = {"ac": ActorCritic, "dac": DualActorCritic}


def usual_hold(policy: str | os.PathLike[str] | None, portfolio: Portfolio, customers: int) -> int:
    """Return for how many iterations a decision is used if the user does not say."""
    if policy == TIMED:
        return TIMED_HOLD
    return PAPER_HOLD if is_of_paper(portfolio.name) else max(LEAST_HOLD, HOLD_PER_CUSTOMER * customers)


def tensor_shapes(card: Card) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of a policy's tensors."""
    destroys, repairs = len(card.portfolio.destroy), len(card.portfolio.repair)
    if card.kind == "wheel":
        return {"pairs": (destroys, repairs)}
    heads = LEARNERS[card.kind].heads(card.network, destroys, repairs)
    features, network = len(card.features), card.network
    sizes = features, network.hidden, context_size(network, features), len(heads), max(heads)
    parameters = count_parameters(*sizes)
    if parameters > MOST_PARAMETERS:
        raise InputError(
            f"the card is of a network with {parameters} parameters; expected at most {MOST_PARAMETERS}; train the "
            "policy again."
        )
    return {name: block.shape for name, block in parameter_layout(*sizes).items()}


def to_tensors(card: Card, parameters: np.ndarray) -> Tensors:
    """Return flat parameters as the named tensors of a checkpoint."""
    shapes = tensor_shapes(card)
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
    parts = np.split(np.asarray(parameters, dtype=np.float32), ends[:-1])
    return {name: part.reshape(shape).copy() for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def from_tensors(card: Card, tensors: Tensors) -> np.ndarray:
    """Return the flat parameters that `to_tensors` split."""
    return np.concatenate([tensors[name].ravel() for name in tensor_shapes(card)])


@lru_cache(maxsize=16)
def _unchanged(path: Path, modified: int, size: int, number: int) -> tuple[Tensors, Card]:  # noqa: ARG001
    """Return a policy; as long as its file does not change, it is read only once for many short searches.

    All policies of a kind have the same size, and clocks of file systems are coarse, so the file's number counts, too.
    """
    return load_checkpoint(path, tensor_shapes)


def _checkpoint(path: Path) -> tuple[Tensors, Card]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return load_checkpoint(path, tensor_shapes)  # it raises an error that says what is wrong
    return _unchanged(path, status.st_mtime_ns, status.st_size, status.st_ino)


Policy = tuple[Tensors, Card]


def _loaded(policy: str | os.PathLike[str] | None, kind: str, features: Set[str], portfolio: Portfolio) -> Policy:
    """Read a policy, and check that it is of this kind and was made for these features and all these operators."""
    path = policy_file(policy, features, kind, portfolio.name)
    tensors, card = _checkpoint(path)
    if (card.kind == "wheel") != (kind == "wheel"):
        expected, choice = ("wheel", "dac-t") if kind == "wheel" else ("network", "wheel")
        raise InputError(
            f"{shown_path(path)}: this policy is a {card.kind}; expected a {expected}; use it with selector {choice}."
        )
    try:
        require_match(card, features, portfolio)
    except InputError as error:
        raise InputError(f"{shown_path(path)}: {error}") from None
    return tensors, card


def _portfolio_of(policy: str | os.PathLike[str] | None, features: Set[str]) -> str | None:
    """Return the name of the portfolio that a policy was trained for; None if there is no policy or no name."""
    if policy is None:
        return None
    return _named_portfolios(frozenset(features)).get(
        _checkpoint(policy_file(policy, features, "dac", "paper"))[1].portfolio
    )


@cache
def _named_portfolios(features: frozenset[str]) -> dict[TrainedPortfolio, str]:
    """Return the names of all portfolios that have one, by their operators that are fit for these features."""
    known = (*PORTFOLIOS.values(), *paper_readings())
    return {TrainedPortfolio.of(each, features): each.name for each in reversed(known)}


class _PolicyInFile(Selector):
    """A selector that reads its policy from a file, once for all searches of a `dacalns.solve`."""

    kind: ClassVar[str]  #: the kind of policies that it can use: ``"wheel"``, or ``"dac"`` for any network
    policy: str | os.PathLike[str] | None
    _policy: Policy | None = None

    def made_for(self, features: Set[str]) -> str | None:
        """Return the name of the portfolio that the policy in the file was trained for, if it has one."""
        return _portfolio_of(self.policy, features)

    def load(self, features: Set[str], portfolio: Portfolio) -> Policy:
        """Return the policy, or raise an error that says what is wrong; all operators must fit these features."""
        return self._policy or _loaded(self.policy, self.kind, features, portfolio)

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> Selector:  # noqa: ARG002
        """Return a copy that has read its policy, which was found to fit the instance and the portfolio."""
        ready = copy(self)
        object.__setattr__(ready, "_policy", self.load(instance.features, portfolio))
        return ready


@dataclass(frozen=True)
class FrozenPolicy(_PolicyInFile):
    """DAC-T: a selector whose trained policy chooses and no longer learns.

    Parameters
    ----------
    policy
        A file that ``dac-alns train`` wrote; if left out, the bundled policy for the problem and the portfolio.
        ``"timed"`` is the bundled policy for the paper's portfolio that was trained by equal time rather than
        iterations; `dacalns.solve` takes that one by itself for searches that end by the clock.
    hold
        For how many iterations the probabilities of a decision are used before the network runs again. With 1 it sees
        every solution, as in the paper; more is faster. If left out, it is 500 for the paper's portfolio, 2000 with
        ``"timed"``, and for other portfolios 20 for each customer, but at least 1000.
    exploration
        How often an operator is drawn without regard to the policy, from 0 to 1.
    """

    policy: str | os.PathLike[str] | None = None
    hold: int | None = None
    exploration: float = 0.0

    name = "dac-t"
    explains = True
    kind = "dac"

    def __post_init__(self) -> None:
        if self.hold is not None:
            object.__setattr__(self, "hold", whole_number("hold", self.hold, minimum=1))
        require_fraction("exploration", self.exploration)
        if self.policy is not None:
            object.__setattr__(self, "policy", os.fspath(self.policy))

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and note the progress."""
        return kernels.frozen_destroy, kernels.frozen_repair, kernels.note_progress

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> Selector:
        """Return a copy that has read its policy: the one trained by time, if none is given and the budget is time."""
        # The paper's portfolio is the only one that has both policies.
        if self.policy is None and budget.by_time and portfolio == PORTFOLIOS["paper"]:
            return replace(self, policy=TIMED).prepare(instance, portfolio, budget)
        return super().prepare(instance, portfolio, budget)

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:  # noqa: ARG002
        """Return a memory with the trained network on the graph of an instance."""
        tensors, card = self.load(instance.features, portfolio)
        learner = LEARNERS[card.kind](card.rewards, card.network, card.learning)
        memory = learner.blank_memory(instance, portfolio, learns=False)
        parameters_of(memory)[:] = from_tensors(card, tensors)
        hold = self.hold or usual_hold(self.policy, portfolio, instance.customers)
        memory.table[HEADER, [layout.SETTING.learning, layout.SETTING.reuse_for, layout.SETTING.exploration]] = (
            layout.LEARNS.nothing, hold, self.exploration,
        )  # fmt: skip
        return memory

    explain = ActorCritic.explain
    moved = ActorCritic.moved
    seconds = ActorCritic.seconds


@dataclass(frozen=True)
class LearnedWheel(_PolicyInFile):
    """A selector with a learned table of pair probabilities that never changes; a network must beat it to be of use.

    Parameters
    ----------
    policy
        A file that ``dac-alns train --kind wheel`` wrote; if left out, the bundled table for the problem.
    """

    policy: str | os.PathLike[str] | None = None

    name = "wheel"
    kind = "wheel"

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and ignore the outcome."""
        return selection.fixed_destroy, selection.fixed_repair, selection.forget

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:  # noqa: ARG002
        """Return a memory with the table."""
        tensors, card = self.load(instance.features, portfolio)
        weights = FixedWeights(tensors["pairs"].astype(np.float64).tolist())
        return new_memory(weights.memory(len(card.portfolio.destroy), len(card.portfolio.repair)))
