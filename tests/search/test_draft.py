"""Operators in plain Python: what they see, what they may change, and that nothing they do breaks a solution."""

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import Draft, InputError, MaxIterations, Portfolio, Result, solve
from dacalns.instances import Instance
from dacalns.instances.generate_rich import generate_rich
from dacalns.search.stepper import Stepper
from dacalns.search.user_code import load_file

from . import rich_cases

SMALL = dacalns.read("P-n16-k8")
Random = np.random.Generator


def drop_some(draft: Draft, rng: Random) -> None:
    """Remove as many as are asked for."""
    served = draft.served
    for customer in rng.choice(served, draft.count, replace=False):
        draft.remove(customer)
    assert set(draft.removed) <= set(draft.unserved)
    assert set(draft.customers) >= {*draft.served, *draft.unserved}


def put_anywhere(draft: Draft, rng: Random) -> None:
    """Try nonsense first, then any place of those listed; what a place costs is what the routes cost more."""
    for chosen in rng.permutation(draft.unserved):
        customer = int(chosen)
        if customer not in draft.unserved:
            continue
        routes, cost = draft.routes, draft.cost
        if rng.random() < 0.3:
            numbers = [int(number) for number in rng.integers(-1, len(routes) + 4, 3)]
            try:
                draft.insert(customer, numbers[0], numbers[1], numbers[2] if rng.random() < 0.5 else None)
                continue
            except InputError:
                assert draft.routes == routes
                assert draft.cost == pytest.approx(cost)
        places = draft.places(customer)
        assert [place.cost for place in places] == sorted(place.cost for place in places)
        if places:
            place = places[int(rng.integers(len(places)))] if rng.random() < 0.3 else places[0]
            draft.insert(*place[1:])
            number = draft.route_of(place.customer)
            assert number is not None
            assert draft.routes[number][place.position] == place.customer
            if draft.instance.prizes is None and not draft.instance.groups:
                assert draft.cost - cost == pytest.approx(place.cost, abs=1e-6 * max(1.0, draft.cost))


def search(instance: Instance, destroy: Any = drop_some, repair: Any = put_anywhere, **options: Any) -> Result:
    portfolio = Portfolio([destroy, "random_removal"], [repair, "greedy_repair"], acceptance="hill-climbing")
    return solve(instance, portfolio=portfolio, **({"stop": MaxIterations(40), "seed": 3} | options))


def require_sound(instance: Instance, result: Result) -> None:
    assert (result.stopped_by, result.warnings) == ("criterion", [])
    verdict = dacalns.check(instance, result.routes, result.vehicle_types)
    assert {violation.kind for violation in verdict.violations} <= {"missing"}
    assert verdict.cost == pytest.approx(result.cost)


@pytest.mark.parametrize("name", ["P-n16-k8", pytest.param("R101", marks=pytest.mark.slow_without_jit)])
def test_plain_problems(name: str) -> None:
    instance = dacalns.read(name)
    result = search(instance)
    require_sound(instance, result)
    assert result.operators.destroy == ["drop_some", "random_removal"]
    assert min(*result.operators.destroy_seconds, *result.operators.repair_seconds) > 0
    assert search(instance).routes == result.routes


@pytest.mark.parametrize(
    "features",
    [("prizes",), ("pairs", "windows"), ("reloads", "windows"), ("depots", "vehicle-types"), ("groups", "pickups")],
)
def test_rich_problems(features: tuple[str, ...]) -> None:
    instance = generate_rich(16, features, seed=1)
    require_sound(instance, search(instance))


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("seed", [2, 5, 8, 13, 15, 18, 38, 43, 57])
def test_any_mixture_of_rules(seed: int) -> None:
    instance = rich_cases.draw(seed, 14)
    require_sound(instance, search(instance))


def _seen(look: Callable[[Draft, Random], Any], instance: Instance = SMALL) -> list[Any]:
    """What an operator sees of the first solution."""
    found: list[Any] = []

    def operator(draft: Draft, rng: Random) -> None:
        found.append(look(draft, rng))

    stepper = Stepper(instance, Portfolio([operator], [operator]))
    stepper.destroy(0)
    return found


def test_what_is_seen() -> None:
    [found] = _seen(lambda draft, _: (draft.routes, draft.unserved, draft.cost, draft.count, draft.neighbours(1)[:2]))
    routes, unserved, cost, count, near = found
    assert sorted(customer for route in routes for customer in route) == list(range(1, 16))
    assert dacalns.check(SMALL, routes).cost == cost
    assert (unserved, len(near)) == ([], 2)
    assert 5 <= count <= 15
    [features, edges, text] = _seen(lambda draft, _: (draft.node_features, draft.edges, repr(draft)))[0]
    assert features.shape[0] == 16
    assert len(edges) == 3
    assert text == "Draft(P-n16-k8, iteration 0, unserved 0)"


