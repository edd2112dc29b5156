"""Operators of rich problems: what they leave is sound, ends and vehicles are exchanged as brute force says."""

import random
from typing import Any

import numpy as np
import pytest

import dacalns
from core.rich_arrays import is_same, require_sound, trip_of
from core.test_rich_terms import broken, drawn
from dacalns.core.model import BANKED, USED, empty_solution
from dacalns.core.repairs import regret_repair
from dacalns.core.rich_ends import best_rich_head, ends_in_time, is_whole
from dacalns.core.rich_removals import pair_removal, prize_removal
from dacalns.core.rich_search import improve_rich_around_served
from dacalns.core.rich_terms import recompute_and_check, route_cost
from dacalns.core.rich_vehicles import exchange_vehicles
from dacalns.core.rng import seeded
from dacalns.core.routes import clear_journal, copy_into, link, remove, settle
from dacalns.core.string_removals import exchange_tails
from dacalns.core.terms import objective
from dacalns.instances.generate_rich import generate_rich
from dacalns.search.start import answer_of, problem_of
from dacalns.search.stepper import Stepper

EVERY = dacalns.Portfolio(list(dacalns.DESTROY_OPERATORS), ["polished_blink_repair", "polished_regret_repair"])


def filled(instance: dacalns.Instance, seed: int) -> tuple[Any, Any]:
    problem = problem_of(instance)
    solution = empty_solution(problem)
    regret_repair(problem, solution, seeded(seed))
    settle(problem, solution)
    clear_journal(solution)
    return problem, solution


@pytest.mark.parametrize("seed", range(1, 120, 3))
def test_every_operator_leaves_sound_solutions(seed: int) -> None:
    instance = drawn(seed, 12)
    stepper = Stepper(instance, EVERY, seed=seed)
    dice = random.Random(seed)
    for _ in range(30):
        stepper.destroy(dice.randrange(len(stepper.portfolio.destroy)))
        require_sound(stepper.problem, stepper.candidate)
        stepper.repair(dice.randrange(len(stepper.portfolio.repair)))
        require_sound(stepper.problem, stepper.candidate)
        assert not broken(instance, *answer_of(instance, stepper.candidate))
        stepper.accept()


def cost_with_ends_exchanged(problem: Any, solution: Any, customer: int, head: int) -> float:
    """What two routes cost more with their ends exchanged; infinite if one of them breaks a limit."""
    here, there = int(solution.route[customer]), int(solution.route[head])
    before = route_cost(problem, solution, here) + route_cost(problem, solution, there)
    other = empty_solution(problem)
    copy_into(other, solution)
    exchange_tails(problem, other, customer, head)
    after = 0.0
    for route in (here, there):
        if other.size[route]:
            if not recompute_and_check(problem, other, route):
                return np.inf
            after += route_cost(problem, other, route)
    return after - before


@pytest.mark.parametrize("seed", range(60))
def test_the_best_head_is_that_of_brute_force(seed: int) -> None:
    problem, solution = filled(drawn(seed, 12), seed)
    for customer in range(1, len(problem.demand)):
        if solution.route[customer] < 0:
            continue
        found = best_rich_head(problem, solution, customer, 0.0, seeded(0))
        whole = is_whole(problem, solution, int(solution.succ[customer]))
        if problem.trips or not whole:
            assert found == 0
            continue
        costs = {
            int(head): cost_with_ends_exchanged(problem, solution, customer, int(head))
            for head in problem.neighbours[customer]
            if solution.route[head] >= 0
            and solution.route[head] != solution.route[customer]
            and is_whole(problem, solution, int(head))
        }
        least = min(costs.values(), default=np.inf)
        if found:
            assert costs[found] == pytest.approx(least, abs=1e-6)
            ahead, following = solution.pred[found], solution.succ[customer]
            assert ends_in_time(problem, solution, customer, found, ahead, following)
        else:
            assert least == np.inf


