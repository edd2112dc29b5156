"""Which operators were used, and what came of it."""

from typing import TYPE_CHECKING

import numpy as np

from dacalns.report.canvas import axes_or_new, matplotlib_module
from dacalns.report.style import INK, MUTED
from dacalns.search.result import OperatorUse, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Light to dark in one hue: it reads the same without colour vision and in print.
MAP = "Blues"
DARK_FROM = 0.55
LONGEST_NAME = 24
POINTS_PER_INCH = 72.0


def plot_operators(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw a table of the destroy-repair pairs: their share of the iterations as colour and number.

    Below the share stand the percentage of the pair's iterations that were accepted, and its new best solutions, where
    the cells have room for them. Shares of the single operators stand with their names.

    Parameters
    ----------
    result
        What a search returned.
    ax
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Raises
    ------
    InputError
        If Matplotlib is missing.
    """
    use = result.operators
    rows, columns = len(use.destroy), len(use.repair)
    axes = axes_or_new(ax, 3.0 + min(0.9 * columns + 1.0, 9.0), 1.6 + min(0.7 * rows + 1.0, 9.0))
    uses = np.array(use.uses, dtype=np.float64)
    shares = 100 * uses / max(uses.sum(), 1.0)
    most = max(float(shares.max()), 1e-9)
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    axes.pcolormesh(*edges, shares, cmap=MAP, vmin=0.0, vmax=1.15 * most, edgecolors="white", linewidth=1.5)
    axes.invert_yaxis()
    axes.set_xticks(range(columns), _labels(use.repair, shares.sum(axis=0)))
    axes.set_yticks(range(rows), _labels(use.destroy, shares.sum(axis=1)))
    axes.tick_params(length=0, labelsize=8.5 if max(rows, columns) <= 8 else 7, colors=INK)
    if columns > 4:
        for label in axes.get_xticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
    axes.spines[:].set_visible(False)
    details = _write_cells(axes, use, shares, most)
    axes.set_title(
        "Share of iterations by destroy and repair operator" + (", accepted, new bests" if details else ""),
        fontsize=10.5, color=INK, loc="left",
    )  # fmt: skip
    return axes


def _labels(names: list[str], shares: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[str]:
    one_line = len(names) > 4
    labels = []
    for name, share in zip(names, shares, strict=True):
        words = name.replace("_", " ")
        short = words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME - 1] + "…"
        labels.append(f"{short}{'  ' if one_line else chr(10)}{share:.0f} %")
    return labels


def _write_cells(
    axes: "Axes", use: OperatorUse, shares: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", most: float
) -> bool:
    """Write into the cells as much as fits; whether that is more than the share."""
    rows, columns = shares.shape
    inch = axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    width = axes.bbox.width / inch * POINTS_PER_INCH / columns
    height = axes.bbox.height / inch * POINTS_PER_INCH / rows
    detail_size = min(9.5, width / 6.5, height / 5.2)
    details = detail_size >= 5.0
    share_size = min(13.0, 1.35 * detail_size) if details else min(9.0, width / 3.4, height / 1.5)
    if share_size < 4.0:
        return False
    for row in range(rows):
        for column in range(columns):
            dark = shares[row, column] > DARK_FROM * 1.15 * most
            colour = "white" if dark else INK
            above = 0.18 if details else 0.0
            axes.text(
                column, row - above, _share_text(shares[row, column]), ha="center", va="center", fontsize=share_size,
                color=colour, weight="bold",
            )  # fmt: skip
            if details:
                axes.text(
                    column, row + 0.22, _detail_text(use, row, column), ha="center", va="center",
                    fontsize=detail_size, color=colour if dark else MUTED, linespacing=1.15,
                )  # fmt: skip
    return details


def _share_text(share: float) -> str:
    return f"{share:.1f} %" if 0 < share < 9.95 else f"{share:.0f} %"


def _detail_text(use: OperatorUse, row: int, column: int) -> str:
    uses, best = use.uses[row][column], use.new_best[row][column]
    if not uses:
        return "never used"
    accepted = 100 * use.accepted[row][column] / uses
    return f"{accepted:.0f} % accepted\n{best:,} new best" + ("" if best == 1 else "s")
