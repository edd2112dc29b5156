"""Settings are read from a TOML file; errors name the line of the key."""

import os
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, cast

from dacalns.search.acceptance import ACCEPTANCES
from dacalns.selectors.settings import PRESETS
from dacalns.settings.settings import (
    ACCEPTANCE,
    PART_KINDS,
    PARTS,
    SearchSettings,
    SelectorSettings,
    Settings,
    StopSettings,
)
from dacalns.settings.toml_file import TomlFile
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import did_you_mean, require_choice

TABLES = tuple(entry.name for entry in fields(Settings))


def load_settings(path: str | os.PathLike[str]) -> Settings:
    """Read settings from a TOML file.

    Parameters
    ----------
    path
        A file with any of the tables ``[search]``, ``[stop]``, ``[acceptance]``, ``[selector]``, ``[rewards]``,
        ``[network]`` and ``[learning]``.

    Returns
    -------
    Settings
        The settings. Keys left out of a table have their defaults; for learned selectors, those of the preset.

    Raises
    ------
    InputError
        When the file cannot be read, or has an unknown table, an unknown key or a value that makes no sense. The
        message names the file and the line.
    """
    return settings_of(TomlFile.load(path))


def settings_of(file: TomlFile) -> Settings:
    """Return the settings that a file, or a part of one, describes."""
    for name, value in file.data.items():
        _require_table(file, name, value)
    parts: dict[str, Any] = {}
    if "search" in file.data:
        parts["search"] = _part(file, "search", _names(SearchSettings), SearchSettings)
    if "stop" in file.data:
        parts["stop"] = _part(file, "stop", _names(StopSettings), StopSettings)
    if "acceptance" in file.data:
        parts["acceptance"] = _acceptance(file)
    if "selector" in file.data:
        parts["selector"] = _selector(file)
    preset = PRESETS[(parts["selector"].preset if "selector" in parts else None) or "paper"]
    for name in PARTS:
        if name in file.data:
            if "selector" in parts and not parts["selector"].learned:
                kind, colon, details = parts["selector"].name.partition(":")
                chosen = shortened(parts["selector"].name, VALUE)
                if colon and SelectorSettings(kind).learned:
                    raise file.error(
                        (name,),
                        f"[{name}] stands beside selector {chosen}; expected settings behind the name "
                        f'or in tables; write name = "{kind}", and {shortened(details, VALUE)} as a preset or in '
                        "tables.",
                    )
                raise file.error(
                    (name,),
                    f"[{name}] is for selectors that learn; expected none beside selector {chosen}; "
                    "leave the table out.",
                )
            base = getattr(preset, name)
            parts[name] = _part(file, name, _names(type(base)), lambda base=base, **given: replace(base, **given))
    return Settings(**parts)


def _names(kind: Any) -> tuple[str, ...]:
    return tuple(entry.name for entry in fields(kind))


def _require_table(file: TomlFile, name: str, value: Any) -> None:
    if name in TABLES:
        if name == "acceptance" and isinstance(value, str):
            return
        if not isinstance(value, dict):
            or_name = " or a name" if name == "acceptance" else ""
            raise file.error(
                (name,), f"{name} is {shown(value)}; expected a table{or_name}; write [{name}] and its keys below."
            )
        return
    tables = ", ".join(f"[{table}]" for table in TABLES)
    if isinstance(value, dict):
        what, hint = f"there is no table [{shortened(name, VALUE)}]", did_you_mean(name, TABLES)
    else:
        what = f"{shortened(name, VALUE)} stands outside of any table"
        owners = [table for table, kind in PART_KINDS.items() if name in _names(kind)]
        hint = f"write it below [{owners[0]}]." if owners else did_you_mean(name, TABLES)
    raise file.error((name,), f"{what}; expected one of {tables}; {hint or 'leave it out.'}")


def _acceptance(file: TomlFile) -> Any:
    if isinstance(file.data["acceptance"], str):  # a name instead of a table
        return _named_acceptance(file, ("acceptance",), file.data["acceptance"])
    if "preset" in file.data["acceptance"]:
        others = [key for key in file.data["acceptance"] if key != "preset"]
        if others:
            raise file.error(
                ("acceptance", others[0]),
                f"[acceptance] has preset and {shown(others[0])}; expected a preset alone, or a type and its fields; "
                "leave one of them out.",
            )
        return _named_acceptance(file, ("acceptance", "preset"), file.data["acceptance"]["preset"])
    kind = _choice(file, "acceptance", "type", "SimulatedAnnealing", tuple(ACCEPTANCE))
    known = ("type", *_names(ACCEPTANCE[kind]))

    def make(type: str = kind, **given: Any) -> Any:  # noqa: A002
        return ACCEPTANCE[type](**given)

    return _part(file, "acceptance", known, make, f"acceptance {kind}")


def _named_acceptance(file: TomlFile, keys: tuple[str, ...], name: Any) -> Any:
    try:
        return ACCEPTANCES[require_choice(keys[-1], name, tuple(ACCEPTANCES))]
    except InputError as error:
        raise file.error(keys, f"[acceptance] {error}") from None


def _selector(file: TomlFile) -> SelectorSettings:
    name = file.data["selector"].get("name", SelectorSettings.name)
    try:
        chosen = SelectorSettings(name)
    except InputError as error:
        raise file.error(("selector", "name"), f"[selector] {error}") from None

    def make(name: str = chosen.name, preset: str | None = None, **given: Any) -> SelectorSettings:
        return SelectorSettings(name, preset, given)

    known = ("name", *(("preset",) if chosen.learned else ()), *chosen.fields)
    owner = f"selector {shortened(chosen.name, VALUE)}"
    if "name" not in file.data["selector"]:
        owner += ", which is meant where there is no name"
    return cast(SelectorSettings, _part(file, "selector", known, make, owner))


def _choice(file: TomlFile, table: str, key: str, default: str, choices: tuple[str, ...]) -> str:
    try:
        return require_choice(key, file.data[table].get(key, default), choices)
    except InputError as error:
        raise file.error((table, key), f"[{table}] {error}") from None


def _part(file: TomlFile, table: str, known: Iterable[str], make: Callable[..., Any], owner: str | None = None) -> Any:
    """Return what ``make`` makes of a table; errors name the line of the key."""
    known = tuple(known)
    given = {key: _frozen(value) for key, value in file.data[table].items()}
    for key in given:
        if key not in known:
            raise file.error(
                (table, key),
                f"[{table}] has no key {shown(key)}{f' for {owner}' if owner else ''}; expected one of "
                f"{', '.join(known)}; " + (did_you_mean(key, known) or "leave it out."),
            )
    try:
        return make(**given)
    except InputError as error:
        raise file.error((table, *_to_blame(given, str(error), make)), f"[{table}] {error}") from None


def _to_blame(given: dict[str, Any], message: str, make: Callable[..., Any]) -> tuple[str, ...]:
    """Return the key that a message is about, or nothing if only several keys together are wrong."""
    for key in given:
        if message.startswith(f"{key} is "):
            return (key,)
    for key, value in given.items():
        try:
            make(**{key: value})
        except InputError:
            return (key,)
    return ()


def _frozen(value: Any) -> Any:
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value
