"""Tests that any selector can inherit, yours as well as those of the package."""

import operator
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from dacalns.core import selection as kernels
from dacalns.core import stepper as steps
from dacalns.instances import Instance, generate_cvrp, generate_vrptw
from dacalns.search.checker import check
from dacalns.search.outcome import OUTCOMES, Outcome
from dacalns.search.portfolio import (
    PORTFOLIOS,
    Portfolio,
    greedy_repair,
    random_removal,
    regret_repair,
    worst_removal,
)
from dacalns.search.python_selector import PythonSelector, is_compiled, require_methods
from dacalns.search.result import Result
from dacalns.search.run import require_user_code_sound
from dacalns.search.selector import CompiledSelector, Selector
from dacalns.search.state import State
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.selectors import as_selector
from dacalns.solve import solve

Given = CompiledSelector | PythonSelector

CUSTOMERS = 12
ITERATIONS = 60
HOOKS = ("made_for", "prepare", "load_kernels", "memory_for", "begin", "moved", "explain", "seconds")
# A classic selector changes its weights every hundred iterations; a streak is longer.
STREAK = 120


def _portfolios() -> list[Portfolio]:
    removals = [random_removal.at(count=(1, 1 + k)) for k in range(6)]
    return [
        PORTFOLIOS["paper"],
        Portfolio([random_removal], [greedy_repair], name="one pair"),
        Portfolio([worst_removal], [greedy_repair, regret_repair], name="one destroy operator"),
        Portfolio([*removals, worst_removal], [regret_repair], name="one repair operator"),
    ]


