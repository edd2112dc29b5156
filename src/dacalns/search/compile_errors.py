"""What Numba's long messages come to: a line of the user's, and what is wrong with it."""

import dis
import re
import sys
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from dacalns.core.model import Problem, Solution
from dacalns.core.selection import Memory
from dacalns.util.errors import LONGEST
from dacalns.util.shown import shortened
from dacalns.util.values import did_you_mean

# What the arguments of an operator or selector are usually called, by how Numba calls their types.
ARGUMENTS = {"Solution": ("solution", Solution._fields), "Memory": ("memory", Memory._fields)}
PROBLEM = ("problem", Problem._fields)
HINT = "Keep to what Numba supports: numbers, arrays and functions compiled with numba.njit."


def explained(what: str, function: Callable[..., Any], error: Exception) -> str:
    """One sentence on why a function does not compile, with the line that is to blame."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its messages
    plain = getattr(function, "py_func", function)
    code = getattr(plain, "__code__", None)
    word, reason = _mistake(text, getattr(plain, "__globals__", {})) or ("", f"{_first_reason(text)} {HINT}")
    where = _where(text, code, word) if code is not None else ""
    sentence = f"{where}{what} does not compile: {reason}"
    return shortened(sentence, LONGEST)


def _mistake(text: str, known: Iterable[str]) -> tuple[str, str] | None:
    """What is wrong where it is one of the usual mistakes, and the word that is, if it is a word."""
    if match := re.search(r"Unknown attribute '(\w+)' of type Referenced\((\w+)\(", text):
        word = match[1]
        argument, fields = ARGUMENTS.get(match[2], PROBLEM)
        meant = did_you_mean(word, fields) or f"expected one of {', '.join(fields)}."
        return word, f"{argument} has no {word!r}; {meant}"
    if match := re.search(r"Unknown attribute '(\w+)' of type array\(uint64, 1d", text):  # as only rng is
        word = match[1]
        return word, f"rng has no {word!r}; draw with random_int(rng, n) or random_float(rng)."
    if match := re.search(r"NameError: (?:global )?name '(\w+)' is not defined|Variable '(\w+)' is not defined", text):
        word = match[1] or match[2]
        helpers = getattr(sys.modules.get("dacalns"), "__all__", ())
        meant = did_you_mean(word, {*helpers, *known} - {word})
        return word, f"{word!r} is not defined; {meant or 'import it, or assign to it first.'}"
    if match := re.search(r"module '([\w.]+)' has no attribute '(\w+)'", text):
        module, word = match[1], match[2]
        meant = did_you_mean(word, vars(sys.modules[module])) if module in sys.modules else ""
        return word, f"module {module!r} has no {word!r}; {meant or 'check its name.'}"
    if match := re.search(r"to signature '(\(.*?\))' due to \"TypeError: (.*?)\"", text):
        return "", f"a call does not fit: {match[2]}; expected {match[1]}."
    if "Cannot modify readonly array" in text:
        return "", "it writes to an array that is read-only, as all of the problem's are."
    return None


def _first_reason(text: str) -> str:
    """The line that says most."""
    lines = [line.strip() for line in _without_types(text).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", ">>>", "<source"))]
    reason = (telling or lines or ["no reason given"])[0]
    if reason.endswith("found for signature:"):
        call = next((line for line in lines if line.startswith(">>>")), ">>> this")
        reason = f"Numba cannot do {call.removeprefix('>>>').strip()}"
    return reason.partition(" Raised from")[0].rstrip(".") + "."


def _without_types(text: str) -> str:
    """The text with the long names of our types in short."""
    while (begin := text.find("Referenced(")) >= 0:
        depth, end = 0, begin
        for end in range(begin + len("Referenced"), len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0:
                break
        kind = text[begin + len("Referenced(") :].partition("(")[0]
        text = text[:begin] + ARGUMENTS.get(kind, PROBLEM)[0] + text[end + 1 :]
    return text


def _where(text: str, code: CodeType, word: str) -> str:
    """The line of the user's that the message is about, or the first one of the function."""
    for match in re.finditer(r"(?:at|Raised from) (\S.*?) \((\d+)\)", text):
        if "numba" not in match[1].replace("\\", "/").split("/"):
            return f"{match[1]}:{match[2]}: "
    named = re.search(r'File "[^"]*", line (\d+):', text)
    line = named[1] if named else _line_of(code, word)
    return f"{code.co_filename}:{line or code.co_firstlineno}: "


def _line_of(code: CodeType, word: str) -> int | None:
    line = None
    for instruction in dis.get_instructions(code):
        line = (instruction.positions.lineno if instruction.positions else None) or line
        if instruction.argval == word:
            return line
    return None
