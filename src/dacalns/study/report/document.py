"""A report as data, before it is Markdown, LaTeX or HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

DASH = "-"
"""Stands where there is no number."""


@dataclass(frozen=True)
class Cell:
    """What stands in a table.

    Parameters
    ----------
    text
        Our value.
    paper
        The paper's, to stand beside it.
    tone
        ``"good"``, ``"bad"``, ``"neutral"`` or ``"faint"`` for a verdict; a format may show it as a colour.
    code
        Whether the text is to be taken literally, as names and error messages are.
    """

    text: str
    paper: str | None = None
    tone: str | None = None
    code: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its heading, a heading that it shares with its neighbours, and whether it holds numbers."""

    heading: str
    over: str = ""
    number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns; ``breaks`` are the rows that begin a new part."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    note: str = ""
    breaks: Sequence[int] = ()


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Names with what they stand for."""

    facts: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn when a format wants it; ``name`` becomes a file's."""

    name: str
    caption: str
    draw: "Callable[[], MatplotlibFigure]"


@dataclass(frozen=True)
class Pictures:
    """Figures that stand side by side where there is room."""

    pictures: Sequence[Picture]


Block = Table | Paragraph | Facts | Pictures


@dataclass(frozen=True)
class Section:
    """A heading with what belongs to it."""

    title: str
    blocks: Sequence[Block] = ()
    sections: "Sequence[Section]" = field(default=())


@dataclass(frozen=True)
class Document:
    """A whole report; every section is one study, or the reason why there is none."""

    title: str
    introduction: Sequence[Block]
    sections: Sequence[Section]


def with_different_names(document: Document) -> Document:
    """The same with a number behind the name of each figure that another one has already."""
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
