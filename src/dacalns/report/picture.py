"""One picture of a whole run: its routes, its progress and its operators."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dacalns.instances import Instance
from dacalns.instances.best_known import best_known_word
from dacalns.instances.features import in_capitals
from dacalns.report.convergence import plot_convergence
from dacalns.report.explanation import MOST_LINES, plot_probabilities
from dacalns.report.figure import (
    INK,
    MUTED,
    cost_text,
    count_text,
    gap_text,
    new_figure,
    require_plotting,
    write_figure,
)
from dacalns.report.operators import LEVEL_LABELS, plot_operators
from dacalns.report.routes import Routes, instance_and_answer, places_of, plot_routes, routes_for
from dacalns.search.result import Result
from dacalns.search.solved import AnyInstance, as_instance

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    what: AnyInstance | Result, routes: Result | Routes | None = None, *, types: Sequence[int] | None = None
) -> "Figure":
    """Draw what there is: a whole run, routes, or an instance alone. A notebook shows the picture.

    Parameters
    ----------
    what
        A result of a search: its routes, its progress and its operators, as `save_picture` writes them. Or an instance,
        a path or a name: its customers and depots.
    routes
        With an instance, what is drawn of it: lists of customers, or a result, such as one from JSON.
    types
        The vehicle type of each of the lists. It may be left out where there is only one.

    Returns
    -------
    matplotlib.figure.Figure
        The figure. ``figure.savefig("routes.png")`` writes it.

    Raises
    ------
    InputError
        If routes are to be drawn and there are no coordinates, the routes are not of this instance, or Matplotlib is
        missing.

    Examples
    --------
    >>> import dacalns
    >>> figure = dacalns.plot("A-n32-k5")
    >>> figure = dacalns.plot(dacalns.solve("A-n32-k5", stop=dacalns.MaxIterations(100)))
    """
    instance, answer = instance_and_answer(what, routes)
    if isinstance(answer, Result):
        return _figure(instance, answer)
    figure: Figure = plot_routes(instance, answer, types=types).get_figure()  # type: ignore[assignment]
    return figure


def save_picture(instance: AnyInstance, result: Result, path: str | os.PathLike[str]) -> None:
    """Write a picture of a result: the routes at the left, progress and operators at the right.

    An instance without coordinates gets only the two panels at the right, and a note. The policy of a learned selector
    gets a small panel, too, if it has few operators; `save_explanation` draws all of it.

    Parameters
    ----------
    instance
        The instance that was solved, or its path or name.
    result
        The result.
    path
        A file ending in ``.png``, ``.svg`` or ``.pdf``; an existing one is replaced.

    Raises
    ------
    InputError
        If the suffix is another, the file cannot be written, the result is of another instance, or Matplotlib is
        missing.
    """
    target = require_plotting(path)
    write_figure(_figure(as_instance(instance), result), target)


def _figure(instance: Instance, result: Result) -> "Figure":
    routes_for(instance, result)
    has_map = places_of(instance)[0] is not None
    figure = _with_map(instance, result) if has_map else _without_map(result)
    _write_titles(figure, result, has_map=has_map)
    return figure


def _with_map(instance: Instance, result: Result) -> "Figure":
    figure = new_figure(15.0, 8.6)
    routes = plot_routes(instance, result, figure.add_axes((0.015, 0.05, 0.545, 0.83)))
    routes.set_title("")
    if _has_room_for_probabilities(result):
        plot_convergence(result, figure.add_axes((0.635, 0.655, 0.305, 0.2)))
        plot_probabilities(result, figure.add_axes((0.635, 0.405, 0.2, 0.145)))
        plot_operators(result, figure.add_axes((0.685, 0.075, 0.295, 0.225)))
        return figure
    plot_convergence(result, figure.add_axes((0.635, 0.565, 0.305, 0.29)))
    slanted = len(result.operators.repair) > LEVEL_LABELS  # names below take more room
    plot_operators(result, figure.add_axes((0.69, 0.18, 0.295, 0.275) if slanted else (0.685, 0.115, 0.295, 0.32)))
    return figure


def _has_room_for_probabilities(result: Result) -> bool:
    """Return True if the policy's lines, and their names beside them, fit into a small panel."""
    use = result.operators
    few = max(len(use.destroy), len(use.repair)) <= LEVEL_LABELS and len(use.destroy) + len(use.repair) <= MOST_LINES
    return few and result.explanation is not None


def _without_map(result: Result) -> "Figure":
    figure = new_figure(15.0, 5.8)
    plot_convergence(result, figure.add_axes((0.06, 0.12, 0.38, 0.62)))
    slanted = len(result.operators.repair) > LEVEL_LABELS
    plot_operators(result, figure.add_axes((0.62, 0.26, 0.36, 0.48) if slanted else (0.62, 0.18, 0.36, 0.56)))
    return figure


def _write_titles(figure: "Figure", result: Result, *, has_map: bool) -> None:
    title = f"{result.instance}: cost {cost_text(result.cost)}"
    if not result.feasible:
        title += f", INFEASIBLE: {count_text(len(result.unserved), 'customer')} not served"
    elif result.gap_percent is not None:
        word = best_known_word(result.best_known_origin)
        title += f", {gap_text(result.gap_percent)} to the {word} {cost_text(result.best_known or 0.0)}"
    facts = [
        f"{in_capitals(result.problem)}, {count_text(result.customers, 'customer')}",
        count_text(len(result.routes), "route"),
        f"{result.iterations:,} iterations in {result.seconds:.2f} s",
        f"selector {result.selector}",
        f"portfolio {result.portfolio}",
        f"seed {result.seed}",
        f"dac-alns {result.version}",
    ]
    if not has_map:
        facts.append("no coordinates, so no map of the routes")
    height = figure.get_figheight()
    figure.text(0.02, 1 - 0.42 / height, title, fontsize=17, weight="bold", color=INK, va="center")
    figure.text(0.02, 1 - 0.78 / height, "   ·   ".join(facts), fontsize=10.5, color=MUTED, va="center")
