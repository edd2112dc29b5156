"""Tables of any kind: CSV, Excel, a DataFrame or a list of dictionaries, as rows that know where they come from."""

import csv
import io
import logging
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dacalns.util.errors import InputError
from dacalns.util.shown import LIST, listed, shortened, shown, shown_path

CSV_SUFFIXES = (".csv", ".tsv")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
OTHER_SUFFIXES = (".xls", ".ods", ".numbers", ".parquet", ".feather")
"""Tables of other programs, which have to be saved in another format first."""

SEPARATORS = ",;\t|"
MISSING = ("", "nan", "none", "null", "n/a", "na", "#n/a")
"""Cells with these words are empty: other programs write them for that. A name keeps them."""

NUMBER = re.compile(r"[+-]?(\d+([.]\d*)?|[.]\d+)([eE][+-]?\d{1,3})?", re.ASCII)
WITH_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
THOUSANDS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?", re.ASCII)

EXCEL = 'Excel files need the extra "tables"; expected openpyxl; install it: pip install "dac-alns[tables]".'


Notice = tuple[int, str]
"""A sentence on how a table was read, and how much it matters: a level of `logging`."""

INFO, WARNING = logging.INFO, logging.WARNING


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Parameters
    ----------
    where
        What messages call it: file and line, or table and row.
    cells
        What stands in it, by the headings of columns; nothing for an empty cell.
    """

    where: str
    cells: dict[str, Any]

    def error(self, column: str, value: Any, expected: str, fix: str = "correct the cell") -> InputError:
        """Return an error that points at a cell; the caller raises it."""
        said = "is empty" if value is None else f"is {_shown(value)}"
        return InputError(f"{self.where}: column {shown(column, 40)} {said}; expected {expected}; {fix}.")


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    name
        What messages call it.
    columns
        The headings in their order.
    rows
        The rows that are not empty.
    commas
        True if numbers may be written with a decimal comma.
    notices
        What users should know about how it was read.
    heading
        Where the headings stand.
    """

    name: str
    columns: list[str]
    rows: list[Row]
    commas: bool = False
    notices: list[Notice] = field(default_factory=list)
    heading: str = ""

    def number(self, value: Any) -> float | None:
        """Return the number that a cell means; None if it means none."""
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            try:
                number = float(value)
            except OverflowError:
                return None
            return number if math.isfinite(number) else None
        if not isinstance(value, str) or len(value) > 60:
            return None
        if self.commas and WITH_COMMA.fullmatch(value):
            value = value.replace(",", ".")
        if not NUMBER.fullmatch(value):
            return None
        number = float(value)
        return number if math.isfinite(number) else None


def is_table(path: str) -> bool:
    """Return True if a file is a table, by its suffix, or one of another program's that nobody here reads."""
    return os.path.splitext(path)[1].casefold() in (*CSV_SUFFIXES, *EXCEL_SUFFIXES, *OTHER_SUFFIXES)


def is_frame(value: Any) -> bool:
    """Return True for a DataFrame, of pandas or another one that can list its rows."""
    return hasattr(value, "columns") and (hasattr(value, "iloc") or hasattr(value, "to_dicts"))


