"""Environments of many searches: all of them take a step in one call of compiled code."""

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from dacalns.core.lockstep import ACCEPT, DESTROY, DONE, REPAIR, WHOLE
from dacalns.core.stepper import VALUE
from dacalns.gym.env import MOST_SEEDS, Seen
from dacalns.gym.instances import Given, one_instance
from dacalns.gym.rewards import Given as GivenReward
from dacalns.gym.rewards import Pay
from dacalns.gym.task import Choices, Task
from dacalns.instances import Instance
from dacalns.search.acceptance import AcceptanceCriterion, Accepts
from dacalns.search.observation import show
from dacalns.search.orders import Orders
from dacalns.search.outcome import OUTCOMES, Outcome
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.portfolio import Portfolio
from dacalns.search.steppers import Steppers
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

Flags = npt.NDArray[np.bool_]
Answer = tuple[Seen, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]


class TwoPhaseVectorEnv(gymnasium.vector.VectorEnv[Seen, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many of `TwoPhaseEnv` at once, with the same arguments, in arrays with a row for each.

    It does what ``SyncVectorEnv`` does with as many of them, but all steps are one call of compiled code. A search
    whose episode has ended begins the next one in the step after that, whatever its action. All arrays that it returns
    are new ones, so that nobody sees one change.

    Parameters
    ----------
    num_envs
        How many searches there are.

    Raises
    ------
    InputError
        If an argument makes no sense, an instance does not fit, or by `step`, for what are no actions.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  # as declared there
    paired: ClassVar[bool] = False

    def __init__(
        self,
        num_envs: int = 1,
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
        self.num_envs = whole_number("num_envs", num_envs, minimum=1)
        self.task = Task(
            paired=self.paired, instances=instances, problem=problem, portfolio=portfolio, acceptance=acceptance,
            iterations=iterations, max_nodes=max_nodes, max_edges=max_edges, neighbours=neighbours, scale=scale,
            observe=observe,
        )  # fmt: skip
        self.single_action_space = self.task.action_space
        self.single_observation_space = self.task.observation_space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._pay = Pay(reward, self.num_envs, len(self.task.repairs))
        self.steppers: Steppers | None = None  #: the searches, to look at
        self._generators: list[np.random.Generator | None] = [None] * self.num_envs
        count, actions = self.num_envs, self.task.actions
        sizes = (len(self.task.destroys), len(self.task.repairs)) if self.paired else (actions, actions)
        self._destroy, self._repair = (np.zeros((count, size), dtype=np.int64) for size in sizes)
        self._names = np.zeros((count, len(self.task.destroys)), dtype=np.int64)
        self._masks = np.zeros((2, count, actions + self.task.levels), dtype=np.int8)
        self._destroyed, self._ended = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        self._operators, self._iterations = np.full(count, -1), np.zeros(count, dtype=np.int64)
        self._current, self._best, self._scales = np.zeros(count), np.zeros(count), np.ones(count)
        self._known: list[tuple[Any, Choices] | None] = [None] * count
        self._small = self.task.arrays(count) if not self.task.observe else None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode of each search.

        Parameters
        ----------
        seed
            The seed of the first search, the next one for each of the others; or a seed for each.
        options
            ``{"instance": …}`` to choose the instance of all of them; ``{"reset_mask": …}`` for those alone that begin.
        """
        chosen = dict(options or {})
        given, mask = chosen.pop("instance", None), chosen.pop("reset_mask", None)
        if chosen:
            raise InputError(
                f"options have {shown(next(iter(chosen)))}; expected instance and reset_mask alone; leave it out."
            )
        which = np.ones(self.num_envs, dtype=np.bool_) if mask is None else np.asarray(mask)
        if which.shape != (self.num_envs,) or which.dtype != np.bool_:
            raise InputError(f"reset_mask is {shown(mask)}; expected True or False for each of {self.num_envs}.")
        if self.steppers is None and not which.all():
            raise InputError(
                "reset_mask is given, but no episode has begun; expected none for the first; leave it out."
            )
        seeds: Sequence[int | None]
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise InputError(f"there are {len(seeds)} seeds; expected one for each of {self.num_envs} searches.")
        instance = None if given is None else one_instance(given)
        self._begin(np.flatnonzero(which).tolist(), seeds, instance)
        return self._seen(), self._info()

    def _begin(self, which: list[int], seeds: Sequence[int | None], given: Instance | None = None) -> None:
        """Begin an episode of some searches."""
        todo = []
        for k in which:
            generator = self._generators[k]
            if seeds[k] is not None or generator is None:
                generator = self._generators[k] = seeding.np_random(seeds[k])[0]
            drawn, number = self.task.instances.draw(generator), int(generator.integers(MOST_SEEDS))
            instance, search = given or drawn, number if seeds[k] is None else seeds[k]
            self.task.require_room(instance)
            todo.append((k, instance, search))
        if self.steppers is None:
            self.steppers = Steppers([self.task.stepper(instance, another=k > 0) for k, instance, _ in todo])
        for k, instance, search in todo:
            stepper = self.steppers[k]
            stepper.reset(seed=search, instance=instance)
            portfolio, choices = self._known[k] or (None, None)
            if portfolio is not stepper.portfolio or choices is None:
                choices = self.task.choices(stepper)
                self._known[k] = stepper.portfolio, choices
                self._destroy[k], self._repair[k] = choices.destroy, choices.repair
                for phase in range(2):
                    self._masks[phase, k] = self.task.mask(choices, bool(phase))
                for number, operator in enumerate(stepper.portfolio.destroy):
                    self._names[k, number] = self.task.destroys.index(operator.name)
            value = float(stepper.progress.values[VALUE.best])
            self._pay.begin(k, len(stepper.portfolio.repair), value)
            self._current[k] = self._best[k] = value
            self._scales[k] = stepper.instance.scale
        self._destroyed[which], self._ended[which] = False, False
        self._operators[which], self._iterations[which] = -1, 0

    def step(self, actions: npt.ArrayLike) -> Answer:
        """Use an operator in each search, or begin its next episode."""
        if self.steppers is None:
            raise InputError("there is no episode; expected one; call reset first.")
        which, levels = self._checked(actions)
        again = np.flatnonzero(self._ended)
        every = np.arange(self.num_envs)
        orders = Orders(self.num_envs, 1)
        if self.paired:
            one, other = np.divmod(which, len(self.task.repairs))
            phases = np.full(self.num_envs, WHOLE)
        else:
            one = other = which
            phases = np.where(self._destroyed, REPAIR | ACCEPT, DESTROY)
        phases[again] = 0
        destroy = self._destroy[every, one]
        orders.destroy[:, 0], orders.repair[:, 0] = destroy, self._repair[every, other]
        if levels is not None:
            scales = np.array([stepper.scales[number] for stepper, number in zip(self.steppers, destroy, strict=True)])
            reach = np.rint(levels * (scales[:, 1] - scales[:, 0]) / (self.task.levels - 1)).astype(np.int64)
            orders.counts[:, 0] = scales[:, 0] + reach
        try:
            self.steppers.advance(orders, phases)
        except BaseException:
            self._go_back()
            raise
        rows = orders.rows[:, 0]
        rewards = self._pay.after(rows, phases)
        done, opened = (phases & ACCEPT) > 0, (phases & DESTROY) > 0
        if self._pay.own is not None:
            for k in np.flatnonzero(done):
                rewards[k] = self._pay.own(_outcome(rows[k], self._scales[k]))
        accepted = done & ((rows[:, DONE.accepted] > 0) | (rows[:, DONE.outcome] == 0))
        self._current = np.where(accepted, rows[:, DONE.after], self._current)
        self._best = np.where(done & (rows[:, DONE.outcome] == 0), rows[:, DONE.after], self._best)
        self._operators = np.where(opened, self._names[every, destroy], self._operators)
        self._iterations += done
        self._destroyed = opened & ~done
        truncated = done & (self._iterations >= self.task.iterations)
        self._ended = truncated.copy()
        if len(again):
            self._begin(again.tolist(), [None] * self.num_envs)
        info = self._info()
        removed = np.where(done, rows[:, DONE.removed], 0).astype(np.int64)
        info |= {"accepted": accepted, "removed": removed, "_accepted": done, "_removed": done.copy()}
        return self._seen(), rewards, np.zeros(self.num_envs, dtype=np.bool_), truncated, info

    def _go_back(self) -> None:
        """Go back to all current solutions, when one search has failed and the others have gone on."""
        assert self.steppers is not None
        for k, stepper in enumerate(self.steppers):
            stepper.give_up()
            self._iterations[k] = stepper.iteration
            self._current[k], self._best[k] = stepper.progress.values[[VALUE.current, VALUE.best]]
        self._destroyed[:], self._operators[:] = False, -1
        self._ended = self._iterations >= self.task.iterations

    def _checked(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64] | None]:
        array = np.asarray(actions)
        shape = (self.num_envs, 2) if self.task.levels else (self.num_envs,)
        limits = np.array([self.task.actions, self.task.levels]) if self.task.levels else self.task.actions
        if array.shape != shape or array.dtype.kind not in "iu" or (array < 0).any() or (array >= limits).any():
            raise InputError(f"actions are {shown(actions)}; expected one of {self.action_space}; correct them.")
        array = array.astype(np.int64)
        return (array[:, 0], array[:, 1]) if self.task.levels else (array, None)

    def action_masks(self) -> Flags:
        """Return which actions are operators now, a row for each search."""
        return self._mask().astype(np.bool_)

    def _mask(self) -> npt.NDArray[np.int8]:
        mask: npt.NDArray[np.int8] = np.where(self._destroyed[:, None], self._masks[1], self._masks[0])
        return mask

    def _seen(self) -> Seen:
        assert self.steppers is not None
        arrays = self._small or self.task.arrays(self.num_envs)
        self.steppers._look(self.task.neighbours)
        operators = np.where(self._destroyed, self._operators, -1)
        edges = show(self.steppers._frames, arrays, self.task.sizes, self._destroyed, operators)
        if not self.task.observe:
            return {"search": arrays.search.copy(), "action_mask": self._mask()}
        if edges.max() > self.task.edges:
            name = self.steppers[int(edges.argmax())].instance.name
            raise InputError(
                f"{shown(name)} has {edges.max()} edges, and max_edges is {self.task.edges}; expected at least as "
                "many; raise max_edges."
            )
        return {**arrays._asdict(), "action_mask": self._mask()}

    def _info(self) -> dict[str, Any]:
        known = {
            "cost": self._current / self._scales,
            "best": self._best / self._scales,
            "iteration": self._iterations.copy(),
            "action_mask": self._mask(),
        }
        return known | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in known}


class PairVectorEnv(TwoPhaseVectorEnv):
    """Many of `PairEnv` at once; see `TwoPhaseVectorEnv`."""

    paired: ClassVar[bool] = True


def _outcome(row: npt.NDArray[np.float64], scale: float) -> Outcome:
    destroy, repair, outcome, accepted, before, destroyed, after, best, seconds, removed = row.tolist()
    return Outcome(
        int(destroy), int(repair), OUTCOMES[int(outcome)], bool(accepted), before / scale, destroyed / scale,
        after / scale, best / scale, seconds, int(removed),
    )  # fmt: skip
