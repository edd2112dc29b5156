"""Figures as the content of files."""

import io
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def saved_figure(figure: "Figure", format: str, **options: Any) -> bytes:  # noqa: A002
    """A figure in a format of Matplotlib's, without complaint about letters of names that its font lacks."""
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing", category=UserWarning)
        figure.savefig(content, format=format, **options)
    return content.getvalue()
