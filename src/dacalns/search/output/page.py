"""One page that shows a plan: a map, routes, times, how the search got there. It needs no network and no server."""

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from dacalns.instances import Instance
from dacalns.instances.best_known import best_known_word
from dacalns.instances.features import in_capitals
from dacalns.instances.fields import LARGEST
from dacalns.search.output.rows import DELIVERY, PICKUP, RouteRow, plan_rows
from dacalns.search.output.text import about_time
from dacalns.search.output.words import count, number
from dacalns.search.route_plan import Figures
from dacalns.util.clock import SECONDS
from dacalns.util.json_text import json_text

if TYPE_CHECKING:
    from dacalns.search.result import NewBest, Result

MOST_FRAMES = 200
"""So many successive bests are on a page, spread over all of them."""
MOST_STOPS = 12_000
"""Routes of earlier bests have so many stops together at most: that is about half a megabyte."""
MOST_EVENTS = 1500
"""So many points has the curve of costs."""
SHORT = 1800
"""Where all routes take fewer seconds, times of day have seconds."""
MOST_REASONS = 50
"""So many sentences tell why somebody is not served."""
PLACE = re.compile(r"\{\{([A-Z]+)\}\}")
NORTH = 85.0
"""Maps end there: further north and south, Mercator's projection has no end."""


