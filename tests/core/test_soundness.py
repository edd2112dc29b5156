"""Solutions whose arrays do not agree are found out, whatever is wrong with them."""

from collections.abc import Callable

import numpy as np
import pytest

import dacalns
from core.oracle import KINDS, filled, random_instance, random_problem
from dacalns.core import soundness, terms
from dacalns.core.flaws import WRONG_SUM
from dacalns.core.jit import jit_enabled
from dacalns.core.model import BANKED, TOUCHED, USED, Problem, Solution, empty_solution, overwrite
from dacalns.core.rich import RichSolution
from dacalns.core.routes import DIRTY, remove, settle, touch
from dacalns.instances.generate_rich import generate_rich
from dacalns.search.portfolio import Portfolio
from dacalns.search.run import Search
from dacalns.selectors import UniformRandom

Damage = Callable[[Solution], None]


def _set(name: str, place: int | tuple[str, int], value: float) -> Damage:
    def damage(solution: Solution) -> None:
        index = place if isinstance(place, int) else int(getattr(solution, place[0])[place[1]])
        getattr(solution, name)[index] = value

    return damage


def _circle(solution: Solution) -> None:
    node = solution.first[0]
    solution.succ[solution.last[0]] = node
    solution.size[0] = 1 << 60


def _forget_customer(solution: Solution) -> None:
    solution.counts[BANKED] -= 1


def _twice_in_bank(solution: Solution) -> None:
    solution.bank[1] = solution.bank[0]


def _untold(solution: Solution) -> None:
    solution.length[solution.counts[USED] - 1] += 1.0


def _untold_times(solution: Solution) -> None:
    solution.depart[solution.last[solution.counts[USED] - 1]] += 1.0


LINKS = {
    "a circle": (_circle, soundness.WRONG_LINK.backwards),
    "a link to itself": (lambda s: s.succ.__setitem__(s.first[0], s.first[0]), soundness.WRONG_LINK.backwards),
    "a link to nobody": (_set("succ", ("first", 0), 10**9), soundness.WRONG_LINK.not_a_customer),
    "a negative link": (_set("first", 0, -4), soundness.WRONG_LINK.not_a_customer),
    "a wrong predecessor": (_set("pred", ("last", 0), 0), soundness.WRONG_LINK.backwards),
    "a wrong route": (_set("route", ("first", 0), 1), soundness.WRONG_LINK.elsewhere),
    "a short size": (_set("size", 0, 1), soundness.WRONG_LINK.size),
    "a long size": (_set("size", 0, 99), soundness.WRONG_LINK.size),
    "a wrong end": (_set("last", 0, 0), soundness.WRONG_LINK.ends),
    "too many routes": (_set("counts", USED, 10**12), soundness.WRONG_LINK.count),
    "fewer routes than none": (_set("counts", USED, -1), soundness.WRONG_LINK.count),
    "a route too few": (lambda s: s.counts.__setitem__(USED, s.counts[USED] - 1), soundness.WRONG_LINK.behind),
    "a bank too full": (_set("counts", BANKED, 10**12), soundness.WRONG_LINK.count),
    "a journal too long": (_set("counts", TOUCHED, 10**12), soundness.WRONG_LINK.count),
    "a journal of nonsense": (_set("journal", 0, 10**12), soundness.WRONG_LINK.journal),
    "a dirty route that is not in the journal": (_set("dirty", 2, 1), soundness.WRONG_LINK.journal),
    "nobody in the bank": (_set("bank", 0, 10**12), soundness.WRONG_LINK.bank),
    "one customer twice in the bank": (_twice_in_bank, soundness.WRONG_LINK.bank),
    "a lost customer": (_forget_customer, soundness.WRONG_LINK.lost),
    "a length changed in silence": (_untold, soundness.WRONG_LINK.untold),
    "times changed in silence": (_untold_times, soundness.WRONG_LINK.untold),
}
SUMS = {
    "a wrong leg": (_set("leg", ("first", 0), 1e-3), terms.WRONG_SUM.leg),
    "a leg that is no number": (_set("leg", ("first", 0), np.nan), terms.WRONG_SUM.leg),
    "a wrong length": (_set("length", 0, 7.0), terms.WRONG_SUM.length),
    "a length that is no number": (_set("length", 0, np.nan), terms.WRONG_SUM.length),
    "a wrong load": (_set("load", 0, -100.0), terms.WRONG_SUM.load),
    "a wrong departure": (_set("depart", ("first", 0), 0.0), terms.WRONG_SUM.times),
    "a wrong latest start": (_set("latest", ("first", 0), 1e9), terms.WRONG_SUM.times),
    "another day": (_set("latest", 0, 1e9), terms.WRONG_SUM.depot),
}


def _pair() -> tuple[Problem, Solution, Solution]:
    """A problem with windows, a solution in whose journal are two routes, and what it was before."""
    problem = random_problem(1, 14, timed=True)
    before = filled(problem)
    assert before.size[:3].tolist() == [3, 3, 3]
    solution = empty_solution(problem)
    overwrite(solution, before)
    touch(solution, 0)
    for customer in (int(before.first[1]), int(before.last[1])):
        remove(problem, solution, customer)
    return problem, solution, before


def _flaw() -> np.ndarray:
    return np.zeros(len(soundness.FLAW), dtype=np.int64)


def test_what_remove_leaves_is_sound() -> None:
    problem, solution, before = _pair()
    assert soundness.links_sound(problem, solution, before, _flaw())
    settle(problem, solution)
    assert soundness.sums_sound(problem, solution, _flaw())


