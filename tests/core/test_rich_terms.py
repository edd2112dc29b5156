"""Solutions of random rich problems stay sound, whatever is removed, inserted and copied; limits are the checker's."""

import random
from typing import Any

import numpy as np
import pytest

from core.rich_arrays import chain_of, cost_of, is_same, require_sound, stretch, trip_of
from dacalns.core.model import BANKED, USED, Problem, Solution, empty_solution
from dacalns.core.repairs import regret_repair
from dacalns.core.rich_legs import joined
from dacalns.core.rng import seeded
from dacalns.core.routes import clear_journal, copy_into, copy_touched, fits, insert, remove, settle
from dacalns.core.terms import missing, objective, solution_cost
from dacalns.instances import Instance
from dacalns.search.checker import check
from dacalns.search.start import answer_of, numbering_of, problem_of
from dacalns.search.stepper import Stepper
from dacalns.util.errors import InputError
from search.rich_cases import draw

SEEDS = range(60)


def drawn(seed: int, most: int = 8) -> Instance:
    """The first problem from a seed on that the search can do."""
    while True:
        instance = draw(seed, most)
        try:
            problem_of(instance)
        except InputError:
            seed += 1000
        else:
            return instance


def settled(problem: Problem, solution: Solution) -> None:
    settle(problem, solution)
    require_sound(problem, solution)


def broken(instance: Instance, routes: list[list[int]], types: list[int]) -> set[str]:
    """The rules that routes break, but for who is missing."""
    return {violation.kind for violation in check(instance, routes, types).violations} - {"missing"}


def insert_somewhere(instance: Instance, problem: Any, solution: Any, dice: random.Random) -> None:
    """Try to insert a customer from the bank; it goes in if the checker says so, and only then."""
    if not solution.counts[BANKED]:
        return
    customer = int(solution.bank[dice.randrange(solution.counts[BANKED])])
    used = int(solution.counts[USED])
    route = dice.randrange(used + len(problem.ends))
    after = dice.choice([0, *trip_of(solution, route)]) if route < used else 0
    before = empty_solution(problem)
    copy_into(before, solution)
    placed = insert(problem, solution, customer, route, after)
    settled(problem, solution)
    if not placed:
        assert is_same(before, solution)
    if instance.more_windows or problem.mate[customer]:  # a window is chosen, and pairs go in together
        return
    if not placed:
        if route >= used and solution.taken[route - used] >= problem.ends[route - used][-1]:
            return
        routes, types = with_customer(instance, before, customer, route, after)
        assert broken(instance, routes, types)
    else:
        assert not broken(instance, *answer_of(instance, solution))