def test_trips_of_a_vehicle_are_routes() -> None:
    instance = rich_cases.draw(25, 14)
    [(routes, vehicles, types)] = _seen(lambda draft, _: (draft.routes, draft.vehicles, draft.vehicle_types), instance)
    assert sorted(number for chain in vehicles for number in chain) == list(range(len(routes)))
    assert len(vehicles) < len(routes) == len(types)


def test_a_pair_comes_and_goes_together() -> None:
    instance = generate_rich(10, {"pairs"}, seed=1)
    pickup, delivery = (int(node) for node in np.asarray(instance.pairs)[0])

    def look(draft: Draft, _: Random) -> Any:
        draft.remove(delivery)
        assert {pickup, delivery} <= set(draft.unserved)
        assert draft.places(delivery) == draft.places(pickup)
        refused = []
        for wrong in ((delivery, 0, 0), (pickup, 0, 0), (pickup, 0, 1, 1)):
            with pytest.raises(InputError) as error:
                draft.insert(*wrong)
            refused.append(str(error.value))
        place = draft.places(pickup)[0]
        draft.insert(*place[1:])
        route = draft.routes[place.route]
        return refused, route.index(pickup) == place.position, route.index(delivery) == place.second

    [(refused, first, second)] = _seen(look, instance)
    assert refused[0].endswith(f"is a delivery; insert its pickup, {pickup}, and it comes along.")
    assert refused[1].endswith("is a pickup; give second for its delivery.")
    assert refused[2].endswith("there is no such position.")
    assert first
    assert second


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda draft: draft.insert(1, 0, 0), "customer 1 cannot be put at position 0 of route 0: it is in a route"),
        (lambda draft: draft.remove(16), "16 is no customer of P-n16-k8; expected 1 to 15"),
        (lambda draft: draft.remove("a"), "'a' is no customer"),
        (lambda draft: draft.remove(0), "0 is no customer"),
        (lambda draft: (draft.remove(1), draft.insert(1, 99, 0)), "route 99: there is no such route, and no vehicle"),
        (lambda draft: (draft.remove(1), draft.insert(1, 0, 9)), "position 9 of route 0: there is no such position"),
        (lambda draft: (draft.remove(1), draft.insert(1, 0, -1)), "position -1 of route 0: there is no such position"),
        (lambda draft: (draft.remove(1), draft.insert(1, 0.5, 0)), "route is 0.5; expected a whole number"),
        (lambda draft: (draft.remove(1), draft.insert(1, 0, 0, 1)), "customer 1 has no pair; leave second out"),
    ],
)
def test_what_is_refused(wrong: Callable[[Draft], Any], sentence: str) -> None:
    result = search(SMALL, lambda draft, _: wrong(draft))
    assert result.stopped_by == "user code"
    assert "destroy operator 'lambda' raised InputError: " in result.warnings[0]
    assert sentence in result.warnings[0]
    assert dacalns.check(SMALL, result.routes).cost == result.cost


def test_a_customer_that_does_not_fit() -> None:
    full = Instance(name="full", coordinates=[[0, 0], [1, 0], [2, 0]], demands=[0, 2, 2], capacity=3)  # type: ignore[arg-type]

    def operator(draft: Draft, _: Random) -> None:
        draft.remove(1)
        draft.insert(1, draft.route_of(2) or 0, 0)

    result = search(full, operator)
    assert "route 0: the vehicle has no room for it, or may not serve it in iteration 1" in result.warnings[0]


def test_a_draft_is_of_no_use_when_the_call_is_over() -> None:
    kept: list[Draft] = []
    result = search(SMALL, lambda draft, _: (kept[0].remove(1) if kept else None, kept.append(draft))[1])
    assert "raised InputError: the draft is that of a call that is over" in result.warnings[0]
    for call in (lambda: kept[0].remove(1), lambda: kept[0].insert(1, 0, 0), lambda: kept[0].places(1)):
        with pytest.raises(InputError, match="a call that is over"):
            call()


def test_a_repair_operator_may_remove_and_a_destroy_operator_insert() -> None:
    def move(draft: Draft, rng: Random) -> None:
        for customer in rng.choice(draft.served, 3, replace=False):
            draft.remove(customer)
            draft.insert(*draft.places(customer)[0][1:])

    require_sound(SMALL, search(SMALL, move, move))


def test_objects_and_functions_of_all_kinds_are_operators() -> None:
    class Few:
        name = "few"

        def __call__(self, draft: Draft, rng: Random) -> None:
            draft.remove(draft.served[0])

    operator = dacalns.destroy_operator(count=(2, 3), name="two or three", compiled=False)(drop_some)
    best = dacalns.repair_operator(compiled=False)(put_anywhere)
    portfolio = Portfolio([Few(), lambda draft, rng: drop_some(draft, rng), operator, operator.at(count=(1, 1))], best)
    assert [each.name for each in portfolio.destroy] == ["few", "lambda", "two or three", "two or three@1"]
    assert [each.name for each in portfolio.repair] == ["put_anywhere"]
    result = solve(SMALL, portfolio=portfolio, stop=MaxIterations(40))
    assert 2 <= result.operators.mean_removed[2] <= 3
    assert result.operators.mean_removed[3] == 1


