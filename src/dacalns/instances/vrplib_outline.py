"""The outline of a VRPLIB file: specifications and sections, each with its line, and sections with numbered rows."""

import difflib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dacalns.instances.source_text import SourceText
from dacalns.util.shown import listed, shortened, shown
from dacalns.util.values import did_you_mean

# Which specifications and sections there are.

VEHICLE_NUMBERS = (
    "VEHICLES_FIXED_COST",
    "VEHICLES_MAX_DISTANCE",
    "VEHICLES_MAX_DURATION",
    "VEHICLES_MAX_RELOADS",
    "VEHICLES_UNIT_DISTANCE_COST",
)
"""What is one number for each vehicle, or one for all of them as a specification."""

SECTIONS = (
    "NODE_COORD_SECTION",
    "DISPLAY_DATA_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "LINEHAUL_SECTION",
    "BACKHAUL_SECTION",
    "PICKUP_AND_DELIVERY_SECTION",
    "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION",
    "RELEASE_TIME_SECTION",
    "PRIZE_SECTION",
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION",
    "DEPOT_SECTION",
    "CAPACITY_SECTION",
    "VEHICLES_DEPOT_SECTION",
    "VEHICLES_RELOAD_DEPOT_SECTION",
    "VEHICLES_ALLOWED_CLIENTS_SECTION",
    *(f"{name}_SECTION" for name in VEHICLE_NUMBERS),
)

