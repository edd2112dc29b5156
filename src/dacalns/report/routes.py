"""The picture of routes on a map."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dacalns.instances import Instance
from dacalns.instances.features import in_capitals
from dacalns.report.figure import COLOURS, INK, LINES, MARKERS, MUTED, TYPE_MARKERS, axes_or_new, cost_text, count_text
from dacalns.search.checker import check
from dacalns.search.result import Result
from dacalns.search.solved import AnyInstance, as_instance, instance_of
from dacalns.util.errors import InputError
from dacalns.util.shown import shortened, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Routes = Iterable[Sequence[int]]
Points = npt.NDArray[np.float64]

MOST_NAMES = 60
"""The most customers whose names are written; of more, names would hide the routes."""
LONGEST_NAME = 18


def plot_routes(
    instance: AnyInstance | Result,
    result_or_routes: Result | Routes | None = None,
    ax: "Axes | None" = None,
    *,
    types: Sequence[int] | None = None,
) -> "Axes":
    """Draw routes on a map, each in its own colour, line and marker.

    The legs from and to depots are faint. Customers that no route serves and one should have a cross; those that may be
    left out have a ring. Where there are several vehicle types, each has a marker, which the legend names. Where there
    are longitudes and latitudes, the map is drawn by them. A notebook shows the picture.

    Parameters
    ----------
    instance
        The instance that was solved, or its path or name; it must have coordinates, or longitudes and latitudes. A
        result of a search in its place knows its instance, and nothing else is needed then.
    result_or_routes
        A result of this instance, or lists of customers. Without it, an instance is drawn as it is: its depots, and its
        customers by the size of their demands.
    ax
        The axes to draw on; those of a new figure if left out, which ``ax.figure.savefig("routes.png")`` writes.
    types
        The vehicle type of each of the lists. It may be left out where there is only one; a result knows them.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        If there are no coordinates, the routes are not of this instance, or Matplotlib is missing.
    """
    instance, answer = instance_and_answer(instance, result_or_routes)
    routes, kinds = ([], []) if answer is None else routes_for(instance, answer, types)
    points, aspect = places_of(instance)
    if points is None:
        raise InputError(
            f"{instance.name} has a distance matrix and no coordinates; expected coordinates to draw routes by; "
            "plot_convergence and plot_operators need none."
        )
    axes = axes_or_new(ax, 8.0, 8.4)
    if answer is None:
        _draw_alone(axes, instance, points)
        title = f"{instance.name}: {in_capitals(instance.problem)}, {count_text(instance.customers, 'customer')}"
    else:
        _draw(axes, instance, points, routes, kinds)
        title = _title(instance, routes, kinds)
    axes.set_aspect(aspect, adjustable="box")
    axes.set_title(title, fontsize=11, color=INK)
    return axes


def instance_and_answer(
    instance: AnyInstance | Result, answer: Result | Routes | None
) -> tuple[Instance, Result | Routes | None]:
    """Return the instance and what is drawn of it: of a result alone, the instance that it knows.

    Raises
    ------
    InputError
        If a result does not know its instance, or an instance cannot be read.
    """
    if isinstance(instance, Result):
        if answer is not None:
            raise InputError(
                f"the first argument is {shown(instance)}, and there is another one; expected an instance, path or "
                "name before what is drawn of it, or a result alone; leave out one of the two."
            )
        return instance_of(instance, None, "pictures"), instance
    return as_instance(instance), answer


def places_of(instance: Instance) -> tuple[Points | None, float]:
    """Return where nodes are drawn, and how much longer a step upwards is than one to the right; None if nowhere."""
    if instance.lonlat is not None:
        middle = math.radians(float(np.clip(instance.lonlat[:, 1].mean(), -80.0, 80.0)))
        return instance.lonlat, 1 / math.cos(middle)
    return instance.coordinates, 1.0


def routes_for(
    instance: Instance, given: Result | Routes, types: Sequence[int] | None = None
) -> tuple[list[list[int]], list[int]]:
    """Return the routes as lists and their vehicle types, after checking that they are of this instance.

    Raises
    ------
    InputError
        If they are not.
    """
    if isinstance(given, Result):
        if (given.instance, given.customers) != (instance.name, instance.customers):
            raise InputError(
                f"the result is of {given.instance} with {count_text(given.customers, 'customer')}; expected one of "
                f"{instance.name} with {instance.customers:,}; give the instance that was solved."
            )
        types, given = given.vehicle_types, given.routes
    try:
        routes = [[*route] for route in given]
    except TypeError:
        raise InputError(
            f"routes is a {type(given).__name__}; expected a Result or lists of customers such as [[1, 2], [3]]."
        ) from None
    verdict = check(instance, routes, types)
    unknown = [violation for violation in verdict.violations if violation.kind == "unknown"]
    if unknown:
        raise InputError(f"{unknown[0]} Are these routes of another instance?")
    kinds = [0] * len(routes) if types is None else types
    kept = [
        (route, kind) for route, kind in zip(routes, kinds, strict=True) if max(route, default=0) >= instance.depots
    ]
    return [route for route, _ in kept], [kind for _, kind in kept]


def _title(instance: Instance, routes: list[list[int]], kinds: list[int]) -> str:
    measured = check(instance, routes, kinds)
    title = f"{instance.name}: cost {cost_text(measured.cost)}, {count_text(len(routes), 'route')}"
    unserved = sum(violation.kind == "missing" for violation in measured.violations)
    others = [violation for violation in measured.violations if violation.kind != "missing"]
    if unserved:
        title += f"\nINFEASIBLE: {count_text(unserved, 'customer')} not served"
    if others:
        title += f"\nINFEASIBLE: {others[0]}" + (f" And {len(others) - 1} more." if len(others) > 1 else "")
    return title


def _draw(axes: "Axes", instance: Instance, points: Points, routes: list[list[int]], kinds: list[int]) -> None:
    customers, depots = instance.customers, instance.depots
    # Sizes are in points. Dots shrink more slowly than the space between them, so that 30 to 1,000 customers can be
    # read equally well.
    diameter = float(np.clip(31.0 / customers**0.36, 1.6, 9.0))
    width = float(np.clip(4.6 / customers**0.22, 0.6, 2.2))
    laps = min(math.ceil(len(routes) / len(COLOURS)), len(LINES))
    marker_of = _markers(kinds)
    with_legs = False
    for place, number in enumerate(_by_angle(points, routes, depots)):
        lap, hue = divmod(place, len(COLOURS))
        colour, style = COLOURS[hue], (lap + hue) % laps
        route, kind = routes[number - 1], kinds[number - 1]
        for leg in _depot_legs(instance, route, kind):
            axes.plot(*points[leg].T, color=colour, linewidth=0.6 * width, alpha=0.35, zorder=1)
            with_legs = True
        trips = [[*trip] for at_depot, trip in groupby(route, key=lambda node: node < depots) if not at_depot]
        for trip, stops in enumerate(trips, start=1):
            axes.plot(
                *points[stops].T, color=colour, linestyle=LINES[style], linewidth=width,
                marker=marker_of.get(kind, MARKERS[style]), markersize=diameter, markeredgecolor="white",
                markeredgewidth=0.1 * diameter, zorder=2, solid_joinstyle="round",
                gid=f"route {number}" + f", trip {trip}" * (trip > 1),
            )  # fmt: skip
    _draw_unserved(axes, instance, points, routes, diameter)
    _draw_depots(axes, points, depots, diameter)
    _draw_names(axes, instance, points)
    if with_legs or not routes:
        label = "from and to the depot" if depots == 1 else "from and to depots"
        axes.plot([], [], color=MUTED, linewidth=0.8, alpha=0.6, label=label)
    for kind, count in sorted(Counter(kinds).items()):
        if kind in marker_of:
            axes.plot(
                [], [], linestyle="none", marker=marker_of[kind], markersize=7.0, markerfacecolor=MUTED,
                markeredgecolor="white", label=f"{_type_name(instance, kind)} ({count_text(count, 'route')})",
            )  # fmt: skip
    _finish(axes)


def _draw_alone(axes: "Axes", instance: Instance, points: Points) -> None:
    """Draw an instance without routes: an area for each demand, in the first load dimension, pickups included."""
    nodes = instance.depots + instance.customers
    amounts = instance.demands.reshape(nodes, -1)[:, 0]
    if instance.pickups is not None:
        amounts = amounts + instance.pickups.reshape(nodes, -1)[:, 0]
    diameter = float(np.clip(31.0 / instance.customers**0.36, 1.6, 9.0))
    largest = float(amounts.max())
    shares = amounts[instance.depots :] / largest if largest > 0 else np.ones(instance.customers)
    across, upwards = points[instance.depots :].T
    axes.scatter(
        across, upwards, s=(diameter * (0.6 + 1.2 * np.sqrt(shares))) ** 2, color=COLOURS[0],
        edgecolors="white", linewidths=0.1 * diameter, zorder=2,
        label="customer, by demand" if largest > 0 else "customer",
    )  # fmt: skip
    _draw_depots(axes, points, instance.depots, diameter)
    _draw_names(axes, instance, points)
    _finish(axes)


def _draw_depots(axes: "Axes", points: Points, depots: int, diameter: float) -> None:
    axes.plot(
        *points[:depots].T, linestyle="none", marker="s", markersize=max(1.3 * diameter, 8.0), markerfacecolor=INK,
        markeredgecolor="white", markeredgewidth=1.2, zorder=5, label="depot" if depots == 1 else f"depots ({depots})",
    )  # fmt: skip


def _draw_names(axes: "Axes", instance: Instance, points: Points) -> None:
    """Write who customers are, where they have names and there is room for them."""
    if not instance.names or instance.customers > MOST_NAMES:
        return
    from matplotlib.patheffects import withStroke

    behind = [withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    for node, (name, place) in enumerate(zip(instance.names, points, strict=True)):
        axes.annotate(
            shortened(name, LONGEST_NAME), place, (9 if node < instance.depots else 6, 0),
            textcoords="offset points", va="center", fontsize=7.5, color=INK, zorder=6, path_effects=behind,
            annotation_clip=False, parse_math=False,
        )  # fmt: skip


def _type_name(instance: Instance, kind: int) -> str:
    named = instance.vehicle_names[kind] if instance.vehicle_names else ""
    return shortened(named, LONGEST_NAME) if named else f"vehicle type {kind}"


def _finish(axes: "Axes") -> None:
    axes.margins(0.03)
    axes.set_axis_off()
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False, fontsize=9, labelcolor=INK,
        handletextpad=0.6, borderaxespad=0.2,
    )  # fmt: skip


def _markers(kinds: list[int]) -> dict[int, str]:
    """Return a marker for each vehicle type that is used; none where there is one, or too many to tell apart."""
    used = sorted(set(kinds))
    return dict(zip(used, TYPE_MARKERS, strict=False)) if 1 < len(used) <= len(TYPE_MARKERS) else {}


def _depot_legs(instance: Instance, route: list[int], kind: int) -> list[list[int]]:
    """Return the legs of a route from and to depots, as pairs of nodes."""
    vehicle = instance.types[kind]
    stops = [node for node in (vehicle.start_depot, *route, vehicle.end_depot) if node is not None]
    return [[one, other] for one, other in pairwise(stops) if min(one, other) < instance.depots]


def _draw_unserved(axes: "Axes", instance: Instance, points: Points, routes: list[list[int]], diameter: float) -> None:
    """Mark whom no route visits: those who should be, those who may be left out, and those for whom another one is."""
    visited = {node for route in routes for node in route}
    required = {node for node in instance.customer_nodes if instance.required[node]}
    replaced: set[int] = set()
    for group in instance.groups:
        if not visited.isdisjoint(group.customers):
            replaced.update(group.customers)
        elif group.required:
            required.update(group.customers)
    waiting = [node for node in instance.customer_nodes if node not in visited]
    unserved = [node for node in waiting if node in required]
    others = [node for node in waiting if node in replaced]
    left_out = [node for node in waiting if node not in required and node not in replaced]
    if others:
        axes.plot(
            *points[others].T, linestyle="none", marker=".", markersize=max(1.2 * diameter, 3.0), color=MUTED,
            alpha=0.6, markeredgewidth=0, zorder=1, label=f"another one of the group is served ({len(others)})",
        )  # fmt: skip
    if left_out:
        axes.plot(
            *points[left_out].T, linestyle="none", marker="o", markersize=max(0.9 * diameter, 3.0),
            markerfacecolor="none", markeredgecolor=INK, markeredgewidth=0.9, zorder=3,
            label=f"left out ({len(left_out)})",
        )  # fmt: skip
    if unserved:
        axes.plot(
            *points[unserved].T, linestyle="none", marker="X", markersize=max(2.2 * diameter, 9.0),
            markerfacecolor="#CC0000", markeredgecolor="white", markeredgewidth=1.0, zorder=4,
            label=f"not served ({len(unserved)})",
        )  # fmt: skip


def _by_angle(points: Points, routes: list[list[int]], depots: int) -> list[int]:
    """Return the numbers of the routes, sorted by angle around the depots, so that neighbours differ in colour."""
    middle = points[:depots].mean(axis=0)

    def angle(number: int) -> float:
        x, y = points[[node for node in routes[number - 1] if node >= depots]].mean(axis=0) - middle
        return math.atan2(y, x)

    return sorted(range(1, len(routes) + 1), key=angle)
