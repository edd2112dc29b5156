"""A tuning as a TOML file states it: instances and budget, and settings of which some are ranges."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dacalns.instances import Instance, instance_names, set_names
from dacalns.search.operators import Scale
from dacalns.search.portfolio import DESTROY_OPERATORS, REPAIR_OPERATORS
from dacalns.search.stopping import DISTANCE
from dacalns.settings import SelectorSettings, Settings
from dacalns.settings.load import TABLES, settings_of
from dacalns.settings.settings import ACCEPTANCE, PARTS
from dacalns.settings.toml_file import Keys, TomlFile
from dacalns.study.content_key import instance_digest
from dacalns.study.task import known_instance
from dacalns.tuning.ranges import Choice, NumberRange, Range, range_of
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, listed, shortened, shown, text_of
from dacalns.util.values import LARGEST_SEED, did_you_mean, require_choice, whole_number

OPERATORS: dict[str, dict[str, Any]] = {"destroy": DESTROY_OPERATORS, "repair": REPAIR_OPERATORS}
SCALES = ("count", "least", "most", "percent")
SAMPLERS = ("tpe", "random")
ALLOWED = ("tune", *(table for table in TABLES if table != "stop"), *OPERATORS)
KEYS = ("instances", "check", "seeds", "iterations", "time", "trials", "seed", "prune", "sampler")
# Of [search], what a tuning sets itself, and what it says instead.
ELSEWHERE = {
    "seed": "[tune] seed and seeds say what is drawn",
    "jobs": "each search of a tuning has one core",
    "destroy": "a table [destroy] names the operators",
    "repair": "a table [repair] names the operators",
}
T = TypeVar("T")
Values = dict[str, Any]


@dataclass(frozen=True)
class TuningPlan:
    """What a tuning does; `load_plan` reads it from a file.

    Parameters
    ----------
    name
        The name of the study: that of the file, without its ending.
    instances
        The instances to tune on.
    check
        The instances on which the best settings are compared with the defaults at the end.
    seeds
        The number of searches of each instance.
    iterations, time
        The budget of each search: one of the two, while the other is None.
    trials
        The number of settings to try.
    seed
        The seed of what is drawn.
    prune
        True if settings that do worse than the best on the first instances are given up.
    sampler
        ``"tpe"`` or ``"random"``.
    file
        The file, with its ranges.
    """

    name: str
    instances: tuple[Instance, ...]
    check: tuple[Instance, ...]
    seeds: int
    iterations: int | None
    time: float | None
    trials: int
    seed: int
    prune: bool
    sampler: str
    file: TomlFile

    @property
    def ranges(self) -> dict[str, Range]:
        """The ranges, by the names of their settings."""
        return {name: entry for name, _, entry in _ranges_in(self.file)}

    def suggest(self, trial: Any) -> Settings:
        """Let a trial of Optuna draw settings; what belongs to a selector that is not chosen is not drawn.

        Raises
        ------
        InputError
            If what is drawn makes no sense together.
        """
        return self._settings(lambda name, entry: entry.suggest(trial, name))

    def settings(self, values: Values) -> Settings:
        """Return the settings with these values in the place of ranges, as the parameters of a trial have them."""
        return self._settings(lambda name, _: values[name])

    def _settings(self, draw: Callable[[str, Range], Any]) -> Settings:
        return settings_of(replace(self.file, data=_concrete(self.file, draw)))

    @property
    def defaults(self) -> Settings:
        """The settings without what is tuned: a table whose name or type is tuned is left out, and so are operators."""
        data: dict[str, Any] = {}
        for table, given in _settings_tables(self.file).items():
            fixed = (
                {key: value for key, value in given.items() if not _has_range(value)}
                if isinstance(given, dict)
                else given
            )
            leading = {"selector": "name", "acceptance": "type"}.get(table)
            if isinstance(given, dict) and leading in given and leading not in fixed:
                continue
            data[table] = fixed
        if "selector" not in data and "selector" in self.file.data:
            for part in PARTS:
                data.pop(part, None)
        for side in OPERATORS:
            given = self.file.data.get(side)
            if given is not None and not _has_range(given):
                data.setdefault("search", {})[side] = _names(self.file, side, lambda _, entry: entry.samples()[0])
        return settings_of(replace(self.file, data={table: given for table, given in data.items() if given}))

    @property
    def budget(self) -> str:
        """The budget in words."""
        return f"{self.iterations:,} iterations" if self.time is None else f"{self.time:g} s"

    @property
    def digest(self) -> str:
        """A digest of all that decides what a trial is worth, and of what it may draw; the number of trials is free."""
        ranges = {name: repr(entry) for name, entry in self.ranges.items()}
        rest = {table: given for table, given in self.file.data.items() if table != "tune"}
        instances = [[instance_digest(each) for each in group] for group in (self.instances, self.check)]
        content = [instances, self.seeds, self.iterations, self.time, self.seed, self.prune, self.sampler, ranges, rest]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def load_plan(path: str | os.PathLike[str]) -> TuningPlan:
    """Read a tuning from a TOML file.

    Parameters
    ----------
    path
        A file with a table ``[tune]`` and the tables of a settings file, in which any value may be a range; tables
        ``[destroy]`` and ``[repair]`` name operators.

    Raises
    ------
    InputError
        When the file cannot be read, or has an unknown table or key, or a range that makes no sense. The message names
        the file and the line.
    """
    file = TomlFile.load(path)
    for table, given in file.data.items():
        if table == "stop":
            raise file.error((table,), "[stop] stands in a tuning; expected the budget in [tune]: iterations or time.")
        if table not in ALLOWED or not (isinstance(given, dict) or table == "acceptance"):
            tables = ", ".join(f"[{name}]" for name in ALLOWED)
            hint = did_you_mean(table, ALLOWED) or "leave it out."
            raise file.error((table,), f"{shortened(table, VALUE)} is no table of a tuning; expected {tables}; {hint}")
    if "tune" not in file.data:
        raise file.error((), "there is no table [tune]; expected one with instances and iterations, or time; add it.")
    plan = _plan(file, Path(path))
    _require_sound(plan)
    return plan


def _plan(file: TomlFile, path: Path) -> TuningPlan:
    table = file.data["tune"]
    for key in table:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or "leave it out."
            raise file.error(
                ("tune", key), f"[tune] has no key {shown(key)}; expected one of {', '.join(KEYS)}; {hint}"
            )

    def checked(key: str, make: Callable[[Any], T], default: Any) -> T:
        try:
            return make(table.get(key, default))
        except InputError as error:
            raise file.error(("tune", key), f"[tune] {error}") from None

    if ("iterations" in table) == ("time" in table):
        raise file.error(("tune",), "[tune] has no budget, or two; expected iterations or time, one of the two.")
    iterations = checked("iterations", lambda value: whole_number("iterations", value, minimum=1), 1)
    time = checked("time", _seconds, 1.0)
    return TuningPlan(
        name=path.stem,
        instances=checked("instances", lambda value: _instances("instances", value, path.parent), None),
        check=checked(
            "check", lambda value: _instances("check", value, path.parent) if value is not None else (), None
        ),
        seeds=checked("seeds", lambda value: whole_number("seeds", value, minimum=1, maximum=1000), 1),
        iterations=iterations if "iterations" in table else None,
        time=time if "time" in table else None,
        trials=checked("trials", lambda value: whole_number("trials", value, minimum=1, maximum=1_000_000), 50),
        seed=checked("seed", lambda value: whole_number("seed", value, minimum=0, maximum=LARGEST_SEED), 0),
        prune=checked("prune", _truth, True),
        sampler=checked("sampler", lambda value: require_choice("sampler", value, SAMPLERS), "tpe"),
        file=file,
    )


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e6:
        raise InputError(f"time is {shown(value)}; expected seconds, above 0; correct the value.")
    return float(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"prune is {shown(value)}; expected true or false.")
    return value


def _instances(key: str, given: Any, folder: Path) -> tuple[Instance, ...]:
    """Return the instances of sets, names and files, which are seen from the folder of the tuning's file."""
    entries = [given] if isinstance(given, str) else given
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
        raise InputError(f"{key} is {shown(given)}; expected a list of sets, names or files.")
    found: list[str] = []
    for entry in entries:
        beside = folder / text_of(entry)
        found += instance_names(entry) if entry in set_names() else [str(beside) if _is_file(beside) else entry]
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{key} has {shown(twice)} twice; expected each one once; take one out.")
    return tuple(known_instance(name) for name in found)


