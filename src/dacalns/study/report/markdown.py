"""A report as Markdown in GitHub's dialect."""

import re
from collections.abc import Callable, Sequence

from dacalns.study.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Facts,
    Paragraph,
    Picture,
    Pictures,
    Section,
    Table,
)

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$])")


def to_markdown(document: Document, picture_file: Callable[[Picture], str] | None) -> str:
    """Return the text; ``picture_file`` writes a figure and returns its path, or is None to leave figures out."""
    lines = [f"# {escaped(document.title)}", ""]
    for block in document.introduction:
        lines += [*_block(block, picture_file), ""]
    for section in document.sections:
        lines += _section(section, 2, picture_file)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def escaped(text: str) -> str:
    """Return text in which no character has a meaning in Markdown."""
    return SPECIAL.sub(r"\\\1", _in_one_line(text))


def code(text: str) -> str:
    """Return text in backticks; bars are replaced, because they would end the cell of a table."""
    return "`" + _in_one_line(text).replace("`", "'").replace("|", "¦") + "`" if text else ""


def _in_one_line(text: str) -> str:
    """Return text without ends of lines, which names may contain and after which Markdown would begin something new."""
    return re.sub(r"\s*[\r\n]\s*", " ", text)


def _section(section: Section, level: int, picture_file: Callable[[Picture], str] | None) -> list[str]:
    lines = [f"{'#' * level} {escaped(section.title)}", ""]
    for block in section.blocks:
        lines += [*_block(block, picture_file), ""]
    for inner in section.sections:
        lines += _section(inner, level + 1, picture_file)
    return lines


def _block(block: Block, picture_file: Callable[[Picture], str] | None) -> list[str]:
    if isinstance(block, Paragraph):
        return [escaped(block.text)]
    if isinstance(block, Facts):
        return [f"- {escaped(name)}: {', '.join(map(_cell, values))}" for name, values in block.facts]
    if isinstance(block, Pictures):
        if picture_file is None:
            return []
        lines = []
        for picture in block.pictures:
            lines += [
                f"![{escaped(picture.caption)}]({picture_file(picture)})",
                "",
                f"*{escaped(picture.caption)}*",
                "",
            ]
        return lines
    return _table(block)


def _table(table: Table) -> list[str]:
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    lines.append(_line([escaped(_heading(column)) for column in table.columns]))
    lines.append(_line(["---:" if column.number else "---" for column in table.columns]))
    lines += [_line([_cell(cell) for cell in row]) for row in table.rows]
    return [*lines, "", escaped(table.note)] if table.note else lines


def _heading(column: Column) -> str:
    return f"{column.over}: {column.heading}" if column.over else column.heading


def _cell(cell: Cell) -> str:
    text = code(cell.text) if cell.code else escaped(cell.text)
    if cell.tone in ("good", "bad", "neutral"):
        text = f"**{text}**"
    return text if cell.paper is None else f"{text} \\[{escaped(cell.paper)}\\]"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
