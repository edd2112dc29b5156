"""JSON that people read: a list of numbers, such as a route, is one line."""

import json
from typing import Any


def json_text(value: Any, level: int = 0) -> str:
    """Return a value as JSON, one level deeper in each line; lists of plain values, and what is in lists, are one line.

    Parameters
    ----------
    value
        Dictionaries with words as keys, lists, and what is plain.
    level
        How deep it stands already.

    Raises
    ------
    ValueError
        If there is a number that JSON does not have.
    """
    return _lines(value, level, in_list=False)


def _lines(value: Any, level: int, *, in_list: bool) -> str:
    inner = "\n" + " " * (level + 1)
    if isinstance(value, dict):
        if value and not (in_list and all(map(_is_plain, value.values()))):
            entries = (f"{json.dumps(name)}: {_lines(each, level + 1, in_list=False)}" for name, each in value.items())
            return f"{{{inner}{f',{inner}'.join(entries)}\n{' ' * level}}}"
    elif isinstance(value, list | tuple) and not all(map(_is_plain, value)):
        entries = (_lines(each, level + 1, in_list=True) for each in value)
        return f"[{inner}{f',{inner}'.join(entries)}\n{' ' * level}]"
    return json.dumps(value, allow_nan=False)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list | tuple)
