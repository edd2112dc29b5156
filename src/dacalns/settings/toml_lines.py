"""A TOML file that remembers on which line each key stands."""

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dacalns.errors import InputError

Keys = tuple[str, ...]


@dataclass(frozen=True)
class TomlFile:
    """What a TOML file says, and where.

    Parameters
    ----------
    name
        The path as the user wrote it.
    data
        The tables.
    lines
        The line of each table and key, by its names from the top: ``("learning", "rate")``.
    """

    name: str
    data: dict[str, Any]
    lines: dict[Keys, int]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TomlFile":
        """Read a file.

        Raises
        ------
        InputError
            When it cannot be read or is not TOML.
        """
        name = os.fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise InputError(f"{name}: there is no such file; expected a TOML file; check the path.") from None
        except IsADirectoryError:
            raise InputError(f"{name}: this is a folder; expected a TOML file; name one of the files in it.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise InputError(f"{name}: cannot be read ({reason}); expected a TOML file; check it.") from None
        try:
            return cls(name, tomllib.loads(text), _lines(text))
        except (ValueError, RecursionError) as error:  # the integer of 5000 digits is a ValueError, too
            place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
            line = int(place[1]) if place and place[1] else max(1, text.rstrip().count("\n") + 1)
            reason = str(error)[: place.start()] if place else str(error)
            raise InputError(f"{name}:{line}: {reason}; expected TOML, such as rate = 0.001; correct it.") from None

    def part(self, *keys: str) -> "TomlFile":
        """The table that these keys lead to, as if it were a file; errors still tell the true line."""
        data = self.data
        for key in keys:
            data = data[key]
        first = self.lines.get(keys, 1)
        inner = {path[len(keys) :]: line for path, line in self.lines.items() if path[: len(keys)] == keys}
        return TomlFile(self.name, data, {(): first, **inner})

    def error(self, keys: Keys, message: str) -> InputError:
        """Return an error that points at a key; the caller raises it."""
        line = next((self.lines[keys[:size]] for size in range(len(keys), -1, -1) if keys[:size] in self.lines), 1)
        return InputError(f"{self.name}:{line}: {message}")


def _lines(text: str) -> dict[Keys, int]:
    """The line on which each table and key of a valid document begins."""
    found: dict[Keys, int] = {}
    header: Keys = ()
    statement = ""
    began = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if not statement:
            began = number
        statement += line + "\n"
        try:
            data = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:  # goes on in the next line: an array or a text of several lines
            continue
        is_header = statement.lstrip().startswith("[")
        prefix = () if is_header else header
        for keys in _paths(data):
            found.setdefault(prefix + keys, began)
            if is_header:
                header = keys
        statement = ""
    return found


def _paths(data: dict[str, Any]) -> list[Keys]:
    """The names of all keys, from the top, outer ones before inner ones."""
    paths: list[Keys] = []
    for key, value in data.items():
        paths.append((key,))
        tables = value if isinstance(value, list) else [value]
        paths.extend((key, *inner) for table in tables if isinstance(table, dict) for inner in _paths(table))
    return paths
