"""Distances and driving times from files: as routing services answer them, as NumPy writes them, or in CSV."""

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dacalns.instances.fields import LARGEST, FloatArray
from dacalns.instances.tables import NUMBER, SEPARATORS, WITH_COMMA
from dacalns.util.clock import SECONDS
from dacalns.util.errors import InputError
from dacalns.util.shown import LIST, listed, shortened, shown, shown_path

KILOMETRES, MILES = 1000.0, 1609.344
"""Metres."""

EXPECTED = "a matrix as OSRM, Valhalla or GraphHopper answers it in JSON, .npy, or CSV"


@dataclass(frozen=True)
class Ways:
    """Distances and driving times between places; NaN where there is no way.

    Parameters
    ----------
    source
        What messages call it.
    distances
        Distances: in kilometres if ``metric``, else in a unit of the user's.
    durations
        Driving times: in seconds if ``metric``, else in the unit of time of the instance.
    metric
        True if the file says what its units are, as answers of routing services do.
    """

    source: str
    distances: FloatArray | None
    durations: FloatArray | None
    metric: bool = False

    @property
    def places(self) -> int:
        """The number of places."""
        given = self.distances if self.distances is not None else self.durations
        assert given is not None, "ways have distances or durations"
        return len(given)

    def durations_in(self, unit: str) -> FloatArray | None:
        """Return driving times in a unit of time, to the thousandth."""
        if self.durations is None or not self.metric:
            return self.durations
        found: FloatArray = np.round(self.durations / SECONDS[unit], 3)
        return found


def read_ways(matrix: Any, durations: Any = None, *, called: str = "matrix") -> Ways:
    """Return distances and driving times.

    Parameters
    ----------
    matrix
        An array, or a file: the JSON of a routing service, which may have both, ``.npy`` or CSV.
    durations
        Driving times, an array or a file of the same kinds.
    called
        What messages call an array.

    Raises
    ------
    InputError
        When a file cannot be read, is no matrix, or the two are of different sizes.
    """
    found = _of(matrix, called)
    if durations is None:
        return found
    more = _of(durations, "durations")
    if found.durations is not None:
        raise InputError(
            f"{found.source}: has driving times, and so has {more.source}; expected them once; leave one out."
        )
    times = more.durations if more.durations is not None else more.distances
    assert times is not None, "ways have distances or durations"
    if more.metric and more.durations is None:
        raise InputError(f"{more.source}: has distances only; expected driving times; give a file that has some.")
    if len(times) != found.places:
        raise InputError(
            f"{more.source}: has {len(times)} rows, and {found.source} has {found.places}; expected as many; give "
            "matrices of the same places."
        )
    if found.metric != more.metric:
        raise InputError(
            f"{found.source} and {more.source}: one is the answer of a routing service, in metres or seconds, and the "
            "other is not; expected two of a kind; convert one of them."
        )
    return Ways(found.source, found.distances, times, found.metric)


def require_reachable(ways: Ways, names: Sequence[str]) -> None:
    """Raise an `InputError` that names the places between which there is no way.

    Parameters
    ----------
    ways
        The distances and driving times of the places.
    names
        What users call them.
    """
    missing = np.zeros((ways.places, ways.places), dtype=bool)
    for values in (ways.distances, ways.durations):
        if values is not None:
            missing |= np.isnan(values)
    np.fill_diagonal(missing, False)
    if not missing.any():
        return
    alone = [
        names[place] for place in range(ways.places) if missing[place].sum() + missing[:, place].sum() > ways.places
    ]
    if alone:
        raise InputError(
            f"{ways.source}: no way leads to or from {listed(map(repr, alone), 80)} (null); expected a distance and a "
            "time for each pair of places; correct the position, or leave the place out."
        )
    start, end = np.argwhere(missing)[0].tolist()
    raise InputError(
        f"{ways.source}: no way leads from {shown(names[start], 40)} to {shown(names[end], 40)} (null), one of "
        f"{int(missing.sum())} such pairs; expected a distance and a time for each; correct the positions, or leave "
        "one out."
    )


def _of(given: Any, called: str) -> Ways:
    if isinstance(given, str | os.PathLike):
        return _of_file(os.fspath(given))
    if isinstance(given, Mapping):
        return _of_answer(given, called)
    return Ways(called, _square(called, given), None)


def _of_file(path: str) -> Ways:
    name = shown_path(path)
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; expected {EXPECTED}; check the path.") from None
    except (OSError, ValueError) as error:
        reason = shortened(getattr(error, "strerror", None) or str(error), LIST)
        raise InputError(f"{name}: cannot be read ({reason}); expected {EXPECTED}; check it.") from None
    if content.startswith(b"\x93NUMPY"):
        return Ways(name, _square(name, _of_numpy(content, name)), None)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: is no text; expected {EXPECTED}; check the file.") from None
    if not text.strip():
        raise InputError(f"{name}: the file is empty; expected {EXPECTED}; check how it was made.")
    if text.lstrip()[0] not in "{[":
        return Ways(name, _square(name, _of_csv(text, name)), None)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name}:{error.lineno}: {shortened(error.msg, 60)} in column {error.colno}; expected JSON; check that the "
            "answer was saved whole."
        ) from None
    except (RecursionError, ValueError):
        raise InputError(f"{name}: holds JSON that nobody can read; expected {EXPECTED}; check the file.") from None
    return _of_answer(data, name) if isinstance(data, dict) else Ways(name, _square(name, data), None)


