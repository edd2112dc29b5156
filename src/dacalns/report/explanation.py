"""The picture of what a learned policy did: its probabilities, entropy and values over the run, and pairs of operators.

Entropy measures how evenly the policy chooses; the value is the reward that its critic expects.
"""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.features import in_capitals
from dacalns.report.figure import (
    COLOURS,
    FAINT,
    INK,
    LINES,
    MUTED,
    axes_or_new,
    cost_text,
    count_text,
    matplotlib_module,
    new_figure,
    require_plotting,
    write_figure,
)
from dacalns.report.operators import DARK_FROM, LEVEL_LABELS, MAP, operator_label
from dacalns.search.policy_view import Explanation
from dacalns.search.result import Result
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Table = npt.NDArray[np.float64]

# The eye can follow this many lines; operators that were never likely share one colour.
MOST_LINES = 8
WIDTH = 15.0
HEADER = 1.0
# With more repair operators than this, their names stand upright.
SLANTED_NAMES = 12


def plot_explanation(result: Result) -> "Figure":
    """Draw what the policy of a learned selector did, in a figure of its own.

    The top shows the probabilities of the operators over the run. Below are the policy's entropy, with that of equal
    probabilities, and the value that the critic expected. At the bottom is the mean probability of each destroy
    operator and, in the cells, of each repair operator after it, beside the shares in which they were used; the two
    differ by exploration and chance.

    Parameters
    ----------
    result
        The result of a search with a learned selector.

    Returns
    -------
    matplotlib.figure.Figure
        The figure. ``figure.savefig("explanation.png")`` writes it; `save_explanation` also checks the path.

    Raises
    ------
    InputError
        If the result has no explanation, or Matplotlib is missing.
    """
    explanation = explanation_of(result)
    rows, columns = explanation.operators
    tables = 0.8 + min(max(0.55 * rows, 1.0), 8.0) + _height_of_names(columns)
    figure = new_figure(WIDTH, HEADER + 5.6 + tables)
    figure.set_layout_engine("constrained", w_pad=0.18, h_pad=0.07)
    # Each part has a layout of its own, so that legends beside lines and names beside tables need not share columns.
    parts: Any = figure.subfigures(3, 1, height_ratios=(HEADER, 5.6, tables))
    _, above, below = parts
    (destroying, repairing), (entropy, value) = above.subplots(2, 2, height_ratios=(1.3, 1.0))
    for kind, axes in (("destroy", destroying), ("repair", repairing)):
        names, series = _probabilities(result, explanation, kind)
        _draw_lines(axes, explanation, names, series)
        axes.set_ylim(0.0, 1.06 * max(float(series.max()), 1 / series.shape[1]))
        _decorate(axes, f"Probability of {kind} operators")
    _draw_entropy(entropy, explanation)
    _draw_value(value, explanation)
    _draw_tables(below.subplots(1, 2), result, explanation)
    _write_titles(figure, result)
    return figure


def save_explanation(result: Result, path: str | os.PathLike[str]) -> None:
    """Write the figure of `plot_explanation` to a file.

    Parameters
    ----------
    result
        The result of a search with a learned selector.
    path
        A file ending in ``.png``, ``.svg`` or ``.pdf``; an existing one is replaced.

    Raises
    ------
    InputError
        If the result has no explanation, the suffix is another, the file cannot be written, or Matplotlib is missing.
    """
    target = require_plotting(path)
    write_figure(plot_explanation(result), target)


