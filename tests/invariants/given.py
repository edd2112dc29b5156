"""Given routes, judged three times: by the checker, by PyVRP, and by what the search keeps of them as a start.

Some are drawn at random, others are the search's answer with a change or two, as those are near the limits.
"""

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import dacalns
from dacalns.core.model import empty_solution
from dacalns.core.terms import missing, solution_cost
from dacalns.instances import Instance
from dacalns.instances.pyvrp_data import to_pyvrp_solution
from dacalns.search.checker import Check
from dacalns.search.rich_checker import saved_by_lateness
from dacalns.search.start import answer_of, checked_start, place_in, problem_of
from dacalns.util.errors import InputError
from search.rich_cases import Routes, random_solution

# How many routes are drawn for a problem, and how many are made from the search's answer.
DRAWN, CHANGED = 6, 6

Solution = tuple[Routes, list[int]]


@dataclass
class Judged:
    """What is wrong with the judgements on given routes, and how many there were."""

    wrong: list[str] = field(default_factory=list)
    given: int = 0
    feasible: int = 0  #: by the checker
    by_search: int = 0
    kept: int = 0  #: by the search, whole
    by_pyvrp: int = 0
    feasible_there: int = 0  #: of those that PyVRP judged


def judge_given(instance: Instance, number: int, data: Any, answer: Solution | None) -> Judged:
    """Let all judge the given routes of a case.

    Parameters
    ----------
    instance
        The problem.
    number
        Of the case; the routes depend on it alone, and on the answer.
    data
        The problem as PyVRP states it; None where it cannot.
    answer
        The search's routes and their vehicle types, if it has any.
    """
    found = Judged()
    searchable = _searchable(instance)
    for routes, types in _given(instance, number, answer):
        verdict = dacalns.check(instance, routes, types)
        found.given += 1
        found.feasible += verdict.feasible
        if data is not None:
            said = _against_pyvrp(instance, data, routes, types, verdict)
            found.by_pyvrp += 1
            found.feasible_there += verdict.feasible
            found.wrong += [f"{routes} of types {types}: {sentence}" for sentence in said]
        if searchable and _known(instance, routes):
            kept, said = _against_search(instance, routes, types)
            found.by_search += 1
            found.kept += kept
            found.wrong += [f"{routes} of types {types}: {sentence}" for sentence in said]
    return found


def _given(instance: Instance, number: int, answer: Solution | None) -> Iterator[Solution]:
    for count in range(DRAWN):
        yield random_solution(instance, DRAWN * number + count)
    dice = random.Random(number)
    for _ in range(0 if answer is None else CHANGED):
        assert answer is not None
        routes, types = [list(route) for route in answer[0]], list(answer[1])
        for _ in range(dice.choice((1, 1, 2))):
            routes, types = _changed(dice, instance, routes, types)
        yield routes, types


def _changed(dice: random.Random, instance: Instance, routes: Routes, types: list[int]) -> Solution:
    """The routes with one change: somebody left out, served, moved or exchanged, another vehicle or another reload."""
    routes = [list(route) for route in routes]
    visited = [node for route in routes for node in route if node >= instance.depots]
    others = [node for node in instance.customer_nodes if node not in visited]
    change = dice.randrange(6)
    if change == 0 and visited:
        _take_out(routes, dice.choice(visited))
    elif change == 1 and others:
        _put_in(dice, instance, routes, types, dice.choice(others))
    elif change == 2 and visited:
        moved = dice.choice(visited)
        _take_out(routes, moved)
        _put_in(dice, instance, routes, types, moved)
    elif change == 3 and len(visited) > 1:
        one, other = dice.sample(visited, 2)
        swapped = {one: other, other: one}
        routes = [[swapped.get(node, node) for node in route] for route in routes]
    elif change == 4 and routes:
        types = list(types)
        types[dice.randrange(len(types))] = dice.randrange(len(instance.types))
    elif change == 5 and routes:
        at = dice.randrange(len(routes))
        depots = instance.types[types[at]].reload_depots
        if depots:
            routes[at].insert(dice.randint(0, len(routes[at])), dice.choice(depots))
    kept = [at for at, route in enumerate(routes) if route]
    return [routes[at] for at in kept], [types[at] for at in kept]