def with_customer(
    instance: Instance, solution: Any, customer: int, route: int, after: int
) -> tuple[list[list[int]], list[int]]:
    """The routes with a customer who stands in the bank, by the numbers of nodes."""
    used = int(solution.counts[USED])
    node_of = numbering_of(instance).node_of.tolist()
    routes, types = [], []
    for first in {chain_of(solution, number)[0] for number in range(used)}:
        nodes = []
        for trip in chain_of(solution, first):
            if nodes or solution.ahead[trip] >= 0:
                nodes.append(int(solution.start[trip]) - len(node_of))
            customers = trip_of(solution, trip)
            if trip == route:
                customers.insert(customers.index(after) + 1 if after else 0, customer)
            nodes += [node_of[each] for each in customers]
        routes.append(nodes)
        types.append(int(solution.kind[first]))
    if route >= used:
        routes.append([node_of[customer]])
        types.append(route - used)
    return routes, types


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_solutions_stay_sound(seed: int) -> None:
    instance = drawn(seed)
    problem = problem_of(instance)
    dice, rng = random.Random(seed), seeded(seed)
    solution, other = empty_solution(problem), empty_solution(problem)
    require_sound(problem, solution)
    for _ in range(25):
        what = dice.random()
        if what < 0.4:
            insert_somewhere(instance, problem, solution, dice)
        elif what < 0.6:
            for customer in dice.sample(
                range(1, len(problem.demand)), dice.randint(1, min(4, len(problem.demand) - 1))
            ):
                remove(problem, solution, customer)
        elif what < 0.8:
            settle(problem, solution)
            regret_repair(problem, solution, rng)
        elif what < 0.9:
            settle(problem, solution)
            copy_into(other, solution)
            clear_journal(solution)
            clear_journal(other)
        else:  # as a search does that does not accept, or does
            settle(problem, solution)
            copy_into(other, solution)
            clear_journal(solution)
            remove(problem, solution, dice.randrange(1, len(problem.demand)))
            settle(problem, solution)
            regret_repair(problem, solution, rng)
            settled(problem, solution)
            target, source = (other, solution) if dice.random() < 0.5 else (solution, other)
            copy_touched(target, source, solution)
            assert is_same(other, solution)
            clear_journal(other)
        settled(problem, solution)
        routes, types = answer_of(instance, solution)
        verdict = check(instance, routes, types)
        assert not broken(instance, routes, types)
        assert solution_cost(problem, solution) / instance.scale == pytest.approx(verdict.cost)
        prizes = verdict.cost_parts["prizes"] * instance.scale
        assert cost_of(problem, solution) + prizes == pytest.approx(solution_cost(problem, solution))
        assert (missing(problem, solution) == 0) == verdict.feasible
        if verdict.feasible and not verdict.lost_priority:
            assert objective(problem, solution) == pytest.approx(solution_cost(problem, solution))


def test_stretches_are_joined() -> None:
    dice = random.Random(1)
    for _ in range(2000):
        stops = []
        for _ in range(dice.randint(2, 6)):
            opens = dice.choice((-np.inf, dice.randint(0, 40)))
            closes = dice.choice((np.inf, max(0, opens) + dice.randint(0, 30)))
            stops.append((opens, closes, float(dice.randint(0, 5))))
        gaps = [float(dice.randint(0, 20)) for _ in stops[1:]]
        cut = dice.randint(1, len(stops) - 1)
        one, other = stretch(stops[:cut], gaps), stretch(stops[cut:], gaps[cut:])
        if np.inf in (one[0], other[0]):
            continue
        whole, expected = joined(*one, gaps[cut - 1], *other), stretch(stops, gaps)
        assert whole[0] == expected[0]
        if whole[0] < np.inf:
            assert whole == expected


def test_who_may_stand_is_told_without_a_change() -> None:
    instance = drawn(3)
    problem = problem_of(instance)
    solution, before = empty_solution(problem), empty_solution(problem)
    for customer in range(1, len(problem.demand)):
        for route in range(int(solution.counts[USED]) + len(problem.ends)):
            copy_into(before, solution)
            may = fits(problem, solution, customer, route, 0)
            assert is_same(before, solution)
            if solution.route[customer] < 0:
                copy_into(before, solution)
                assert insert(problem, solution, customer, route, 0) == may


@pytest.mark.parametrize("seed", range(0, 120, 3))
def test_operators_leave_sound_solutions(seed: int) -> None:
    instance = drawn(seed)
    stepper = Stepper(instance, "full", seed=seed)
    require_sound(stepper.problem, stepper.current)
    dice = random.Random(seed)
    for _ in range(20):
        stepper.destroy(dice.randrange(len(stepper.portfolio.destroy)))
        require_sound(stepper.problem, stepper.candidate)
        stepper.repair(dice.randrange(len(stepper.portfolio.repair)))
        require_sound(stepper.problem, stepper.candidate)
        assert not broken(instance, *answer_of(instance, stepper.candidate))
        stepper.accept()
        require_sound(stepper.problem, stepper.current)
        assert objective(stepper.problem, stepper.best) <= objective(stepper.problem, stepper.current) + 1e-6
    require_sound(stepper.problem, stepper.best)
