"""Figures as SVG that takes its colours from the page around it."""

import html
import re
from typing import TYPE_CHECKING

from dacalns.report.canvas import matplotlib_module
from dacalns.report.style import COLOURS, FAINT, INK, MUTED
from dacalns.study.report.saved_figure import saved_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What a dark page draws lighter.
VARIABLES = {INK: "ink", MUTED: "muted", FAINT: "faint"} | {colour: f"c{k}" for k, colour in enumerate(COLOURS)}
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def inline_svg(figure: "Figure", name: str, caption: str) -> str:
    """An ``svg`` element without links, fonts or a size of its own; ``name`` keeps its parts from other figures'.

    Its colours are CSS variables: ``--ink``, ``--muted``, ``--faint``, and ``--c0``, ``--c1``, ... for lines.
    """
    # Text stays text: it is small, can be searched, and is set in the page's font.
    with matplotlib_module("style").context({"svg.fonttype": "none", "svg.hashsalt": name}):
        text = saved_figure(figure, "svg", transparent=True, metadata=NO_METADATA).decode()
    box = re.search(r'viewBox="([^"]*)"', text)
    inner = text[text.index(">", text.index("<svg")) + 1 :]
    for unwanted in (r"<style.*?</style>", r"<metadata.*?</metadata>", r'(?<=<g) id="[^"]*"', r" font-family: [^;]*;",
                     r' transform="rotate\(-0 [^"]*"'):  # fmt: skip
        inner = re.sub(unwanted, "", inner, flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        inner = re.sub(re.escape(colour), f"var(--{variable})", inner, flags=re.IGNORECASE)
    inner = re.sub(r"\s*\n\s*", " ", inner)
    shape = box[1] if box else "0 0 1 1"
    return f'<svg viewBox="{shape}" role="img" aria-label="{html.escape(caption)}">{inner}'
