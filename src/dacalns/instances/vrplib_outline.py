"""The outline of a VRPLIB file: its specifications and sections, each with its line."""

import difflib
import re
from dataclasses import dataclass

from dacalns.instances.source_text import SourceText
from dacalns.instances.suggest import did_you_mean

SECTIONS = (
    "NODE_COORD_SECTION",
    "DISPLAY_DATA_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION",
    "DEPOT_SECTION",
)

HEADING = re.compile(r"([A-Z][A-Z0-9_]*_SECTION)\s*:?$")
SPECIFICATION = re.compile(r"([A-Z][A-Z0-9_ ]*?)\s*:\s*(.*)$", re.IGNORECASE)
# A slip in one of these would be passed over like any unknown key, and the problem would be another.
MEANINGFUL = (
    "CAPACITY",
    "DIMENSION",
    "DISTANCE",
    "EDGE_WEIGHT_FORMAT",
    "EDGE_WEIGHT_TYPE",
    "SERVICE_TIME",
    "TYPE",
    "VEHICLES",
)


@dataclass(frozen=True)
class Line:
    """A piece of text and where it stands."""

    number: int
    text: str


@dataclass(frozen=True)
class Outline:
    """Specifications by key, headings and rows of the sections by name."""

    source: SourceText
    specifications: dict[str, Line]
    headings: dict[str, int]
    rows: dict[str, list[Line]]

    def required(self, key: str, example: str) -> Line:
        """Return a specification, or raise an `InputError` that shows what the line should look like."""
        if key not in self.specifications:
            raise self.source.error(1, f"{key} is missing; expected a line such as '{key} : {example}'; add it.")
        return self.specifications[key]

    def section(self, name: str) -> list[Line]:
        """Return the rows of a section, or raise an `InputError` that says it is missing."""
        if name not in self.rows:
            raise self.source.error(1, f"{name} is missing; expected a row for each node under it; add the section.")
        return self.rows[name]


def outline_vrplib(source: SourceText) -> Outline:
    """Sort the lines of a VRPLIB file into specifications and sections.

    Raises
    ------
    InputError
        For a line that is neither, for something given twice, and for a section that is not known: it may
        well change the problem, so that ignoring it would solve another one.
    """
    outline = Outline(source, {}, {}, {})
    current: list[Line] | None = None
    for number, raw in enumerate(source.lines, start=1):
        text = raw.strip()
        if not text:
            continue
        if not text[0].isalpha() and current is not None:
            current.append(Line(number, text))
        elif text == "EOF":
            break
        elif heading := HEADING.match(text):
            current = _open_section(outline, heading[1], number)
        elif specification := SPECIFICATION.match(text):
            _add_specification(outline, specification[1].upper(), Line(number, specification[2].strip()))
        elif current is not None:
            current.append(Line(number, text))
        else:
            raise source.error(
                number,
                f"the line is {_shortened(text)!r}; expected 'KEY : VALUE' or a section heading; correct or delete it.",
            )
    return outline


def _open_section(outline: Outline, name: str, number: int) -> list[Line]:
    if name not in SECTIONS:
        hint = did_you_mean(name, SECTIONS) or "delete it if it does not matter."
        known = ", ".join(SECTIONS)
        raise outline.source.error(number, f"section {name} is not supported; expected one of {known}; {hint}")
    if name in outline.rows:
        first = outline.headings[name]
        raise outline.source.error(
            number,
            f"{name} is given a second time; expected it once (first on line {first}); delete one of the two.",
        )
    outline.headings[name] = number
    return outline.rows.setdefault(name, [])


def _add_specification(outline: Outline, key: str, line: Line) -> None:
    if key not in MEANINGFUL and (close := difflib.get_close_matches(key, MEANINGFUL, n=1, cutoff=0.85)):
        raise outline.source.error(
            line.number, f"key {key!r} is not known; expected {close[0]} if that is meant; correct the key."
        )
    if key in outline.specifications and key != "COMMENT":
        first = outline.specifications[key].number
        raise outline.source.error(
            line.number,
            f"{key} is given a second time as {line.text!r}; expected it once (first on line {first}); delete one.",
        )
    outline.specifications.setdefault(key, line)


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