def _take_out(routes: Routes, node: int) -> None:
    for route in routes:
        if node in route:
            route.remove(node)


def _put_in(dice: random.Random, instance: Instance, routes: Routes, types: list[int], node: int) -> None:
    at = dice.randrange(len(routes) + 1)
    if at == len(routes):
        routes.append([])
        types.append(dice.randrange(len(instance.types)))
    routes[at].insert(dice.randint(0, len(routes[at])), node)


# PyVRP.


def _against_pyvrp(instance: Instance, data: Any, routes: Routes, types: list[int], verdict: Check) -> list[str]:
    """What PyVRP thinks otherwise; routes that it does not accept are infeasible there."""
    try:
        theirs = to_pyvrp_solution(instance, data, routes, types)
    except InputError as error:
        return [f"feasible, but PyVRP does not accept it: {error}"] if verdict.feasible else []
    feasible = theirs.is_feasible() and theirs.is_complete()
    if feasible != verdict.feasible:
        return [f"PyVRP says that feasible is {feasible}, the checker says: {verdict.violations}"]
    cost = cost_in_pyvrp(instance, data, theirs)
    if feasible and not math.isclose(cost, verdict.cost, rel_tol=1e-9, abs_tol=1e-9):
        return [f"it costs {verdict.cost!r}, but PyVRP says {cost!r}"]
    return []


def cost_in_pyvrp(instance: Instance, data: Any, theirs: Any) -> float:
    """The cost of a solution of PyVRP, missed prizes included, in file units."""
    import pyvrp

    evaluator = pyvrp.CostEvaluator([0] * data.num_load_dimensions, 0, 0)
    return float(evaluator.penalised_cost(theirs)) / instance.scale


# The search.


def _searchable(instance: Instance) -> bool:
    """Whether the search takes the problem, and has other rules for it than a CVRP or VRPTW's."""
    if instance.is_plain:
        return False
    try:
        problem_of(instance)
    except InputError:
        return False
    return True


def _known(instance: Instance, routes: Routes) -> bool:
    """Whether a start may have such routes: all nodes exist, none is visited twice, and depots may stand inside."""
    try:
        checked_start(instance, routes, [0] * len(routes))
    except InputError:
        return False
    return True


def _against_search(instance: Instance, routes: Routes, types: list[int]) -> tuple[bool, list[str]]:
    """Whether the search keeps routes whole, and what it thinks of them otherwise than the checker."""
    asked = sorted((kind, tour) for kind, route in zip(types, routes, strict=True) if (tour := _trips(instance, route)))
    tours, kinds = [tour for _, tour in asked], [kind for kind, _ in asked]
    verdict = dacalns.check(instance, tours, kinds)
    problem: Any = problem_of(instance)
    solution = empty_solution(problem)
    place_in(instance, problem, solution, tours, kinds)
    found, types_found = answer_of(instance, solution)
    whole = (found, types_found) == (tours, kinds)
    broken = [violation for violation in verdict.violations if violation.kind != "missing"]
    if whole and broken:
        return whole, [f"the search keeps it, the checker says: {broken}"]
    if not whole:
        return whole, [] if broken else [f"the search keeps {found} of types {types_found}, the checker all"]
    wrong = []
    cost = float(solution_cost(problem, solution)) / instance.scale
    # Where times are no whole numbers, the search may begin as much too late as the tolerance allows.
    early = saved_by_lateness(instance, kinds)
    if not math.isclose(cost, verdict.cost, rel_tol=1e-9, abs_tol=1e-9 + early):
        wrong.append(f"it costs {verdict.cost!r}, but the search says {cost!r}")
    if (missing(problem, solution) == 0) != verdict.feasible:
        wrong.append(f"{missing(problem, solution)} are missing for the search, the checker says: {verdict.violations}")
    return whole, wrong


def _trips(instance: Instance, route: list[int]) -> list[int]:
    """A route without trips on which nobody is served: the search has none, and begins a trip with a customer."""
    parts = [(reload, list(nodes)) for reload, nodes in itertools.groupby(route, lambda node: node < instance.depots)]
    inside = parts[parts[0][0] : len(parts) - parts[-1][0]]
    return [node for reload, nodes in inside for node in (nodes[-1:] if reload else nodes)]
