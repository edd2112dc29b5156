"""Figures into files: what is checked before a long search, and the writing after it."""

import io
import os
from typing import TYPE_CHECKING

from dacalns.errors import InputError
from dacalns.instances.atomic import require_writable, write_atomically
from dacalns.report.canvas import matplotlib_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
