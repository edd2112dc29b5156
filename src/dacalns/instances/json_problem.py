"""Read a problem in JSON: its parts in the words of `dacalns.Model`. Messages name the path to what is wrong."""

import dataclasses
import difflib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dacalns.instances.conversion import stated_fields
from dacalns.instances.distance_matrix import ROUNDINGS
from dacalns.instances.fields import LARGEST, FloatArray, require_one_line
from dacalns.instances.part_checks import amount, checked_part, flag, whole
from dacalns.instances.parts import KINDS, UNLIMITED, Customer, Group, Loads, Parts, Profile
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.instances.vroom import is_vroom, parse_vroom
from dacalns.instances.vrplib_outline import MOST_LOADS
from dacalns.util.errors import InputError
from dacalns.util.shown import LIST, listed, shortened, shown, shown_path
from dacalns.util.values import LONGEST

T = TypeVar("T")

# The words of a file. Those of parts are the names of their fields: whatever a part may have, a file may say.

FORMAT = "dac-alns problem"
VERSION = 1
PLACES = ("coordinates", "distances")
"""What has a row for each location. In a file with neither, every part says by itself where it is."""
BEGINNING = 4096
"""The bytes of a file in which the format should be named: it is the first thing that is written."""
LABELS = ("names", "vehicle_names", "lonlat", "time_unit")
"""What users call nodes, vehicle types and the unit of time, and where nodes are on a map: it changes no answer."""
KEYS = (
    "format", "version", "name", "comment", "rounding", *PLACES, "durations", *KINDS, "backhauls_last", "vehicles",
    "customers_first", *LABELS,
)  # fmt: skip
"""The keys of a file beside those in its lists."""
POINTS = {"depots": ("x", "y"), "customers": ("x", "y"), "pairs": ("pickup", "delivery")}
"""How parts say where they are, in a file without locations."""
ROWS = {"depots": ("location",), "customers": ("location",), "pairs": ("pickup_location", "delivery_location")}
"""How parts name their locations."""
PAIR_NODES = ("pickup_node", "delivery_node")
"""The node numbers of a pair, in a file where pairs are not the last nodes."""
DELIVERY_RELEASE = "delivery_release_time"
"""The release time of the delivery of a pair, if there is one beside that of the pickup, ``release_time``."""
ROW_KEYS = frozenset(key for keys in ROWS.values() for key in keys)
BESIDE_FIELDS = {"pairs": (*PAIR_NODES, DELIVERY_RELEASE)}
"""What is no field of a part, but of the instance that it is in."""

OTHER_WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "clients": (("customers",),),
    "count": (("num_available",),),
    "demand": (("amount",), ("delivery",)),
    "due_date": (("tw_late",),),
    "locations": (("coordinates",),),
    "matrix": (("distances",),),
    "max_duration": (("shift_duration",),),
    "number": (("num_available",),),
    "optional": (("required",),),
    "ready_time": (("tw_early",),),
    "service_time": (("service_duration",),),
    "shipments": (("pairs",),),
    "time_window": (("tw_early", "tw_late"),),
    "window": (("tw_early", "tw_late"),),
}
"""What others call our keys, for hints: of several sets of keys, the first that fits is meant."""

IN_JSON = (
    (" is None; expected ", " is null; expected "),
    (" is True; expected ", " is true; expected "),
    (" is False; expected ", " is false; expected "),
    ("; expected True or False", "; expected true or false"),
    ("; use None for", "; use null for"),
    ("such as [(9, 12)]", "such as [[9, 12]]"),
    (", or math.inf; correct the value", "; correct the value, or leave it out for no limit"),
)
"""What messages about values say of Python, and what they say of a file."""

MOST_CELLS = 16_000_000
"""The most entries of the matrices of nodes that share locations: a short file could ask for any number of them."""


def is_json(lines: Iterable[str]) -> bool:
    """Return True if a text begins as a JSON object does, and an instance in no other format."""
    return next((line.lstrip() for line in lines if line.strip()), "").startswith("{")


def is_problem_file(path: Path) -> bool:
    """Return True if a file with the suffix ``.json`` holds a problem, by what it begins with; results do not."""
    if path.suffix != ".json":
        return False
    try:
        with open(path, "rb") as stream:
            return FORMAT.encode() in stream.read(BEGINNING)
    except OSError:
        return True  # it may, and who reads it gets a sentence that says what is wrong


