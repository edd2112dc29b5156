"""The figures of a report: how they are drawn, narrow enough for a phone, and which figures there are."""

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dacalns.report.figure import COLOURS, FAINT, INK, LINES, MUTED, axes_or_new, matplotlib_module, new_figure
from dacalns.report.operators import DARK_FROM, MAP, operator_label
from dacalns.study.cases import Case, methods_of
from dacalns.study.curves import FRACTIONS, Convergence, Profile, Shares, convergence, operator_shares, profile
from dacalns.study.report.document import Picture, Pictures
from dacalns.study.report.tables import signed
from dacalns.util.files import file_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Convergence, performance profiles and shares of operators.

WIDTH, HEIGHT = 4.2, 3.1
# This ink stays dark on the light cells of a matrix when a dark page turns the other ink light.
CELL_INK = "#1c1c1c"
# With more repair operators than this, their names are slanted.
LEVEL_NAMES = 3
# A profile is drawn up to this share of all values, because a few far-off ones would leave no room for the others.
SHOWN = 0.95
# Gaps that span more than this factor are drawn on a logarithmic axis.
WIDE = 8.0
# With more methods than this, the legend would cover the lines and stands below them; each of its rows is this high.
MOST_INSIDE, LEGEND_ROW = 10, 0.14
# Names longer than this are too wide for half a figure at the usual size of letters.
LONG_NAME = 26


def draw_convergence(curves: Convergence, methods: Sequence[str], *, by_time: bool) -> "Figure":
    """Draw the mean gap of each method over the budget."""
    axes = axes_or_new(None, WIDTH, HEIGHT)
    for method, gaps in curves.gaps.items():
        axes.plot(100 * FRACTIONS, gaps, label=_label(method), **_line(method, methods))
    axes.set_xscale("log")
    seen = np.concatenate([gaps[np.isfinite(gaps)] for gaps in curves.gaps.values()] or [np.ones(1)])
    if seen.size and seen.min() > 0 and seen.max() > WIDE * seen.min():
        axes.set_yscale("log")
    ticker = matplotlib_module("ticker")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(ticker.NullFormatter())
    if axes.get_yscale() == "log":
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    _finish(axes, f"percent of the {'time' if by_time else 'iterations'}", "mean gap (%)")
    return axes.get_figure(root=True)  # type: ignore[return-value]


def draw_profile(curves: Profile, methods: Sequence[str]) -> "Figure":
    """Draw the share of the instances on which each method is at most a given distance above the best one."""
    axes = axes_or_new(None, WIDTH, HEIGHT)
    every = np.concatenate([each[np.isfinite(each)] for each in curves.excess.values()] or [np.zeros(1)])
    right = max(float(np.quantile(every, SHOWN)) if every.size else 0.0, 0.1)
    for method, excess in curves.excess.items():
        reached = excess[np.isfinite(excess)]
        shares = 100 * np.arange(1, reached.size + 1) / excess.size
        axes.plot(
            [0.0, *reached, max(right, *reached, 0.0)], [0.0, *shares, shares[-1] if reached.size else 0.0],
            drawstyle="steps-post", label=_label(method), **_line(method, methods),
        )  # fmt: skip
    axes.set_xlim(-0.01 * right, right)
    axes.set_ylim(0, 103)
    _finish(axes, "average cost above the best method (%)", "share of the instances (%)")
    return axes.get_figure(root=True)  # type: ignore[return-value]


