"""The picture of routes on a map."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dacalns.instances import Instance
from dacalns.report.figure import COLOURS, INK, LINES, MARKERS, MUTED, axes_or_new, cost_text, count_text
from dacalns.search.checker import check
from dacalns.search.result import Result
from dacalns.util.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Routes = Iterable[Sequence[int]]
Points = npt.NDArray[np.float64]


def plot_routes(instance: Instance, result_or_routes: Result | Routes, ax: "Axes | None" = None) -> "Axes":
    """Draw routes on a map, each in its own colour, line and marker.

    The legs from and to the depot are faint. Customers that no route serves have a cross.

    Parameters
    ----------
    instance
        The instance that was solved; it must have coordinates.
    result_or_routes
        A result of this instance, or lists of customers.
    ax
        The axes to draw on; those of a new figure if left out, which ``ax.figure.savefig("routes.png")`` writes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        If there are no coordinates, the routes are not of this instance, or Matplotlib is missing.
    """
    routes = routes_for(instance, result_or_routes)
    if instance.coordinates is None:
        raise InputError(
            f"{instance.name} has a distance matrix and no coordinates; expected coordinates to draw routes by; "
            "plot_convergence and plot_operators need none."
        )
    axes = axes_or_new(ax, 8.0, 8.4)
    _draw(axes, instance.coordinates, routes)
    axes.set_title(_title(instance, routes), fontsize=11, color=INK)
    return axes


def routes_for(instance: Instance, given: Result | Routes) -> list[list[int]]:
    """Return the routes as lists, after checking that they are of this instance.

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
        given = given.routes
    try:
        routes = [[*route] for route in given]
    except TypeError:
        raise InputError(
            f"routes is a {type(given).__name__}; expected a Result or lists of customers such as [[1, 2], [3]]."
        ) from None
    unknown = [violation for violation in check(instance, routes).violations if violation.kind == "unknown"]
    if unknown:
        raise InputError(f"{unknown[0]} Are these routes of another instance?")
    return [route for route in routes if route]


def _title(instance: Instance, routes: list[list[int]]) -> str:
    measured = check(instance, routes)
    title = f"{instance.name}: cost {cost_text(measured.cost)}, {count_text(len(routes), 'route')}"
    unserved = sum(violation.kind == "missing" for violation in measured.violations)
    others = [violation for violation in measured.violations if violation.kind != "missing"]
    if unserved:
        title += f"\nINFEASIBLE: {count_text(unserved, 'customer')} not served"
    if others:
        title += f"\nINFEASIBLE: {others[0]}" + (f" And {len(others) - 1} more." if len(others) > 1 else "")
    return title


def _draw(axes: "Axes", points: Points, routes: list[list[int]]) -> None:
    customers = len(points) - 1
    # Sizes are in points. Dots shrink more slowly than the space between them, so that 30 to 1,000 customers can be
    # read equally well.
    diameter = float(np.clip(31.0 / customers**0.36, 1.6, 9.0))
    width = float(np.clip(4.6 / customers**0.22, 0.6, 2.2))
    laps = min(math.ceil(len(routes) / len(COLOURS)), len(LINES))
    for place, (number, route) in enumerate(_by_angle(points, routes)):
        lap, hue = divmod(place, len(COLOURS))
        colour, style = COLOURS[hue], (lap + hue) % laps
        tour = points[route]
        for end in (tour[0], tour[-1]):
            axes.plot(*np.array([points[0], end]).T, color=colour, linewidth=0.6 * width, alpha=0.35, zorder=1)
        axes.plot(
            *tour.T, color=colour, linestyle=LINES[style], linewidth=width, marker=MARKERS[style],
            markersize=diameter, markeredgecolor="white", markeredgewidth=0.1 * diameter, zorder=2,
            solid_joinstyle="round", gid=f"route {number}",
        )  # fmt: skip
    unserved = sorted(set(range(1, customers + 1)) - {customer for route in routes for customer in route})
    if unserved:
        axes.plot(
            *points[unserved].T, linestyle="none", marker="X", markersize=max(2.2 * diameter, 9.0),
            markerfacecolor="#CC0000", markeredgecolor="white", markeredgewidth=1.0, zorder=4,
            label=f"not served ({len(unserved)})",
        )  # fmt: skip
    axes.plot(
        *points[0], linestyle="none", marker="s", markersize=max(1.3 * diameter, 8.0), markerfacecolor=INK,
        markeredgecolor="white", markeredgewidth=1.2, zorder=5, label="depot",
    )  # fmt: skip
    axes.plot([], [], color=MUTED, linewidth=0.8, alpha=0.6, label="from and to the depot")
    axes.set_aspect("equal", adjustable="box")
    axes.margins(0.03)
    axes.set_axis_off()
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False, fontsize=9, labelcolor=INK,
        handletextpad=0.2, borderaxespad=0.2,
    )  # fmt: skip


def _by_angle(points: Points, routes: list[list[int]]) -> list[tuple[int, list[int]]]:
    """Return the routes with their numbers, sorted by angle around the depot, so that neighbours differ in colour."""

    def angle(numbered: tuple[int, list[int]]) -> float:
        x, y = points[numbered[1]].mean(axis=0) - points[0]
        return math.atan2(y, x)

    return sorted(enumerate(routes, start=1), key=angle)
