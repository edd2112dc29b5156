"""Learned selectors learn: rigged portfolios, in which it is plain what to choose.

All runs accept nearly everything, and the working repair inserts at random. So solutions wander about, and a working
pair beats the current one in almost every second try, from the first iteration to the last; one that leaves customers
in the bank never does, and is never accepted.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dacalns
from dacalns import random_int, remove
from dacalns.core import policy_table as layout
from dacalns.core.repairs import random_repair as shuffle
from dacalns.search.acceptance import Threshold
from dacalns.search.result import Result
from dacalns.search.run import Search
from dacalns.search.stopping import MaxIterations
from dacalns.selectors import Roulette
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic

pytestmark = pytest.mark.slow_without_jit

INSTANCE = dacalns.generate_cvrp(20, seed=1)
ITERATIONS = 500
SEEDS = range(20)
LEARNERS = [
    pytest.param(kind, preset, id=f"{kind.name}-{preset}")
    for kind in (ActorCritic, DualActorCritic)
    for preset in ("paper", "improved")
]


@dacalns.destroy_operator(count=(1, 1))
def no_removal(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    pass


@dacalns.repair_operator
def no_repair(problem, solution, rng):  # type: ignore[no-untyped-def]
    pass


@dacalns.repair_operator
def no_repair_either(problem, solution, rng):  # type: ignore[no-untyped-def]
    pass


@dacalns.destroy_operator(fraction=(0.6, 1.0))
def remove_odd(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    for _ in range(count):
        customer = 1 + random_int(rng, len(problem.demand) - 1)
        if customer % 2 == 1:
            remove(problem, solution, customer)


@dacalns.destroy_operator(fraction=(0.6, 1.0))
def remove_even(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    for _ in range(count):
        customer = 1 + random_int(rng, len(problem.demand) - 1)
        if customer % 2 == 0:
            remove(problem, solution, customer)


@dacalns.repair_operator
def insert_odd(problem, solution, rng):  # type: ignore[no-untyped-def]
    for k in range(solution.counts[dacalns.BANKED]):
        if solution.bank[k] % 2 == 0:
            return
    shuffle(problem, solution, rng)


@dacalns.repair_operator
def insert_even(problem, solution, rng):  # type: ignore[no-untyped-def]
    for k in range(solution.counts[dacalns.BANKED]):
        if solution.bank[k] % 2 == 1:
            return
    shuffle(problem, solution, rng)


# Only random removal with random repair changes anything.
ONE_PAIR = dacalns.Portfolio(
    [no_removal, "random_removal"], [no_repair, "random_repair", no_repair_either], name="one pair works"
)
THE_PAIR = (1, 1)
# Which repair operator works depends on the destroy operator.
MATCHING = dacalns.Portfolio([remove_odd, remove_even], [insert_odd, insert_even], name="matching pairs work")


def searched(
    selector: Any, portfolio: dacalns.Portfolio, seed: int, iterations: int = ITERATIONS
) -> tuple[Search, Result]:
    wander = Threshold(1.0, 1.0)
    search = Search(INSTANCE, portfolio, selector, wander, MaxIterations(iterations), seed, None)
    return search, search.run()


def shares(result: Result) -> npt.NDArray[np.float64]:
    """Which part of the iterations each pair was used in."""
    return np.array(result.operators.uses) / result.iterations


def pair_probabilities(search: Search) -> npt.NDArray[np.float64]:
    """What the policy gives each pair after the run: on the last solution, and on what destroying leaves of it."""
    stepper, memory, selector = search.stepper, search.selector_memory, search.selector
    destroys, repairs = len(stepper.portfolio.destroy), len(stepper.portfolio.repair)
    select_destroy, select_repair, _ = selector.kernels  # type: ignore[union-attr]
    select_destroy(memory, stepper.problem, stepper.current, stepper.rng)
    if selector.paired:  # type: ignore[union-attr]
        table = memory.table[layout.ROW.destroy_probabilities, : destroys * repairs].reshape(destroys, repairs)
        return np.array(table)
    first = memory.table[layout.ROW.destroy_probabilities, :destroys].copy()
    second = np.zeros((destroys, repairs))
    for destroy in range(destroys):
        stepper.destroy(destroy)
        select_repair(memory, stepper.problem, stepper.candidate, destroy, stepper.rng)
        second[destroy] = memory.table[layout.repair_row(destroy), :repairs]
    return first[:, None] * second


@pytest.mark.parametrize(("kind", "preset"), LEARNERS)
def test_the_one_pair_that_works_is_found(kind: type[ActorCritic], preset: str) -> None:
    """Found: after 500 iterations the policy gives it more than half, and no other was used as often."""
    for seed in SEEDS:
        search, result = searched(kind.preset(preset), ONE_PAIR, seed)
        probabilities = pair_probabilities(search)
        assert probabilities.sum() == pytest.approx(1)
        assert probabilities[THE_PAIR] > 0.5, f"seed {seed}: {probabilities}"
        used = shares(result)
        assert used.argmax() == np.ravel_multi_index(THE_PAIR, used.shape), f"seed {seed}: {used}"
        assert np.isfinite(search.selector_memory.table).all()
        assert np.isfinite(search.selector_memory.numbers).all()
        assert search.selector_memory.table[layout.ROW.status, layout.STATUS.skipped] == 0


@pytest.mark.parametrize(
    ("kind", "preset", "iterations"),
    [
        pytest.param(ActorCritic, "paper", ITERATIONS, id="ac-paper"),
        pytest.param(ActorCritic, "improved", ITERATIONS, id="ac-improved"),
        # One number among 130 tells the repair actor which operator destroyed, so it takes the paper's budget: after
        # 500 iterations it has found the matches with 36 of 40 seeds, after 2,000 with all.
        pytest.param(DualActorCritic, "paper", dacalns.default_iterations(20), id="dac-paper"),
        pytest.param(DualActorCritic, "target=joint", ITERATIONS, id="dac-joint"),
        pytest.param(DualActorCritic, "improved", ITERATIONS, id="dac-improved"),
        pytest.param(
            DualActorCritic,
            "one-step",
            dacalns.default_iterations(20),
            id="dac-one-step",
            marks=pytest.mark.xfail(strict=True, reason="what the repair earns reaches the destroy actor too late"),
        ),
    ],
)
def test_the_repair_operator_is_chosen_to_match_the_destroy_operator(
    kind: type[ActorCritic], preset: str, iterations: int
) -> None:
    """In the end each destroy operator is followed by its match with more than half the probability.

    One that a policy over pairs has given up altogether is followed by none.
    """
    for seed in SEEDS:
        search, result = searched(kind.preset(preset), MATCHING, seed, iterations)
        pairs = pair_probabilities(search)
        chosen = pairs.sum(axis=1)
        given = pairs / np.maximum(chosen[:, None], 1e-300)
        assert given.diagonal()[chosen > 1e-9].min() > 0.5, f"seed {seed}: {given}"
        assert pairs.trace() > 0.5, f"seed {seed}: {pairs}"
        assert shares(result).trace() > 0.65, f"seed {seed}: {shares(result)}"


def test_two_independent_wheels_cannot_match() -> None:
    """Roulette's pairs come as often as the product of its wheels says: half of them do not match."""
    uses = np.mean([shares(searched(Roulette(), MATCHING, seed)[1]) for seed in SEEDS], axis=0)
    assert uses == pytest.approx(np.outer(uses.sum(axis=1), uses.sum(axis=0)), abs=0.02)
    assert uses.trace() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("kind", "preset"), LEARNERS)
def test_no_policy_ends_up_worse_than_chance(kind: type[ActorCritic], preset: str) -> None:
    """Where half of the pairs work, a policy that settles on one that does not would have it in every iteration."""
    for seed in SEEDS:
        search, result = searched(kind.preset(preset), MATCHING, seed)
        # Half of 500 draws, less three standard deviations.
        assert shares(result).trace() > 0.43, f"seed {seed}: {shares(result)}"
        assert np.isfinite(search.selector_memory.numbers).all()


@pytest.mark.parametrize("rate", [10.0, 1e12])
def test_learning_that_diverges_costs_no_answer(rate: float) -> None:
    result = dacalns.solve("A-n32-k5", selector=f"dac:rate={rate}", portfolio="paper", stop=MaxIterations(300))
    assert result.feasible
    assert (result.explanation is None) == any("learning has diverged" in sentence for sentence in result.warnings)