def draw_shares(tables: dict[str, Shares]) -> "Figure":
    """Draw a matrix of the shares of pairs for each method; all methods have the same operators."""
    columns = min(2, len(tables))
    lines = -(-len(tables) // columns)
    first = next(iter(tables.values()))
    names = 0.3 if len(first.repair) <= LEVEL_NAMES else 0.9
    figure = new_figure(WIDTH, lines * (0.3 + 0.27 * len(first.destroy) + names) + 0.1)
    figure.set_layout_engine("constrained")
    panels: Any = figure.subplots(lines, columns, squeeze=False, sharey=True)
    most = max(float(shares.percent.max()) for shares in tables.values())
    for panel in panels.flat[len(tables) :]:
        panel.set_axis_off()
    for panel, (method, shares) in zip(panels.flat, tables.items(), strict=False):
        _draw_matrix(panel, shares, most)
        size = 9 if len(method) <= LONG_NAME else 7
        panel.set_title(method, fontsize=size, color=INK, loc="left", parse_math=False)
    return figure


def _draw_matrix(axes: "Axes", shares: Shares, most: float) -> None:
    rows, columns = shares.percent.shape
    axes.pcolormesh(shares.percent, cmap=MAP, vmin=0.0, vmax=1.15 * most, edgecolors="white", linewidth=1.0)
    axes.set_xticks(np.arange(columns) + 0.5, _short_names(shares.repair), parse_math=False)
    axes.set_yticks(np.arange(rows) + 0.5, _short_names(shares.destroy), parse_math=False)
    axes.tick_params(length=0, labelsize=8, colors=INK)
    if columns > LEVEL_NAMES:
        for label in axes.get_xticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
    if not axes.yaxis_inverted():
        axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    if columns > 8:
        return
    for row in range(rows):
        for column in range(columns):
            share = float(shares.percent[row, column])
            axes.text(
                column + 0.5, row + 0.5, f"{share:.0f}" if share >= 9.95 else f"{share:.1f}", ha="center", va="center",
                fontsize=8, color="white" if share > DARK_FROM * most else CELL_INK,
            )  # fmt: skip


def _short_names(names: list[str]) -> list[str]:
    """Return the names of operators without a last word that all share, because the caption says what they are."""
    last = {name.rsplit("_", 1)[-1] for name in names if "_" in name}
    shared = len(last) == 1 and all("_" in name for name in names)
    return [operator_label(name.rsplit("_", 1)[0] if shared else name) for name in names]


def _line(method: str, methods: Sequence[str]) -> dict[str, Any]:
    """Return the colour and the line of a method, which are the same in every figure."""
    place = methods.index(method) if method in methods else len(methods)
    lap, hue = divmod(place, len(COLOURS))
    return {"color": COLOURS[hue], "linestyle": LINES[(lap + hue) % len(LINES)], "linewidth": 1.7}


def _finish(axes: "Axes", below: str, beside: str) -> None:
    axes.set_xlabel(below, fontsize=9, color=INK)
    axes.set_ylabel(beside, fontsize=9, color=INK)
    axes.tick_params(labelsize=8, colors=MUTED)
    axes.tick_params(which="minor", length=0)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    look: dict[str, Any] = {"frameon": False, "labelcolor": INK}
    if len(axes.get_lines()) > MOST_INSIDE:
        figure: Any = axes.get_figure(root=True)
        figure.set_figheight(HEIGHT + LEGEND_ROW * -(-len(axes.get_lines()) // 2))
        legend = figure.legend(
            loc="outside lower left", ncols=2, fontsize=6.5, handlelength=1.8, columnspacing=1.0, **look
        )  # fmt: skip
    else:
        legend = axes.legend(fontsize=8, **look)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _label(method: str) -> str:
    """Return a name for the legend, which would leave out a name that begins with an underscore."""
    return f" {method}" if method.startswith("_") else method


# Heat maps, which show what two choices do together.

# Blue is better, red is worse, white is no difference; readers without colour vision have the numbers.
HEAT_MAP = "RdBu_r"
# Above this part of the largest value, cells are too dark for dark ink.
HEAT_DARK_FROM = 0.62
# The colours cover at least this many percent, so that noise does not look like a finding.
LEAST_SPAN = 0.1
MOST_NUMBERS = 8


@dataclass(frozen=True)
class HeatMap:
    """The values of a heat map, which has a cell for each combination of two choices.

    Parameters
    ----------
    down, across
        The choices, each with its name and levels.
    gaps
        The mean gap in percent over the readings of each combination; not a number if there are none.
    holding, tried
        The number of these readings under which the learner is better, and the number of all of them.
    """

    down: tuple[str, Sequence[str]]
    across: tuple[str, Sequence[str]]
    gaps: npt.NDArray[np.float64]
    holding: npt.NDArray[np.int64]
    tried: npt.NDArray[np.int64]


def draw_heat_map(shown: HeatMap, most: float) -> "Figure":
    """Draw the mean gaps as colours and numbers; below each, how many readings of the cell are better by the test.

    Parameters
    ----------
    shown
        The values to draw.
    most
        The gap at which the colours end, so that figures can share it.
    """
    (down, rows), (across, columns) = shown.down, shown.across
    axes = axes_or_new(None, WIDTH, 1.05 + 0.44 * len(rows))
    most = max(most, LEAST_SPAN)
    axes.pcolormesh(
        np.ma.masked_invalid(shown.gaps), cmap=HEAT_MAP, vmin=-most, vmax=most, edgecolors="white", linewidth=1.2
    )
    axes.set_xticks(np.arange(len(columns)) + 0.5, [_wrapped(level) for level in columns], parse_math=False)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, parse_math=False)
    axes.tick_params(length=0, labelsize=7.5, colors=INK)
    axes.set_xlabel(across, fontsize=8.5, color=MUTED, parse_math=False)
    axes.set_ylabel(down, fontsize=8.5, color=MUTED, parse_math=False)
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    for row, column in np.ndindex(shown.gaps.shape) if len(columns) <= MOST_NUMBERS else ():
        value = float(shown.gaps[row, column])
        if not np.isfinite(value):
            axes.text(column + 0.5, row + 0.5, "-", ha="center", va="center", fontsize=9, color=MUTED)
            continue
        ink = "white" if abs(value) > HEAT_DARK_FROM * most else CELL_INK
        count = f"{shown.holding[row, column]} of {shown.tried[row, column]}"
        weight = "bold" if shown.holding[row, column] else "normal"
        axes.text(column + 0.5, row + 0.36, signed(value, 2), ha="center", va="center", fontsize=9.5, color=ink)
        axes.text(column + 0.5, row + 0.73, count, ha="center", va="center", fontsize=7, color=ink, weight=weight)
    return axes.get_figure(root=True)  # type: ignore[return-value]


def _wrapped(level: str) -> str:
    """Return a name in short lines, broken after hyphens and spaces."""
    lines = [""]
    for word in level.replace("-", "- ").split(" "):
        glued = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("-") else " ") + word
        if lines[-1] and len(glued) > 10:
            lines.append(word)
        else:
            lines[-1] = glued
    return "\n".join(lines)


# The figures of a report.


def curve_pictures(name: str, budget: str, cases: Sequence[Case], methods: Sequence[str]) -> Pictures | None:
    """Return the convergence and the performance profile of each dataset; None if there are no runs for them."""
    pictures = []
    by_time = not any("iteration" in row.budget for case in cases for row in case.rows())
    for dataset, members in _datasets(cases).items():
        curves, ratios = convergence(members), profile(members)
        if curves.gaps:
            to = "the best-known value"
            if curves.without_best_known:
                to += f" (on {curves.without_best_known} of them, the best found here)"
            pictures.append(
                Picture(
                    slug(name, budget, "convergence", dataset),
                    f"{_of(dataset)}mean gap to {to} over the budget{_over(curves.used, curves.expected)}.",
                    partial(draw_convergence, curves, methods, by_time=by_time),
                )
            )
        if ratios.excess:
            pictures.append(
                Picture(
                    slug(name, budget, "profile", dataset),
                    f"{_of(dataset)}performance profile: on how many instances a method's average is at most so far "
                    f"above the lowest{_over(ratios.used, ratios.expected)}.",
                    partial(draw_profile, ratios, methods),
                )
            )
    return Pictures(pictures) if pictures else None


def share_pictures(name: str, budget: str, cases: Sequence[Case]) -> Pictures | None:
    """Return the matrices of operators of each dataset, with methods of the same operators in one figure."""
    pictures = []
    for dataset, members in _datasets(cases).items():
        figures: dict[tuple[str, ...], dict[str, Shares]] = {}
        for method in methods_of(members):
            for shares in operator_shares(members, method):
                figures.setdefault((*shares.destroy, "", *shares.repair), {})[method] = shares
        for place, tables in enumerate(figures.values(), start=1):
            number = str(place) if len(figures) > 1 else ""
            pictures.append(
                Picture(
                    slug(name, budget, "operators", dataset, number),
                    f"{_of(dataset)}mean share of each pair of destroy operators (rows) and repair operators "
                    "(columns) in the iterations, in percent.",
                    partial(draw_shares, tables),
                )
            )
    return Pictures(pictures) if pictures else None


def _datasets(cases: Sequence[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.dataset, []).append(case)
    return found


def _of(dataset: str) -> str:
    return f"{dataset}: " if dataset else ""


def _over(used: int, expected: int) -> str:
    return "" if used == expected else f"; {used} of {expected} instances, as the others lack runs"


def slug(*words: str) -> str:
    """Return words as the name of a file; different words may give the same name, see `with_different_names`."""
    return file_name("-".join(filter(None, (re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words))))


# Files.


def saved_figure(figure: "Figure", format: str, **options: Any) -> bytes:  # noqa: A002
    """Return a figure in a format of Matplotlib, without its warnings about letters that the font lacks."""
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing", category=UserWarning)
        figure.savefig(content, format=format, **options)
    return content.getvalue()
