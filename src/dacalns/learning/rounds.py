"""Training in rounds: many episodes begin with the same parameters and run side by side; one step uses all of them.

An episode is a search to learn from. An actor is the part of the network that chooses operators; a critic estimates how
much reward is to come. A wheel is a policy without a network: a table with a probability for each pair of operators.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from dacalns.core.arithmetic import exponential, logarithm, of_each
from dacalns.core.brain import HEAD, weights_of
from dacalns.core.network import adam
from dacalns.instances import Instance
from dacalns.instances.feature_sets import feature_sets
from dacalns.learning.episode import Episode, Offsets, explore_whole, learn_online
from dacalns.learning.sources import Source
from dacalns.search.portfolio import Portfolio
from dacalns.search.result import Result
from dacalns.search.run import NEVER, Search, require_user_code_sound
from dacalns.search.stopping import MaxIterations, MaxTime, Patience, StoppingCriterion, paper_iterations
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, LearningState, context_size
from dacalns.selectors.card import node_features
from dacalns.selectors.prior import table_outputs
from dacalns.selectors.wheels import FixedWeights
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import require_choice, whole_number

# The running mean of the parameters over the rounds.

# With 3, the second half of the rounds has 15/16 of the weight.
DECAY = 3


def averaged(
    average: npt.NDArray[np.float64], parameters: npt.NDArray[np.float32], rounds: int
) -> npt.NDArray[np.float64]:
    """Return the running mean after round number ``rounds``, counted from 1, from the mean before it.

    This is averaging with polynomial decay (Shamir and Zhang 2013): a round moves the mean towards its parameters by
    the factor (DECAY + 1) / (rounds + DECAY). Early rounds are forgotten, however many rounds there will be.
    """
    return average + (parameters - average) * ((DECAY + 1) / (rounds + DECAY))


# The method "surface" estimates by regression how good tables are: it fits a surface through the outcomes of all
# searches so far. A table has a probability for each pair of operators.
#
# The outcome of a search is mostly chance, and steps that follow a few dozen outcomes wander about. Thousands of
# searches with widely different tables together tell what each pair adds to the cost, and how that changes with its
# share. The best table is then where the fitted surface is low and enough searches support it.

Array = npt.NDArray[np.float64]

SIBLINGS = 8
"""The number of searches on one instance, each with a table of its own; only their differences count."""

# The chosen table is the mean of the KEPT best of CANDIDATES random ones: the middle of a region of good tables.
CANDIDATES, KEPT = 20_000, 100


@dataclass(frozen=True)
class Surface:
    """Sums over all searches, which are all that a quadratic fit needs.

    The terms of a table are the share of each pair and its square. Siblings are searches on the same instance.

    Parameters
    ----------
    products
        (terms, terms) sums of products of two terms, as differences from the siblings' mean.
    with_costs
        (terms,) sums of products of a term and the cost in percent, likewise.
    squares
        The sum of the squared costs, likewise.
    terms
        (terms,) sums of the terms.
    searches
        The number of searches.
    """

    products: Array
    with_costs: Array
    squares: float
    terms: Array
    searches: float

    @classmethod
    def of(cls, state: LearningState, pairs: int) -> "Surface":
        """Return the sums that :meth:`state` put into the state of a training."""
        if state.step == 0:
            zeros = np.zeros(2 * pairs)
            return cls(np.zeros((2 * pairs, 2 * pairs)), zeros, 0.0, zeros, 0.0)
        with_costs, terms = state.mean.astype(np.float64).reshape(2, -1)
        products = state.square.astype(np.float64).reshape(2 * pairs, 2 * pairs)
        return cls(products, with_costs, state.spread, terms, state.step)

    def state(self, parameters: npt.NDArray[np.float32]) -> LearningState:
        """Return a state with these parameters that holds the sums in place of an optimiser's."""
        means = np.concatenate([self.with_costs, self.terms]).astype(np.float32)
        return LearningState(parameters, means, self.products.ravel().astype(np.float32), self.searches, self.squares)

    def with_searches(self, tables: Array, costs: Array, margin: float) -> "Surface":
        """Return the sums with more searches, :data:`SIBLINGS` in a row on each instance.

        A cost whose relative difference from its siblings' median is more than ``margin`` counts as ``margin``:
        otherwise a customer who is left out would outweigh a thousand searches.
        """
        groups = costs.reshape(-1, SIBLINGS)
        middle = np.median(groups, axis=1, keepdims=True)
        percent = 100 * np.clip(groups / np.maximum(middle, 1e-9) - 1, -margin, margin)
        apart = (percent - percent.mean(axis=1, keepdims=True)).ravel()
        terms = terms_of(tables)
        families = terms.reshape(-1, SIBLINGS, terms.shape[1])
        differences = (families - families.mean(axis=1, keepdims=True)).reshape(terms.shape)
        return Surface(
            self.products + differences.T @ differences,
            self.with_costs + differences.T @ apart,
            self.squares + float(apart @ apart),
            self.terms + terms.sum(axis=0),
            self.searches + len(costs),
        )

    def best_table(self, around: Array, deviation: float) -> Array:
        """Return a table where the surface is low with some certainty, from random tables ``around`` a given one.

        Tables are ranked by the estimated difference from the mean search plus one standard error: where there were few
        searches, the estimate must be much lower.
        """
        pairs = len(around)
        generator = np.random.Generator(np.random.Philox(pairs))
        # Half of the candidates are near the given table, half near equal shares.
        centres = np.log(np.vstack([np.maximum(around, 1e-3), np.full(pairs, 1 / pairs)]))
        logits = np.repeat(centres, CANDIDATES // 2, axis=0) + deviation * generator.normal(size=(CANDIDATES, pairs))
        tables = np.exp(logits)
        tables /= tables.sum(axis=1, keepdims=True)
        inverse = np.linalg.pinv(self.products, rcond=1e-9, hermitian=True)
        effects = inverse @ self.with_costs
        freedom = max(1.0, self.searches * (1 - 1 / SIBLINGS) - len(effects))
        variance = max(0.0, self.squares - float(effects @ self.with_costs)) / freedom
        differences = terms_of(tables) - self.terms / self.searches
        errors = np.sqrt(variance * np.maximum(0.0, np.einsum("ij,jk,ik->i", differences, inverse, differences)))
        best = np.argsort(differences @ effects + errors, kind="stable")[:KEPT]
        return np.asarray(tables[best].mean(axis=0))


def terms_of(tables: Array) -> Array:
    """Return the terms of each table: the share of each pair, then the squares of the shares."""
    return np.hstack([tables, tables**2])


# What a round does depends on the plan, the number of the round and the state before it, never on how many processes
# share the work. So training can stop after any round, go on later, and reach the same policy bit for bit.

Vector = npt.NDArray[np.float32]
METHODS = ("online", "whole", "surface")


@dataclass(frozen=True)
class Plan:
    """A plan of how to train.

    Parameters
    ----------
    source
        The training instances.
    portfolio
        The operators.
    learner
        The network, its rewards and how it learns; None trains a static wheel.
    method
        How the policy learns. ``"online"``: by temporal differences at every iteration, as in the paper. ``"whole"``:
        from the outcome of whole searches, each of which moves the outputs of its actors by offsets of its own.
        ``"surface"``, for wheels: likewise, by a regression on all searches so far.
    episodes
        The number of episodes in a round. With ``"online"`` the parameters after a round are the mean over its
        episodes.
    patience
        An online episode ends when the best cost has not improved for this part of its iterations (2 % in the paper);
        0: it never ends early.
    deviation
        The standard deviation of the offsets.
    rate
        The learning rate of ``"whole"`` at first; that of ``"online"`` is in the learner's settings.
    halving
        The number of rounds after which the rate of ``"whole"`` is half of what it was; after twice as many it is a
        third, and so on; 0: it never falls. It should fall, because outcomes of searches are mostly noise, and a step
        of the optimiser Adam is equally long however little signal there is in it.
    margin
        The relative difference in cost between the two episodes of a pair that counts as a full win.
    hold
        The number of iterations for which a decision is used in ``"whole"``.
    temperature
        The outputs of the actors are divided by this in the saved policy; above 1, operators are mixed more.
    seconds
        How long a search of ``"whole"``, ``"surface"`` or a validation takes, so that operators are judged by what they
        reach in the same time; None: searches have the paper's number of iterations, and the policy is reproducible.
    seed
        The seed of all that is random.
    """

    source: Source
    portfolio: Portfolio
    learner: ActorCritic | None = field(default_factory=DualActorCritic)
    method: str = "online"
    episodes: int = 16
    patience: float = 0.02
    deviation: float = 1.0
    rate: float = 1e-3
    halving: int = 50
    margin: float = 0.005
    hold: int = 10
    temperature: float = 1.0
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        require_choice("method", self.method, METHODS)
        whole_number("episodes", self.episodes, minimum=1)
        whole_number("halving", self.halving, minimum=0)

    def budget(self, instance: Instance) -> StoppingCriterion:
        """Return the criterion that ends a whole search on an instance."""
        return MaxIterations(paper_iterations(instance.customers)) if self.seconds is None else MaxTime(self.seconds)

    def pause(self, instance: Instance, part: float) -> tuple[int, int]:
        """Return the nanoseconds and the iteration at which this part of the budget is used; one of them is never."""
        if self.seconds is None:
            return NEVER, max(1, round(part * paper_iterations(instance.customers)))
        return max(1, round(1e9 * part * self.seconds)), NEVER

    def instance_number(self, episode: int) -> int:
        """Return the number of the instance that an episode is on."""
        return episode // SIBLINGS if self.method == "surface" else episode

    def stop(self, instance: Instance) -> StoppingCriterion:
        """Return the criterion that ends an episode on an instance."""
        whole = self.budget(instance)
        if self.method == "online" and self.patience > 0:
            # The temperature follows the budget: a short episode is the beginning of a search, not all of one.
            return whole | Patience(max(1, round(self.patience * paper_iterations(instance.customers))))
        return whole


@dataclass(frozen=True)
class EpisodeTask:
    """An episode to run: its number among all episodes, and the sign of its offsets (0 for none)."""

    number: int
    sign: int = 0


@dataclass(frozen=True)
class EpisodeReport:
    """The figures of an episode that its round needs."""

    cost: float
    iterations: int
    reward: float
    loss: float
    entropy: float
    uses: npt.NDArray[np.int64]
    state: LearningState | None
    trace: Vector | None


def operators_for(portfolio: Portfolio, problem: str) -> Portfolio:
    """Return the portfolio with the operators that fit the instances of a problem, all of them the same ones.

    Raises
    ------
    InputError
        If an operator fits some of the instances only: the actions of a policy are the same everywhere.
    """
    first, *others = sets = feature_sets(problem)
    fitted = portfolio.for_features(first)
    for features in others:
        other = portfolio.for_features(features)
        here, there = ({operator.name for operator in (*each.destroy, *each.repair)} for each in (fitted, other))
        if here != there:
            found = min(here ^ there)
            raise InputError(
                f"operator {shown(found)} of portfolio {shown(portfolio.name)} does not fit all of the {len(sets)} "
                f"sets of features of {shortened(problem, VALUE)}; expected the same operators for all; leave it out, "
                "or train for fewer sets."
            )
    return fitted


def tasks(plan: Plan, number: int) -> list[EpisodeTask]:
    """Return the episodes of round ``number``.

    With ``"whole"`` they come in pairs with opposite offsets on one instance, with ``"surface"`` in groups of siblings.
    """
    if plan.method == "online":
        return [EpisodeTask(number * plan.episodes + k) for k in range(plan.episodes)]
    if plan.method == "surface":
        episodes = -(-plan.episodes // SIBLINGS) * SIBLINGS
        return [EpisodeTask(number * episodes + k, 1) for k in range(episodes)]
    pairs = -(-plan.episodes // 2)
    return [EpisodeTask(number * pairs + k, sign) for k in range(pairs) for sign in (1, -1)]


def first_state(plan: Plan, instance: Instance) -> LearningState:
    """Return the state before any training: a random network, or a wheel with equal weights."""
    destroys, repairs = len(plan.portfolio.destroy), len(plan.portfolio.repair)
    if plan.learner is None:
        zeros = np.zeros(destroys + destroys * repairs, dtype=np.float32)
        return LearningState(zeros, zeros.copy(), zeros.copy(), 0.0, 1.0)
    return LearningState.of(plan.learner.memory_for(instance, plan.portfolio, plan.seed))


def run_task(plan: Plan, state: LearningState, task: EpisodeTask) -> EpisodeReport:
    """Run an episode and return its figures."""
    instance = plan.source.instance(plan.instance_number(task.number))
    stop, seed = plan.stop(instance), plan.seed * 1_000_003 + task.number
    offsets = None
    if task.sign:
        shape = len(plan.portfolio.destroy), len(plan.portfolio.repair)
        offsets = Offsets.draw(*shape, plan.deviation, seed)
        offsets = offsets if task.sign > 0 else -offsets
    if plan.method == "online":
        assert plan.learner is not None
        return _report(learn_online(plan.learner, state, instance, plan.portfolio, stop, seed))
    if plan.learner is None:
        assert offsets is not None
        return _wheel_report(plan, state.parameters, instance, stop, seed, offsets)
    episode = explore_whole(plan.learner, state.parameters, instance, plan.portfolio, stop, seed, offsets, plan.hold)
    return _report(episode)


def _report(episode: Episode) -> EpisodeReport:
    result, explanation = episode.result, episode.result.explanation
    entropy = 0.0
    if explanation is not None:
        entropy = float(np.mean(explanation.destroy_entropy) + np.mean(explanation.repair_entropy))
    return EpisodeReport(
        counted_cost(result),
        result.iterations,
        episode.reward / max(1, result.iterations),
        episode.loss / max(1.0, episode.updates),
        entropy,
        np.array(result.operators.uses),
        episode.state,
        episode.trace,
    )


def _wheel_report(
    plan: Plan, logits: Vector, instance: Instance, stop: StoppingCriterion, seed: int, offsets: Offsets
) -> EpisodeReport:
    moved = np.concatenate([offsets.destroy, offsets.repair.ravel()])
    pairs = wheel_pairs(logits + moved, offsets.repair.shape)
    search = Search(instance, plan.portfolio, FixedWeights(pairs.tolist()), plan.portfolio.acceptance, stop, seed, None)
    result = require_user_code_sound(search.run())
    entropy = float(-np.sum(pairs * of_each(logarithm, np.maximum(pairs, 1e-300))))
    trace = pairs.ravel() if plan.method == "surface" else moved
    return EpisodeReport(
        counted_cost(result), result.iterations, 0.0, 0.0, entropy, np.array(result.operators.uses), None,
        trace.astype(np.float32),
    )  # fmt: skip


def softened(plan: Plan, parameters: Vector) -> Vector:
    """Return the parameters, changed so that the outputs of the actors are divided by the plan's temperature."""
    soft = parameters.copy()
    if plan.temperature == 1.0:
        return soft
    if plan.learner is None:
        return np.asarray(soft / plan.temperature, dtype=np.float32)
    portfolio, network = plan.portfolio, plan.learner.network
    heads = plan.learner.heads(network, len(portfolio.destroy), len(portfolio.repair))
    features = len(node_features(plan.source.problem))
    weights = weights_of(soft, features, network.hidden, context_size(network, features), len(heads), max(heads))
    for outputs in (weights.o, weights.bias):
        outputs[HEAD.critic + 1 :] /= plan.temperature
    return soft


def counted_cost(result: Result) -> float:
    """Return the cost of a result; each unserved customer adds it once more, so that no saving outweighs one."""
    return result.cost * (1 + len(result.unserved))


def wheel_pairs(logits: npt.NDArray[np.floating], shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Return the pair probabilities of a wheel from its logits: those of destroying, then of repairing after each."""
    destroys, repairs = shape
    return _softmax(logits[:destroys])[:, None] * _softmax(logits[destroys:].reshape(destroys, repairs))


def _softmax(values: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    powers = of_each(exponential, np.asarray(values, dtype=np.float64) - values.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def combine(plan: Plan, state: LearningState, reports: Sequence[EpisodeReport]) -> LearningState:
    """Return the state after a round."""
    if plan.method == "online":
        return mean_state([report.state for report in reports if report.state is not None])
    if plan.method == "surface":
        return _on_surface(plan, state, reports)
    gradient = np.zeros(len(state.parameters), dtype=np.float64)
    for plus, minus in zip(reports[::2], reports[1::2], strict=True):
        assert plus.trace is not None
        assert minus.trace is not None
        advantage = relative_advantage(plus.cost, minus.cost, plan.margin)
        # Costs are minimised, hence the minus. The traces of opposite offsets are opposite, except that their searches
        # met different states.
        gradient -= advantage * (plus.trace.astype(np.float64) - minus.trace)
    gradient /= len(reports) * plan.deviation**2
    parameters, mean, square = state.parameters.copy(), state.mean.copy(), state.square.copy()
    rate = plan.rate / (1 + state.step / plan.halving) if plan.halving else plan.rate
    adam(parameters, gradient.astype(np.float32), mean, square, state.step + 1, rate, 1.0)
    return LearningState(parameters, mean, square, state.step + 1, state.spread)


def _on_surface(plan: Plan, state: LearningState, reports: Sequence[EpisodeReport]) -> LearningState:
    shape = len(plan.portfolio.destroy), len(plan.portfolio.repair)
    tables = np.array([report.trace for report in reports], dtype=np.float64)
    costs = np.array([report.cost for report in reports])
    surface = Surface.of(state, tables.shape[1]).with_searches(tables, costs, plan.margin)
    best = surface.best_table(wheel_pairs(state.parameters, shape).ravel(), plan.deviation)
    outputs = np.concatenate([part.ravel() for part in table_outputs(best.reshape(shape))])
    return surface.state(outputs.astype(np.float32))


def relative_advantage(cost: float, other: float, margin: float) -> float:
    """Return how much better the first cost is, from -1 to 1; a relative difference of ``margin`` is a full win."""
    difference = (other - cost) / max(min(cost, other), 1e-9)
    return float(np.clip(difference / margin, -1, 1))


def mean_state(states: Sequence[LearningState]) -> LearningState:
    """Return the mean of states that began as the same state."""

    def mean(name: str) -> Vector:
        total = np.sum([getattr(state, name) for state in states], axis=0, dtype=np.float64)
        return np.asarray(total / len(states), dtype=np.float32)

    return LearningState(
        mean("parameters"),
        mean("mean"),
        mean("square"),
        float(np.mean([state.step for state in states])),
        float(np.mean([state.spread for state in states])),
    )
