"""A report as data, before it becomes Markdown, LaTeX or HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

DASH = "-"
"""The text in place of a number that does not exist."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table, or a value among facts.

    Parameters
    ----------
    text
        Our value.
    paper
        The paper's value, which stands beside it.
    tone
        ``"good"``, ``"bad"``, ``"neutral"`` or ``"faint"`` for a verdict, which a format may show as a colour.
    code
        True if the text is shown literally, as names and error messages are.
    """

    text: str
    paper: str | None = None
    tone: str | None = None
    code: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, a heading that it shares with its neighbours, and whether it holds numbers."""

    heading: str
    over: str = ""
    number: bool = True


@dataclass(frozen=True)
class Table:
    """A table of cells in rows and columns; ``breaks`` are the rows that begin a new part."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    note: str = ""
    breaks: Sequence[int] = ()


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True)
class Facts:
    """A list of names, each with its values."""

    facts: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn when a format needs it; ``name`` becomes the name of its file."""

    name: str
    caption: str
    draw: "Callable[[], MatplotlibFigure]"


@dataclass(frozen=True)
class Pictures:
    """Figures that stand side by side if there is room."""

    pictures: Sequence[Picture]


Block = Table | Paragraph | Facts | Pictures


@dataclass(frozen=True)
class Section:
    """A heading with the blocks and sections below it."""

    title: str
    blocks: Sequence[Block] = ()
    sections: "Sequence[Section]" = field(default=())


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    introduction: Sequence[Block]
    sections: Sequence[Section]


def with_different_names(document: Document) -> Document:
    """Return the document with a number behind each figure's name that an earlier figure has."""
    taken: set[str] = set()

    def renamed(picture: Picture) -> Picture:
        name, number = picture.name, 1
        while name in taken:
            number += 1
            name = f"{picture.name}-{number}"
        taken.add(name)
        return replace(picture, name=name)

    def of_section(section: Section) -> Section:
        blocks = [
            Pictures([renamed(picture) for picture in block.pictures]) if isinstance(block, Pictures) else block
            for block in section.blocks
        ]
        return replace(section, blocks=blocks, sections=[of_section(inner) for inner in section.sections])

    return replace(document, sections=[of_section(section) for section in document.sections])
