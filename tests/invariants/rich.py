"""Random problems of every kind and ways to solve them, each from one number, and what is wrong with the answers.

The best of all solutions comes from `search.rich_oracle`, PyVRP's opinion from `dacalns.to_pyvrp`; neither knows the
search.
"""

import importlib.util
import math
import random
import traceback
from dataclasses import dataclass
from typing import Any

import dacalns
from dacalns.instances import Instance
from dacalns.instances.pyvrp_data import to_pyvrp, to_pyvrp_solution
from dacalns.search.checker import Check
from dacalns.util.errors import InfeasibleInstanceError, InputError
from search.rich_cases import draw, random_solution
from search.rich_oracle import MOST, Best, best_solution, missing_in

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
    if dice.random() < 0.15 and len(instance.types) == 1:
        options["start"] = random_solution(instance, number)[0]
    return Case(number, instance, options, dice.choice((300, 500, 1000)))


def tried(number: int) -> Outcome:
    """What came of a case, whatever is raised included."""
    try:
        return judge(draw_case(number))
    except Exception:
        return Outcome(number, [traceback.format_exc()])


def judge(case: Case) -> Outcome:
    """What came of a case."""
    instance = case.instance
    features = tuple(sorted(instance.features))
    best = best_solution(instance, incomplete=True) if instance.customers <= MOST else None
    try:
        result = dacalns.solve(instance, stop=dacalns.MaxIterations(case.iterations), **case.options)
    except InfeasibleInstanceError as error:
        solvable = best is not None and best.missing == 0
        return Outcome(case.number, [f"a solution exists, but: {error}"] if solvable else [])
    except InputError as error:
        known = any(words in str(error) for words in REFUSED) or _wrong_start(case)
        return Outcome(case.number, [] if known else [f"refused: {error}"])
    verdict = dacalns.check(instance, result.routes, result.vehicle_types)
    wrong = [f"warning: {sentence}" for sentence in result.warnings]
    wrong += _against_checker(instance, result, verdict)
    by_pyvrp = PYVRP and _sayable(instance)
    if by_pyvrp:
        wrong += _against_pyvrp(instance, result)
    if dacalns.Result.from_json(result.to_json()) != result:
        wrong.append("its JSON reads otherwise")
    reached = None
    missing = missing_in(instance, verdict)
    if best is not None and missing is not None:
        rank = missing, verdict.lost_priority, verdict.cost
        most = max((sum(node < instance.depots for node in route) for route in result.routes), default=0)
        if most > 1 and _better(rank, best.rank):  # the oracle tries more only where that matters
            best = best_solution(instance, most, incomplete=True) or best
        if _better(rank, best.rank):
            wrong.append(f"{rank} is better than the best, {best}")
        reached = not _better(best.rank, rank)
    wrong += _against_start(case, verdict)
    return Outcome(case.number, wrong, reached, by_pyvrp, features)


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
    return (fits or reason.counts[reason.main] > 0) and "inf" not in reason.sentence and len(reason.sentence) < 500


def _sayable(instance: Instance) -> bool:
    try:
        to_pyvrp(instance)
    except InputError:
        return False
    return True


def _against_pyvrp(instance: Instance, result: dacalns.Result) -> list[str]:
    """What PyVRP thinks otherwise."""
    import pyvrp

    data = to_pyvrp(instance)
    theirs = to_pyvrp_solution(instance, data, result.routes, result.vehicle_types)
    feasible = theirs.is_feasible() and theirs.is_complete()
    if feasible != result.feasible:
        return [f"PyVRP says that feasible is {feasible}, and not {result.feasible}"]
    cost = pyvrp.CostEvaluator([0] * data.num_load_dimensions, 0, 0).penalised_cost(theirs) / instance.scale
    if feasible and not math.isclose(cost, result.cost, rel_tol=1e-9, abs_tol=1e-9):
        return [f"the cost is {result.cost!r}, but PyVRP says {cost!r}"]
    return []


def _wrong_start(case: Case) -> bool:
    """Whether the start names who does not exist, somebody twice, or a reload that may not be."""
    instance = case.instance
    start = case.options.get("start", [])
    found = dacalns.check(instance, start, [0] * len(start))
    return any(violation.kind in ("unknown", "duplicate", "reload") for violation in found.violations)


def _against_start(case: Case, verdict: Check) -> list[str]:
    start = case.options.get("start")
    if start is None:
        return []
    before = dacalns.check(case.instance, start, [0] * len(start))
    if not before.feasible:
        return []
    now = verdict.lost_priority, verdict.cost
    worse = not verdict.feasible or _better((0, before.lost_priority, before.cost), (0, *now))
    return [f"{now} is worse than the start, {before.cost!r}"] if worse else []


def rates(outcomes: list[Outcome]) -> list[str]:
    """How often the best solution was reached, by feature."""
    known = [outcome for outcome in outcomes if outcome.reached is not None]
    names = sorted({feature for outcome in known for feature in outcome.features})
    rows = [("all", known)] + [(name, [each for each in known if name in each.features]) for name in names]
    lines = [f"PyVRP judged {sum(outcome.by_pyvrp for outcome in outcomes)}; the best solution was reached by:"]
    for name, some in rows:
        reached = sum(outcome.reached is True for outcome in some)
        lines.append(f"  {name:20} {reached:6} of {len(some):6}, {100 * reached / max(1, len(some)):6.2f} %")
    return lines


__all__ = ["Best", "Case", "Outcome", "draw_case", "judge", "rates", "tried"]