def _is_file(path: Path) -> bool:
    return "\0" not in str(path) and path.is_file()


# Ranges in the file, and values in their place.


def _settings_tables(file: TomlFile) -> dict[str, Any]:
    return {table: given for table, given in file.data.items() if table not in ("tune", *OPERATORS)}


def _has_range(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_range, value))
    return isinstance(value, dict) and (
        bool(value.keys() & {"low", "high", "choices"}) or any(map(_has_range, value.values()))
    )


def _ranges_in(file: TomlFile) -> Iterator[tuple[str, Keys, Range]]:
    """Yield all ranges with the names of their settings and their keys."""
    for table, given in _settings_tables(file).items():
        for key, value in given.items() if isinstance(given, dict) else ():
            yield from _ranges_of(file, f"{table}.{key}", (table, key), value)
    for side in OPERATORS:
        for name, value in file.data.get(side, {}).items():
            inner = {"use": value} if _is_range(value) else value if isinstance(value, dict) else {}
            for key, part in inner.items():
                yield from _ranges_of(file, f"{side}.{name}.{key}", (side, name), part)


def _is_range(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & {"low", "high", "choices"})


def _ranges_of(file: TomlFile, name: str, keys: Keys, value: Any) -> Iterator[tuple[str, Keys, Range]]:
    if isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _ranges_of(file, f"{name}.{place}", keys, entry)
    elif isinstance(value, dict):
        yield name, keys, range_of(name, value, partial(file.error, keys))


