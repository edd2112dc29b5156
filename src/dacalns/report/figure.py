"""Figures: their style, the axes they are drawn on, and the files they are written to."""

import importlib
import io
import os
from typing import TYPE_CHECKING, Any

from dacalns.util.errors import InputError
from dacalns.util.files import require_writable, write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Colours, lines and numbers that all pictures share.

INK, MUTED, FAINT = "#222222", "#666666", "#dddddd"

# Okabe and Ito's colours without yellow and black, and three dark ones: far apart also under simulated protanopia,
# deuteranopia and tritanopia, and ordered so that neighbours in the list differ most.
COLOURS = (
    "#0072B2", "#E69F00", "#332288", "#009E73", "#D55E00", "#882255", "#CC79A7", "#7A4B1E", "#56B4E9",
)  # fmt: skip
# After the last colour comes the first again, with another line and another marker: 27 routes look different.
LINES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.0)))
MARKERS = ("o", "s", "^")


def cost_text(cost: float) -> str:
    """A cost as people write it: 784, 827.3, 1,234,567."""
    rounded = round(cost, 2)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.2f}".rstrip("0")


def count_text(count: int, what: str) -> str:
    """Such as ``1 route`` or ``1,000 customers``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def gap_text(percent: float) -> str:
    """A gap to the best-known value or reference; one below it is worth a second look."""
    alarm = " (negative: check it)" if percent < -0.005 else ""
    return f"gap {percent:.2f} %{alarm}".replace("-0.00 %", "0.00 %")


# Where drawings go: the user's axes, or a figure of our own that needs neither pyplot nor a display.

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


# Figures into files: what is checked before a long search, and the writing after it.

FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 150


def require_plotting(path: str | os.PathLike[str]) -> str:
    """Check, before a long search, that a picture can be written to ``path``, and return it as text.

    Raises
    ------
    InputError
        If the suffix is unknown, the folder does not exist, ``path`` is a folder, or Matplotlib is missing.
    """
    target = os.fsdecode(path)
    if _suffix(target) not in FORMATS:
        listed = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(
            f"{target}: the suffix is '{os.path.splitext(target)[1]}'; expected one of {listed}; rename it."
        )
    require_writable(target)
    matplotlib_module("figure")
    return target


def write_figure(figure: "Figure", target: str) -> None:
    """Write a figure to a path that `require_plotting` accepted.

    Raises
    ------
    InputError
        If it cannot be written all the same.
    """
    content = io.BytesIO()
    figure.savefig(content, format=_suffix(target), dpi=DOTS_PER_INCH)
    write_atomically(target, content.getvalue())


def _suffix(target: str) -> str:
    return os.path.splitext(target)[1].lower().lstrip(".")
