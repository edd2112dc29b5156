"""Members of groups are exchanged together: against all choices, and without harm to any other rule."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

import dacalns
from core.rich_arrays import require_sound
from core.test_rich_insertions import drawn_without
from core.test_rich_terms import broken
from dacalns.core.model import USED, empty_solution
from dacalns.core.rich_insertions import place_given_routes
from dacalns.core.rich_search import visit_best_members
from dacalns.core.routes import settle
from dacalns.core.terms import objective
from dacalns.instances import Instance
from dacalns.search.start import answer_of, first_solution, numbering_of, problem_of


def groups_on_a_plane(dice: random.Random) -> Instance:
    """One vehicle, four groups of two to four places each, and two customers in none."""
    model = dacalns.Model("groups")
    model.add_depot(50, 50)
    for size in (2, 2, 3, 4):
        members = [model.add_customer(dice.randint(0, 99), dice.randint(0, 99), required=False) for _ in range(size)]
        model.add_group(members)
    for _ in range(2):
        model.add_customer(dice.randint(0, 99), dice.randint(0, 99))
    model.add_vehicle_type(num_available=1)
    return model.instance(rounding="exact")


@pytest.mark.parametrize("seed", range(30))
def test_the_members_visited_cost_least_together(seed: int) -> None:
    dice = random.Random(seed)
    instance = groups_on_a_plane(dice)
    problem: Any = problem_of(instance)
    route = [dice.choice(group.customers) for group in instance.groups]
    route += sorted(set(instance.customer_nodes) - {node for group in instance.groups for node in group.customers})
    dice.shuffle(route)
    solution = empty_solution(problem)
    visits, sizes = numbering_of(instance).visits([route])
    place_given_routes(problem, solution, visits, sizes, np.array([0]))
    settle(problem, solution)
    before = objective(problem, solution)
    member_of = {node: group.customers for group in instance.groups for node in group.customers}
    least = min(
        sum(float(instance.distances[tail, head]) for tail, head in itertools.pairwise([0, *way, 0]))
        for way in itertools.product(*(member_of.get(node, (node,)) for node in route))
    )
    changed = visit_best_members(problem, solution, 0)
    settle(problem, solution)
    require_sound(problem, solution)
    assert objective(problem, solution) == pytest.approx(least * instance.scale)
    assert changed == (objective(problem, solution) < before - 1e-9)
    assert not visit_best_members(problem, solution, 0)


@pytest.mark.parametrize("seed", range(80))
def test_other_members_break_no_rule_and_cost_no_more(seed: int) -> None:
    while not (instance := drawn_without(seed)).groups:
        seed += 1000
    problem: Any = problem_of(instance)
    solution: Any = first_solution(instance, None)
    for route in range(int(solution.counts[USED])):
        before = objective(problem, solution)
        changed = visit_best_members(problem, solution, route)
        settle(problem, solution)
        require_sound(problem, solution)
        assert not broken(instance, *answer_of(instance, solution))
        now = objective(problem, solution)
        assert now < before if changed else now == pytest.approx(before)
