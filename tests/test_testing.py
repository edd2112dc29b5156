"""The conformance suite: our selectors pass it, and broken ones do not."""

import random
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import dacalns
from dacalns.bench.speed_cases import write_untrained_policy
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.user_code import load_file
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy
from dacalns.selectors.settings import NetworkSettings
from dacalns.testing import SelectorConformance
from dacalns.util.errors import InputError

ONE_PAIR = dacalns.Portfolio(["random_removal"], ["greedy_repair"])


class TestUniformRandom(SelectorConformance):
    def make_selector(self):
        return dacalns.UniformRandom()


class TestRoulette(SelectorConformance):
    def make_selector(self):
        return dacalns.Roulette(segment=7)


class TestAlphaUCB(SelectorConformance):
    def make_selector(self):
        return dacalns.AlphaUCB()


class TestFixedWeights(SelectorConformance):
    portfolios = (PORTFOLIOS["paper"],)

    def make_selector(self):
        return dacalns.FixedWeights([[1, 0, 2], [0, 3, 0]])


class TestFixedWeightsOfOnePair(SelectorConformance):
    portfolios = (ONE_PAIR,)

    def make_selector(self):
        return dacalns.FixedWeights([[1]])


class TestActorCritic(SelectorConformance):
    def make_selector(self):
        return ActorCritic(network=NetworkSettings(hidden=8))


class TestDualActorCritic(SelectorConformance):
    def make_selector(self):
        return DualActorCritic(network=NetworkSettings(hidden=8))


class TestImprovedDualActorCritic(SelectorConformance):
    def make_selector(self):
        return DualActorCritic.preset("improved")


class ForOneProblem(SelectorConformance):
    """A policy is made for one problem, and for one portfolio."""

    portfolios = (PORTFOLIOS["paper"],)
    problem: ClassVar[str]
    kind: ClassVar[str]
    hold: ClassVar[int]

    @pytest.fixture(autouse=True)
    def _written_policy(self, tmp_path):
        self.policy = tmp_path / "policy.safetensors"
        write_untrained_policy(self.policy, self.problem, self.kind)

    def make_selector(self):
        return FrozenPolicy(self.policy, hold=self.hold)

    def _cases(self):
        return ((instance, portfolio) for instance, portfolio in super()._cases() if instance.problem == self.problem)


class TestFrozenPolicy(ForOneProblem):
    problem, kind, hold = "cvrp", "dac", 1


class TestFrozenPolicyThatHolds(ForOneProblem):
    problem, kind, hold = "vrptw", "dac", 7


class TestFrozenPolicyOverPairs(ForOneProblem):
    problem, kind, hold = "vrptw", "ac", 1


class TestTheExample(SelectorConformance):
    def make_selector(self):
        example = load_file(Path(__file__).parents[1] / "examples" / "own_selector.py", "selector")
        return example.EpsilonGreedy()


# --- what the suite finds ----------------------------------------------------------------------------------------


class Good:
    """A selector in plain Python that those below spoil."""

    name = "good"

    def start(self, destroy_names, repair_names, seed):
        self.random, self.repairs, self.score = random.Random(seed), len(repair_names), 0.0

    def select_destroy(self, state):
        return self.random.randrange(state.destroys)

    def select_repair(self, destroyed, destroy):
        return int(self.score) % destroyed.repairs

    def update(self, outcome):
        self.score += outcome.outcome != "nothing new"


class MadeForTwoAndThree(Good):
    def select_destroy(self, state):
        return self.random.randrange(2)


class Fractional(Good):
    def select_repair(self, destroyed, destroy):
        return 0.0


class Unseeded(Good):
    def select_destroy(self, state):
        return random.randrange(state.destroys)


class NeverAnew(Good):
    def __init__(self):
        self.random, self.score = random.Random(1), 0.0

    start = None


class DividesByTime(Good):
    def update(self, outcome):
        self.score += 1 / outcome.seconds > 0


class Overflowing(Good):
    def update(self, outcome):
        self.score = self.score * 1e300 + 1 if outcome.outcome == "best" else 0.0


class Meddling(Good):
    def select_repair(self, destroyed, destroy):
        destroyed._stepper.progress.counters[1] += 1
        return 0


class Slim(Good):
    update = None


class CompiledMeddling(dacalns.UniformRandom):
    """A compiled selector that takes out a customer of its own."""

    @property
    def kernels(self):
        select_destroy, _, update = super().kernels

        def select_repair(memory, problem, solution, destroy, rng):
            dacalns.remove(problem, solution, 1)
            return 0

        return select_destroy, select_repair, update


class CompiledNaN(dacalns.UniformRandom):
    """A compiled selector whose memory goes bad, though its choices do not."""

    @property
    def kernels(self):
        select_destroy, select_repair, _ = super().kernels

        def update(memory, trial):
            memory.table[0, 2] = trial[2] / trial[7] - np.inf if trial[7] == 0 else 0.0

        return select_destroy, select_repair, update

    def memory(self, destroys: int, repairs: int):
        return np.array([[destroys, repairs, 0.0]])


def failures(kind: Any) -> set[str]:
    """The tests that a selector fails, without the beginning of their names."""

    class Suite(SelectorConformance):
        portfolios: ClassVar[Any] = (*SelectorConformance.portfolios[:2], SelectorConformance.portfolios[-1])

        def make_selector(self):
            return kind()

    failed = set()
    for name in dir(Suite):
        if name.startswith("test_"):
            try:
                getattr(Suite(), name)()
            except (AssertionError, InputError, ArithmeticError, TypeError, AttributeError):
                failed.add(name.removeprefix("test_"))
    return failed


CHOICES = "every_choice_is_valid_and_every_answer_feasible"
OUTCOMES = "it_goes_on_after_outcomes_of_every_kind"
SEED = "the_same_seed_gives_the_same_answer"
AGAIN = "a_used_selector_can_be_used_again"
UNTOUCHED = "it_changes_nothing_but_itself"


def test_a_good_selector_passes() -> None:
    assert failures(Good) == set()


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (MadeForTwoAndThree, {CHOICES, OUTCOMES}),
        (Fractional, {CHOICES, OUTCOMES}),
        (Unseeded, {SEED}),
        (NeverAnew, {AGAIN}),
        (DividesByTime, {OUTCOMES}),
        (Overflowing, {OUTCOMES}),
        (Meddling, {UNTOUCHED}),
        (Slim, {"it_has_what_a_selector_needs", CHOICES}),
        (CompiledMeddling, {UNTOUCHED}),
        (CompiledNaN, {OUTCOMES}),
    ],
)
def test_broken_selectors_fail(kind: Any, found: set[str]) -> None:
    assert found <= failures(kind)


@pytest.mark.parametrize(("kind", "found"), [(Unseeded, SEED), (NeverAnew, AGAIN), (DividesByTime, OUTCOMES)])
def test_what_is_wrong_is_found_in_few_tests(kind: Any, found: str) -> None:
    """A suite in which everything fails tells nothing."""
    assert failures(kind) <= {found, AGAIN}


def test_without_make_selector() -> None:
    with pytest.raises(NotImplementedError, match="define make_selector"):
        SelectorConformance().test_it_has_what_a_selector_needs()