def _put(file: TomlFile, name: str, keys: Keys, value: Any, draw: Callable[[str, Range], Any]) -> Any:
    """Return a value with drawn ones in the place of its ranges."""
    if isinstance(value, list):
        return [_put(file, f"{name}.{place}", keys, entry, draw) for place, entry in enumerate(value)]
    if isinstance(value, dict):
        return draw(name, range_of(name, value, partial(file.error, keys)))
    return value


def _concrete(file: TomlFile, draw: Callable[[str, Range], Any]) -> dict[str, Any]:
    """Return the tables of a settings file with drawn values; what does not belong to what is chosen is left out."""
    data: dict[str, Any] = {}
    learned = True
    # The selector comes first, because it decides what else is drawn.
    for table, given in sorted(_settings_tables(file).items(), key=lambda entry: entry[0] != "selector"):
        if table in PARTS and not learned:
            continue
        if not isinstance(given, dict):
            data[table] = given
            continue
        drawn: dict[str, Any] = {}
        leading = {"selector": "name", "acceptance": "type"}.get(table, "")
        tuned = _has_range(given.get(leading))
        if leading in given:
            drawn[leading] = _put(file, f"{table}.{leading}", (table, leading), given[leading], draw)
        for key, value in given.items():
            if key != leading and (not tuned or key in _fields(table, drawn[leading])):
                drawn[key] = _put(file, f"{table}.{key}", (table, key), value, draw)
        data[table] = drawn
        if table == "selector" and tuned:
            learned = SelectorSettings(drawn["name"]).learned
    for side in OPERATORS:
        if side in file.data:
            data["search"] = data.get("search", {}) | {side: _names(file, side, draw)}
    return {table: data[table] for table in TABLES if table in data}


def _fields(table: str, chosen: Any) -> tuple[str, ...]:
    """Return the keys of a table for the selector or the type that was chosen."""
    if table == "acceptance":
        kind: Any = ACCEPTANCE[require_choice("type", chosen, tuple(ACCEPTANCE))]
        return tuple(entry.name for entry in fields(kind))
    settings = SelectorSettings(chosen)
    return (*settings.fields, *(("preset",) if settings.learned else ()))


def _names(file: TomlFile, side: str, draw: Callable[[str, Range], Any]) -> list[str]:
    """Return the names of the operators that are used, with their scales."""
    chosen = []
    for name, value in file.data[side].items():
        inner = value if isinstance(value, dict) and not _is_range(value) else {"use": value}
        if not _put(file, f"{side}.{name}.use", (side, name), inner.get("use", True), draw):
            continue
        drawn = {
            key: _put(file, f"{side}.{name}.{key}", (side, name), part, draw)
            for key, part in inner.items()
            if key != "use"
        }
        chosen.append(name if not drawn else f"{name}@{_scale(drawn)}")
    return chosen


def _scale(drawn: Values) -> str:
    if "percent" in drawn:
        return f"{drawn['percent']:.4g}%"
    if "count" in drawn:
        return f"{drawn['count']:g}"
    least, most = drawn["least"], max(drawn["least"], drawn["most"])
    return f"{least:g}" if least == most else f"{least:g}-{most:g}"


# Whether all that may be drawn makes sense.


def _require_sound(plan: TuningPlan) -> None:
    file = plan.file
    for key, where in ELSEWHERE.items():
        if key in file.data.get("search", {}):
            raise file.error(("search", key), f"[search] has {key}; expected none in a tuning: {where}; leave it out.")
    objective = file.data.get("search", {}).get("objective", DISTANCE)
    if objective != DISTANCE:
        raise file.error(
            ("search", "objective"),
            f"[search] objective is {shown(objective)}; expected {DISTANCE!r}, in which gaps are; leave it out.",
        )
    for side, known in OPERATORS.items():
        _require_operators(file, side, known)
    ranges = list(_ranges_in(file))
    if not ranges:
        raise file.error(
            (), "there is no range to tune; expected one such as start = {low = 0.5, high = 4.0}; add one."
        )
    _require_known_keys(file)
    for name, keys, entry in ranges:
        for value in entry.samples():
            _require_value(plan, name, keys, value)
    _ = plan.defaults


