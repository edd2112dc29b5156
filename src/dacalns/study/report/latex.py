"""A report as a LaTeX document that pdflatex can process as it is."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from dacalns.study.report.document import Block, Cell, Document, Facts, Paragraph, Picture, Pictures, Section, Table
from dacalns.study.report.tables import over_spans

HEAD = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[a4paper,landscape,margin=1.8cm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{xcolor}
\definecolor{good}{HTML}{00704F}
\definecolor{bad}{HTML}{B3261E}
\definecolor{neutral}{HTML}{8A5A00}
\definecolor{faint}{HTML}{666666}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\setlength{\tabcolsep}{4pt}
% A table that is too wide is made smaller.
\newsavebox{\tablebox}
\newcommand{\fittedtable}{\ifdim\wd\tablebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\tablebox}}\else
  \usebox{\tablebox}\fi}
\begin{document}
"""
SECTIONS = ("section", "subsection", "subsubsection")
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "…": r"\dots{}", "±": r"\textpm{}",
    "[": "{[}", "]": "{]}",
}  # fmt: skip
# No more rows than this fit on a page.
MOST_ROWS = 34
# Texts longer than this are broken into lines.
LONG = 40


def to_latex(document: Document, picture_file: Callable[[Picture], str] | None) -> str:
    """Return the document; ``picture_file`` writes a figure and returns its path, or is None to leave figures out."""
    lines = [HEAD, rf"\begin{{center}}\LARGE {escaped(document.title)}\end{{center}}", ""]
    for block in document.introduction:
        lines += [*_block(block, picture_file), ""]
    for section in document.sections:
        lines += _section(section, 0, picture_file)
    return "\n".join([*lines, r"\end{document}", ""])


def escaped(text: str) -> str:
    """Return text in a form that LaTeX prints as it is; characters that its fonts lack become question marks."""
    return "".join(SPECIAL.get(letter) or _known(letter) for letter in text)


def _known(letter: str) -> str:
    if letter.isascii():
        return letter if letter.isprintable() else " "
    if "À" <= letter <= "ÿ":
        return letter
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return "".join(SPECIAL.get(each, each) for each in plain) or "?"


def _section(section: Section, level: int, picture_file: Callable[[Picture], str] | None) -> list[str]:
    lines = [rf"\{SECTIONS[min(level, 2)]}*{{{escaped(section.title)}}}", ""]
    for block in section.blocks:
        lines += [*_block(block, picture_file), ""]
    for inner in section.sections:
        lines += _section(inner, level + 1, picture_file)
    return lines


def _block(block: Block, picture_file: Callable[[Picture], str] | None) -> list[str]:
    if isinstance(block, Paragraph):
        return [escaped(block.text)]
    if isinstance(block, Facts):
        items = [rf"\item {escaped(name)}: {', '.join(map(_cell, values))}" for name, values in block.facts]
        return [r"\begin{itemize}", *items, r"\end{itemize}"] if items else []
    if isinstance(block, Pictures):
        return [line for picture in block.pictures for line in _picture(picture, picture_file)]
    return _table(block)


def _picture(picture: Picture, picture_file: Callable[[Picture], str] | None) -> list[str]:
    if picture_file is None:
        return []
    path = picture_file(picture)
    return [
        r"\begin{minipage}[t]{0.48\linewidth}\centering",
        rf"\includegraphics[width=\linewidth,height=0.55\textheight,keepaspectratio]{{{path}}}",
        "",
        rf"{{\small {escaped(picture.caption)}}}",
        r"\end{minipage}\hfill",
    ]


def _table(table: Table) -> list[str]:
    if not table.rows:
        return []
    lines: list[str] = []
    parts = [*_parts(table)]
    for place, (begin, end) in enumerate(parts):
        title = table.title + (" (continued)" if place else "")
        lines += [rf"\begin{{minipage}}{{\linewidth}}\textbf{{{escaped(title)}}}", ""] if title else [
            r"\begin{minipage}{\linewidth}"
        ]  # fmt: skip
        lines += [r"\smallskip", r"\begin{lrbox}{\tablebox}\footnotesize"]
        lines += [*_tabular(table, begin, end), r"\end{lrbox}\fittedtable"]
        if table.note and place == len(parts) - 1:
            lines += ["", rf"{{\footnotesize {escaped(table.note)}}}"]
        lines += [r"\end{minipage}", "", r"\medskip", ""]
    return lines


def _parts(table: Table) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that fit on a page, cut where a new part of the table begins if possible."""
    begin = 0
    while len(table.rows) - begin > MOST_ROWS:
        cuts = [place for place in table.breaks if begin < place <= begin + MOST_ROWS]
        end = cuts[-1] if cuts else begin + MOST_ROWS
        yield begin, end
        begin = end
    yield begin, len(table.rows)


def _tabular(table: Table, begin: int, end: int) -> list[str]:
    widths = [
        max((len(row[place].text) for row in table.rows), default=0) for place in range(len(table.columns))
    ]  # fmt: skip
    kinds = [
        "r" if column.number else r">{\raggedright\arraybackslash}p{6cm}" if width > LONG else "l"
        for column, width in zip(table.columns, widths, strict=True)
    ]
    lines = [rf"\begin{{tabular}}{{{''.join(kinds)}}}", r"\toprule", *_headings(table), r"\midrule"]
    for place in range(begin, end):
        if place in table.breaks and place > begin:
            lines.append(r"\midrule")
        row = table.rows[place]
        again = (
            place > begin and place not in table.breaks and row[0].tone is None and row[0] == table.rows[place - 1][0]
        )
        lines.append(" & ".join(["" if again else _cell(row[0]), *map(_cell, row[1:])]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _headings(table: Table) -> list[str]:
    own = " & ".join(escaped(column.heading) for column in table.columns) + r" \\"
    if not any(column.over for column in table.columns):
        return [own]
    spans = over_spans(table)
    above = " & ".join(rf"\multicolumn{{{count}}}{{c}}{{{escaped(over)}}}" for over, _, count in spans) + r" \\"
    rules = "".join(rf"\cmidrule(lr){{{begin + 1}-{begin + count}}}" for over, begin, count in spans if over)
    return [above, rules, own]


def _cell(cell: Cell) -> str:
    text = escaped(cell.text) if cell.code else _with_minus(cell.text)
    if cell.code:
        # Long commands and messages may break after any space or punctuation.
        text = r"\texttt{" + re.sub(r"([/.,:=-])", r"\1\\allowbreak{}", text) + "}"
    if cell.tone is not None:
        text = rf"\textcolor{{{cell.tone}}}{{\textbf{{{text}}}}}"
    return text if cell.paper is None else rf"{text} \textcolor{{faint}}{{{{[}}{_with_minus(cell.paper)}{{]}}}}"


def _with_minus(text: str) -> str:
    """Return text whose negative numbers have a minus sign instead of a hyphen."""
    return re.sub(r"(?<![\w-])-(?=\d)", "$-$", escaped(text))
