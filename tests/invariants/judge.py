"""Solve a case and say what is wrong with the answer."""

import dataclasses
import traceback

import dacalns
from dacalns.util.errors import InfeasibleInstanceError
from invariants.draw import Case, draw
from invariants.exact import Exact

# All solutions are looked at up to here.
FEW = 8


def tried(number: int) -> tuple[int, list[str]]:
    """What is wrong with the answer to a case, whatever is raised included."""
    try:
        return number, judge(draw(number))
    except Exception:
        return number, [traceback.format_exc()]


def judge(case: Case) -> list[str]:
    """What is wrong, in words; empty as it should be."""
    instance = case.instance
    exact = Exact(instance)
    vehicles_first = case.options.get("objective") == "vehicles-then-distance"
    known = case.instance.customers <= FEW
    # What is possible to the letter must be found; what is impossible with twice the allowance must not be.
    strict = exact.best(0, vehicles_first) if known else None
    lax = exact.best(2, vehicles_first) if known else None
    try:
        result = dacalns.solve(instance, stop=dacalns.MaxIterations(case.iterations), **case.options)
    except InfeasibleInstanceError as error:
        return [f"a solution exists, but: {error}"] if strict else []
    wrong = [f"warning: {sentence}" for sentence in result.warnings]
    served = sorted(customer for route in result.routes for customer in route)
    if sorted(served + result.unserved) != list(range(1, instance.customers + 1)):
        wrong.append("not every customer is served once, or unserved")
    if result.feasible != (not result.unserved):
        wrong.append(f"feasible is {result.feasible} with unserved customers {result.unserved}")
    if instance.fleet is not None and len(result.routes) > instance.fleet:
        wrong.append(f"{len(result.routes)} routes, over the fleet of {instance.fleet}")
    if any(not route for route in result.routes):
        wrong.append("an empty route")
    wrong += [f"route {route} breaks a limit" for route in result.routes if not exact.keeps_limits(route)]
    cost = exact.cost(result.routes)
    if abs(result.cost - cost) > 1e-9 * abs(cost):
        wrong.append(f"the cost is {result.cost!r}, but the routes cost {cost!r}")
    verdict = dacalns.check(instance, result.routes)
    if verdict.feasible != result.feasible or abs(verdict.cost - cost) > 1e-9 * abs(cost):
        wrong.append(f"the checker says {verdict}")
    again = dacalns.Result.from_json(result.to_json())
    if again != result:
        changed = [
            entry.name for entry in dataclasses.fields(result)
            if getattr(again, entry.name) != getattr(result, entry.name)
        ]  # fmt: skip
        wrong.append(f"its JSON reads otherwise: {changed}")
    if known:
        wrong += _against_best(result, strict, lax, vehicles_first)
    start = case.options.get("start")
    if start is not None and dacalns.check(instance, start).feasible:
        before = (len(start) if vehicles_first else 0, exact.cost(start) * (1 + 1e-9))
        if not result.feasible or (len(result.routes) if vehicles_first else 0, result.cost) > before:
            wrong.append(f"{result.cost!r} is worse than the start, {exact.cost(start)!r}")
    return wrong


def _against_best(
    result: dacalns.Result, strict: tuple[int, float] | None, lax: tuple[int, float] | None, vehicles_first: bool
) -> list[str]:
    if not result.feasible:
        return [] if strict is None else [f"a solution of cost {strict[1]!r} exists, but none was found"]
    if lax is None:
        return ["the solution is called feasible, but none exists"]
    vehicles, least = lax
    if vehicles_first:
        if len(result.routes) < vehicles:
            return [f"{len(result.routes)} routes, under the {vehicles} that are needed"]
        if len(result.routes) > vehicles:
            return []
    return [f"{result.cost!r} is below the optimum, {least!r}"] if result.cost < least * (1 - 1e-9) else []