class SelectorConformance:
    """What every selector must do, as tests for pytest to collect.

    Inherit from it in a test file, and define :meth:`make_selector`. Every test calls it anew.

    Attributes
    ----------
    portfolios
        The portfolios to try, of several sizes. Replace them for a selector that is made for one size.
    begins_anew
        Whether an object that is used again gives the answer that it gave before. Set it to False only for a selector
        that is meant to learn from one run to the next.

    Examples
    --------
    >>> from dacalns import Roulette
    >>> class TestFastRoulette(SelectorConformance):
    ...     def make_selector(self):
    ...         return Roulette(segment=10)
    """

    portfolios: ClassVar[Sequence[Portfolio]] = _portfolios()
    begins_anew: ClassVar[bool] = True

    def make_selector(self) -> Given:
        """A new selector, set as it is to be tested."""
        raise NotImplementedError("define make_selector(self), which returns the selector to test")

    def test_it_has_what_a_selector_needs(self) -> None:
        """It is a selector or can stand for one, has a name, and what it overrides can be called."""
        selector = self.make_selector()
        taken = as_selector(selector)
        assert taken.origin is selector
        assert taken.name.strip(), "name is empty; expected what to call the selector in results"
        for hook in HOOKS:
            assert callable(getattr(taken, hook)), f"{hook} is no method; expected one as dacalns.Selector has it"

    def test_it_can_be_prepared_and_tells_of_its_memory(self) -> None:
        """What a search asks of it besides choices has answers of the right kind, also after no iteration."""
        for instance, portfolio in self._cases():
            stepper = Stepper(instance, portfolio)
            ready = as_selector(
                as_selector(self.make_selector()).prepare(instance, stepper.portfolio, MaxIterations(1))
            )
            assert isinstance(ready, Selector), "prepare returned no selector; expected one, such as itself"
            ready.load_kernels()
            memory = ready.begin(stepper, seed=1).memory
            ready.moved(memory)
            assert set(ready.seconds(memory)) <= {"features", "forward", "backward"}
            assert ready.explain(memory) is None, "there is an explanation before the first iteration"

    def test_every_choice_is_valid_and_every_answer_feasible(self) -> None:
        """Searches end with feasible answers on both problems and with portfolios of every size."""
        for instance, portfolio in self._cases():
            result = self._solve(self.make_selector(), instance, portfolio)
            case = f"on {instance.name} with portfolio {portfolio.name!r}"
            assert result.iterations == ITERATIONS, f"{case}: {result.iterations} iterations; expected {ITERATIONS}"
            verdict = check(instance, result.routes, result.vehicle_types)
            assert verdict.feasible, f"{case}: {verdict.violations}"
            assert abs(verdict.cost - result.cost) < 1e-6 * max(1.0, verdict.cost), f"{case}: the cost is wrong"
            assert result.cost <= result.start_cost, f"{case}: the answer is worse than the start"

    def test_the_same_seed_gives_the_same_answer(self) -> None:
        """Two new selectors do the same; one that draws from a generator of its own must seed it in ``start``."""
        for instance, portfolio in self._cases():
            one, two = (self._solve(self.make_selector(), instance, portfolio, seed=5) for _ in range(2))
            _require_same(one, two, f"two runs with seed 5 on {instance.name}, portfolio {portfolio.name!r},")

    def test_a_used_selector_can_be_used_again(self) -> None:
        """One object serves another problem and another portfolio; after that it repeats its first answer."""
        selector, cases = self.make_selector(), list(self._cases())
        first = self._solve(selector, *cases[0], seed=5)
        for instance, portfolio in cases[1:]:
            self._solve(selector, instance, portfolio, seed=6)
        again = self._solve(selector, *cases[0], seed=5)
        if self.begins_anew:
            _require_same(first, again, "a used selector and a new one")

    def test_it_goes_on_after_outcomes_of_every_kind(self) -> None:
        """Long streaks of each outcome, also of operators too fast for the clock, leave it able to choose."""
        for instance, portfolio in self._cases():
            stepper = Stepper(instance, portfolio)
            selector = _in_python(self.make_selector(), stepper)
            stepper.destroy(0)
            for word in (*OUTCOMES, *reversed(OUTCOMES)):
                for seconds in (1e-5, 0.0):
                    for _ in range(STREAK // 2):
                        destroy, repair = _chosen(selector, stepper)
                        selector.update(_made_up(word, destroy, repair, seconds))
            _chosen(selector, stepper)
            if isinstance(selector, _Called):
                selector.require_numbers()

    def test_it_changes_nothing_but_itself(self) -> None:
        """Solutions and counts are the same after every call."""
        for instance, portfolio in self._cases():
            stepper = Stepper(instance, portfolio)
            selector = _in_python(self.make_selector(), stepper)
            for _ in range(5):
                before = _image(stepper)
                destroy = selector.select_destroy(State(stepper, stepper.current))
                assert _image(stepper) == before, "select_destroy has changed the search"
                stepper.destroy(destroy)
                before = _image(stepper)
                repair = selector.select_repair(State(stepper, stepper.candidate), destroy)
                assert _image(stepper) == before, "select_repair has changed the search"
                stepper.repair(repair)
                word = stepper.accept().outcome
                before = _image(stepper)
                selector.update(_made_up(word, destroy, repair, 1e-5))
                assert _image(stepper) == before, "update has changed the search"

    def test_a_time_limit_ends_the_search(self) -> None:
        """Also one that leaves no time for an iteration."""
        for instance, portfolio in self._cases():
            for seconds in (0.0, 0.02):
                result = solve(instance, selector=self.make_selector(), portfolio=portfolio, stop=MaxTime(seconds))
                assert require_user_code_sound(result).stopped_by == "criterion"
                assert check(instance, result.routes, result.vehicle_types).feasible

    def test_its_result_can_be_written_and_read(self) -> None:
        """The settings of the selector are part of the result."""
        instance, portfolio = next(iter(self._cases()))
        result = self._solve(self.make_selector(), instance, portfolio)
        assert Result.from_json(result.to_json()) == result
        assert result.selector == as_selector(self.make_selector()).name

    def _cases(self) -> Iterator[tuple[Instance, Portfolio]]:
        for portfolio in self.portfolios:
            for instance in (generate_cvrp(CUSTOMERS, seed=1), generate_vrptw(CUSTOMERS, seed=1)):
                yield instance, portfolio

    @staticmethod
    def _solve(selector: Given, instance: Instance, portfolio: Portfolio, seed: int = 1) -> Result:
        stop = MaxIterations(ITERATIONS)
        result = solve(instance, selector=selector, portfolio=portfolio, stop=stop, seed=seed)
        return require_user_code_sound(result)


class _Called:
    """A compiled selector, its kernels called from Python.

    Kernels that come as plain functions run as such. Those of ours, compiled, divide by zero in silence, as they do
    here.
    """

    def __init__(self, selector: Selector, stepper: Stepper) -> None:
        self._stepper, self._kernels = stepper, selector.kernels
        self._memory = selector.begin(stepper, seed=1).memory

    @np.errstate(all="ignore")
    def select_destroy(self, state: State) -> int:
        return int(self._kernels[0](self._memory, self._stepper.problem, state._solution, self._stepper.rng))

    @np.errstate(all="ignore")
    def select_repair(self, destroyed: State, destroy: int) -> int:
        solution = destroyed._solution
        return int(self._kernels[1](self._memory, self._stepper.problem, solution, destroy, self._stepper.rng))

    @np.errstate(all="ignore")
    def update(self, outcome: Outcome) -> None:
        trial, scale = np.zeros(len(kernels.TRIAL)), self._stepper.instance.scale
        trial[[kernels.TRIAL.destroy, kernels.TRIAL.repair]] = outcome.destroy, outcome.repair
        trial[kernels.TRIAL.outcome] = OUTCOMES.index(outcome.outcome)
        costs = [kernels.TRIAL.before, kernels.TRIAL.destroyed, kernels.TRIAL.after, kernels.TRIAL.best]
        trial[costs] = np.array([outcome.before, outcome.destroyed, outcome.after, outcome.best]) * scale
        trial[kernels.TRIAL.seconds] = outcome.seconds
        trial[kernels.TRIAL.fraction] = self._stepper.progress.values[steps.VALUE.fraction]
        trial[kernels.TRIAL.changed] = outcome.accepted
        self._kernels[2](self._memory, trial)

    def require_numbers(self) -> None:
        """No part of its memory has become meaningless."""
        for part in (self._memory.table, self._memory.numbers):
            assert not np.isnan(part).any(), "the selector's memory has come to hold NaN"


def _in_python(selector: Given, stepper: Stepper) -> PythonSelector:
    """The selector at the start of a run, to be called step by step."""
    if is_compiled(selector):
        return _Called(as_selector(selector), stepper)
    ours = require_methods(selector)
    start: Any = getattr(ours, "start", None)
    if start is not None:
        operators = stepper.portfolio
        start([entry.name for entry in operators.destroy], [entry.name for entry in operators.repair], 1)
    return ours


def _chosen(selector: PythonSelector, stepper: Stepper) -> tuple[int, int]:
    """A pair that it chooses, on the solutions as they are."""
    destroy = selector.select_destroy(State(stepper, stepper.current))
    _require_number("select_destroy", destroy, len(stepper.portfolio.destroy))
    repair = selector.select_repair(State(stepper, stepper.candidate), destroy)
    _require_number("select_repair", repair, len(stepper.portfolio.repair))
    return destroy, repair


def _require_number(method: str, choice: Any, total: int) -> None:
    try:
        valid = not isinstance(choice, bool) and 0 <= operator.index(choice) < total
    except TypeError:
        valid = False
    assert valid, f"{method} returned {choice!r}; expected a whole number from 0 to {total - 1}"


def _made_up(word: str, destroy: int, repair: int, seconds: float) -> Outcome:
    after = {"best": 90.0, "better": 97.0, "accepted": 104.0, "nothing new": 1e7}[word]
    return Outcome(destroy, repair, word, word != "nothing new", 100.0, 60.0, after, 95.0, seconds)


def _image(stepper: Stepper) -> list[bytes]:
    """All that a selector must leave alone; the solutions' working memory is not part of it."""
    solutions = (stepper.current, stepper.candidate, stepper.best)
    return [array.tobytes() for solution in solutions for array in (solution.ints, solution.floats)] + [
        array.tobytes() for array in stepper.progress
    ]


def _require_same(one: Result, two: Result, what: str) -> None:
    assert one.operators.uses == two.operators.uses, f"{what} chose differently; expected the same choices"
    assert one.routes == two.routes, f"{what} gave different routes; expected the same"