def _require_operators(file: TomlFile, side: str, known: dict[str, Any]) -> None:
    table = file.data.get(side)
    if table is None:
        return
    sure = False
    for name, value in table.items():
        keys = (side, name)
        if name not in known:
            hint = did_you_mean(name, known) or "choose another."
            raise file.error(
                keys, f"[{side}] has no operator {shown(name)}; expected one of {listed(known, 120)}; {hint}"
            )
        inner = value if isinstance(value, dict) and not _is_range(value) else {"use": value}
        parts = ("use", *SCALES) if side == "destroy" else ("use",)
        strange = next((key for key in inner if key not in parts), None)
        if strange is not None:
            hint = did_you_mean(strange, parts) or "leave it out."
            raise file.error(keys, f"{name} has a key {shown(strange)}; expected one of {', '.join(parts)}; {hint}")
        scales = set(inner) - {"use"}
        if scales and scales not in ({"count"}, {"percent"}, {"least", "most"}):
            raise file.error(
                keys, f"{name} has {', '.join(sorted(scales))}; expected count, percent, or least and most together."
            )
        use = inner.get("use", True)
        choice = range_of(name, use, partial(file.error, keys)) if _is_range(use) else use
        if not isinstance(choice, bool) and not (isinstance(choice, Choice) and set(choice.choices) == {True, False}):
            raise file.error(keys, f"{name} is {shown(use)}; expected true, false or {{choices = [true, false]}}.")
        sure |= choice is True
        for key in scales:
            _require_scale(file, keys, key, inner[key])
    if not sure:
        raise file.error(
            (side,), f"[{side}] may leave out every operator; expected one that is always used; set one to true."
        )


def _require_scale(file: TomlFile, keys: Keys, key: str, value: Any) -> None:
    entry = range_of(key, value, partial(file.error, keys)) if _is_range(value) else None
    for number in entry.samples() if entry is not None else [value]:
        try:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise InputError(f"{key} is {shown(number)}; expected a number or a range of numbers.")
            Scale(number / 100, number / 100, fraction=True) if key == "percent" else Scale(number, number)
        except InputError as error:
            raise file.error(keys, f"{keys[-1]}: {error}") from None
    if isinstance(entry, NumberRange) and not entry.whole and key != "percent":
        raise file.error(keys, f"{keys[-1]}: {key} is from {entry.low} to {entry.high}; expected whole numbers.")


def _require_known_keys(file: TomlFile) -> None:
    """Where the selector, or the type, is tuned, a key must belong to one of the choices."""
    for table, leading in (("selector", "name"), ("acceptance", "type")):
        given = file.data.get(table, {})
        if not isinstance(given, dict) or not _has_range(given.get(leading)):
            continue
        entry = range_of(leading, given[leading], partial(file.error, (table, leading)))
        known: list[str] = []
        for choice in entry.samples():
            try:
                known += _fields(table, choice)
            except InputError as error:
                raise file.error((table, leading), f"[{table}] {error}") from None
        for key in given:
            if key != leading and key not in known:
                raise file.error(
                    (table, key),
                    f"[{table}] has no key {shown(key)} for any of these choices; expected one of "
                    f"{', '.join(dict.fromkeys(known))}; " + (did_you_mean(key, known) or "leave it out."),
                )


def _require_value(plan: TuningPlan, name: str, keys: Keys, value: Any) -> None:
    """Check that a value makes sense with some values of the other ranges."""
    found: InputError | None = None
    leading = _choices_that_use(plan, name)
    for place in range(3):
        for chosen in leading:
            try:
                plan._settings(_drawing({name: value} | chosen, place))
            except InputError as error:
                found = found or error
            else:
                return
    assert found is not None
    text = str(found)
    raise (
        found
        if f":{plan.file.lines.get((*plan.file.within, *keys))}:" in text
        else plan.file.error(keys, text.partition(": ")[2])
    )


def _drawing(fixed: Values, place: int) -> Callable[[str, Range], Any]:
    def draw(name: str, entry: Range) -> Any:
        samples = entry.samples()
        return fixed.get(name, samples[min(place, len(samples) - 1)])

    return draw


def _choices_that_use(plan: TuningPlan, name: str) -> list[Values]:
    """Return the choices of selector and type with which a setting has an effect."""
    table = name.partition(".")[0]
    leading = "selector.name" if table in ("selector", *PARTS) else "acceptance.type"
    entry = plan.ranges.get(leading)
    if entry is None or name == leading:
        return [{}]
    fits = []
    for choice in entry.samples():
        seen: list[str] = []

        def note(drawn: str, range_: Range, seen: list[str] = seen, choice: Any = choice) -> Any:
            seen.append(drawn)
            return choice if drawn == leading else range_.samples()[0]

        _concrete(plan.file, note)
        if name in seen or table not in ("selector", "acceptance", *PARTS):
            fits.append({leading: choice})
    return fits or [{}]
