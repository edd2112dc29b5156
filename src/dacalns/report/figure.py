"""The style of all figures, the axes that they are drawn on, and the files that they are written to."""

import importlib
import io
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from dacalns.util.errors import InputError
from dacalns.util.files import require_writable, write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Colours, lines and numbers that all pictures share.

INK, MUTED, FAINT = "#222222", "#666666", "#dddddd"

# Okabe and Ito's colours without yellow and black, and three dark ones. They can be told apart also under simulated
# protanopia, deuteranopia and tritanopia, and are ordered so that neighbours in the list differ most.
COLOURS = (
    "#0072B2", "#E69F00", "#332288", "#009E73", "#D55E00", "#882255", "#CC79A7", "#7A4B1E", "#56B4E9",
)  # fmt: skip
# After the last colour the first one comes again with another line and another marker, so that 27 routes differ.
LINES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.0)))
MARKERS = ("o", "s", "^")
# Where there are several vehicle types, the marker tells them instead.
TYPE_MARKERS = ("o", "^", "s", "D", "v", "P", "X", "p", "<", ">", "h", "*")


def cost_text(cost: float) -> str:
    """Return a cost as people write it: 784, 827.3, 1,234,567."""
    rounded = round(cost, 2)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.2f}".rstrip("0")


def count_text(count: int, what: str) -> str:
    """Return a number of things in words, such as ``1 route`` or ``1,000 customers``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def gap_text(percent: float) -> str:
    """Return a gap to the best-known value or reference in words; a negative one deserves a second look."""
    alarm = " (negative: check it)" if percent < -0.005 else ""
    return f"gap {percent:.2f} %{alarm}".replace("-0.00 %", "0.00 %")


# Pictures are drawn on the user's axes, or on a figure of our own that needs neither pyplot nor a display.

INSTALL = 'pip install "dac-alns[plot]"'


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib.{name}`` when it is needed, and return it.

    Raises
    ------
    InputError
        If Matplotlib is missing; the message has the command that installs it.
    """
    try:
        return importlib.import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise InputError(f"Pictures need Matplotlib, which cannot be imported ({error}); run: {INSTALL}") from None


def new_figure(width: float, height: float) -> "Figure":
    """Return a white figure, in inches, that pyplot does not manage: it needs no closing, no window and no backend.

    Notebooks show it, and axes on it, as a picture.
    """
    figure: Figure = _shown_figure(matplotlib_module("figure").Figure)(figsize=(width, height), facecolor="white")
    matplotlib_module("backends.backend_agg").FigureCanvasAgg(figure)
    return figure


@cache
def _shown_figure(plain: Any) -> type[Any]:
    """A figure that notebooks show: they know those of pyplot alone."""

    class ShownFigure(plain):  # type: ignore[misc]
        def _repr_png_(self) -> bytes:
            return picture_of(self, "png")

    return ShownFigure


@cache
def _shown_axes(plain: Any) -> type[Any]:
    """Axes of which notebooks show the figure."""

    class ShownAxes(plain):  # type: ignore[misc]
        def _repr_png_(self) -> bytes:
            return picture_of(self.figure, "png")

    return ShownAxes


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the given axes, or those of a new figure, which ``ax.figure.savefig(...)`` writes.

    Raises
    ------
    InputError
        If ``ax`` is something other than axes, or Matplotlib is missing.
    """
    if ax is None:
        figure = new_figure(width, height)
        figure.set_layout_engine("constrained")
        return figure.add_subplot(axes_class=_shown_axes(matplotlib_module("axes").Axes))
    kind: type[Axes] = matplotlib_module("axes").Axes
    if not isinstance(ax, kind):
        raise InputError(f"ax is a {type(ax).__name__}; expected Matplotlib axes, or None for a new figure.")
    return ax


# Files: the path is checked before a long search, and the figure is written after it.

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
        If the file cannot be written after all.
    """
    write_atomically(target, picture_of(figure, _suffix(target)))


def picture_of(figure: "Figure", form: str) -> bytes:
    """Return a figure as the content of a file."""
    content = io.BytesIO()
    figure.savefig(content, format=form, dpi=DOTS_PER_INCH)
    return content.getvalue()


def _suffix(target: str) -> str:
    return os.path.splitext(target)[1].lower().lstrip(".")
