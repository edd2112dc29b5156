"""The picture of how often the pairs of operators were used, and how successful they were."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dacalns.report.figure import INK, axes_or_new
from dacalns.search.result import OperatorUse, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Table = npt.NDArray[np.float64]

# The colours go from light to dark in one hue, so that they can be read without colour vision and in print.
MAP = "Blues"
DARK_FROM = 0.63  # cells above this part of the largest share have white text
LONGEST_NAME = 24
# With more repair operators than this, their names are slanted.
LEVEL_LABELS = 4


def plot_operators(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw a table of the pairs of operators, with their share of the iterations as colour and number.

    If the cells have room, the percentage of the pair's iterations that were accepted and the number of its new best
    solutions stand below the share. The shares of single operators stand with their names.

    Parameters
    ----------
    result
        The result of a search.
    ax
        The axes to draw on; those of a new figure if left out.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

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
    if columns > LEVEL_LABELS:
        for label in axes.get_xticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
    axes.spines[:].set_visible(False)
    details = _write_cells(axes, use, shares, most)
    axes.set_title(
        "Share of iterations" + (", accepted, new bests" if details else "") + " by operators",
        fontsize=10.5, color=INK, loc="left",
    )  # fmt: skip
    return axes


def _labels(names: list[str], shares: Table) -> list[str]:
    one_line = len(names) > LEVEL_LABELS
    labels = []
    for name, share in zip(names, shares, strict=True):
        labels.append(f"{operator_label(name)}{'  ' if one_line else chr(10)}{share:.0f} %")
    return labels


def operator_label(name: str) -> str:
    """Return the name of an operator in words, shortened if it is long."""
    words = name.replace("_", " ")
    return words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME - 1] + "…"


def _write_cells(axes: "Axes", use: OperatorUse, shares: Table, most: float) -> bool:
    """Write as much as fits into the cells, and return True if that is more than the share."""
    rows, columns = shares.shape
    points_per_pixel = 72.0 / axes.figure.dpi
    width, height = axes.bbox.width * points_per_pixel / columns, axes.bbox.height * points_per_pixel / rows
    detail_size = min(9.5, width / 6.5, height / 5.2)
    details = bool(detail_size >= 5.0)
    share_size = min(13.0, 1.35 * detail_size) if details else min(9.0, width / 3.4, height / 1.5)
    if share_size < 4.0:
        return False
    for row in range(rows):
        for column in range(columns):
            share = float(shares[row, column])
            style: dict[str, Any] = {
                "color": "white" if share > DARK_FROM * most else INK,
                "textcoords": "offset points",
            }
            words = _share_text(share) if share_size >= 6.5 else _short_share_text(share)
            axes.annotate(
                words, (column, row), (0, 1.35 * detail_size if details else 0), ha="center", va="center",
                fontsize=share_size, weight="bold", **style,
            )  # fmt: skip
            if details:
                axes.annotate(
                    _detail_text(use, row, column), (column, row), (0, -1.0 * detail_size), ha="center", va="center",
                    fontsize=detail_size, linespacing=1.2, **style,
                )  # fmt: skip
    return details


def _share_text(share: float) -> str:
    return f"{share:.1f} %" if 0 < share < 9.95 else f"{share:.0f} %"


def _short_share_text(share: float) -> str:
    return _share_text(share)[:-2] if share >= 0.05 else ""


def _detail_text(use: OperatorUse, row: int, column: int) -> str:
    uses, best = use.uses[row][column], use.new_best[row][column]
    if not uses:
        return "never used"
    accepted = 100 * use.accepted[row][column] / uses
    return f"{accepted:.0f} % accepted\n{best:,} new best" + ("" if best == 1 else "s")