def page(instance: Instance, result: "Result") -> str:
    """Return the page as HTML.

    A policy in the page forbids every request and every script but its own, and all names in it are data: they are
    never read as HTML.

    Parameters
    ----------
    instance
        What was solved.
    result
        The answer. Where its history has routes, a slider leads through the successive bests.
    """
    style, script = (_part(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    parts = {
        "POLICY": policy,
        "TITLE": html.escape(f"{result.instance}: {_headline(result)}"),
        "STYLE": style,
        "DATA": _inert(_data(instance, result)),
        "SCRIPT": script,
    }
    # In one go: what stands in the data may look like the place of something else.
    return PLACE.sub(lambda place: parts[place[1]], _part("page.html"))


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _inert(data: dict[str, Any]) -> str:
    """JSON in which nothing can end the element that it stands in, nor begin another one."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _headline(result: "Result") -> str:
    routes = count(len(result.routes), "route")
    return f"{routes}, cost {number(result.cost)}" + ("" if result.feasible else ", infeasible")


def _data(instance: Instance, result: "Result") -> dict[str, Any]:
    figures = Figures(instance)
    pool, frames = _frames(figures, result)
    nodes = instance.depots + instance.customers
    explanation = result.explanation
    known = {
        "title": result.instance,
        "facts": _facts(result),
        "run": _run(result),
        "warnings": result.warnings,
        "settings": json_text(result.settings),
        **_missing(instance, result),
        "gantt_hint": _about_gantt(instance),
        "history": [
            [_short(event.seconds), _short(event.cost), event.unserved]
            for event in _spread(result.history, MOST_EVENTS)
        ],
        "seconds": _short(result.seconds),
        "frames": frames,
        "bests": len(result.history),
        "pool": pool,
        "names": [*instance.names] or [""] * nodes,
        "xy": _places(instance),
        "depots": instance.depots,
        "windows": _windows(figures),
        "service": [_short(time / figures.scale) for time in figures.services],
        "pair": {
            **{str(node): PICKUP for node in figures.delivery_of},
            **{str(node): DELIVERY for node in figures.pickup_of},
        },
        "dimensions": figures.dimensions,
        "capacities": [_capacities(figures, each.capacity) for each in instance.types],
        "types": len(instance.types),
        "vehicles": list(instance.vehicle_names),
        "unit": instance.time_unit,
        "fine": _in_seconds(instance, pool),
        "loaded": bool(instance.demands.any()) or instance.pickups is not None,
        "timed": about_time(instance),
        "unserved": result.unserved,
        "left_out": result.left_out,
        "best_known": None if result.best_known is None else _short(result.best_known),
        "best_word": best_known_word(result.best_known_origin),
        "selector": result.selector,
        "operators": {
            name: getattr(result.operators, name) for name in ("destroy", "repair", "uses", "new_best")
        },
        "explanation": None if explanation is None else {
            "iterations": explanation.iterations,
            "destroy": [[round(each, 4) for each in row] for row in explanation.destroy_probabilities],
            "repair": [[round(each, 4) for each in row] for row in explanation.repair_probabilities],
        },
    }  # fmt: skip
    plain: dict[str, Any] = _without_infinity(known)
    return plain


# The successive bests, of which most share most of their routes.

Key = tuple[int, tuple[int, ...]]


def _frames(figures: Figures, result: "Result") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return all routes that occur, and for each best which of them it has; the answer is the last one."""
    last = [(kind, tuple(route)) for kind, route in zip(result.vehicle_types, result.routes, strict=True)]
    solutions = [(event, _keys(event)) for event in result.history[:-1]]
    known = [(place, event, keys) for place, (event, keys) in enumerate(solutions, start=1) if keys]
    chosen = _chosen(known, set(last))
    pool: dict[Key, int] = {}
    frames: list[dict[str, Any]] = []
    events: list[tuple[int, NewBest | None, list[Key]]] = [*chosen]
    final = result.history[-1] if result.history else None
    for place, event, keys in [*events, (len(result.history), final, last)]:
        numbers = [pool.setdefault(key, len(pool)) for key in keys]
        is_last = len(frames) == len(chosen)
        frames.append(
            {
                "r": numbers,
                "number": place,
                "seconds": None if event is None else _short(event.seconds),
                "iteration": 0 if event is None else event.iteration,
                "cost": _short(result.cost if is_last or event is None else event.cost),
                "unserved": len(result.unserved) if is_last or event is None else event.unserved,
            }
        )
    rows = plan_rows(figures.instance, [nodes for _, nodes in pool], [kind for kind, _ in pool], figures)
    return [_route(figures, row) for row in rows], frames


def _keys(event: "NewBest") -> list[Key]:
    kinds = event.vehicle_types or [0] * len(event.routes)
    return [(kind, tuple(route)) for kind, route in zip(kinds, event.routes, strict=True) if route]


def _chosen(known: list[tuple[int, "NewBest", list[Key]]], shown: set[Key]) -> "list[tuple[int, NewBest, list[Key]]]":
    """As many of the earlier bests as are few enough, and have few enough stops besides those of the answer."""
    most = MOST_FRAMES - 1
    while most:
        chosen = _spread(known, most)
        others = {key for _, _, keys in chosen for key in keys} - shown
        if sum(len(nodes) for _, nodes in others) <= MOST_STOPS:
            return chosen
        most = min(most, len(known)) * 2 // 3
    return []


def _spread(entries: Sequence[Any], most: int) -> list[Any]:
    """As many of the entries, the first and the last among them, and the others evenly between."""
    if len(entries) <= most:
        return [*entries]
    if most == 1:
        return [entries[0]]
    return [entries[round(place * (len(entries) - 1) / (most - 1))] for place in range(most)]


def _route(figures: Figures, row: RouteRow) -> dict[str, Any]:
    """A route in short: nodes, arrivals, starts, legs, loads and slacks of its stops."""
    stops = row.stops
    arrivals, starts = ([_short(getattr(stop, name)) for stop in stops] for name in ("arrival", "start"))
    slacks = [_short(stop.slack) for stop in stops]
    loads = [_amounts(figures, stop.load) for stop in stops]
    vehicle = figures.vehicles[row.vehicle]
    return {
        "s": [stop.node for stop in stops],
        "a": arrivals,
        **({} if starts == arrivals else {"b": starts}),
        "m": [_short(stop.distance) for stop in stops],
        "l": loads,
        **({"k": slacks} if any(math.isfinite(slack) for slack in slacks) else {}),
        "t": row.vehicle,
        "open": [vehicle.start_depot is None, vehicle.end_depot is None],
        "start": _short(row.start),
        "end": _short(row.end),
        "distance": _short(row.distance),
        "cost": _short(row.cost),
        "load": _amounts(figures, row.load),
    }


def _amounts(figures: Figures, load: Sequence[float]) -> Any:
    short = [_short(amount) for amount in load]
    return short[0] if figures.dimensions == 1 else short


def _capacities(figures: Figures, capacities: Iterable[float]) -> list[float]:
    known = [*capacities, *[0.0] * figures.dimensions][: figures.dimensions]
    return [_short(each) if each < LARGEST else math.inf for each in known]


def _windows(figures: Figures) -> list[list[list[float]]] | None:
    if figures.instance.windows is None:
        return None
    return [
        [
            [_short(opens / figures.scale), _short(closes / figures.scale) if closes < LARGEST else math.inf]
            for opens, closes in windows
        ]
        for windows in figures.windows
    ]  # fmt: skip


def _in_seconds(instance: Instance, pool: Sequence[dict[str, Any]]) -> bool:
    """Return True if routes are over so soon that minutes would say too little."""
    unit = SECONDS.get(instance.time_unit, 0)
    return max((route["end"] - route["start"] for route in pool), default=0) * unit < SHORT


def _places(instance: Instance) -> list[list[float]] | None:
    """Where the nodes are on the page's map: on a plane as they are, on Earth by Mercator's projection, in degrees."""
    if instance.lonlat is not None:
        return [
            [round(east, 6), round(math.degrees(math.asinh(math.tan(math.radians(max(-NORTH, min(NORTH, north)))))), 6)]
            for east, north in instance.lonlat.tolist()
        ]
    if instance.coordinates is None:
        return None
    return [[_short(x), _short(y)] for x, y in instance.coordinates.tolist()]


def _short(value: float) -> float:
    """A number with as many digits as anybody sees."""
    value = round(value, 3) if abs(value) >= 1 else float(f"{value:.6g}")
    return int(value) if math.isfinite(value) and value == int(value) else value


def _without_infinity(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_infinity(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_infinity(each) for each in value]
    return value


# Words.


def _facts(result: "Result") -> list[tuple[str, bool]]:
    """What stands below the title; True for what is an alarm."""
    facts = [(f"cost {number(result.cost)}", False)]
    if result.gap_percent is not None and result.best_known is not None:
        word = best_known_word(result.best_known_origin)
        facts.append((f"gap {result.gap_percent:.2f} % to {word} {number(result.best_known)}", result.gap_percent < 0))
    facts += [(count(len(result.routes), "route"), False), (count(result.customers, "customer"), False)]
    if not result.feasible:
        facts.append((f"infeasible: {count(len(result.unserved), 'customer')} not served", True))
    if result.left_out:
        facts.append((f"{count(len(result.left_out), 'optional customer')} left out", False))
    facts.append((in_capitals(result.problem), False))
    return facts


def _run(result: "Result") -> list[tuple[str, str]]:
    gap = "" if result.gap_percent is None else f"{result.gap_percent:.4f} %"
    note = f" ({result.selector_note})" if result.selector_note else ""
    parts = ", ".join(f"{name} {number(part)}" for name, part in result.cost_parts.items() if part)
    told = [
        ("cost", f"{result.cost:.12g}" + (f" ({parts})" if parts else "")),
        ("start", f"{result.start_cost:.12g}"),
        ("gap", gap),
        ("objective", result.objective),
        ("rounding", result.rounding),
        ("fleet", "free" if result.fleet is None else str(result.fleet)),
        (
            "iterations",
            f"{result.iterations:,} in {result.seconds:.2f} s, {result.iterations_per_second:,.0f} a second",
        ),
        ("searches side by side", str(result.jobs) if result.jobs > 1 else ""),
        ("stopped by", result.stopped_by),
        ("selector", f"{result.selector}{note}"),
        ("portfolio", result.portfolio),
        ("seed", str(result.seed)),
        ("version", f"dac-alns {result.version}"),
    ]
    return [(label, value) for label, value in told if value]


def _missing(instance: Instance, result: "Result") -> dict[str, Any]:
    """Who is not served, and why."""
    parts = [count(len(result.unserved), "customer") + " not served"] * bool(result.unserved)
    parts += [count(len(result.left_out), "optional customer") + " left out"] * bool(result.left_out)
    sentences = []
    for reason in result.reasons.each(MOST_REASONS):
        called = ", ".join(instance.name_of(node) for node in reason.customers)
        numbers = ", ".join(map(str, reason.customers))
        sentences.append(reason.sentence if called == numbers else f"{called}: {reason.sentence}")
    told = {node for reason in result.reasons.each(MOST_REASONS) for node in reason.customers}
    rest = [node for node in [*result.unserved, *result.left_out] if node not in told]
    if rest:
        more = ", ".join(instance.name_of(node) for node in rest[:MOST_REASONS])
        sentences.append(f"{'And also' if told else 'They are'}: {more}" + ", …" * (len(rest) > MOST_REASONS))
    return {"missing_title": ", ".join(parts), "missing": sentences}


def _about_gantt(instance: Instance) -> str:
    unit = {"s": "seconds", "min": "minutes", "h": "hours"}.get(instance.time_unit)
    first = "Select a route to see its stops one by one."
    if not about_time(instance):
        return f"{first} The instance has no times: a unit of distance takes a unit of time."
    return first if unit is None else f"{first} Times are times of day; waiting and slack are spans."
