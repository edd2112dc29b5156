"""The picture of the cost of the best solution over time."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dacalns.instances.best_known import best_known_word
from dacalns.report.figure import COLOURS, FAINT, INK, MUTED, axes_or_new, cost_text, matplotlib_module
from dacalns.search.result import NewBest, Result
from dacalns.search.stopping import DISTANCE
from dacalns.util.values import gap_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# On a logarithmic axis, a start solution found at time 0 is drawn at this fraction of the first improvement's time.
BEFORE_FIRST = 0.5


def plot_convergence(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw the cost of the best solution over time, with the best-known value or reference if there is one.

    The time axis is logarithmic if most improvements came early. While the best solution leaves customers unserved, its
    cost is not that of a solution, and it is drawn dashed and grey. If fewer vehicles count more than less distance,
    the cost may rise with each vehicle that is saved.

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
    axes = axes_or_new(ax, 7.0, 4.2)
    end = max(result.seconds, result.history[-1].seconds, 1e-6)
    start = 0.0
    if _mostly_early(result.history, end):
        start = result.history[0].seconds or BEFORE_FIRST * result.history[1].seconds
        axes.set_xscale("log")
    served = next((k for k, event in enumerate(result.history) if not event.unserved), len(result.history))
    first_served = result.history[served].seconds if served < len(result.history) else end
    _draw_steps(axes, result.history[:served], start, first_served, grey=True)
    _draw_steps(axes, result.history[served:], start, end, grey=False)
    # A distance with more vehicles cannot be compared with the published one.
    if result.best_known is not None and (result.objective == DISTANCE or result.gap_percent is not None):
        _draw_best_known(axes, result, result.best_known)
    axes.set_xlim(start, end * (1.12 if start else 1.03))
    ticker = matplotlib_module("ticker")
    if start and end < 300 * start:
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(ticker.EngFormatter(unit="s"))
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.10g}"))
    axes.set_xlabel("time" + (" (logarithmic)" if start else ""), fontsize=9, color=INK)
    first = "" if result.objective == DISTANCE else ", fewest vehicles first"
    axes.set_ylabel(f"cost of the best solution{first}", fontsize=9, color=INK)
    axes.set_title(_title(result), fontsize=10.5, color=INK, loc="left")
    axes.tick_params(labelsize=8, colors=MUTED)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _mostly_early(history: list[NewBest], end: float) -> bool:
    times = [event.seconds for event in history if event.seconds > 0]
    return len(times) >= 3 and float(np.median(times)) < 0.15 * end


def _draw_steps(axes: "Axes", events: list[NewBest], start: float, end: float, *, grey: bool) -> None:
    if not events:
        return
    times = [max(event.seconds, start) for event in events]
    costs = [event.cost for event in events]
    colour = MUTED if grey else COLOURS[0]
    axes.plot(
        [*times, end], [*costs, costs[-1]], drawstyle="steps-post", color=colour,
        linewidth=1.2 if grey else 1.8, linestyle="dashed" if grey else "solid",
        label="leaves customers unserved" if grey else "best solution",
    )  # fmt: skip
    if grey:
        axes.legend(loc="upper right", fontsize=8, frameon=False, labelcolor=MUTED)
    else:
        axes.plot(times, costs, linestyle="none", marker="o", markersize=3.0, color=colour)


def _draw_best_known(axes: "Axes", result: Result, best_known: float) -> None:
    # The curve starts above the line and ends above it, unless there is no solution or a new record: below is room.
    below = result.feasible and result.cost >= best_known
    word = best_known_word(result.best_known_origin)
    axes.axhline(best_known, color=COLOURS[4], linewidth=1.2, linestyle="dashed", zorder=1.5)
    axes.annotate(
        f"{word} {cost_text(best_known)}",
        (0.0 if below else 1.0, best_known),
        xycoords=("axes fraction", "data"),
        xytext=(4, -3) if below else (-4, 3),
        textcoords="offset points",
        ha="left" if below else "right",
        va="top" if below else "bottom",
        fontsize=8,
        color=COLOURS[4],
    )
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.09 * (high - low), high)
    if not result.feasible:
        return

    def gap_of(cost: Any) -> Any:
        return gap_percent(cost, best_known)

    def cost_of(gap: Any) -> Any:
        return best_known * (1 + gap / 100)

    right = axes.secondary_yaxis("right", functions=(gap_of, cost_of))
    right.set_ylabel(f"gap to {word} (%)", fontsize=9, color=MUTED)
    right.tick_params(labelsize=8, colors=MUTED)
    right.spines["right"].set_visible(False)


def _title(result: Result) -> str:
    last = result.history[-1]
    if last.unserved:
        return f"No feasible solution in {_duration(result.seconds)}, {result.iterations:,} iterations"
    if last.iteration == 0:
        return f"{cost_text(result.cost)} from the start on; {result.iterations:,} iterations found no better"
    return f"{cost_text(result.cost)} after {_duration(last.seconds)} (iteration {last.iteration:,})"


def _duration(seconds: float) -> str:
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:,.4g} s"