def plot_probabilities(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw the policy's probabilities over the run in one panel: destroy operators solid, repair operators dashed.

    Parameters
    ----------
    result
        The result of a search with a learned selector.
    ax
        The axes to draw on; those of a new figure if left out.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InputError
        If the result has no explanation, or Matplotlib is missing.
    """
    explanation = explanation_of(result)
    axes = axes_or_new(ax, 8.0, 3.6)
    highest = 0.0
    for kind, line, shift in (("destroy", LINES[0], 0), ("repair", LINES[1], len(result.operators.destroy))):
        names, series = _probabilities(result, explanation, kind)
        _draw_lines(axes, explanation, names, series, line=line, shift=shift, even=False)
        highest = max(highest, float(series.max()))
    axes.set_ylim(0.0, 1.06 * highest)
    _decorate(axes, "Probability of operators")
    return axes


def explanation_of(result: Result) -> Explanation:
    """Return the explanation of a result.

    Raises
    ------
    InputError
        If the result has none, or one for other operators.
    """
    explanation = result.explanation
    if explanation is None:
        raise InputError(
            f"the result of selector {shown(result.selector)} after {count_text(result.iterations, 'iteration')} has "
            "no explanation; expected one of a learned selector; plot_operators shows what any selector did."
        )
    operators = len(result.operators.destroy), len(result.operators.repair)
    if explanation.operators != operators:
        raise InputError(
            f"the explanation is of {explanation.operators[0]} destroy and {explanation.operators[1]} repair "
            f"operators; expected {operators[0]} and {operators[1]}, as the result has."
        )
    return explanation


def _probabilities(result: Result, explanation: Explanation, kind: str) -> tuple[list[str], Table]:
    if kind == "destroy":
        return result.operators.destroy, np.array(explanation.destroy_probabilities)
    return result.operators.repair, np.array(explanation.repair_probabilities)


def _mean_destroy(explanation: Explanation) -> Table:
    """Return the mean probabilities of destroy operators over the run, in which stretches count by their length."""
    lengths = np.diff([0, *explanation.iterations])
    mean: Table = lengths @ np.array(explanation.destroy_probabilities) / lengths.sum()
    return mean


def _draw_lines(
    axes: "Axes", explanation: Explanation, names: list[str], series: Table,
    *, line: Any = "solid", shift: int = 0, even: bool = True,
) -> None:  # fmt: skip
    """Draw a line for each operator; if there are many, those that were never likely are grey."""
    operators = series.shape[1]
    shown = sorted(range(operators), key=lambda k: -float(series[:, k].max()))
    shown = shown[: MOST_LINES if operators > MOST_LINES + 1 else operators]
    others = [k for k in range(operators) if k not in shown]
    for k in others:
        _draw_steps(axes, explanation, series[:, k], color="#b0b0b0", linewidth=0.6, zorder=1.5)
    # The legend has the order of the lines at the end of the run.
    colours = {k: COLOURS[(shift + place) % len(COLOURS)] for place, k in enumerate(sorted(shown))}
    for k in sorted(shown, key=lambda k: -float(series[-1, k])):
        label = operator_label(names[k])
        _draw_steps(axes, explanation, series[:, k], color=colours[k], linewidth=1.7, linestyle=line, label=label)
    if others:
        axes.plot([], [], color="#b0b0b0", linewidth=0.6, label=f"{len(others)} others")
    if even and operators > 1:
        axes.axhline(1 / operators, color=MUTED, linewidth=0.9, linestyle="dotted", zorder=1.2, label="even odds")


def _draw_entropy(axes: "Axes", explanation: Explanation) -> None:
    kinds = (("destroy", explanation.destroy_entropy, COLOURS[0]), ("repair", explanation.repair_entropy, COLOURS[4]))
    lines = ("dotted", (0, (1, 2)))
    for (kind, entropy, colour), operators, line in zip(kinds, explanation.operators, lines, strict=True):
        _draw_steps(axes, explanation, np.array(entropy), color=colour, linewidth=1.7, label=kind)
        axes.axhline(
            np.log(operators), color=colour, linewidth=1.0, linestyle=line, zorder=1.2, label=f"{kind}, even odds"
        )
    # The axis begins a little below 0, so that the line of a certain policy can be seen.
    axes.set_ylim(*np.array((-0.03, 1.12)) * max(float(np.log(max(explanation.operators))), 0.1))
    _decorate(axes, "Entropy of the policy: 0 is certain")
    axes.set_ylabel("nats", fontsize=9, color=INK)


def _draw_value(axes: "Axes", explanation: Explanation) -> None:
    series = (
        ("full solution", explanation.destroy_value, COLOURS[0]),
        ("destroyed solution", explanation.repair_value, COLOURS[4]),
    )
    for label, value, colour in series:
        if value:
            _draw_steps(axes, explanation, np.array(value), color=colour, linewidth=1.7, label=label)
    _decorate(axes, "Value that the critic expects")
    if not (explanation.destroy_value or explanation.repair_value):
        axes.text(0.5, 0.5, "no critic", transform=axes.transAxes, ha="center", va="center", fontsize=11, color=MUTED)
        axes.set_axis_off()


def _draw_steps(axes: "Axes", explanation: Explanation, values: Table, **style: Any) -> None:
    """Draw each value over the stretch of which it is the mean, so that even a single value is a line."""
    axes.plot([0, *explanation.iterations], [values[0], *values], drawstyle="steps-pre", **style)


def _decorate(axes: "Axes", title: str) -> None:
    ticker = matplotlib_module("ticker")
    axes.set_title(title, fontsize=10.5, color=INK, loc="left")
    axes.set_xlabel("iteration", fontsize=9, color=INK)
    axes.margins(x=0.01)
    axes.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, integer=True))
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    axes.tick_params(labelsize=8, colors=MUTED)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.03), fontsize=8.5, frameon=False, labelcolor=INK,
            borderaxespad=0.0, handlelength=2.2,
        )  # fmt: skip


def _draw_tables(panels: Any, result: Result, explanation: Explanation) -> None:
    uses = np.array(result.operators.uses, dtype=np.float64)
    used = uses / np.maximum(uses.sum(axis=1, keepdims=True), 1.0)
    likely = np.array(explanation.repair_given_destroy)
    most = max(float(likely.max()), float(used.max()), 1e-9)
    exploration = f"{100 * explanation.exploration:.3g} %" if explanation.exploration else "no"
    policy, search = panels
    _draw_pairs(policy, result, likely, _mean_destroy(explanation), most)
    _draw_pairs(search, result, used, uses.sum(axis=1) / max(uses.sum(), 1.0), most)
    policy.set_title("Policy: mean probability to destroy, then to repair", fontsize=10.5, color=INK, loc="left")
    search.set_title(
        f"Search: share of uses to destroy, then to repair; {exploration} exploration",
        fontsize=10.5, color=INK, loc="left",
    )  # fmt: skip


def _draw_pairs(axes: "Axes", result: Result, shares: Table, destroy: Table, most: float) -> None:
    """Draw a row for each destroy operator, whose shares add up to one, with its own share beside its name."""
    rows, columns = shares.shape
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    axes.pcolormesh(*edges, shares, cmap=MAP, vmin=0.0, vmax=1.15 * most, edgecolors="white", linewidth=1.5)
    axes.invert_yaxis()
    axes.set_xticks(range(columns), [operator_label(name) for name in result.operators.repair])
    labels = [
        f"{operator_label(name)}  {100 * share:.0f} %"
        for name, share in zip(result.operators.destroy, destroy, strict=True)
    ]
    axes.set_yticks(range(rows), labels)
    axes.tick_params(length=0, labelsize=8.5 if max(rows, columns) <= 8 else 7, colors=INK)
    if columns > LEVEL_LABELS:
        upright = columns > SLANTED_NAMES
        for label in axes.get_xticklabels():
            label.set(
                rotation=90 if upright else 35, ha="right", va="center" if upright else "top", rotation_mode="anchor"
            )
    axes.spines[:].set_visible(False)
    # The room of a cell in points, without the space that the longest names need at the left.
    size = min(11.0, 72 * (WIDTH / 2 - 2.2) / columns / 2.6, 72 * 8.0 / max(rows, 8) / 1.6)
    for row in range(rows):
        if not shares[row].any():
            axes.text((columns - 1) / 2, row, "never used", ha="center", va="center", fontsize=size, color=MUTED)
            continue
        for column in range(columns):
            share = float(shares[row, column])
            axes.text(
                column, row, _percent(share, short=size < 7.0), ha="center", va="center", fontsize=size,
                color="white" if share > DARK_FROM * most else INK,
            )  # fmt: skip


def _height_of_names(columns: int) -> float:
    """Return the inches below a table that the names of this many repair operators need."""
    return 0.2 if columns <= LEVEL_LABELS else 0.9 if columns <= SLANTED_NAMES else 1.4


def _percent(share: float, *, short: bool) -> str:
    if short:
        return f"{100 * share:.0f}" if share >= 0.005 else ""
    return f"{100 * share:.1f} %" if 0 < share < 0.0995 else f"{100 * share:.0f} %"


def _write_titles(figure: "Figure", result: Result) -> None:
    facts = [
        f"{in_capitals(result.problem)}, {count_text(result.customers, 'customer')}",
        f"cost {cost_text(result.cost)}",
        f"{result.iterations:,} iterations in {result.seconds:.2f} s",
        f"portfolio {result.portfolio}",
        f"seed {result.seed}",
        f"dac-alns {result.version}",
    ]
    height = figure.get_figheight()
    title = f"{result.instance}: how selector {result.selector} chose"
    figure.text(0.02, 1 - 0.42 / height, title, fontsize=17, weight="bold", color=INK, va="center")
    figure.text(0.02, 1 - 0.78 / height, "   ·   ".join(facts), fontsize=10.5, color=MUTED, va="center")