def _of_one(draft: Draft) -> None:
    pass


def _undecorated(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    pass


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            _of_one,
            r"'_of_one' takes \(draft\); expected \(draft, rng\); one that takes \(problem, .*@dacalns.destroy_op",
        ),
        (_undecorated, r"takes \(problem, solution, count, rng\); expected \(draft, rng\)"),
        (int, "<class 'int'>"),
        (5, "has 5 among its destroy operators; expected one made with @destroy_operator, or something that is called"),
    ],
)
def test_what_is_no_operator(given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Portfolio([given], ["greedy_repair"])


def test_features_of_an_operator_in_python() -> None:
    timed = dacalns.destroy_operator(count=(1, 2), needs="windows", compiled=False)(drop_some)
    portfolio = Portfolio([timed, "random_removal"], ["greedy_repair"])
    assert len(portfolio.for_features(frozenset()).destroy) == 1
    assert len(portfolio.for_features(frozenset({"windows", "pairs"})).destroy) == 2


class Counting:
    """An operator that keeps something."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, draft: Draft, rng: Random) -> None:
        self.calls += 1
        drop_some(draft, rng)


def test_searches_side_by_side_have_operators_of_their_own() -> None:
    operator = Counting()
    result = search(SMALL, operator, jobs=2)
    assert 0 < operator.calls < sum(result.operators.uses[0])
    assert search(SMALL, Counting(), jobs=2).routes == result.routes
    operator.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"destroy operator 'Counting' cannot be copied .*use jobs=1"):
        search(SMALL, operator, jobs=2)


def test_fewest_vehicles_first() -> None:
    result = search(SMALL, objective="vehicles-then-distance", stop=MaxIterations(60))
    assert result.feasible


# More operators in a portfolio.


def test_full_is_extended() -> None:
    full = dacalns.PORTFOLIOS["full"]
    wider = full.with_(destroy=[drop_some], repair=[put_anywhere])
    assert wider.name == "full + drop_some + put_anywhere"
    assert wider.destroy[:-1] == full.destroy
    assert (wider.acceptance, wider.construction, wider.mixture) == (full.acceptance, full.construction, full.mixture)
    result = solve("A-n32-k5", portfolio=wider, stop=MaxIterations(60), seed=1)
    assert (result.selector, result.selector_note) == (
        "roulette", "the policy of dac-t was trained without the operators added"
    )  # fmt: skip
    assert "selector roulette (the policy of dac-t was" in str(result)
    rich = solve(generate_rich(12, {"prizes"}, seed=1), portfolio=wider, stop=MaxIterations(20))
    assert (rich.selector, rich.selector_note) == ("weights", "fixed mixture: no trained policy for this problem")
    with pytest.raises(InputError, match=r"no bundled dac policy for cvrp and portfolio 'full \+ drop_some"):
        solve("A-n32-k5", portfolio=wider, selector="dac-t")


def test_other_settings_of_a_portfolio() -> None:
    full = dacalns.PORTFOLIOS["full"]
    assert full.with_() == full
    changed = full.with_(name="mine", acceptance="hill-climbing", construction="regret", selector="random")
    assert (changed.name, changed.construction, changed.selector) == ("mine", "regret", "random")
    assert changed.acceptance == dacalns.HillClimbing()
    assert full.with_(destroy="worst_removal", selector="ucb").selector_note == ""
    paper = dacalns.PORTFOLIOS["paper"].with_(destroy=[drop_some])
    assert (paper.selector, paper.selector_note) == ("roulette", "")
    with pytest.raises(InputError, match="2 destroy operators named 'related_removal'"):
        full.with_(destroy=["related_removal"])


def test_weights_by_name() -> None:
    rare = dacalns.PORTFOLIOS["full"].with_(repair=[put_anywhere], mixture={"put_anywhere": 0.0})
    result = solve("A-n32-k5", portfolio=rare, stop=MaxIterations(60))
    assert (result.selector, result.selector_note) == ("weights", "")
    assert result.operators.repair_uses[-1] == 0


# An operator that calls a solver.

EXAMPLE = Path(__file__).parents[2] / "examples" / "highs_repair.py"


@pytest.mark.slow_without_jit
def test_highs_repairs_inside_full() -> None:
    pytest.importorskip("scipy.optimize")
    module = load_file(EXAMPLE, "example")
    assert len(inspect.getsource(module.highs_repair).splitlines()) <= 31
    often = module.portfolio.with_(mixture={"highs_repair": 1.0})
    assert often.name == "full + highs_repair"
    for instance in (dacalns.read("A-n32-k5"), generate_rich(12, {"pairs", "windows"}, seed=1)):
        result = solve(instance, portfolio=often, stop=MaxIterations(40), seed=1)
        assert (result.feasible, result.stopped_by, result.warnings) == (True, "criterion", [])
        assert result.operators.repair[-1] == "highs_repair"
        assert result.operators.repair_uses[-1] > 0
        assert result.operators.repair_seconds[-1] > 0
