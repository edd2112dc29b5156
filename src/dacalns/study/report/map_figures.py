"""Heat maps: what two choices do together, narrow enough to be read on a phone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dacalns.report.canvas import axes_or_new
from dacalns.report.style import INK, MUTED
from dacalns.study.report.figures import CELL_INK, WIDTH
from dacalns.study.report.words import signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Blue is better, red is worse, white is no difference; both ends read without colour vision, as the numbers do.
MAP = "RdBu_r"
# From this part of the largest value on, cells are too dark for dark ink.
DARK_FROM = 0.62
# What the colours cover at least, in percent: noise should not look like a finding.
LEAST_SPAN = 0.1
MOST_NUMBERS = 8


@dataclass(frozen=True)
class HeatMap:
    """A cell for each combination of two choices.

    Parameters
    ----------
    down, across
        The choices: names and levels.
    gaps
        The mean gap in percent over the readings of each combination; not a number where there are none.
    holding, tried
        Under how many of these readings the learner is better, and how many there are.
    """

    down: tuple[str, Sequence[str]]
    across: tuple[str, Sequence[str]]
    gaps: npt.NDArray[np.float64]
    holding: npt.NDArray[np.int64]
    tried: npt.NDArray[np.int64]


def draw_heat_map(shown: HeatMap, most: float) -> "Figure":
    """The mean gaps as colours and numbers; below each, how many readings of the cell are better by the test.

    Parameters
    ----------
    shown
        What to draw.
    most
        The gap at which colours end, so that figures can share it.
    """
    (down, rows), (across, columns) = shown.down, shown.across
    axes = axes_or_new(None, WIDTH, 1.05 + 0.44 * len(rows))
    most = max(most, LEAST_SPAN)
    axes.pcolormesh(
        np.ma.masked_invalid(shown.gaps), cmap=MAP, vmin=-most, vmax=most, edgecolors="white", linewidth=1.2
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
        ink = "white" if abs(value) > DARK_FROM * most else CELL_INK
        count = f"{shown.holding[row, column]} of {shown.tried[row, column]}"
        weight = "bold" if shown.holding[row, column] else "normal"
        axes.text(column + 0.5, row + 0.36, signed(value, 2), ha="center", va="center", fontsize=9.5, color=ink)
        axes.text(column + 0.5, row + 0.73, count, ha="center", va="center", fontsize=7, color=ink, weight=weight)
    return axes.get_figure(root=True)  # type: ignore[return-value]


def _wrapped(level: str) -> str:
    """A name in short lines, broken after hyphens and spaces."""
    lines = [""]
    for word in level.replace("-", "- ").split(" "):
        glued = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("-") else " ") + word
        if lines[-1] and len(glued) > 10:
            lines.append(word)
        else:
            lines[-1] = glued
    return "\n".join(lines)