def _of_numpy(content: bytes, name: str) -> Any:
    try:
        found = np.load(io.BytesIO(content), allow_pickle=False)
        if found.nbytes > len(content):
            raise ValueError
    except (ValueError, TypeError, OSError, EOFError, SyntaxError, MemoryError, OverflowError):
        raise InputError(
            f"{name}: is no array that NumPy can read; expected .npy with numbers; save it again."
        ) from None
    return found


def _of_csv(text: str, name: str) -> list[list[float | None]]:
    rows: list[list[float | None]] = []
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    separator = max(SEPARATORS, key=lambda each: lines[0][1].count(each))
    if not lines[0][1].count(separator):
        separator = None  # type: ignore[assignment]  # blanks
    for number, line in lines:
        row: list[float | None] = []
        for cell in line.split(separator):
            word = cell.strip().strip('"')
            if separator == ";" and WITH_COMMA.fullmatch(word):
                word = word.replace(",", ".")
            if word.casefold() in ("", "null", "nan", "none"):
                row.append(None)
            elif len(word) < 60 and NUMBER.fullmatch(word):
                row.append(float(word))
            else:
                raise InputError(
                    f"{name}:{number}: {shown(word, 40)} in column {len(row) + 1}; expected a number; a matrix in CSV "
                    "has numbers only, no names of rows or columns: take them out."
                )
        rows.append(row)
    return rows


def _of_answer(data: Mapping[str, Any], name: str) -> Ways:
    """Return what a routing service answers, known by its keys."""
    if "sources_to_targets" in data:
        return _of_valhalla(data, name)
    service, metres, seconds = "GraphHopper", data.get("distances"), data.get("times")
    if "times" not in data:
        if str(data.get("code", "Ok")) != "Ok":
            raise InputError(
                f"{name}: the answer has the code {shown(data['code'], 40)}, and no matrix; expected 'Ok'; ask again."
            )
        service, seconds = "OSRM", data.get("durations")
    if metres is None and seconds is None:
        raise InputError(
            f"{name}: has neither distances nor durations, times or sources_to_targets; expected {EXPECTED}; check the "
            "file."
        )
    called = f"{name} ({service})"
    distances = None if metres is None else _square(f"{called}: distances", metres) / KILOMETRES
    durations = None if seconds is None else _square(f"{called}: durations", seconds)
    return _same_size(called, distances, durations)


def _of_valhalla(data: Mapping[str, Any], name: str) -> Ways:
    called = f"{name} (Valhalla)"
    given = data["sources_to_targets"]
    metres = MILES if str(data.get("units", "kilometers")).startswith("mi") else KILOMETRES
    if isinstance(given, Mapping):  # the short form has two matrices
        distances, durations = given.get("distances"), given.get("durations")
    else:
        try:
            distances = [[cell["distance"] for cell in row] for row in given]
            durations = [[cell["time"] for cell in row] for row in given]
        except (KeyError, TypeError):
            raise InputError(
                f"{called}: sources_to_targets has another form; expected lists of objects with distance and time; "
                "check the file."
            ) from None
    if distances is None and durations is None:
        raise InputError(f"{called}: has neither distances nor durations; expected at least one; ask again.")
    return _same_size(
        called,
        None if distances is None else _square(f"{called}: distances", distances) * (metres / KILOMETRES),
        None if durations is None else _square(f"{called}: durations", durations),
    )


def _same_size(called: str, distances: FloatArray | None, durations: FloatArray | None) -> Ways:
    if distances is not None and durations is not None and len(distances) != len(durations):
        raise InputError(
            f"{called}: has {len(distances)} rows of distances and {len(durations)} of durations; expected as many; "
            "check the file."
        )
    return Ways(called, None if distances is None else np.round(distances, 6), durations, metric=True)


def _square(called: str, values: Any) -> FloatArray:
    """Return a square array of numbers of 0 or more, NaN where there is none."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = None
        if isinstance(values, list | tuple):
            lengths = [len(row) if isinstance(row, list | tuple) else -1 for row in values]
            if -1 not in lengths and len({*lengths}) > 1:
                place = next(number for number, length in enumerate(lengths) if length != lengths[0])
                raise InputError(
                    f"{called}: row {place} has {lengths[place]} numbers, and row 0 has {lengths[0]}; expected as many "
                    "in each; check the file."
                ) from None
    if array is None or array.ndim != 2 or not array.size or array.shape[0] != array.shape[1]:
        shape = "no matrix of numbers" if array is None or array.ndim != 2 else f"of shape {array.shape}"
        raise InputError(f"{called}: is {shape}; expected a row and a column for each place; check it.")
    wrong = (array < 0) | (array > LARGEST)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"{called}: has {array[row, column]:g} in row {row}, column {column} (from 0); expected numbers of 0 or "
            f"more and of at most {LARGEST:g}; correct it."
        )
    return array
