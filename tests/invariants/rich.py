"""Random problems of every kind and ways to solve them, each from one number, and what is wrong with the answers.

The best of all solutions comes from `search.rich_oracle`, PyVRP's opinion from `dacalns.to_pyvrp`; neither knows the
search. The same problems come with given routes, on which all must agree: see `invariants.given`.
"""

import dataclasses
import importlib.util
import math
import random
import traceback
from dataclasses import dataclass, field
from typing import Any

import dacalns
from dacalns.instances import Instance
from dacalns.instances.pyvrp_data import to_pyvrp, to_pyvrp_solution
from dacalns.search.checker import Check
from dacalns.search.start import Start
from dacalns.util.errors import InfeasibleInstanceError, InputError
from invariants.given import Judged, cost_in_pyvrp, judge_given
from search.rich_cases import draw, random_solution
from search.rich_oracle import MOST, Best, best_solution, effort, missing_in

# So many routes are tried in a few seconds. Where the search has found a better solution with more reloads than the
# oracle has tried, and the oracle would have to try more than that, the best one is not known.
MOST_EFFORT = 100_000
# What the search does not know how to do, in the words of its errors.
REFUSED = ("as several are not supported there",)
ACCEPTANCES = ("calibrated", "record-to-record", "hill-climbing")
SELECTORS = ("roulette", "random", "ucb")
PYVRP = importlib.util.find_spec("pyvrp") is not None


@dataclass(frozen=True)
class Case:
    """A problem, and how it is to be solved."""

    number: int
    instance: Instance
    options: dict[str, Any]
    iterations: int


@dataclass(frozen=True)
class Outcome:
    """What is wrong with the answer to a case, and whether it is the best of all solutions, if those are known."""

    number: int
    wrong: list[str]
    reached: bool | None = None
    by_pyvrp: bool = False  #: whether PyVRP judged it
    features: tuple[str, ...] = ()
    given: Judged = field(default_factory=Judged)  #: what came of given routes


def draw_case(number: int) -> Case:
    """The case of a number."""
    dice = random.Random(-1 - number)
    instance = draw(number, 8 if dice.random() < 0.2 else MOST, pyvrp=dice.random() < 0.4)
    options: dict[str, Any] = {"seed": dice.randrange(1000)}
    if dice.random() < 0.3:
        options["portfolio"] = dice.choice(("full", "paper"))
        options["selector"] = dice.choice(SELECTORS)
    if dice.random() < 0.1:
        options["acceptance"] = dice.choice(ACCEPTANCES)
    if dice.random() < 0.02:
        options["jobs"] = 2
    if dice.random() < 0.15:
        options["start"] = Start(*random_solution(instance, number))
    return Case(number, instance, options, dice.choice((300, 500, 1000)))


def tried(number: int) -> Outcome:
    """What came of a case, whatever is raised included."""
    try:
        return judge(draw_case(number))
    except Exception:
        return Outcome(number, [traceback.format_exc()])


def judge(case: Case) -> Outcome:
    """What came of a case, and of given routes."""
    data = _in_pyvrp(case.instance)
    found, answer = _judge_search(case, data)
    given = judge_given(case.instance, case.number, data, answer)
    return dataclasses.replace(found, wrong=found.wrong + given.wrong, by_pyvrp=data is not None, given=given)


def _judge_search(case: Case, data: Any) -> tuple[Outcome, tuple[list[list[int]], list[int]] | None]:
    """What came of the search, and the routes that it found."""
    instance = case.instance
    best = best_solution(instance, incomplete=True) if instance.customers <= MOST else None
    try:
        result = dacalns.solve(instance, stop=dacalns.MaxIterations(case.iterations), **case.options)
    except InfeasibleInstanceError as error:
        solvable = best is not None and best.missing == 0
        return Outcome(case.number, [f"a solution exists, but: {error}"] if solvable else []), None
    except InputError as error:
        known = any(words in str(error) for words in REFUSED) or _wrong_start(case)
        return Outcome(case.number, [] if known else [f"refused: {error}"]), None
    verdict = dacalns.check(instance, result.routes, result.vehicle_types)
    wrong = [f"warning: {sentence}" for sentence in result.warnings]
    wrong += _against_checker(instance, result, verdict)
    if data is not None:
        wrong += _against_pyvrp(instance, data, result)
    if dacalns.Result.from_json(result.to_json()) != result:
        wrong.append("its JSON reads otherwise")
    reached = None
    missing = missing_in(instance, verdict)
    if best is not None and missing is not None:
        rank = missing, verdict.lost_priority, verdict.cost
        most = max((sum(node < instance.depots for node in route) for route in result.routes), default=0)
        known = True
        if most > 1 and _better(rank, best.rank):  # the oracle tries more only where that matters, and not for ever
            known = effort(instance, most) <= MOST_EFFORT
            best = (best_solution(instance, most, incomplete=True) if known else None) or best
        if known and _better(rank, best.rank):
            wrong.append(f"{rank} is better than the best, {best}")
        reached = not _better(best.rank, rank) if known else None
    wrong += _against_start(case, verdict)
    outcome = Outcome(case.number, wrong, reached, features=tuple(sorted(instance.features)))
    return outcome, (result.routes, result.vehicle_types)