@pytest.mark.parametrize("seed", range(80))
def test_local_search_never_costs_more_and_leaves_nothing_half_done(seed: int) -> None:
    problem, solution = filled(drawn(seed, 14), seed)
    before = empty_solution(problem)
    copy_into(before, solution)
    cost = objective(problem, solution)
    improve_rich_around_served(problem, solution, len(problem.demand) - 1)
    changed = bool(solution.counts[2])
    settle(problem, solution)
    require_sound(problem, solution)
    assert objective(problem, solution) <= cost + 1e-6 * abs(cost)
    if not changed:
        assert is_same(before, solution)


@pytest.mark.parametrize("seed", range(20))
def test_local_search_visits_the_member_of_a_group_that_costs_least_at_its_place(seed: int) -> None:
    problem, solution = filled(generate_rich(60, ("groups",), seed), seed)
    before = objective(problem, solution)
    improve_rich_around_served(problem, solution, len(problem.demand) - 1)
    settle(problem, solution)
    require_sound(problem, solution)
    cost = objective(problem, solution)
    assert cost < before
    grouped = [one for one in range(1, len(problem.demand)) if problem.group[one] and solution.route[one] >= 0]
    assert grouped
    for one in grouped:
        route, ahead = int(solution.route[one]), int(solution.pred[one])
        for other in np.flatnonzero(problem.group == problem.group[one]):
            if other != one:
                remove(problem, solution, one)
                link(problem, solution, int(other), route, ahead)
                fits = recompute_and_check(problem, solution, route)
                assert not fits or objective(problem, solution) >= cost - 1e-6
                remove(problem, solution, int(other))
                link(problem, solution, one, route, ahead)
                recompute_and_check(problem, solution, route)


def test_related_pairs_are_removed_together() -> None:
    problem, solution = filled(generate_rich(60, ("pairs",), seed=3), 1)
    pair_removal(problem, solution, 10, seeded(5))
    gone = np.flatnonzero(solution.route[1:] < 0) + 1
    assert len(gone) == 10
    assert set(problem.mate[gone]) == set(gone)
    firsts = [customer for customer in gone if not problem.second[customer]]
    apart = [
        problem.distance[one, other] + problem.distance[problem.mate[one], problem.mate[other]]
        for one in firsts
        for other in firsts
        if one != other
    ]
    everybody = [customer for customer in range(1, len(problem.demand)) if not problem.second[customer]]
    usual = [
        problem.distance[one, other] + problem.distance[problem.mate[one], problem.mate[other]]
        for one in everybody
        for other in everybody
        if one != other
    ]
    assert np.mean(apart) < np.mean(usual)


def test_vehicles_of_two_routes_are_exchanged_whatever_that_costs() -> None:
    problem, solution = filled(generate_rich(40, ("depots", "vehicle-types"), seed=2), 1)
    exchanged = 0
    for customer in range(1, len(problem.demand)):
        before = solution.kind[: solution.counts[USED]].copy()
        here, there = exchange_vehicles(problem, solution, customer)
        after = solution.kind[: solution.counts[USED]]
        if there < 0:
            assert (before == after).all()
            continue
        exchanged += 1
        assert (after[here], after[there]) == (before[there], before[here])
        assert before[here] != before[there]
        require_sound(problem, solution)
    assert exchanged


def test_those_who_earn_little_leave_where_somebody_waits() -> None:
    problem, solution = filled(generate_rich(60, ("prizes", "windows"), seed=4), 1)
    waited = {int(customer) for customer in solution.bank[: solution.counts[BANKED]]}
    assert waited
    prize_removal(problem, solution, 6, seeded(3))
    gone = {int(customer) for customer in solution.bank[: solution.counts[BANKED]]} - waited
    assert 0 < len(gone) <= 6
    assert all(problem.optional[customer] for customer in gone)
    settle(problem, solution)
    require_sound(problem, solution)
    assert sum(len(trip_of(solution, route)) for route in range(int(solution.counts[USED]))) + len(gone | waited) == 60