def parse_json(source: SourceText) -> ParsedFile:
    """Parse the text of a problem in JSON, in our words or in those of VROOM.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When the text is no JSON, which the message tells with the line; or when something in it is unknown, given
        twice, of another type, out of range or contradictory, which it tells with the path.
    """
    data = load_json(source)
    if is_vroom(data):
        return parse_vroom(data, shown_path(source.name), source.stem).fields
    return _Reader(source, data).fields()


# The text.


class _Twice(dict[str, Any]):
    """An object in which a key stands twice."""

    key: str


def load_json(source: SourceText) -> Any:
    """Return the data in a JSON file, in which the same key may stand twice only where nobody looks."""
    try:
        # No string of the format has more than a line, so that other ends of lines than ours change nothing.
        return json.loads("\n".join(source.lines), object_pairs_hook=_object, parse_int=_integer)
    except json.JSONDecodeError as error:
        found = shortened(error.msg.removesuffix(" at"), LIST)
        raise source.error(
            error.lineno,
            f"{found} in column {error.colno}; expected JSON; look for a comma, quote or bracket that is missing or "
            "one too many.",
        ) from None
    except RecursionError:
        raise source.error(
            1, "brackets are nested too deeply; expected lists and objects in a few levels; check the file."
        ) from None


def _object(items: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(items)
    if len(made) == len(items):
        return made
    twice, seen = _Twice(made), set()
    for key, _ in items:
        if key in seen:
            twice.key = key
        seen.add(key)
    return twice


def _integer(text: str) -> int | float:
    """Return a whole number. Python refuses to read very long ones, which as floats are as much too large."""
    return int(text) if len(text) < 20 else float(text)


# What it states.


class _Reader:
    """Reads what a file states piece by piece, and knows what messages call each of them."""

    def __init__(self, source: SourceText, data: dict[str, Any]) -> None:
        self.file, self.stem, self.data = shown_path(source.name), source.stem, data
        self.rows: int | None = None
        """How many locations there are; None if parts say by themselves where they are."""
        self.points: list[list[float]] = []
        """Where these parts are, one after the other."""

    def fields(self) -> ParsedFile:
        """Return what the file states, by the names of the fields of an instance."""
        self._require_header()
        self._require_keys("", self.data, KEYS)
        annotations, rules, arrays = self._annotations(), self._rules(), self._arrays()
        made = {kind: self._parts(kind) for kind in KINDS}
        for kind, instead in (("depots", ""), ("vehicle_types", ""), ("customers", "pairs")):
            if not made[kind] and not made.get(instead):
                either = f", or {instead}" if instead else ""
                raise self._error(kind, f"is empty or missing; expected at least one entry{either}; add one.")
        depots, customers = len(made["depots"]), made["customers"]
        nodes = depots + len(customers) + 2 * len(made["pairs"])
        self._require_few_cells(nodes, made["profiles"])
        pair_nodes = self._pair_nodes(depots, nodes)
        paired = {node for pair in pair_nodes or () for node in pair}
        numbers = [node for node in range(depots, nodes) if node not in paired][: len(customers)]
        groups = self._groups(made["groups"], customers, numbers)
        self._require_leavable(made, numbers, groups)
        if self.rows is None:
            arrays["coordinates"] = np.array(self.points, dtype=np.float64)
        stated: dict[str, Any] = made | arrays | {"groups": []}
        stated["customers"] = [dataclasses.replace(each, group=None) for each in customers]
        fields = stated_fields(self.file, Parts(**stated), pair_nodes)
        self._release_deliveries(fields)
        return annotations | fields | rules | self._labels(nodes, len(made["vehicle_types"])) | {"groups": groups}

    # The file as a whole.

    def _require_header(self) -> None:
        for key, expected in (("format", FORMAT), ("version", VERSION)):
            line = f'expected "{key}": {json.dumps(expected)}'
            if key not in self.data:
                raise self._error(key, f"is missing; {line}; add it if the file states a problem.")
            value = self.data[key]
            if type(value) is not type(expected) or value != expected:
                raise self._error(key, f"is {_shown(value)}; {line}; check that the file states a problem.")

    def _annotations(self) -> dict[str, Any]:
        name, comment = self.data.get("name", self.stem), self.data.get("comment", "")
        self._checked(lambda what, text: require_one_line(what, text, empty_allowed=False), "name", name)
        self._checked(lambda what, text: require_one_line(what, text, empty_allowed=True), "comment", comment)
        found = {"name": name, "comment": comment}
        if (key := "rounding") in self.data:
            if (rule := self.data[key]) not in ROUNDINGS:
                raise self._error(
                    key, f"is {_shown(rule)}; expected one of {listed(ROUNDINGS)}; leave it out for the usual one."
                )
            found[key] = rule
        return found

    def _labels(self, nodes: int, types: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, count, what in (("names", nodes, "node, depots first"), ("vehicle_names", types, "vehicle type")):
            if key not in self.data:
                continue
            given = self._list(key, self.data[key])
            if len(given) != count:
                said = _count(len(given), "entry", "entries")
                raise self._error(key, f"has {said}; expected {count}, one for each {what}; correct it.")
            for place, each in enumerate(given):
                self._checked(
                    lambda path, text: require_one_line(path, text, empty_allowed=True), f"{key}[{place}]", each
                )
            found[key] = given
        if (key := "lonlat") in self.data:
            found[key] = self._array(key, self.data[key], points=True)
            if len(found[key]) != nodes:
                said = _count(len(found[key]), "row")
                raise self._error(key, f"has {said}; expected {nodes}, one for each node, depots first; correct it.")
            beyond = (np.abs(found[key]) > (180.0, 90.0)).any(axis=1)
            if beyond.any():
                place = int(np.argmax(beyond))
                raise self._error(
                    f"{key}[{place}]",
                    f"is {shown(self.data[key][place])}; expected a longitude from -180 to 180, then a latitude from "
                    "-90 to 90; correct it, or swap the two.",
                )
        if (key := "time_unit") in self.data:
            if self.data[key] not in ("", "s", "min", "h"):
                raise self._error(key, f"is {_shown(self.data[key])}; expected s, min or h; leave it out if unknown.")
            found[key] = self.data[key]
        return found

    def _rules(self) -> dict[str, Any]:
        """Return the rules for all parts, and what numbers solution files have for vehicles and nodes."""
        found: dict[str, Any] = {
            key: self._checked(flag, key, self.data[key])
            for key in ("backhauls_last", "customers_first")
            if key in self.data
        }
        if "vehicles" in self.data:
            given = self._list("vehicles", self.data["vehicles"])
            found["vehicles"] = [self._checked(whole, f"vehicles[{place}]", each) for place, each in enumerate(given)]
        return found

    def _arrays(self) -> dict[str, FloatArray]:
        """Return coordinates and matrices, and remember how many locations they have."""
        found = {
            key: self._array(key, self.data[key], points=key == "coordinates") for key in PLACES if key in self.data
        }
        for values in found.values():
            if self.rows is not None and self.rows != len(values):
                raise self._error(
                    "distances",
                    f"has {_count(len(values), 'row')}, and coordinates has {self.rows}; expected as many, one for "
                    "each location; correct one of them.",
                )
            self.rows = len(values)
        if "durations" in self.data:
            found["durations"] = self._matrix("durations", self.data["durations"])
        return found

    def _require_few_cells(self, nodes: int, profiles: Sequence[Profile]) -> None:
        given = [self.data.get("distances"), self.data.get("durations")]
        given += [values for each in profiles for values in (each.distances, each.durations)]
        cells = nodes * nodes * sum(values is not None for values in given)
        if self.rows is not None and self.rows < nodes and cells > MOST_CELLS:
            raise self._error(
                "distances" if "distances" in self.data else "coordinates",
                f"has {self.rows} locations for {nodes} nodes, whose matrices would have {cells} numbers; expected at "
                f"most {MOST_CELLS}; take fewer customers.",
            )

    # Parts, each checked by itself.

    def _parts(self, kind: str) -> list[Any]:
        if kind == "profiles":
            return self._profiles()
        beside = BESIDE_FIELDS.get(kind, ())
        fields = [field.name for field in dataclasses.fields(KINDS[kind]) if field.name not in ROWS.get(kind, ())]
        known = [*(POINTS if self.rows is None else ROWS).get(kind, ()), *fields, *beside]
        made = []
        for number, given in enumerate(self._list(kind, self.data.get(kind, []))):
            path = f"{kind}[{number}]"
            self._require_keys(path, given, known)
            for key, value in given.items():
                self._require_finite(f"{path}.{key}", value)
            values = {key: value for key, value in given.items() if key not in beside}
            if kind in POINTS:
                self._require_place(kind, path, values)
                values = self._with_rows(kind, path, values)
            made.append(self._part(kind, path, values))
        return made

    def _part(self, kind: str, path: str, values: dict[str, Any]) -> Any:
        def check(what: str, given: dict[str, Any]) -> Any:
            return checked_part(KINDS[kind](**given), lambda field: f"{what}.{field}")

        part = self._checked(check, path, values)
        for field in dataclasses.fields(part):
            if field.type is Loads and (dimensions := len(getattr(part, field.name))) > MOST_LOADS:
                raise self._error(
                    f"{path}.{field.name}", f"has {dimensions} numbers; expected at most {MOST_LOADS}; take some out."
                )
        for of in ("", "pickup_", "delivery_"):
            if more := getattr(part, f"{of}more_windows", ()):
                own = getattr(part, f"{of}tw_early"), getattr(part, f"{of}tw_late")
                self._require_apart(f"{path}.{of}more_windows", own, more)
        return part

    def _profiles(self) -> list[Profile]:
        made = []
        for number, given in enumerate(self._list("profiles", self.data.get("profiles", []))):
            path = f"profiles[{number}]"
            self._require_keys(path, given, ("distances", "durations"))
            made.append(Profile(**{key: self._matrix(f"{path}.{key}", value) for key, value in given.items()}))
        return made

    def _require_place(self, kind: str, path: str, values: dict[str, Any]) -> None:
        for key in (POINTS if self.rows is None else ROWS)[kind]:
            if key not in values:
                raise self._error(path, f"has no {key}; expected {self._place_hint(kind)}; add it.")

    def _place_hint(self, kind: str) -> str:
        if self.rows is None:
            return f"{' and '.join(POINTS[kind])}, as the file has neither coordinates nor distances"
        arrays = " and ".join(key for key in PLACES if key in self.data)
        return f"{' and '.join(ROWS[kind])}, a row of {arrays} from 0 to {self.rows - 1}"

    def _with_rows(self, kind: str, path: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return what a part says, with rows in place of points."""
        if (rows := self.rows) is not None:
            for key in ROWS[kind]:
                self._checked(lambda what, row: whole(what, row, maximum=rows - 1), f"{path}.{key}", values[key])
            return values
        if kind == "pairs":
            points = [self._point(f"{path}.{key}", values[key]) for key in POINTS[kind]]
        else:
            points = [[self._coordinate(f"{path}.{key}", values[key]) for key in POINTS[kind]]]
        first = len(self.points)
        self.points += points
        others = {key: value for key, value in values.items() if key not in POINTS[kind]}
        return others | {key: first + place for place, key in enumerate(ROWS[kind])}

    def _point(self, path: str, value: Any) -> list[float]:
        if not isinstance(value, list) or len(value) != 2:
            raise self._error(path, f"is {_shown(value)}; expected [x, y], two numbers; correct it.")
        return [self._coordinate(f"{path}[{place}]", each) for place, each in enumerate(value)]

    def _coordinate(self, path: str, value: Any) -> float:
        if type(value) not in (int, float) or not abs(value) <= LARGEST:
            raise self._error(path, f"is {_shown(value)}; expected a number of at most {LARGEST:g}; correct it.")
        return float(value)

    def _require_apart(self, path: str, own: tuple[float, float], more: Iterable[tuple[float, float]]) -> None:
        """Raise an `InputError` if two windows of a visit overlap."""
        windows = sorted([*([] if own == (0.0, UNLIMITED) else [own]), *more])
        for (_, closes), (opens, _) in itertools.pairwise(windows):
            if opens <= closes:
                raise self._error(
                    path,
                    f"has a window that opens at {opens:g}, and another one closes at {min(closes, LARGEST):g}; "
                    "expected windows apart, those of tw_early and tw_late among them; join the two.",
                )

    # Parts that name one another.

    def _pair_nodes(self, depots: int, nodes: int) -> list[tuple[int, int]] | None:
        """Return the node numbers of pairs; None if they are the last ones."""
        pairs = self.data.get("pairs", [])
        says = next((number for number, given in enumerate(pairs) if not given.keys().isdisjoint(PAIR_NODES)), None)
        if says is None:
            return None
        where: dict[int, str] = {}
        for number, given in enumerate(pairs):
            for key in PAIR_NODES:
                path = f"pairs[{number}].{key}"
                if key not in given:
                    raise self._error(
                        path, f"is missing, and pairs[{says}] has node numbers; expected two for each pair; add it."
                    )
                node = self._checked(
                    lambda what, node: whole(what, node, minimum=depots, maximum=nodes - 1), path, given[key]
                )
                if node in where:
                    raise self._error(path, f"is {node}, as is {where[node]}; expected a node for each; change one.")
                where[node] = path
        found = list(where)
        return list(zip(found[::2], found[1::2], strict=True))

    def _groups(self, groups: Sequence[Group], customers: Sequence[Customer], numbers: Sequence[int]) -> list[Group]:
        """Return the groups with all members, and those last who name their group."""
        members = [dict.fromkeys(group.customers) for group in groups]
        for number, (customer, node) in enumerate(zip(customers, numbers, strict=True)):
            if customer.group is None:
                continue
            if customer.group >= len(groups):
                raise self._error(
                    f"customers[{number}].group",
                    f"is {customer.group}, and groups has {_count(len(groups), 'entry', 'entries')}; expected the "
                    "number of one, counted from 0; add the group.",
                )
            members[customer.group][node] = None
        return [
            dataclasses.replace(group, customers=tuple(given)) for group, given in zip(groups, members, strict=True)
        ]

    def _require_leavable(self, made: dict[str, list[Any]], numbers: Sequence[int], groups: Sequence[Group]) -> None:
        """Raise an `InputError` if something has a prize or priority that must be visited."""
        grouped = {node for group in groups for node in group.customers}
        alone = [number for number, node in enumerate(numbers) if node not in grouped]
        for kind, which in (("customers", alone), ("pairs", range(len(made["pairs"])))):
            for number in which:
                part = made[kind][number]
                for key in ("prize", "priority"):
                    if part.required and (value := getattr(part, key)):
                        raise self._error(
                            f"{kind}[{number}].{key}",
                            f"is {value:g}, and nothing says that it may be left out; expected 0; add "
                            "'\"required\": false' if it may.",
                        )

    def _release_deliveries(self, fields: dict[str, Any]) -> None:
        for number, given in enumerate(self.data.get("pairs", [])):
            if DELIVERY_RELEASE in given:
                path = f"pairs[{number}].{DELIVERY_RELEASE}"
                node = fields["pairs"][number][1]
                fields["releases"][node] = self._checked(amount, path, given[DELIVERY_RELEASE])

    # Values.

    def _error(self, path: str, message: str) -> InputError:
        return InputError(f"{self.file}: {path} {message}")

    def _checked(self, check: Callable[[str, Any], T], path: str, value: Any) -> T:
        """Return what a check makes of a value; what it says against it is said in the words of JSON."""
        try:
            return check(f"{self.file}: {path}", value)
        except InputError as error:
            message = str(error)
            for python, ours in IN_JSON:
                message = message.replace(python, ours, 1)
            raise InputError(message) from None

    def _list(self, path: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._error(path, f"is {_shown(value)}; expected a list; give one.")
        return value

    def _require_keys(self, path: str, value: Any, known: Sequence[str]) -> None:
        """Raise an `InputError` unless a value is an object, each of whose keys is known and stands there once."""
        if not isinstance(value, dict):
            raise self._error(path, f"is {_shown(value)}; expected an object with keys; give one.")
        before = f"{path}." if path else ""
        if isinstance(value, _Twice):
            raise self._error(
                f"{before}{_in_path(value.key)}",
                "is given a second time; expected it once; delete one of the two.",
            )
        for key in value:
            if key not in known:
                raise self._unknown(path.partition("[")[0], f"{before}{_in_path(key)}", key, known)

    def _unknown(self, kind: str, path: str, key: str, known: Sequence[str]) -> InputError:
        if kind in POINTS and key in (*POINTS[kind], *ROWS[kind]):
            return self._error(path, f"is given; expected {self._place_hint(kind)}; give that instead.")
        fix = _meant(key, known) or "correct the key."
        return self._error(path, f"is not known; expected one of {listed(known, 80)}; {fix}")

    def _require_finite(self, path: str, value: Any) -> None:
        """Raise an `InputError` for NaN and infinity, which are no JSON though Python reads them, and for 1e400."""
        entries = value if isinstance(value, list) else [value]
        for each in entries:
            for number in each if isinstance(each, list) else (each,):
                if isinstance(number, float) and not math.isfinite(number):
                    what = "is" if value is number else "has"
                    raise self._error(
                        path,
                        f"{what} {number:g}; expected numbers of at most {LARGEST:g}; leave it out where there is no "
                        "limit.",
                    )

    def _matrix(self, path: str, value: Any) -> FloatArray:
        """Return a number of 0 or more for each ordered pair of locations."""
        if self.rows is None:
            raise self._error(
                path,
                "is given, and the file has neither coordinates nor distances; expected one of them, whose rows are "
                "the locations; add it.",
            )
        return self._array(path, value, rows=self.rows)

    def _array(self, path: str, value: Any, *, rows: int | None = None, points: bool = False) -> FloatArray:
        """Return numbers in rows: two of any sign for points, else as many as there are rows, and of 0 or more."""
        given = self._list(path, value)
        count = len(given) if rows is None else rows
        if len(given) != count or not given:
            expected = f"{count}, one for each location" if count else "one for each location"
            raise self._error(path, f"has {_count(len(given), 'row')}; expected {expected}; correct it.")
        columns = 2 if points else count
        for number, row in enumerate(given):
            if not isinstance(row, list) or len(row) != columns:
                found = f"has {_count(len(row), 'number')}" if isinstance(row, list) else f"is {_shown(row)}"
                raise self._error(f"{path}[{number}]", f"{found}; expected a list of {columns} numbers; correct it.")
            if not {*map(type, row)} <= {int, float}:
                column = next(place for place, each in enumerate(row) if type(each) not in (int, float))
                raise self._unfit(path, number, column, row[column], points=points)
        array = np.array(given, dtype=np.float64)
        unfit = ~(np.abs(array) <= LARGEST)
        if not points:
            unfit |= array < 0
        if unfit.any():
            row, column = np.argwhere(unfit)[0].tolist()
            raise self._unfit(path, row, column, given[row][column], points=points)
        return array

    def _unfit(self, path: str, row: int, column: int, value: Any, *, points: bool) -> InputError:
        least = "" if points else " of 0 or more and"
        return self._error(
            f"{path}[{row}][{column}]",
            f"is {_shown(value)}; expected a number{least} of at most {LARGEST:g}; correct the value.",
        )


def _shown(value: Any) -> str:
    """Return a value as messages repeat it: as it stands in the file where that is short."""
    return {None: "null", True: "true", False: "false"}[value] if value is None or type(value) is bool else shown(value)


def _in_path(key: str) -> str:
    """Return a key as a path has it: in quotes if it is no word."""
    return shortened(key, 40) if key.isascii() and key.isidentifier() else shown(key, 40)


def _count(number: int, word: str, several: str = "") -> str:
    return f"{number} {word if number == 1 else several or f'{word}s'}"


def _meant(key: str, known: Iterable[str]) -> str:
    """Return a question that names what a key is a slip of, or is called by others; nothing if that is not clear."""
    if len(key) > LONGEST:
        return ""
    words: dict[str, tuple[str, ...]] = {word: (word,) for word in known}
    for word, ours in OTHER_WORDS.items():
        if fitting := next((keys for keys in ours if words.keys() >= {*keys}), None):
            words.setdefault(word, fitting)
    close = difflib.get_close_matches(key.casefold(), words, n=1, cutoff=0.6)
    return f"did you mean {' and '.join(words[close[0]])}?" if close else ""