def _better(one: tuple[int, float, float], other: tuple[int, float, float]) -> bool:
    """Whether one rank is better than another by more than rounding."""
    return one[:2] < other[:2] or (one[:2] == other[:2] and one[2] < other[2] - 1e-7 * max(1.0, abs(other[2])))


def _against_checker(instance: Instance, result: dacalns.Result, verdict: Check) -> list[str]:
    wrong = []
    if abs(result.cost - verdict.cost) > 1e-9 * max(1.0, abs(verdict.cost)):
        wrong.append(f"the cost is {result.cost!r}, but the checker says {verdict.cost!r}")
    if result.feasible != verdict.feasible:
        wrong.append(f"feasible is {result.feasible}, but: {verdict.violations}")
    if missing_in(instance, verdict) is None:
        wrong.append(f"it breaks a rule: {verdict.violations}")
    if result.feasible != (not result.unserved):
        wrong.append(f"feasible is {result.feasible} with unserved customers {result.unserved}")
    missed = {violation.customer for violation in verdict.violations if violation.kind == "missing"} - {None}
    if not missed <= set(result.unserved):
        wrong.append(f"unserved are {result.unserved}, but: {verdict.violations}")
    visited = {node for route in result.routes for node in route}
    if visited & {*result.unserved, *result.left_out}:
        wrong.append(f"visited, but unserved {result.unserved} or left out {result.left_out}")
    if {*result.reasons} != {*result.unserved, *result.left_out}:
        wrong.append(f"there are reasons for {[*result.reasons]}")
    wrong += [f"a reason is {each}" for each in result.reasons.each() if not _is_sound(each)]
    if verdict.left_out != result.left_out or verdict.cost_parts != result.cost_parts:
        wrong.append("its details are not the checker's")
    if any(not route for route in result.routes):
        wrong.append("an empty route")
    return wrong


def _is_sound(reason: dacalns.Reason) -> bool:
    """Whether a reason says one thing, in one sentence."""
    fits = reason.main in ("price", "search")
    if fits != (reason.cost is not None) or fits != (reason.feasible_places > 0):
        return False
    if (reason.nearest == "") != fits:
        return False
    return (fits or reason.counts[reason.nearest] > 0) and "inf" not in reason.sentence and len(reason.sentence) < 500


def _in_pyvrp(instance: Instance) -> Any:
    """The problem as PyVRP states it; None where that is not installed, or cannot."""
    try:
        return to_pyvrp(instance) if PYVRP else None
    except InputError:
        return None


def _against_pyvrp(instance: Instance, data: Any, result: dacalns.Result) -> list[str]:
    """What PyVRP thinks otherwise."""
    theirs = to_pyvrp_solution(instance, data, result.routes, result.vehicle_types)
    feasible = theirs.is_feasible() and theirs.is_complete()
    if feasible != result.feasible:
        return [f"PyVRP says that feasible is {feasible}, and not {result.feasible}"]
    cost = cost_in_pyvrp(instance, data, theirs)
    if feasible and not math.isclose(cost, result.cost, rel_tol=1e-9, abs_tol=1e-9):
        return [f"the cost is {result.cost!r}, but PyVRP says {cost!r}"]
    return []


def _wrong_start(case: Case) -> bool:
    """Whether the start names who does not exist, somebody twice, or a reload that may not be."""
    instance = case.instance
    routes, types = case.options.get("start", ([], []))
    found = dacalns.check(instance, routes, types)
    return any(violation.kind in ("unknown", "duplicate", "reload") for violation in found.violations)


def _against_start(case: Case, verdict: Check) -> list[str]:
    start = case.options.get("start")
    if start is None:
        return []
    before = dacalns.check(case.instance, start.routes, start.types)
    if not before.feasible:
        return []
    now = verdict.lost_priority, verdict.cost
    worse = not verdict.feasible or _better((0, before.lost_priority, before.cost), (0, *now))
    return [f"{now} is worse than the start, {before.cost!r}"] if worse else []


def rates(outcomes: list[Outcome]) -> list[str]:
    """Who judged how much, and how often the best solution was reached, by feature."""
    given = [outcome.given for outcome in outcomes]

    def total(name: str) -> int:
        return sum(getattr(each, name) for each in given)

    known = [outcome for outcome in outcomes if outcome.reached is not None]
    names = sorted({feature for outcome in known for feature in outcome.features})
    rows = [("all", known)] + [(name, [each for each in known if name in each.features]) for name in names]
    lines = [
        f"PyVRP judged {sum(outcome.by_pyvrp for outcome in outcomes)} of {len(outcomes)} instances.",
        f"{total('given')} solutions were given, {total('feasible')} of them feasible.",
        f"PyVRP judged {total('by_pyvrp')}, {total('feasible_there')} of them feasible.",
        f"The search judged {total('by_search')}, and kept {total('kept')} whole; some of those lack customers.",
        f"The best of all solutions is known of {len(known)} instances; it was reached by:",
    ]
    for name, some in rows:
        reached = sum(outcome.reached is True for outcome in some)
        lines.append(f"  {name:20} {reached:6} of {len(some):6}, {100 * reached / max(1, len(some)):6.2f} %")
    return lines


__all__ = ["Best", "Case", "Outcome", "draw_case", "judge", "rates", "tried"]