@pytest.mark.parametrize("what", LINKS)
def test_links(what: str) -> None:
    problem, solution, before = _pair()
    damage, kind = LINKS[what]
    damage(solution)
    flaw = _flaw()
    assert not soundness.links_sound(problem, solution, before, flaw)
    assert flaw[soundness.FLAW.kind] == kind


@pytest.mark.parametrize("what", SUMS)
def test_sums(what: str) -> None:
    problem, solution, _ = _pair()
    settle(problem, solution)
    damage, kind = SUMS[what]
    damage(solution)
    flaw = _flaw()
    assert not soundness.sums_sound(problem, solution, flaw)
    assert flaw[soundness.FLAW.kind] == kind


def test_limits() -> None:
    """Arrays that agree with one another, of routes that are too heavy or too late."""
    for field, kind in (("capacity", terms.WRONG_SUM.capacity), ("closes", terms.WRONG_SUM.late)):
        problem, solution, _ = _pair()
        settle(problem, solution)
        if field == "closes":
            # As if the first customer had closed just before it is reached; nothing later depends on that.
            closes = problem.closes.copy()
            first = int(solution.first[0])
            closes[first] = solution.depart[first] - problem.service[first] - 0.01
            closes.flags.writeable = False
            problem = problem._replace(closes=closes)
        else:
            problem = problem._replace(capacity=float(solution.load[0]) - 0.5)
        flaw = _flaw()
        assert not soundness.sums_sound(problem, solution, flaw)
        assert flaw[soundness.FLAW.kind] == kind


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_our_operators_leave_nothing_unsound(kind: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance(7, 9, **kind)  # type: ignore[arg-type]
    portfolio = Portfolio([*dacalns.DESTROY_OPERATORS], [*dacalns.REPAIR_OPERATORS]).for_features(instance.features)
    stop = dacalns.MaxIterations(1500 if jit_enabled() else 60)
    monkeypatch.setattr(dacalns.search.operators, "is_foreign", lambda _: True)  # so that their work is checked
    search = Search(instance, portfolio, UniformRandom(), portfolio.acceptance, stop, 1, None)
    assert search.stepper.progress.foreign.any()
    result = search.run()
    assert (result.stopped_by, result.warnings) == ("criterion", [])


# Rich problems.

FEATURES = [("pairs", "windows"), ("groups", "prizes"), ("reloads", "windows"), ("depots", "vehicle-types", "pickups")]


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("features", FEATURES, ids="+".join)
def test_our_operators_leave_nothing_unsound_of_rich_problems(
    features: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = generate_rich(14, features, seed=2)
    portfolio = Portfolio([*dacalns.DESTROY_OPERATORS], [*dacalns.REPAIR_OPERATORS]).for_features(instance.features)
    monkeypatch.setattr(dacalns.search.operators, "is_foreign", lambda _: True)  # so that their work is checked
    stop = dacalns.MaxIterations(1500 if jit_enabled() else 60)
    result = Search(instance, portfolio, UniformRandom(), portfolio.acceptance, stop, 1, None).run()
    assert result.stopped_by == "criterion"


def _turned_round(solution: RichSolution) -> None:
    """Drive a route in the other direction: links and the journal say so, and sums are computed anew."""
    route, node = [], int(solution.first[0])
    while node:
        route.append(node)
        node = int(solution.succ[node])
    route.reverse()
    solution.first[0], solution.last[0], solution.dirty[0] = route[0], route[-1], DIRTY.rejoined
    solution.succ[route], solution.pred[route] = [*route[1:], 0], [0, *route[:-1]]


RICH_FLAWS = {
    "a leg": ("windows", _set("leg", ("first", 0), 1e-3), WRONG_SUM.leg),
    "a length": ("windows", _set("length", 0, 7.0), WRONG_SUM.length),
    "a load": ("windows", _set("load", 0, -100.0), WRONG_SUM.load),
    "a pair apart": ("pairs", _turned_round, WRONG_SUM.pair),
    "a route in a circle": ("reloads", _set("behind", 0, 0), WRONG_SUM.trips),
    "a route behind none": ("reloads", _set("ahead", 0, 99), WRONG_SUM.trips),
    "a type that there is not": ("vehicle-types", _set("kind", 0, 99), WRONG_SUM.trips),
    "another number of vehicles": ("vehicle-types", _set("taken", 0, 99), WRONG_SUM.vehicles),
    "another number of a group": ("groups", _set("visited", 1, 0), WRONG_SUM.members),
}


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("what", RICH_FLAWS)
def test_what_is_wrong_with_rich_problems(what: str) -> None:
    feature, damage, kind = RICH_FLAWS[what]
    instance = generate_rich(12, {feature}, seed=3)
    flaws = []

    def operator(draft: dacalns.Draft, rng: np.random.Generator) -> None:
        solution = draft._solution
        touch(solution, 0)
        damage(solution)
        flaws.append(draft._stepper.progress.flaw)

    result = dacalns.solve(instance, portfolio=Portfolio([operator], ["greedy_repair"]), stop=dacalns.MaxIterations(5))
    assert result.stopped_by == "user code"
    assert "'operator' left, in iteration 1, a solution that does not hang together: " in result.warnings[0]
    assert flaws[0][soundness.FLAW.kind] == kind
    assert dacalns.check(instance, result.routes, result.vehicle_types).feasible == result.feasible
