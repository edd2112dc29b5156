"""Our selectors on any problem: wheels as they are, networks on what a function of the user's says of a state."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dacalns.core import given
from dacalns.core import policy_table as layout
from dacalns.core.actor_critic import is_reused, is_reused_after
from dacalns.core.brain import (
    DIMENSION,
    REGION,
    STATE,
    count_parameters,
    initialise,
    parameter_layout,
    weights_in,
)
from dacalns.core.rng import seeded
from dacalns.core.selection import HEADER, TRIAL, Memory, new_memory
from dacalns.search.policy_view import Explanation
from dacalns.search.selector import Selector
from dacalns.selectors import (
    ActorCritic,
    AlphaUCB,
    DualActorCritic,
    FixedWeights,
    FrozenPolicy,
    Roulette,
    UniformRandom,
    as_selector,
)
from dacalns.selectors.actor_critic import CONTEXT_SIZES, parameters_of
from dacalns.selectors.checkpoint import load_tensors, save_tensors
from dacalns.selectors.settings import LearningSettings, NetworkSettings, Rewards
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, reason_of, shown, shown_path
from dacalns.util.typed_data import from_plain
from dacalns.util.values import require_choice

# What the networks see of a state.


class StateView(NamedTuple):
    """What the networks of learned selectors see of a state.

    All states of a run must have as many nodes and features; edges may differ from state to state. Features should be
    of the size of one: divide them by what is usual for the problem.
    """

    nodes: Any  #: a row of features for each node; a plain list of features is one node
    edges: Any = None  #: two lists: the tails and the heads of edges, which have no direction
    weights: Any = None  #: how much each edge counts, above 0; 1 if left out
    removed: float = 0.0  #: the part of the solution that is missing, from 0 to 1: 0 for a whole one


Features = Callable[[Any], StateView | Sequence[float] | npt.NDArray[np.floating]]
# Beyond so many, a state may have a thousand edges for each node.
DENSE = 1000


class Arrays(NamedTuple):
    """A state as the encoder takes it."""

    features: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]
    neighbours: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]
    removed: float


def arrays_of(seen: Any) -> Arrays:
    """Return what the function of the user's said of a state as arrays.

    Raises
    ------
    InputError
        If there are no numbers, or edges between nodes that are not there.
    """
    view = seen if isinstance(seen, StateView) else StateView(seen)
    try:
        features = np.atleast_2d(np.asarray(view.nodes, dtype=np.float32))
    except (TypeError, ValueError, OverflowError):
        features = np.zeros((0, 0), dtype=np.float32)
    if features.ndim != 2 or not features.size or not np.isfinite(features).all():
        raise InputError(
            f"features returned {shown(view.nodes)}; expected a row of finite numbers for each node, or one such row."
        )
    removed = view.removed
    if isinstance(removed, bool) or not isinstance(removed, int | float | np.number) or not 0 <= removed <= 1:
        raise InputError(f"features returned removed {shown(removed)}; expected a number from 0 to 1.")
    return Arrays(features, *_edges(view, len(features)), float(removed))


def _edges(view: StateView, nodes: int) -> tuple[Any, Any, Any]:
    """Return the edges in compressed rows, each in both directions and once; a node has no edge to itself."""
    if view.edges is None:
        return np.zeros(nodes + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    try:
        given_ends = np.asarray(view.edges)
        tails, heads = given_ends.astype(np.int64)
        sound = tails.ndim == 1 and (given_ends == (tails, heads)).all()
        weights = np.ones(len(tails)) if view.weights is None else np.asarray(view.weights, dtype=np.float64)
        sound = bool(sound and weights.shape == tails.shape)
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise InputError(
            f"features returned edges {shown(view.edges)} with weights {shown(view.weights)}; expected a list of "
            "tails, one of heads, and as many weights if any."
        )
    ends_of_all = np.concatenate([tails, heads, [0]])
    if ends_of_all.min() < 0 or ends_of_all.max() >= nodes:
        wrong = ends_of_all[(ends_of_all < 0) | (ends_of_all >= nodes)][0]
        raise InputError(f"features returned an edge of node {wrong}; expected nodes from 0 to {nodes - 1}.")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise InputError(f"features returned weights {shown(view.weights)}; expected finite numbers above 0.")
    apart = tails != heads
    low, high = np.minimum(tails, heads)[apart], np.maximum(tails, heads)[apart]
    pairs, of_pair = np.unique(low * nodes + high, return_inverse=True)
    totals = np.bincount(of_pair, weights[apart], len(pairs))
    ends = np.concatenate([pairs // nodes, pairs % nodes])
    others = np.concatenate([pairs % nodes, pairs // nodes])
    order = np.lexsort((others, ends))
    starts = np.searchsorted(ends[order], np.arange(nodes + 1))
    both = np.concatenate([totals, totals])[order]
    return starts.astype(np.int64), others[order].astype(np.int64), both.astype(np.float32)


# Policies in files.

KEY = "dac-alns-any-problem"


@dataclass(frozen=True)
class PolicyCard:
    """What a policy for a problem of the user's is for: kind, operators, and what it sees."""

    kind: str
    destroy: tuple[str, ...]
    repair: tuple[str, ...]
    features: int
    network: NetworkSettings
    rewards: Rewards
    learning: LearningSettings

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the names and shapes of the tensors."""
        require_choice("kind", self.kind, tuple(LEARNERS))
        heads = LEARNERS[self.kind].heads(self.network, len(self.destroy), len(self.repair))
        sizes = self.features, self.network.hidden, CONTEXT_SIZES[self.network.context], len(heads), max(heads)
        if not (self.features > 0 and self.destroy and self.repair) or count_parameters(*sizes) > 20_000_000:
            raise InputError("the card does not describe a network; expected one that Selection.save wrote.")
        return {name: block.shape for name, block in parameter_layout(*sizes).items()}


LEARNERS: dict[str, type[ActorCritic]] = {"ac": ActorCritic, "dac": DualActorCritic}


def load_policy(path: str | os.PathLike[str]) -> tuple[PolicyCard, npt.NDArray[np.float32]]:
    """Read a policy that `Chooser.save` wrote: its card, and its flat parameters.

    Raises
    ------
    InputError
        If there is no such file, or it is something else.
    """
    cards: list[PolicyCard] = []

    def shapes(text: str) -> dict[str, tuple[int, ...]]:
        try:
            cards.append(from_plain(PolicyCard, json.loads(text), "card"))
        except (ValueError, RecursionError) as error:
            raise InputError(str(error) if isinstance(error, InputError) else "the card is not JSON.") from None
        return cards[0].shapes()

    tensors = load_tensors(path, KEY, shapes)
    return cards[0], np.concatenate([tensors[name].ravel() for name in cards[0].shapes()])


# Choosing.

WHEELS = (UniformRandom, Roulette, AlphaUCB, FixedWeights)


class Before(NamedTuple):
    """Where the search stands before an iteration."""

    start: float  #: the objective of the first state
    best: float
    current: float
    fraction: float  #: the part of the budget that is used


REJECTED = 3
"""The number of the outcome that leaves the current state as it was."""


class Chooser:
    """One of our selectors at work on states of any kind.

    Parameters
    ----------
    selector
        A name such as ``"dac:improved"``, ``"roulette:tuned"`` or ``"dac-t:FILE"``, or an object.
    destroy, repair
        The names of the operators.
    features
        What the networks see of a state. Left out: three numbers of the search, the same before and after destroying.
    policy
        A file that `save` wrote, from which a selector that learns goes on.
    """

    def __init__(
        self,
        selector: Any,
        destroy: Sequence[str],
        repair: Sequence[str],
        features: Features | None = None,
        policy: str | os.PathLike[str] | None = None,
    ) -> None:
        self.selector: Selector = as_selector(selector)
        self.destroy, self.repair = tuple(destroy), tuple(repair)
        self._features = features
        self._loaded: tuple[PolicyCard, npt.NDArray[np.float32]] | None = None
        self._frozen: FrozenPolicy | None = None
        self._learner: ActorCritic | None = None
        if isinstance(self.selector, FrozenPolicy):
            self._freeze(self.selector, policy)
        elif isinstance(self.selector, ActorCritic):
            self._prepare_learner(self.selector, policy)
        else:
            self._require_wheel(features, policy)
        self.memory: Memory | None = None

    def _freeze(self, selector: FrozenPolicy, policy: str | os.PathLike[str] | None) -> None:
        path = selector.policy if policy is None else policy
        if path is None:
            raise InputError(
                "selector is 'dac-t' without a file; expected a policy for this problem, because those in the package "
                "are for vehicle routing; write dac-t:FILE with a file that save wrote."
            )
        self._frozen = selector
        card = self._load(path)
        self._learner = LEARNERS[card.kind](card.rewards, card.network, card.learning)

    def _prepare_learner(self, selector: ActorCritic, policy: str | os.PathLike[str] | None) -> None:
        if selector.prior is not None:
            raise InputError(
                f"selector has prior {shown(selector.prior)}, a table for operators of vehicle routing; expected none; "
                "leave it out, or take the preset improved."
            )
        self._learner = selector
        if policy is not None:
            card = self._load(policy)
            if card.kind != selector.name or card.network != selector.network:
                raise InputError(
                    f"{shown_path(policy)}: the policy is a {card.kind} with another network; expected {selector.name} "
                    f"with {selector.network}; choose another file or selector."
                )

    def _require_wheel(self, features: Features | None, policy: object) -> None:
        if not isinstance(self.selector, WHEELS):
            raise InputError(
                f"selector is {shown(self.selector.name)}, which works on vehicle routing alone; expected one of "
                "random, roulette, ucb, weights:DESTROY/REPAIR, ac, dac and dac-t:FILE."
            )
        for what, value in (("features", features), ("policy", policy)):
            if value is not None:
                raise InputError(
                    f"{what} is given, but selector {shown(self.selector.name)} has no network; expected none; leave "
                    "it out, or take dac."
                )

    def _load(self, path: str | os.PathLike[str]) -> PolicyCard:
        self._loaded = load_policy(path)
        card = self._loaded[0]
        for what, trained, now in (("destroy", card.destroy, self.destroy), ("repair", card.repair, self.repair)):
            if trained != now:
                raise InputError(
                    f"{shown_path(path)}: the policy was trained with {what} operators {listed(trained, 80)}; expected "
                    f"those given, {listed(now, 80)}, in this order."
                )
        return card

    @property
    def sees_destroyed(self) -> bool:
        """True if the repair operator is chosen by what the destroyed state looks like."""
        return self._learner is not None and not self._learner.paired

    @property
    def learned_rewards(self) -> Rewards | None:
        """The rewards of a selector that learns now; None for one that does not."""
        return self._learner.rewards if self._learner is not None and self._frozen is None else None

    def start(self, seed: int) -> None:
        """Begin a run: nothing is learned yet, except what a policy brought. Kernels are loaded or compiled first."""
        self._load_kernels()
        self._rng = seeded(seed)
        self._seed = seed
        self._stale = True
        self.memory = None
        if self._learner is None:
            destroys, repairs = len(self.destroy), len(self.repair)
            self._kernels = self.selector.kernels
            self.memory = new_memory(self.selector.memory(destroys, repairs))

    def _load_kernels(self) -> None:
        """Call all kernels once on a memory of no use, so that no search waits for the compiler."""
        rng, trial = seeded(0), np.zeros(len(TRIAL))
        if self._learner is None:
            select_destroy, select_repair, update = self.selector.kernels
            memory = new_memory(self.selector.memory(len(self.destroy), len(self.repair)))
            select_repair(memory, None, None, select_destroy(memory, None, None, rng), rng)
            update(memory, trial)
            return
        memory = self._learner.memory_on(
            given.blank_graph(1, 1, 0), len(self.destroy), len(self.repair), own_edges=True
        )
        initialise(weights_in(memory, REGION.parameters), rng)
        self._functions = given.compiled_given()
        is_reused(memory.table)
        given.call_destroy(self._functions[0], memory, rng)
        is_reused_after(memory.table, 0)
        given.call_repair(self._functions[1], memory, 0.0, 0, rng)
        self._notes(memory, trial)

    @property
    def _notes(self) -> Any:
        """The kernel that notes an iteration: a frozen policy notes less."""
        return self.selector.kernels[2]

    def select_destroy(self, state: Any, before: Before) -> int:
        """Return the number of a destroy operator for the current state."""
        self._before = before
        if self._learner is None:
            return int(self._kernels[0](self.memory, None, None, self._rng))
        if self.memory is None:
            self._set_up(self._seen(state))
        assert self.memory is not None
        table = self.memory.table
        table[layout.ROW.status, layout.STATUS.fraction] = before.fraction
        if self._stale and not is_reused(table):
            self._write(STATE.next, self._seen(state))
            self._stale = False
        return int(given.call_destroy(self._functions[0], self.memory, self._rng))

    def select_repair(self, destroyed: Any, destroy: int) -> int:
        """Return the number of a repair operator for what a destroy operator left."""
        if self._learner is None:
            return int(self._kernels[1](self.memory, None, None, destroy, self._rng))
        assert self.memory is not None
        removed = 0.0
        if self.sees_destroyed and not is_reused_after(self.memory.table, destroy):
            seen = self._seen(destroyed)
            self._write(STATE.destroyed, seen)
            removed = seen.removed
        return int(given.call_repair(self._functions[1], self.memory, removed, destroy, self._rng))

    def update(self, destroy: int, repair: int, outcome: int, destroyed: float, after: float, seconds: float) -> None:
        """Note what came of the iteration.

        Parameters
        ----------
        destroy, repair
            The operators.
        outcome
            0 for a new best, 1 for a better, 2 for an accepted and 3 for a rejected state.
        destroyed, after
            The objectives of the destroyed and of the repaired state.
        seconds
            The time of both operators.
        """
        assert self.memory is not None
        # Rewards are relative to the best objective, which may be negative here; else this changes nothing.
        _, best, current, fraction = self._before
        scale = abs(best) or 1.0
        trial = np.zeros(len(TRIAL))
        trial[TRIAL.destroy], trial[TRIAL.repair], trial[TRIAL.outcome] = destroy, repair, outcome
        trial[TRIAL.before], trial[TRIAL.best] = 1.0 + (current - best) / scale, 1.0
        trial[TRIAL.destroyed], trial[TRIAL.after] = 1.0 + (destroyed - best) / scale, 1.0 + (after - best) / scale
        trial[TRIAL.seconds], trial[TRIAL.fraction], trial[TRIAL.changed] = seconds, fraction, outcome < REJECTED
        self._stale |= outcome < REJECTED
        self._notes(self.memory, trial)

    def _seen(self, state: Any) -> Arrays:
        if self._features is None:
            start, best, current, _ = self._before
            scale = abs(best) or 1.0
            return arrays_of((1.0, (current - best) / scale, (start - best) / scale))
        try:
            seen = self._features(state)
        except Exception as error:
            raise InputError(f"features raised {reason_of(error)}; expected one that sees every state.") from error
        return arrays_of(seen)

    def _set_up(self, seen: Arrays) -> None:
        """Make the network, once it is known how much it sees."""
        assert self._learner is not None
        nodes, features = seen.features.shape
        edges = nodes * min(nodes - 1, max(DENSE, 2 * len(seen.neighbours) // nodes))
        graph = given.blank_graph(nodes, features, edges)
        memory = self._learner.memory_on(graph, len(self.destroy), len(self.repair), own_edges=True)
        if self._loaded is None:
            initialise(weights_in(memory, REGION.parameters), seeded(self._seed))
        else:
            card, parameters = self._loaded
            if card.features != features:
                raise InputError(
                    f"features returned {features} numbers for each node; expected {card.features}, with which the "
                    "policy was trained."
                )
            parameters_of(memory)[:] = parameters
        if self._frozen is not None:
            settings = layout.SETTING
            memory.table[HEADER, [settings.learning, settings.reuse_for, settings.exploration]] = (
                layout.LEARNS.nothing, self._frozen.hold or 1, self._frozen.exploration,
            )  # fmt: skip
        self.memory = memory

    def _write(self, which: int, seen: Arrays) -> None:
        assert self.memory is not None
        nodes, features, edges = self.memory.index[[DIMENSION.nodes, DIMENSION.features, DIMENSION.edges]]
        if seen.features.shape != (nodes, features) or len(seen.neighbours) > edges:
            raise InputError(
                f"features returned {seen.features.shape[0]} nodes with {seen.features.shape[1]} features and "
                f"{len(seen.neighbours) // 2} edges; expected {nodes} with {features} and at most {edges // 2}, as of "
                "the first state; fill up what is missing with zeros."
            )
        given.write_state(self.memory, which, seen.features, seen.starts, seen.neighbours, seen.weights)

    @property
    def explanation(self) -> Explanation | None:
        """What a learned policy did in the run; None for other selectors, and before the first iteration."""
        if self._learner is None or self.memory is None:
            return None
        return self._learner.explain(self.memory)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what the networks have learned to a file, from which ``dac-t:FILE`` chooses.

        Raises
        ------
        InputError
            If nothing was learned: the selector has no network, or no run has begun.
        """
        if self._learner is None or self.memory is None:
            raise InputError("there is no network to save; expected a run with selector dac or ac; run one before.")
        settings = self._learner
        features = int(self.memory.index[DIMENSION.features])
        kind = "ac" if settings.paired else "dac"
        card = PolicyCard(
            kind, self.destroy, self.repair, features, settings.network, settings.rewards, settings.learning
        )
        shapes = card.shapes()
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        parts = np.split(parameters_of(self.memory), ends[:-1])
        tensors = {name: part.reshape(shape).copy() for (name, shape), part in zip(shapes.items(), parts, strict=True)}
        save_tensors(path, tensors, KEY, json.dumps(asdict(card), sort_keys=True))
