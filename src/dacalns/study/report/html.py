"""A report as one HTML file with everything in it, which opens offline, on screens of any size, light or dark."""

import html
import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from dacalns.report.figure import COLOURS, FAINT, INK, MUTED, matplotlib_module
from dacalns.study.report.document import Block, Cell, Document, Facts, Paragraph, Pictures, Section, Table
from dacalns.study.report.figures import saved_figure
from dacalns.study.report.tables import over_spans

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Figures are SVG that takes its colours from the page around it.

# The colours that a dark page replaces by lighter ones.
VARIABLES = {INK: "ink", MUTED: "muted", FAINT: "faint"} | {colour: f"c{k}" for k, colour in enumerate(COLOURS)}
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def inline_svg(figure: "Figure", name: str, caption: str) -> str:
    """Return a figure as an ``svg`` element without links, fonts or a size of its own.

    Its colours are CSS variables: ``--ink``, ``--muted``, ``--faint``, and ``--c0``, ``--c1``, ... for lines. ``name``
    makes the identifiers of its parts differ from those of other figures.
    """
    # Text stays text, because it is small, can be searched, and is set in the page's font.
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


# Texts longer than this are broken into lines.
LONG = 40
BADGES = {"good": "good", "bad": "bad", "neutral": "neutral", "faint": "quiet"}


def to_html(document: Document) -> str:
    """Return the page."""
    style = resources.files("dacalns.study.report").joinpath("page.css").read_text(encoding="utf-8")
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(document.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>",
        f"<h1>{html.escape(document.title)}</h1>",
        _contents(document),
        *map(_block, document.introduction),
        *(_section(section, 2, str(place)) for place, section in enumerate(document.sections, start=1)),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _contents(document: Document) -> str:
    """Return a folded list of the sections, with links."""

    def items(sections: Sequence[Section], number: str) -> str:
        lines = []
        for place, section in enumerate(sections, start=1):
            inner = items(section.sections, f"{number}{place}.")
            lines.append(f'<li><a href="#s{number}{place}">{html.escape(section.title)}</a>{inner}</li>')
        return f"<ol>{''.join(lines)}</ol>" if lines else ""

    inner = items(document.sections, "")
    return f"<nav><details><summary>Contents</summary>{inner}</details></nav>" if inner else ""


def _section(section: Section, level: int, number: str) -> str:
    heading = min(level, 4)
    return "\n".join(
        [
            f'<section id="s{number}">\n<h{heading}>{html.escape(section.title)}</h{heading}>',
            *map(_block, section.blocks),
            *(_section(inner, level + 1, f"{number}.{place}") for place, inner in enumerate(section.sections, start=1)),
            "</section>",
        ]
    )


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{html.escape(block.text)}</p>"
    if isinstance(block, Facts):
        facts = [f"<dt>{html.escape(name)}</dt><dd>{_values(values)}</dd>" for name, values in block.facts]
        return f"<dl>{''.join(facts)}</dl>"
    if isinstance(block, Pictures):
        figures = [
            f"<figure>{inline_svg(picture.draw(), picture.name, picture.caption)}"
            f"<figcaption>{html.escape(picture.caption)}</figcaption></figure>"
            for picture in block.pictures
        ]
        return f'<div class="figures">{"".join(figures)}</div>'
    return _table(block)


def _table(table: Table) -> str:
    title = f"<h4>{html.escape(table.title)}</h4>\n" if table.title else ""
    note = f'\n<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    label = html.escape(table.title or "table")
    rows = "\n".join(_row(table, place) for place in range(len(table.rows)))
    return (
        f'{title}<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>\n'
        f"<thead>{_headings(table)}</thead>\n<tbody>\n{rows}\n</tbody></table></div>{note}"
    )


def _headings(table: Table) -> str:
    above = ""
    if any(column.over for column in table.columns):
        cells = [
            f'<th class="over" colspan="{count}" scope="colgroup">{html.escape(over)}</th>' if over else "<th></th>"
            for over, _, count in over_spans(table)
        ]
        above = f"<tr>{''.join(cells)}</tr>"
    own = [
        f'<th scope="col"{_class("number" if column.number else "")}>{html.escape(column.heading)}</th>'
        for column in table.columns
    ]
    return f"{above}<tr>{''.join(own)}</tr>"


def _row(table: Table, place: int) -> str:
    row = table.rows[place]
    part = place in table.breaks
    cells = []
    for column, (kind, cell) in enumerate(zip(table.columns, row, strict=True)):
        again = column == 0 and place > 0 and not part and cell.tone is None and table.rows[place - 1][0] == cell
        classes = ["number" if kind.number else "", "long" if len(cell.text) > LONG else "", "again" if again else ""]
        cells.append(f"<td{_class(*classes)}>{_cell(cell)}</td>")
    return f"<tr{_class('part' if part else '')}>{''.join(cells)}</tr>"


def _class(*names: str) -> str:
    given = " ".join(filter(None, names))
    return f' class="{given}"' if given else ""


def _values(values: Sequence[Cell]) -> str:
    # Badges need no comma between them.
    return (" " if all(value.tone for value in values) else ", ").join(map(_cell, values))


def _cell(cell: Cell) -> str:
    text = f"<code>{html.escape(cell.text)}</code>" if cell.code else _typeset(cell.text)
    if cell.tone is not None:
        text = f'<span class="badge {BADGES[cell.tone]}">{text}</span>'
    return text if cell.paper is None else f'{text}<span class="paper">[{_typeset(cell.paper)}]</span>'


def _typeset(text: str) -> str:
    """Return text with the minus signs and dashes that a reader of tables expects."""
    signed = re.sub(r"(?<![\w-])-(?=\d)", "&minus;", html.escape(text))
    return re.sub(r"^-(?= |$)", "&ndash;", signed)
