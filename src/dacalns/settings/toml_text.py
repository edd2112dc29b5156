"""Values as TOML writes them."""

import json
from collections.abc import Mapping
from typing import Any

from dacalns.errors import InputError
from dacalns.shown import shown


def toml_table(name: str, values: Mapping[str, Any]) -> str:
    """A table with its keys, those that are None left out."""
    lines = [f"{key} = {toml_value(key, value)}\n" for key, value in values.items() if value is not None]
    return f"[{name}]\n" + "".join(lines)


def toml_value(key: str, value: Any) -> str:
    """A value as text that reads back the same.

    Raises
    ------
    InputError
        When TOML has no such value.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # TOML's escapes are JSON's, except that it wants this control character escaped as well.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(key, entry) for entry in value)}]"
    raise InputError(f"{key} is {shown(value)}; expected a number, text, true or false, or a list of these.")
