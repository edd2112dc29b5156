"""The figures of a report: one panel each, narrow enough to be read on a phone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dacalns.report.canvas import axes_or_new, matplotlib_module, new_figure
from dacalns.report.operators import DARK_FROM, MAP, operator_label
from dacalns.report.style import COLOURS, FAINT, INK, LINES, MUTED
from dacalns.study.curves import FRACTIONS, Convergence, Profile, Shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.2, 3.1
# Ink that stays dark on the light cells of a matrix when a page turns the other ink light.
CELL_INK = "#1c1c1c"
# With more repair operators than this, their names are slanted.
LEVEL_NAMES = 3
# A profile is drawn as far as this share of all values; a few far-off ones would leave no room for the others.
SHOWN = 0.95
# Gaps that span more than this factor are drawn on a logarithmic axis.
WIDE = 8.0
# A legend of more methods than this stands below the lines, which it would cover; a row of it is so high.
MOST_INSIDE, LEGEND_ROW = 10, 0.14
# Names longer than this are too wide for half a figure in letters of the usual size.
LONG_NAME = 26


def draw_convergence(curves: Convergence, methods: Sequence[str], *, by_time: bool) -> "Figure":
    """The mean gap of each method over the budget."""
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
    """The share of the instances on which each method is at most so far above the best one."""
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
    """Matrices of the shares of pairs, one for each method; all of the same operators."""
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
    """Names of operators without a last word that all of them share: the caption says what they are."""
    last = {name.rsplit("_", 1)[-1] for name in names if "_" in name}
    shared = len(last) == 1 and all("_" in name for name in names)
    return [operator_label(name.rsplit("_", 1)[0] if shared else name) for name in names]


def _line(method: str, methods: Sequence[str]) -> dict[str, Any]:
    """The same colour and line for a method in every figure."""
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
    """A name for the legend, which leaves out what begins with an underscore."""
    return f" {method}" if method.startswith("_") else method
