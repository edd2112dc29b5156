"""Our selectors as an operator selection scheme of the ``alns`` package, on any problem."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.interop.adapters import load_alns
from dacalns.interop.chooser import Before, Chooser, Features
from dacalns.interop.operators import cost_of_destroyed, named_operators, needs_destroyed_cost, objective_of
from dacalns.search.policy_view import Explanation
from dacalns.util.errors import InputError
from dacalns.util.values import LARGEST_SEED, whole_number

DISPATCHED = "chosen_by_selection"
"""The name of the one repair operator that asks the selection which of the others to call."""
OUTCOMES = 4


class Selection:
    """One of our selectors as an operator selection scheme of ``alns``.

    ``alns`` chooses both operators before it destroys. The repair actor of ``dac`` chooses by the destroyed state. So
    :meth:`register` adds one repair operator in place of all, which asks the selector when it is called, and calls the
    one that it chooses. With selectors that do not look at the destroyed state, all are added as they are.

    Parameters
    ----------
    selector
        ``"dac:improved"``, ``"dac"``, ``"ac"``, ``"roulette"``, ``"ucb"``, ``"random"``, ``"weights:1,0/0,1,2"``,
        ``"dac-t:FILE"`` with a file that :meth:`save` wrote, each with details behind a colon as in `dacalns.solve`; or
        an object, such as ``DualActorCritic(...)``.
    destroy, repair
        The operators: functions ``(state, rng, **kwargs)`` as ``alns`` calls them, or pairs of a name and a function.
    features
        What the networks of ``ac``, ``dac`` and ``dac-t`` see of a state: a function that returns a list of numbers, an
        array with a row for each node, or a `StateView`, which has edges, too. If left out, they see three numbers of
        the search: a constant, how far the current state and the first one are from the best.
    destroyed_cost
        The cost of a destroyed state, for presets that reward it, such as ``"paper"``; its ``objective()`` if left out.
    iterations
        The number of iterations to come, if it is known: the used part is an input of networks with the context
        ``"search"``.
    policy
        A file that :meth:`save` wrote, from which ``ac`` or ``dac`` goes on learning.
    seed
        The seed of all that the selector draws. If left out, it is drawn from the generator of ``alns``.

    Raises
    ------
    InputError
        If the ``alns`` package is not installed, or something given cannot be used.

    Examples
    --------
    ::

        selection = Selection("dac:improved", [destroy_some, destroy_worst], [greedy, regret], features=see)
        search = alns.ALNS(np.random.default_rng(1))
        selection.register(search)
        result = search.iterate(start, selection, accept, stop)
    """

    def __init__(
        self,
        selector: Any,
        destroy: Sequence[Any],
        repair: Sequence[Any],
        *,
        features: Features | None = None,
        destroyed_cost: Callable[[Any], float] | None = None,
        iterations: int | None = None,
        policy: str | os.PathLike[str] | None = None,
        seed: int | None = None,
    ) -> None:
        load_alns().select.OperatorSelectionScheme.register(type(self))
        self._destroy, self._repair = named_operators("destroy", destroy), named_operators("repair", repair)
        self._chooser = Chooser(
            selector, [name for name, _ in self._destroy], [name for name, _ in self._repair], features, policy
        )
        self._rewarded = needs_destroyed_cost(self._chooser.learned_rewards)
        self._destroyed_cost = destroyed_cost
        self._iterations = None if iterations is None else whole_number("iterations", iterations, minimum=1)
        self._seed = None if seed is None else whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED)
        self.restart()

    def restart(self) -> None:
        """Forget all that was learned and counted, so that the next search begins anew."""
        self._begun = False
        self._done = 0
        self._start = 0.0
        self._chosen: int | None = None
        self._repaired: int | None = None
        self._destroyed = 0.0
        self._seconds = 0.0
        self._counts = {
            "destroy": {name: [0] * OUTCOMES for name, _ in self._destroy},
            "repair": {name: [0] * OUTCOMES for name, _ in self._repair},
        }

    # What `alns` asks of a scheme.

    @property
    def num_destroy(self) -> int:
        """The number of destroy operators."""
        return len(self._destroy)

    @property
    def num_repair(self) -> int:
        """The number of repair operators that ``alns`` knows: one, if that asks which of the others to call."""
        return 1 if self.dispatches else len(self._repair)

    @property
    def op_coupling(self) -> npt.NDArray[np.bool_]:
        """True for all pairs: every destroy operator goes with every repair operator."""
        return np.ones((self.num_destroy, self.num_repair), dtype=np.bool_)

    def __call__(self, rng: np.random.Generator, best: Any, curr: Any) -> tuple[int, int]:
        """Return the numbers of the destroy operator and of the repair operator to use."""
        current = objective_of(curr, "the current state")
        if not self._begun:
            self._chooser.start(int(rng.integers(1 << 62)) if self._seed is None else self._seed)
            self._begun, self._start = True, current
        part = 0.0 if self._iterations is None else min(1.0, self._done / self._iterations)
        before = Before(self._start, objective_of(best, "the best state"), current, part)
        began = time.perf_counter()
        self._chosen = self._chooser.select_destroy(curr, before)
        if self.dispatches:
            self._seconds += time.perf_counter() - began
            self._repaired = None
            return self._chosen, 0
        self._repaired = self._chooser.select_repair(None, self._chosen)
        self._seconds += time.perf_counter() - began
        return self._chosen, self._repaired

    def update(self, candidate: Any, d_idx: int, r_idx: int, outcome: Any) -> None:
        """Learn from what came of the iteration."""
        repair = self._repaired
        if self._chosen != d_idx or repair is None:
            raise InputError(
                f"the selection chose destroy operator {self._chosen}, but {d_idx} was used with {r_idx}; expected the "
                "operators that Selection.register adds, and no others; register them."
            )
        began = time.perf_counter()
        after = objective_of(candidate, f"what repair operator {self._repair[repair][0]} left")
        self._chooser.update(d_idx, repair, int(outcome), self._destroyed, after, 0.0)
        self._seconds += time.perf_counter() - began
        self._done += 1
        self._counts["destroy"][self._destroy[d_idx][0]][int(outcome)] += 1
        self._counts["repair"][self._repair[repair][0]][int(outcome)] += 1

    # What users ask of it.

    @property
    def dispatches(self) -> bool:
        """True if one repair operator stands for all, because the choice, or its reward, needs the destroyed state."""
        return self._chooser.sees_destroyed or self._rewarded

    def register(self, search: Any) -> None:
        """Add the operators to an ``alns.ALNS`` object.

        Raises
        ------
        InputError
            If it has operators already.
        """
        if search.destroy_operators or search.repair_operators:
            raise InputError(
                "the search has operators already; expected none, because a selection adds its own; give all to "
                "Selection."
            )
        for name, function in self._destroy:
            search.add_destroy_operator(function, name)
        if self.dispatches:
            search.add_repair_operator(self.repair, DISPATCHED)
        else:
            for name, function in self._repair:
                search.add_repair_operator(function, name)

    def repair(self, state: Any, rng: np.random.Generator, **kwargs: Any) -> Any:
        """Choose a repair operator for a destroyed state, and return what it makes of that."""
        if self._chosen is None:
            raise InputError(
                "the repair operator of a selection was called before the selection; expected the selection as the "
                "op_select of iterate; pass it there."
            )
        began = time.perf_counter()
        self._repaired = self._chooser.select_repair(state, self._chosen)
        if self._rewarded:
            self._destroyed = cost_of_destroyed(self._destroyed_cost, state, self._destroy[self._chosen][0])
        self._seconds += time.perf_counter() - began
        return self._repair[self._repaired][1](state, rng, **kwargs)

    @property
    def destroy_operator_counts(self) -> dict[str, list[int]]:
        """How often each destroy operator came to a best, better, accepted and rejected state."""
        return self._counts["destroy"]

    @property
    def repair_operator_counts(self) -> dict[str, list[int]]:
        """The same for the repair operators, each under its own name."""
        return self._counts["repair"]

    @property
    def seconds(self) -> float:
        """The seconds that choosing and learning took."""
        return self._seconds

    @property
    def explanation(self) -> Explanation | None:
        """What a learned policy did in the run; None for other selectors, and before the first iteration."""
        return self._chooser.explanation

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what the networks have learned to a file, from which ``dac-t:FILE`` chooses.

        The number of nodes may be another there, the operators and the number of features may not.

        Raises
        ------
        InputError
            If the selector has no network, or no search has begun.
        """
        self._chooser.save(path)
