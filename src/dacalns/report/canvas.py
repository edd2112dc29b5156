"""Where drawings go: the user's axes, or a figure of our own that needs neither pyplot nor a display."""

import importlib
from typing import TYPE_CHECKING, Any

from dacalns.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INSTALL = 'pip install "dac-alns[plot]"'


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib.{name}``, at the moment it is needed.

    Raises
    ------
    InputError
        With the line that installs Matplotlib, where it is missing.
    """
    try:
        return importlib.import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise InputError(f"Pictures need Matplotlib, which cannot be imported ({error}); run: {INSTALL}") from None


def new_figure(width: float, height: float) -> "Figure":
    """A white figure of so many inches that pyplot does not know of: nothing to close, no window, no backend."""
    figure: Figure = matplotlib_module("figure").Figure(figsize=(width, height), facecolor="white")
    matplotlib_module("backends.backend_agg").FigureCanvasAgg(figure)
    return figure


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """The axes given, or those of a new figure; ``ax.figure.savefig(...)`` then writes it.

    Raises
    ------
    InputError
        If ``ax`` is given and is no axes, or Matplotlib is missing.
    """
    if ax is None:
        figure = new_figure(width, height)
        figure.set_layout_engine("constrained")
        return figure.add_subplot()
    kind: type[Axes] = matplotlib_module("axes").Axes
    if not isinstance(ax, kind):
        raise InputError(f"ax is a {type(ax).__name__}; expected Matplotlib axes, or None for a new figure.")
    return ax