HEADING = re.compile(r"([A-Z][A-Z0-9_]*_SECTION)\s*:?$")
KEY = re.compile(r"[A-Z][A-Z0-9_ ]*", re.IGNORECASE | re.ASCII)
MOST_KEYS = 1000
MEANINGFUL = (
    "CAPACITY",
    "DIMENSION",
    "DISTANCE",
    "EDGE_WEIGHT_FORMAT",
    "EDGE_WEIGHT_TYPE",
    "SERVICE_TIME",
    "TYPE",
    "VEHICLES",
    *VEHICLE_NUMBERS,
)
# What tells about the file, and nothing about the problem. Any other key that is not known is refused: it may well ask
# for something, and without it the problem would be another.
TELLING = frozenset(
    {
        "AUTHOR", "AUTHORS", "BEST", "BIBTEX", "BKS", "CITATION", "CONTACT", "COPYRIGHT", "CREATED", "CREATOR", "DATE",
        "DESCRIPTION", "DISPLAY_DATA_TYPE", "DOI", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT", "EMAIL", "GENERATED", "GENERATOR",
        "ID", "INFO", "INSTANCE", "KEYWORDS", "LAST_MODIFIED", "LAST_UPDATE", "LAST_UPDATED", "LICENCE", "LICENSE",
        "LOWER_BOUND", "MODIFIED", "NAME", "NODE_COORD_TYPE", "NOTE", "NOTES", "OPTIMAL", "OPTIMUM", "ORIGIN",
        "PUBLICATION", "REFERENCE", "REFERENCES", "REMARK", "REMARKS", "REVISION", "SEED", "SOURCE", "TITLE", "UPDATED",
        "UPPER_BOUND", "URL", "VERSION", "WEBSITE", "YEAR",
    }
)  # fmt: skip
TELLING_BEGINNINGS = ("BEST_", "BKS_", "COMMENT", "CREATED_", "CREATION_", "GENERATED_", "GENERATOR_", "OPTIMAL_")
FLAT = ("TWOD_COORDS", "NO_COORDS")
"""What NODE_COORD_TYPE may be."""
# These differ between nodes or between vehicles: each has a section, and no value for all.
ONLY_SECTIONS = (
    "BACKHAUL",
    "LINEHAUL",
    "MUTUALLY_EXCLUSIVE_GROUP",
    "PICKUP_AND_DELIVERY",
    "PRIZE",
    "RELEASE_TIME",
    "VEHICLES_ALLOWED_CLIENTS",
    "VEHICLES_DEPOT",
    "VEHICLES_RELOAD_DEPOT",
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

    def number(self, key: str, example: str, *, minimum: float, whole: bool = False) -> float:
        """Return the number that a specification states, or raise an `InputError`."""
        line = self.required(key, example)
        fix = f"write for example '{key} : {example}'"
        return self.source.number(line.number, line.text, key, fix, minimum=minimum, whole=whole)

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
        For a line that is neither, for something given twice, and for a section or key that is not known: it may
        well change the problem, so that ignoring it would solve another one. Keys that are known to tell about the
        file, such as authors and best-known values, are passed over.
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
            number, f"section {shortened(name, 40)} is not supported; expected one of {listed(SECTIONS, 100)}; {hint}"
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
    if key in ONLY_SECTIONS:
        raise outline.source.error(
            line.number,
            f"{key} is given as {shown(line.text, 40)} for all; expected a {key}_SECTION with a row for each; write "
            "the section, or delete the line.",
        )
    if key not in outline.specifications:
        if close := _meant(key):
            raise outline.source.error(
                line.number, f"key {shown(key)} is not known; expected {close[0]} if that is meant; correct the key."
            )
        if not _is_harmless(key, line.text):
            raise outline.source.error(
                line.number,
                f"{shortened(key, 40)} is given as {shown(line.text, 40)}, which this format does not know; expected "
                "nothing that may change the problem; delete the line if it does not, or write the problem as JSON.",
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


def _is_harmless(key: str, value: str) -> bool:
    """Return True if a key is one that the reader takes, or one that says nothing about the problem."""
    if key == "NODE_COORD_TYPE":
        return value.upper() in FLAT
    key = key.replace(" ", "_")
    return key in MEANINGFUL or key in TELLING or key.startswith(TELLING_BEGINNINGS)


def _meant(key: str) -> list[str]:
    """The key that this one is a slip of, if it is likely."""
    if key in MEANINGFUL or len(key) > 2 * max(map(len, MEANINGFUL)):
        return []
    return difflib.get_close_matches(key, MEANINGFUL, n=1, cutoff=0.85)


# Sections whose rows begin with the number of a node, of a vehicle or of a group.


@dataclass(frozen=True)
class Numbering:
    """What the rows of a section are numbered by: which things, how many there are, and what says so."""

    thing: str
    count: int
    said: str
    fix: str


def nodes_numbered(nodes: int) -> Numbering:
    """Rows for each node."""
    return Numbering("node", nodes, "as DIMENSION says", "correct DIMENSION")


@dataclass(frozen=True)
class NumberedRow:
    """The number at the beginning of a row, what follows it, and the line."""

    number: int
    tokens: list[str]
    line: int


def numbered_rows(outline: Outline, section: str, numbering: Numbering) -> Iterator[NumberedRow]:
    """Go through the rows of a section in the order of the file.

    Raises
    ------
    InputError
        When a number is missing, unknown or given twice.
    """
    source, rows = outline.source, outline.section(section)
    thing, count = numbering.thing, numbering.count
    # Before anything of that size is allocated: DIMENSION may be a slip.
    if len(rows) < count:
        given = {row.text.split()[0] for row in rows}
        missing = next(number for number in range(1, count + 1) if str(number) not in given)
        raise source.error(
            outline.headings[section],
            f"{section} has {len(rows)} rows; expected {count} {numbering.said}; add {thing} {missing} or "
            f"{numbering.fix}.",
        )
    lines: dict[int, int] = {}
    for row in rows:
        token, *tokens = row.text.split()
        number = whole_within(token, count)
        if number is None:
            raise source.error(
                row.number,
                f"{thing} number is {shown(token, 40)} in {section}; expected 1 to {count} {numbering.said}; "
                "correct one of them.",
            )
        if number in lines:
            raise source.error(
                row.number,
                f"{thing} {number} is given a second time in {section}; expected it once (first on line "
                f"{lines[number]}); delete one of the two.",
            )
        lines[number] = row.number
        yield NumberedRow(number, tokens, row.number)


def whole_within(token: str, most: int) -> int | None:
    """Return the whole number from 1 to ``most`` that a token stands for, or ``None``."""
    return int(token) if token.isdecimal() and len(token) < 10 and 1 <= int(token) <= most else None


@dataclass(frozen=True)
class Table:
    """Numbers by node or vehicle, and the line on which each stands."""

    values: npt.NDArray[np.float64]
    lines: list[int]


def table(
    outline: Outline,
    section: str,
    columns: tuple[str, ...],
    numbering: Numbering,
    minimum: float = -math.inf,
    *,
    whole: bool = False,
) -> Table:
    """Parse rows of a number followed by values; they may come in any order.

    Parameters
    ----------
    outline
        The file.
    section
        The section's name.
    columns
        What the values are called in messages.
    numbering
        What there must be a row for.
    minimum
        The least value allowed.
    whole
        Whether only integers are allowed.

    Raises
    ------
    InputError
        When a row is malformed, or one is missing, unknown or given twice.
    """
    source, thing = outline.source, numbering.thing
    values: npt.NDArray[np.float64] | None = None
    lines: list[int] = []
    for row in numbered_rows(outline, section, numbering):
        if values is None:
            values = np.zeros((numbering.count, len(columns)))
            lines = [0] * numbering.count
        if len(row.tokens) != len(columns):
            raise source.error(
                row.line,
                f"{thing} {row.number} has {len(row.tokens)} values "
                f"({shortened(' '.join(row.tokens), 40) or 'none'}) in {section}; "
                f"expected {len(columns)} ({', '.join(columns)}); correct the line.",
            )
        lines[row.number - 1] = row.line
        for column, token in enumerate(row.tokens):
            what, fix = f"{columns[column]} of {thing} {row.number}", f"correct the line in {section}"
            values[row.number - 1, column] = source.number(row.line, token, what, fix, minimum=minimum, whole=whole)
    assert values is not None, "there is a row for every number"
    return Table(values, lines)


MOST_LOADS = 100


def load_table(outline: Outline, section: str, what: str, numbering: Numbering) -> Table:
    """Parse rows of a number followed by an amount for each load dimension; the first row says how many these are."""
    rows = outline.section(section)
    dimensions = min(max(1, len(rows[0].text.split()) - 1), MOST_LOADS) if rows else 1
    columns = (what,) if dimensions == 1 else tuple(f"{what} {number}" for number in range(1, dimensions + 1))
    return table(outline, section, columns, numbering, minimum=0)
