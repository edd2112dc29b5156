"""TOML files are read with the line of every key, so that errors can name it, and are written."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dacalns.util.errors import InputError
from dacalns.util.shown import shortened, shown, shown_path

# A TOML file that remembers on which line each key stands.

Keys = tuple[str, ...]

# A token is a text or a comment, in which newlines and brackets have no meaning, or a newline, a bracket, or anything
# up to the next of these. No part of the pattern gives back what it has matched, so the time is linear in the length.
TOKEN = re.compile(
    r"""
      \"\"\" (?: [^"\\]++ | \\. | "{1,2} (?!") )*+ "{3,5}
    | '''    (?: [^']++         | '{1,2} (?!') )*+ '{3,5}
    | "      (?: [^"\\\n]++ | \\. )*+ "
    | '      [^'\n]*+ '
    | \#     [^\n]*+
    | (?P<end> \n )
    | (?P<open> [\[{] )
    | (?P<close> [\]}] )
    | [^"'\#\n\[\]{}]++
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
# An error in a table that is nested more deeply names the line of the table around it.
MOST_LEVELS = 8
MOST_PARTS = 32
# No setting needs a number as large. Some numbers with thousands of digits could be read, but not be written.
LARGEST = 10**39
# The time that Python's reader takes grows with the square of the number of parts of a key.
LONG_KEY = re.compile(
    r"""^ [ \t]*+ \[{0,2}+ (?: [ \t]*+ (?: [\w-]++ | "[^"\n]*+" | '[^'\n]*+' ) [ \t]*+ \. ){32}""",
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True)
class TomlFile:
    """The content of a TOML file, with the line of each key.

    Parameters
    ----------
    name
        The path as the user wrote it.
    data
        The tables.
    lines
        The line of each table and key, by its names from the top: ``("learning", "rate")``.
    within
        The names that lead to ``data``, if that is a part of the file.
    """

    name: str
    data: dict[str, Any]
    lines: Mapping[Keys, int]
    within: Keys = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TomlFile":
        """Read a file.

        Raises
        ------
        InputError
            When it cannot be read or is not TOML.
        """
        name = shown_path(path)
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise InputError(f"{name}: there is no such file; expected a TOML file; check the path.") from None
        except IsADirectoryError:
            raise InputError(f"{name}: this is a folder; expected a TOML file; name one of the files in it.") from None
        except UnicodeDecodeError:
            raise InputError(f"{name}: cannot be read (not UTF-8 text); expected a TOML file; check it.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"{name}: cannot be read ({reason}); expected a TOML file; check it.") from None
        if found := LONG_KEY.search(text):
            line = text.count("\n", 0, found.start()) + 1
            raise InputError(f"{name}:{line}: the key has over {MOST_PARTS} parts; expected a few; correct it.")
        try:
            file = cls(os.fspath(path), tomllib.loads(text), _lines(text))
            numbers = list(_numbers((), file.data))
        except (ValueError, RecursionError) as error:  # the integer of 5000 digits is a ValueError, too
            place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
            line = int(place[1]) if place and place[1] else max(1, text.rstrip().count("\n") + 1)
            reason = shortened(str(error)[: place.start()] if place else str(error), 100)
            raise InputError(f"{name}:{line}: {reason}; expected TOML, such as rate = 0.001; correct it.") from None
        for keys, number in numbers:
            if abs(number) >= LARGEST:
                expected = "at most 39 digits"
                raise file.error(
                    keys, f"{shortened(keys[-1], 40)} is {shown(number)}; expected {expected}; correct it."
                )
        return file

    def part(self, *keys: str) -> "TomlFile":
        """Return the table that these keys lead to, as if it were a file; errors name the line in the whole file."""
        data = self.data
        for key in keys:
            data = data[key]
        return replace(self, data=data, within=self.within + keys)

    def error(self, keys: Keys, message: str) -> InputError:
        """Return an error that points at a key; the caller raises it."""
        path = self.within + keys
        line = next((self.lines[path[:size]] for size in range(len(path), -1, -1) if path[:size] in self.lines), 1)
        return InputError(f"{shown_path(self.name)}:{line}: {message}")


def _numbers(keys: Keys, value: Any) -> Iterator[tuple[Keys, int]]:
    """Yield all whole numbers with their keys; those in lists have the key of the list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers((*keys, key), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(keys, inner)
    elif isinstance(value, int):
        yield keys, value


def _lines(text: str) -> dict[Keys, int]:
    """Return the line on which each table and key of a valid document begins."""
    found: dict[Keys, int] = {}
    header: Keys = ()
    for began, statement in _statements(text):
        is_header = statement.lstrip().startswith("[")
        prefix = () if is_header else header
        for keys in _paths(tomllib.loads(statement)):
            found.setdefault(prefix + keys, began)
            if is_header:
                header = keys
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the statements of a valid document, each with the number of its first line; some take several lines."""
    number = began = 1
    start = depth = 0
    for token in TOKEN.finditer(text):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["end"] and not depth:
            yield began, text[start : token.start()]
            number += 1
            began, start = number, token.end()
        else:
            number += token[0].count("\n")
    yield began, text[start:]


def _paths(data: dict[str, Any], levels: int = MOST_LEVELS) -> list[Keys]:
    """Return the names of all keys from the top, outer keys before inner ones."""
    paths: list[Keys] = []
    if not levels:
        return paths
    for key, value in data.items():
        paths.append((key,))
        tables = value if isinstance(value, list) else [value]
        paths.extend(
            (key, *inner) for table in tables if isinstance(table, dict) for inner in _paths(table, levels - 1)
        )
    return paths


# Writing.


def toml_table(name: str, values: Mapping[str, Any]) -> str:
    """Return a table with its keys as text, without those that are None."""
    lines = [f"{key} = {toml_value(key, value)}\n" for key, value in values.items() if value is not None]
    return f"[{name}]\n" + "".join(lines)


def toml_value(key: str, value: Any) -> str:
    """Return a value as text that is read back as the same value.

    Raises
    ------
    InputError
        When TOML has no such value.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # TOML's escapes are those of JSON, except that this control character must be escaped as well.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(key, entry) for entry in value)}]"
    raise InputError(f"{key} is {shown(value)}; expected a number, text, true or false, or a list of these.")
