"""The outline of a VRPLIB file: its specifications and sections, each with its line."""

import difflib
import re
from dataclasses import dataclass

from dacalns.instances.source_text import SourceText
from dacalns.instances.suggest import did_you_mean
from dacalns.shown import listed, shortened, shown

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
KEY = re.compile(r"[A-Z][A-Z0-9_ ]*", re.IGNORECASE | re.ASCII)
MOST_KEYS = 1000
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
        elif key := _key(text):
            _add_specification(outline, key, Line(number, text.partition(":")[2].strip()))
        elif current is not None:
            current.append(Line(number, text))
        else:
            raise source.error(
                number,
                f"the line is {shown(text, 40)}; expected 'KEY : VALUE' or a section heading; correct or delete it.",
            )
    return outline


def _open_section(outline: Outline, name: str, number: int) -> list[Line]:
    if name not in SECTIONS:
        hint = did_you_mean(name, SECTIONS) or "delete it if it does not matter."
        raise outline.source.error(
            number, f"section {shortened(name, 40)} is not supported; expected one of {listed(SECTIONS)}; {hint}"
        )
    if name in outline.rows:
        first = outline.headings[name]
        raise outline.source.error(
            number,
            f"{name} is given a second time; expected it once (first on line {first}); delete one of the two.",
        )
    outline.headings[name] = number
    return outline.rows.setdefault(name, [])


def _add_specification(outline: Outline, key: str, line: Line) -> None:
    if key not in outline.specifications:
        if close := _meant(key):
            raise outline.source.error(
                line.number, f"key {shown(key)} is not known; expected {close[0]} if that is meant; correct the key."
            )
        if len(outline.specifications) == MOST_KEYS:
            raise outline.source.error(
                line.number, f"there are over {MOST_KEYS} keys; expected those of an instance; check the file."
            )
    elif key != "COMMENT":
        first = outline.specifications[key].number
        raise outline.source.error(
            line.number,
            f"{shortened(key, 40)} is given a second time as {shown(line.text)}; expected it once (first on line "
            f"{first}); delete one.",
        )
    outline.specifications.setdefault(key, line)


def _key(text: str) -> str | None:
    """The key that a line gives a value to, if it does."""
    key, colon, _ = text.partition(":")
    return key.strip().upper() if colon and KEY.fullmatch(key.strip()) else None


def _meant(key: str) -> list[str]:
    """The key that this one is a slip of, if it is likely."""
    if key in MEANINGFUL or len(key) > 2 * max(map(len, MEANINGFUL)):
        return []
    return difflib.get_close_matches(key, MEANINGFUL, n=1, cutoff=0.85)
