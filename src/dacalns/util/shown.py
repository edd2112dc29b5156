"""What a user gave, as messages repeat it: long enough to be recognised, short enough to leave a sentence."""

import os
from collections.abc import Iterable

VALUE, PATH, LIST = 60, 120, 140
"""The most characters of a value, of a path and of a list of names that a message repeats."""


def shortened(text: str, most: int) -> str:
    """Return the text, without its middle if it is longer than ``most`` characters.

    >>> shortened("abcdefghij", 7)
    'abcd…ij'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def shown(value: object, most: int = VALUE) -> str:
    """Return the ``repr`` of anything that a user may have given, in one line and shortened.

    >>> shown("a" * 100, 12)
    "'aaaaaaa…aa'"
    >>> shown(10**5000)
    'a whole number of 5001 digits'
    """
    if isinstance(value, str) and len(value) > 4 * most:
        # Quoting all of it takes time, and escaping makes it longer still.
        value = value[: 2 * most] + "…" + value[-2 * most :]
    try:
        text = repr(value)
    except (ValueError, RecursionError, MemoryError):
        # Python writes no integer of over 4300 digits, and nothing that is nested too deeply.
        if not isinstance(value, int):
            return f"a {type(value).__name__} too large to show"
        return f"a whole number of {int(abs(value).bit_length() * 0.30102999566398120) + 1} digits"
    return shortened(" ".join(text.split()) if "\n" in text else text, most)


def text_of(value: object) -> str:
    """Return text as it is, a path as text, and anything else, which ``str`` may fail to write, as it is shown."""
    return str(value) if isinstance(value, str | os.PathLike) else shown(value)


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path as the user wrote it, without its middle if it is very long."""
    return shortened(os.fspath(path), PATH)


def reason_of(error: BaseException) -> str:
    """Return the class of an exception and what it says, in one line, shortened."""
    return shortened(f"{type(error).__name__}: {' '.join(str(error).split())}", LIST)


def listed(names: Iterable[object], most: int = LIST) -> str:
    """Return as many names as fit into so many characters, with commas between, and how many more there are.

    >>> listed(["red", "green", "blue"], 12)
    'red, green and 1 more'
    """
    words = [shortened(str(name), 40) for name in names]
    fitting, length = 0, 0
    for word in words:
        length += len(word) + 2
        if fitting and length > most + 2:
            break
        fitting += 1
    rest = len(words) - fitting
    return ", ".join(words[:fitting]) + (f" and {rest} more" if rest else "")
