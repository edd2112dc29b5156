"""What a notebook shows of a result: a summary, a small picture and the routes."""

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dacalns.instances import Instance
from dacalns.search.output.rows import RouteRow, plan_rows
from dacalns.search.output.text import about_time, load_text, spans
from dacalns.search.output.words import count, number

if TYPE_CHECKING:
    from dacalns.search.result import Result

MOST_ROUTES = 15
"""So many routes are in the table; of more, how many there are."""
MOST_NODES = 2000
"""Of more nodes there is no picture: it would be as long as a page of its own."""
SIDE = 320
COLOURS = ("#0072B2", "#E69F00", "#6a5acd", "#009E73", "#D55E00", "#a8446f", "#CC79A7", "#a5703f", "#56B4E9")
"""They can be seen on white and on black."""


def result_html(result: "Result", instance: Instance | None) -> str:
    """Return a summary as HTML, with a picture and a table of routes where the instance is known."""
    summary = "<br>".join(html.escape(line.strip()) for line in result.summary_lines())
    parts = [f'<div style="font-variant-numeric:tabular-nums"><p style="margin:0 0 6px">{summary}</p>']
    if instance is not None:
        rows = plan_rows(instance, result.routes, result.vehicle_types)
        parts.append('<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start">')
        parts += [_picture(instance, rows), _table(instance, rows), "</div>"]
    return "".join([*parts, "</div>"])


def _picture(instance: Instance, rows: Sequence[RouteRow]) -> str:
    points = _points(instance)
    if points is None or len(points) > MOST_NODES:
        return ""
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    size = max(right - left, high - low) or 1.0
    scale = (SIDE - 20) / size
    placed = [(10 + (x - left) * scale, 10 + (high - y) * scale) for x, y in points]
    width, height = 20 + (right - left) * scale, 20 + (high - low) * scale
    radius = max(1.2, min(4.0, 14 / len(points) ** 0.36))
    drawn = []
    for row, colour in zip(rows, _colours(instance, rows, points), strict=True):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (placed[stop.node] for stop in row.stops))
        dots = "".join(
            f'<circle cx="{placed[stop.node][0]:.1f}" cy="{placed[stop.node][1]:.1f}" r="{radius:.1f}"/>'
            for stop in row.stops
            if stop.node >= instance.depots
        )
        drawn.append(
            f'<g stroke="{colour}" fill="{colour}"><title>route {row.route}</title><polyline points="{line}" '
            f'fill="none" stroke-opacity="0.8" stroke-width="1.3"/>{dots}</g>'
        )
    visited = {stop.node for row in rows for stop in row.stops}
    missing = "".join(
        f'<circle cx="{placed[node][0]:.1f}" cy="{placed[node][1]:.1f}" r="{radius + 1:.1f}" fill="none" '
        'stroke="#cc0000" stroke-width="1.5"/>'
        for node in instance.customer_nodes
        if node not in visited
    )
    depots = "".join(
        f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="#666" stroke="#fff"/>'
        for x, y in placed[: instance.depots]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="the routes" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">{"".join(drawn)}{missing}{depots}</svg>'
    )


def _points(instance: Instance) -> list[tuple[float, float]] | None:
    """Where the nodes are on the picture: on Earth, degrees of longitude are shorter towards the poles."""
    if instance.lonlat is not None:
        shrink = math.cos(math.radians(float(instance.lonlat[:, 1].mean())))
        return [(east * shrink, north) for east, north in instance.lonlat.tolist()]
    return None if instance.coordinates is None else [(x, y) for x, y in instance.coordinates.tolist()]


def _colours(instance: Instance, rows: Sequence[RouteRow], points: Sequence[tuple[float, float]]) -> list[str]:
    """Colours by angle around the depots, so that neighbours differ."""

    def middle(nodes: Sequence[int]) -> tuple[float, float]:
        return tuple(math.fsum(points[node][axis] for node in nodes) / len(nodes) for axis in (0, 1))  # type: ignore[return-value]

    x0, y0 = middle(range(instance.depots))

    def angle(place: int) -> float:
        x, y = middle([stop.node for stop in rows[place].stops if stop.node >= instance.depots])
        return math.atan2(y - y0, x - x0)

    colours = [""] * len(rows)
    for order, place in enumerate(sorted(range(len(rows)), key=angle)):
        colours[place] = COLOURS[order % len(COLOURS)]
    return colours


def _table(instance: Instance, rows: Sequence[RouteRow]) -> str:
    shown = rows[:MOST_ROUTES]
    columns = [("route", [str(row.route) for row in shown]), ("customers", [str(row.customers) for row in shown])]
    if len(instance.types) > 1:
        columns.insert(1, ("type", [instance.vehicle_name_of(row.vehicle) for row in shown]))
    if instance.demands.any() or instance.pickups is not None:
        columns.append(("load", [load_text(row) for row in shown]))
    columns.append(("distance", [number(row.distance) for row in shown]))
    if about_time(instance):
        columns.append(("times", spans(instance, shown)))
    columns.append(("cost", [number(row.cost) for row in shown]))
    cell = 'style="text-align:right;padding:2px 8px;white-space:nowrap"'
    head = "".join(f"<th {cell}>{title}</th>" for title, _ in columns)
    body = "".join(
        "<tr>" + "".join(f"<td {cell}>{html.escape(value)}</td>" for value in values) + "</tr>"
        for values in zip(*(values for _, values in columns), strict=True)
    )
    rest = len(rows) - len(shown)
    more = f"<p>and {count(rest, 'more route')}: <code>result.routes_table()</code> has all</p>" if rest else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