def read_table(source: Any, called: str, sheet: str = "") -> Table:
    """Return a table.

    Parameters
    ----------
    source
        A path, a DataFrame, a list of dictionaries, a dictionary of columns, or a table.
    called
        What messages call a table that has no file.
    sheet
        The sheet of an Excel file; the first one if there is none of this name.

    Raises
    ------
    InputError
        When there is no such file, it is no table, or a row does not fit the headings.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return _of_file(os.fspath(source), sheet)
    if is_frame(source):
        return _of_frame(source, called)
    if isinstance(source, Mapping):
        return _of_columns(source, called)
    if isinstance(source, Sequence):
        return _of_dictionaries(source, called)
    raise InputError(
        f"{called}: is {shown(source)}; expected a table: a CSV or Excel file, a DataFrame, or a list of dictionaries; "
        "give one."
    )


def _of_file(path: str, sheet: str) -> Table:
    name, suffix = shown_path(path), os.path.splitext(path)[1].casefold()
    if suffix in OTHER_SUFFIXES:
        raise InputError(
            f"{name}: has the suffix {suffix}; expected .csv or .xlsx; save the table in one of these formats."
        )
    content = _content(path, name)
    if suffix in EXCEL_SUFFIXES:
        return _of_excel(content, name, sheet)
    text, notices = _text(content, name)
    return _of_text(text, name, notices)


def _content(path: str, name: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; expected a table; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a folder; expected a file; name one of the files in it.") from None
    except (OSError, ValueError) as error:
        reason = shortened(getattr(error, "strerror", None) or str(error), LIST)
        raise InputError(f"{name}: cannot be read ({reason}); expected a readable file; check it.") from None


# Text.


def _text(content: bytes, name: str) -> tuple[str, list[Notice]]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16"), []
        except UnicodeDecodeError:
            raise InputError(
                f"{name}: is no text in UTF-16 though it begins so; expected CSV; save it again."
            ) from None
    if content.startswith(b"PK\x03\x04"):
        raise InputError(
            f"{name}: is an Excel file or an archive; expected CSV; give it the suffix .xlsx if it is one."
        )
    if b"\0" in content:
        raise InputError(f"{name}: holds binary data; expected CSV; save the table as CSV.")
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        # Windows-1252 has all letters of Latin-1, and a few bytes that mean nothing.
        return content.decode("cp1252", errors="replace"), [
            (WARNING, f"{name}: is not UTF-8; it is read as Windows-1252 (Latin-1), so check names with accents.")
        ]


def _of_text(text: str, name: str, notices: list[Notice]) -> Table:
    # Ends of lines of any system, but not the other characters that Python splits lines at.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first = next((line for line in text.split("\n") if line.strip()), "")
    separator = _separator(first)
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    headings: list[str] | None = None
    rows, before, heading = [], 0, ""
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            values = [cell.strip() for cell in cells]
            if not any(values):
                continue
            where = f"{name}:{line}"
            if headings is None:
                headings, heading = values, where
                continue
            if len(values) != len(headings):
                while len(values) > len(headings) and not values[-1]:
                    values.pop()  # spreadsheets end rows with separators
            if len(values) != len(headings):
                raise InputError(
                    f"{where}: has {len(values)} cells, and there are {len(headings)} columns; expected as many; quote "
                    f"cells that have {_separator_word(separator)} in them, or add what is missing."
                )
            rows.append((where, values))
    except csv.Error as error:
        raise InputError(
            f"{name}:{max(reader.line_num, 1)}: {shortened(str(error), LIST)}; expected CSV; look for a quote that is "
            "missing or one too many."
        ) from None
    if headings is None:
        raise InputError(f"{name}: the file is empty; expected a line with the names of columns, then rows; check it.")
    return _table(name, headings, rows, heading, commas=separator != ",", notices=notices)


def _separator(line: str) -> str:
    """Return what separates the cells of a line: what stands there most often outside of quotes."""
    outside = "".join(line.split('"')[::2])
    counts = {each: outside.count(each) for each in SEPARATORS}
    best = max(SEPARATORS, key=lambda each: counts[each])
    return best if counts[best] else ","


def _separator_word(separator: str) -> str:
    return {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}[separator]


# Excel.


def _of_excel(content: bytes, name: str, sheet: str) -> Table:
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"{name}: {EXCEL}") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that are not read
            book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    except Exception as error:  # a damaged archive raises many kinds
        reason = shortened(" ".join(str(error).split()) or type(error).__name__, 80)
        raise InputError(f"{name}: cannot be read as Excel ({reason}); expected .xlsx; save it again.") from None
    wanted = next((each for each in book.worksheets if each.title.strip().casefold() == sheet), None)
    page = wanted or next(iter(book.worksheets), None)
    if page is None:
        raise InputError(f"{name}: has no sheet; expected one with a table; add it.")
    headings: list[str] | None = None
    rows, heading = [], ""
    for number, cells in enumerate(page.iter_rows(values_only=True), start=1):
        values = [each.strip() if isinstance(each, str) else each for each in cells]
        if all(each is None or each == "" for each in values):
            continue
        where = f"{name}, row {number}"
        if headings is None:
            while values and values[-1] in (None, ""):
                values.pop()
            headings, heading = ["" if each is None else str(each) for each in values], where
        else:
            if any(each not in (None, "") for each in values[len(headings) :]):
                raise InputError(f"{where}: has a cell beyond the last column with a name; expected none; name it.")
            rows.append((where, [*values[: len(headings)], *[None] * (len(headings) - len(values))]))
    if headings is None:
        raise InputError(f"{name}: the sheet is empty; expected a row with the names of columns, then rows; check it.")
    return _table(name, headings, rows, heading)


def sheets_of(source: Any) -> frozenset[str]:
    """Return the names of the sheets of an Excel file in small letters; nothing for all else."""
    if not isinstance(source, str | os.PathLike):
        return frozenset()
    path = os.fspath(source)
    if os.path.splitext(path)[1].casefold() not in EXCEL_SUFFIXES:
        return frozenset()
    try:
        import openpyxl

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(path, read_only=True)
            try:
                return frozenset(each.strip().casefold() for each in book.sheetnames)
            finally:
                book.close()
    except Exception:  # reading the table says what is wrong
        return frozenset()


# Data in memory.


def _of_frame(frame: Any, called: str) -> Table:
    headings = [str(each) for each in frame.columns]
    if not hasattr(frame, "iloc"):
        records = frame.to_dicts()
        found = [(f"{called}, row {number}", list(record.values())) for number, record in enumerate(records)]
        return _table(called, headings, found, called)
    labels = frame.index.tolist()
    columns = [frame.iloc[:, place].tolist() for place in range(len(headings))]
    rows = [
        (f"{called}, row {shown(label, 20)}", [column[number] for column in columns])
        for number, label in enumerate(labels)
    ]
    return _table(called, headings, rows, called)


def _of_columns(columns: Mapping[Any, Any], called: str) -> Table:
    """Return a table of a dictionary: of columns, or of a single row if it has no lists."""
    if not any(isinstance(each, list | tuple) for each in columns.values()):
        return _of_dictionaries([columns], called)
    lists = [list(each) if isinstance(each, list | tuple) else [each] for each in columns.values()]
    if len({len(each) for each in lists}) > 1:
        raise InputError(
            f"{called}: has columns of {shown(sorted({*map(len, lists)}))} rows; expected as many in each."
        )
    rows = [(f"{called}, row {number}", list(values)) for number, values in enumerate(zip(*lists, strict=True))]
    return _table(called, [str(each) for each in columns], rows, called)


def _of_dictionaries(rows: Sequence[Any], called: str) -> Table:
    headings: dict[str, None] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(
                f"{called}, row {number}: is {shown(row)}; expected a dictionary such as {{'x': 1, 'y': 2}}; give one "
                "for each row."
            )
        headings |= dict.fromkeys(str(each) for each in row)
    found = []
    for number, row in enumerate(rows):
        named = {str(key): value for key, value in row.items()}
        found.append((f"{called}, row {number}", [named.get(each) for each in headings]))
    return _table(called, list(headings), found, called)


# All of them.


def _table(
    name: str,
    headings: list[str],
    rows: Iterable[tuple[str, Sequence[Any]]],
    heading: str,
    *,
    commas: bool = False,
    notices: Sequence[Notice] = (),
) -> Table:
    headings = [each.strip() for each in headings]
    twice = [each for each, count in Counter(headings).items() if count > 1 and each]
    if twice:
        raise InputError(f"{heading}: has two columns {shown(twice[0], 40)}; expected each name once; rename one.")
    made = []
    for where, values in rows:
        cells = {}
        for column, value in zip(headings, values, strict=True):
            if (cell := _cell(value)) is not None:
                cells[column] = cell
        if cells:
            made.append(Row(where, cells))
    if not made:
        raise InputError(f"{name}: has no rows below the names of columns; expected at least one; add some.")
    if commas:
        for column in headings:
            _require_one_decimal_sign(column, made)
    found = list(notices)
    if "" in headings:
        values = [each.cells.pop("", None) for each in made]
        if any(value is not None for value in values) and not _are_row_numbers(values):
            raise InputError(
                f"{heading}: a column has no name, and {_shown(next(each for each in values if each is not None))} "
                "stands in it; expected a name for each column; name it, or take it out."
            )
        headings = [each for each in headings if each]
    return Table(name, headings, made, commas, found, heading)


def _require_one_decimal_sign(column: str, rows: Sequence[Row]) -> None:
    """Raise an `InputError` if a column has decimal commas, and points that may separate thousands."""
    if not any(isinstance(row.cells.get(column), str) and WITH_COMMA.fullmatch(row.cells[column]) for row in rows):
        return
    for row in rows:
        cell = row.cells.get(column)
        if isinstance(cell, str) and THOUSANDS.fullmatch(cell):
            raise row.error(column, cell, "a decimal comma as in other rows, and no point", "take the point out")


def _are_row_numbers(values: Sequence[Any]) -> bool:
    """Return True for what pandas writes in front of rows."""
    texts = [str(each) for each in values]
    return any(texts == [str(start + number) for number in range(len(texts))] for start in (0, 1))


def _cell(value: Any) -> Any:
    """Return a value of Python in place of one of NumPy or pandas; None if the cell is empty."""
    if value is None:
        return None
    if (
        type(value).__module__.partition(".")[0] == "numpy"
        and hasattr(value, "item")
        and not getattr(value, "shape", 0)
    ):
        value = value.item()
    if isinstance(value, str):
        value = value.strip()
        return value or None
    if isinstance(value, float) and math.isnan(value):
        return None
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    return value


def is_missing(value: Any) -> bool:
    """Return True if a cell that is no name says that nothing is known."""
    return value is None or (isinstance(value, str) and value.casefold() in MISSING)


def _shown(value: Any) -> str:
    return shown(value if isinstance(value, str | int | float | bool) else str(value), 40)


def listed_columns(columns: Iterable[str]) -> str:
    """Return names of columns for a message."""
    return listed(columns, 90)
