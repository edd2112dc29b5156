"""Environments of one search: a step is a phase, or an iteration."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from dacalns.core.lockstep import ACCEPT, DESTROY, REPAIR, WHOLE
from dacalns.core.stepper import VALUE
from dacalns.gym.instances import Given, one_instance
from dacalns.gym.rewards import Given as GivenReward
from dacalns.gym.rewards import Pay
from dacalns.gym.task import Task
from dacalns.search.acceptance import AcceptanceCriterion, Accepts
from dacalns.search.observation import show
from dacalns.search.outcome import Outcome
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.portfolio import Portfolio
from dacalns.search.stepper import Stepper
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

Seen = dict[str, npt.NDArray[Any]]
# Seeds that an episode draws, where it is given none, are below.
MOST_SEEDS = 1 << 32


class TwoPhaseEnv(gymnasium.Env[Seen, Any]):
    """A search in which each step is a phase: first a destroy operator is chosen, then a repair operator.

    The observation is a flat dictionary of padded arrays: the graph of the solution that the action is for (``nodes``,
    ``node_mask``, ``edge_index``, ``edge_weight``, ``edge_mask``), numbers on the ``search``, and the ``action_mask``.
    An episode is never terminated, and truncated when its iterations are done. An action that is masked stands for one
    that is not, so that learners without masks can be used, too.

    Parameters
    ----------
    instances
        What is solved: an instance, its name or file, the name of a set, or a list of these, from which each episode
        draws one; ``"generated:20-50"`` for new instances of ``problem``; or a function of a random generator.
    problem
        What is generated: ``"cvrp"``, ``"vrptw"``, or sets of features, as for ``dac-alns train``.
    portfolio
        The operators. Those that fit none of the problems are left out; those that do not fit an instance are masked.
    acceptance
        The criterion; left out, that of the portfolio.
    iterations
        The length of an episode.
    max_nodes, max_edges
        The room in the arrays; left out, as much as the instances need, or may need.
    neighbours
        How many nearest neighbours a node is linked to.
    reward
        ``"paper"`` for the two rewards of the paper, one after each phase, or another preset of our learners; their
        parameters, `dacalns.Rewards`; ``"gain"`` for what a new best saves, in percent of the cost of the start; or a
        function of the `Outcome`, whose number is paid after the repair.
    scale
        True to make how many customers are removed a part of the action, in 10 levels from the least to the most of
        the operator's range; or the number of levels.
    observe
        False to leave the graph out of the observation, which is faster.

    Raises
    ------
    InputError
        If an argument makes no sense, an instance does not fit, or by `step`, for what is no action.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it
    paired: ClassVar[bool] = False

    def __init__(
        self,
        instances: Given = "generated:20-50",
        *,
        problem: str = "cvrp",
        portfolio: str | Portfolio = "full",
        acceptance: str | AcceptanceCriterion | Accepts | None = None,
        iterations: int = 1000,
        max_nodes: int | None = None,
        max_edges: int | None = None,
        neighbours: int = NEIGHBOURS,
        reward: GivenReward = "paper",
        scale: bool | int = False,
        observe: bool = True,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise InputError(f"render_mode is {shown(render_mode)}; expected None, as nothing is drawn; leave it out.")
        self.task = Task(
            paired=self.paired, instances=instances, problem=problem, portfolio=portfolio, acceptance=acceptance,
            iterations=iterations, max_nodes=max_nodes, max_edges=max_edges, neighbours=neighbours, scale=scale,
            observe=observe,
        )  # fmt: skip
        self._pay = Pay(reward, 1, len(self.task.repairs))
        self.action_space = self.task.action_space
        self.observation_space: spaces.Space[Any] = self.task.observation_space()
        self._stepper: Stepper | None = None
        self._destroyed, self._operator, self._reward = False, -1, 0.0
        self._outcome: Outcome | None = None
        self._small = self.task.arrays() if not self.task.observe else None

    @property
    def stepper(self) -> Stepper:
        """The search, to look at: changing it changes the episode."""
        if self._stepper is None:
            raise InputError("there is no episode; expected one; call reset first.")
        return self._stepper

    @property
    def outcome(self) -> Outcome | None:
        """What came of the iteration that the last step has ended, with its time; None if it has ended none."""
        return self._outcome

    @property
    def operators(self) -> tuple[list[str], list[str]]:
        """The names of the destroy and of the repair operators, in the order of the actions."""
        return list(self.task.destroys), list(self.task.repairs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed
            The seed of the search, and of what later episodes draw; left out, it is drawn.
        options
            ``{"instance": …}`` to choose the instance.
        """
        super().reset(seed=seed)
        chosen = dict(options or {})
        given = chosen.pop("instance", None)
        if chosen:
            raise InputError(f"options have {shown(next(iter(chosen)))}; expected instance alone; leave it out.")
        # Drawn whether they are used or not, so that what comes later depends on neither.
        drawn, number = self.task.instances.draw(self.np_random), int(self.np_random.integers(MOST_SEEDS))
        instance = drawn if given is None else one_instance(given)
        self.task.require_room(instance)
        search = number if seed is None else seed
        if self._stepper is None:
            self._stepper = self.task.stepper(instance)
        self._stepper.reset(seed=search, instance=instance)
        self._choices = self.task.choices(self._stepper)
        start = float(self._stepper.progress.values[VALUE.best])
        self._pay.begin(0, len(self._stepper.portfolio.repair), start)
        self._destroyed, self._operator, self._outcome = False, -1, None
        return self._seen(), self._info() | {"instance": instance.name, "seed": search}

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Use an operator: the destroy operator, or the repair operator with what comes after it."""
        stepper = self.stepper
        if stepper.iteration >= self.task.iterations:
            raise InputError(f"the {self.task.iterations} iterations of the episode are done; call reset.")
        which, level = self._checked(action)
        if self._destroyed:
            repair = int(self._choices.repair[which])
            self._go(REPAIR | ACCEPT, lambda: stepper.finish(repair))
            self._destroyed = False
        else:
            destroy = int(self._choices.destroy[which])
            self._operator = self.task.destroys.index(stepper.portfolio.destroy[destroy].name)
            self._go(DESTROY, lambda: stepper.destroy(destroy, self._count(destroy, level)))
            self._destroyed = True
        truncated = stepper.iteration >= self.task.iterations and not self._destroyed
        return self._seen(), self._reward, False, truncated, self._info()

    def _go(self, phases: int, do: Any) -> None:
        """Do some phases, and earn what they pay."""
        try:
            self._outcome = do()
        except BaseException:
            self._destroyed = False  # the search is back at its current solution
            raise
        row = self.stepper._orders.rows[0]
        self._reward = float(self._pay.after(row, np.array([phases]))[0])
        if self._pay.own is not None and self._outcome is not None:
            self._reward = float(self._pay.own(self._outcome))

    def _count(self, destroy: int, level: int | None) -> int | None:
        """How many customers are to be removed at a level; None where the operator draws that."""
        if level is None:
            return None
        low, high = self.stepper.scales[destroy].tolist()
        return int(low + round(level * (high - low) / (self.task.levels - 1)))

    def _checked(self, action: Any) -> tuple[int, int | None]:
        """The action without and the level of the scale."""
        if not self.action_space.contains(_plain(action)):
            raise InputError(f"action is {shown(action)}; expected one of {self.action_space}; correct it.")
        if self.task.levels:
            which, level = np.asarray(action).tolist()
            return which, level
        return int(np.asarray(action)), None

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are operators now, as `sb3_contrib` asks for it."""
        return self.task.mask(self._choices, self._destroyed).astype(np.bool_)

    def _seen(self) -> Seen:
        arrays = self._small or self.task.arrays()
        frame = self.stepper._framed_to_see(self.task.neighbours)
        edges = int(show(frame, arrays, self.task.sizes, [self._destroyed], np.array([self._shown_operator]))[0])
        mask = self.task.mask(self._choices, self._destroyed)
        if not self.task.observe:
            return {"search": arrays.search.copy(), "action_mask": mask}
        if edges > self.task.edges:
            raise InputError(
                f"{shown(self.stepper.instance.name)} has {edges} edges, and max_edges is {self.task.edges}; expected "
                "at least as many; raise max_edges."
            )
        return {**arrays._asdict(), "action_mask": mask}

    @property
    def _shown_operator(self) -> int:
        return self._operator if self._destroyed else -1

    def _info(self) -> dict[str, Any]:
        stepper, outcome = self.stepper, self._outcome
        values, scale = stepper.progress.values, stepper.instance.scale
        info = {
            "phase": "repair" if self._destroyed else "destroy",
            "cost": float(values[VALUE.current]) / scale,
            "best": float(values[VALUE.best]) / scale,
            "iteration": stepper.iteration,
            "action_mask": self.task.mask(self._choices, self._destroyed),
        }
        if isinstance(outcome, Outcome):
            # Without the seconds: what comes of a seed and of actions must be the same again.
            info |= {"accepted": outcome.accepted, "outcome": outcome.outcome, "removed": outcome.removed}
        return info


class PairEnv(TwoPhaseEnv):
    """A search in which each step is an iteration: the action is a pair of a destroy operator and a repair operator.

    Action ``d * repairs + r`` is destroy operator ``d`` and then repair operator ``r``. The rest is as in
    `TwoPhaseEnv`, whose arguments it has; the rewards of both phases are added up.
    """

    paired: ClassVar[bool] = True

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Do an iteration."""
        stepper = self.stepper
        if stepper.iteration >= self.task.iterations:
            raise InputError(f"the {self.task.iterations} iterations of the episode are done; call reset.")
        pair, level = self._checked(action)
        one, other = divmod(pair, len(self.task.repairs))
        destroy, repair = int(self._choices.destroy[one]), int(self._choices.repair[other])
        self._go(WHOLE, lambda: stepper.step(destroy, repair, self._count(destroy, level)))
        return self._seen(), self._reward, False, stepper.iteration >= self.task.iterations, self._info()


def _plain(action: Any) -> Any:
    """An action as the space has it: a whole number, or an array of them; None for anything else."""
    array = np.asarray(action)
    if array.dtype.kind not in "iu":
        return None
    return array.astype(np.int64) if array.ndim else np.int64(array)
