"""The reference of the command line, in Markdown, from the commands themselves.

``python -m dacalns.cli.reference docs/cli.md`` writes it into the page, between the marks of each command. A test
compares the page with the commands, so the two cannot differ.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically

BLOCK = re.compile(r"^<!-- dac-alns (?P<name>[a-z -]+) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)


def commands() -> dict[str, Any]:
    """Return all commands by the words that call them, such as ``study run``."""
    import typer.main

    from dacalns.cli.command import app

    return dict(_leaves(typer.main.get_command(app), ()))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(words), command
        return
    for name, each in below.items():
        yield from _leaves(each, (*words, name))


def described(command: Any) -> str:
    """Return what a command does, and a table of its arguments and options if it has any."""
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    rows = [_row(each) for each in command.params if not getattr(each, "hidden", False)]
    table = ["\n".join(["| | meaning | if left out |", "|---|---|---|", *rows])] if rows else []
    return "\n\n".join([*paragraphs, *table])


def _row(each: Any) -> str:
    flag = bool(getattr(each, "is_flag", False))
    named = all(word.startswith("-") for word in each.opts)
    words = (
        ", ".join([*each.opts, *each.secondary_opts])
        if named
        else str(each.metavar).strip("[]").replace("]...", " ...")
    )
    if named and not flag:
        words = f"{words} {each.metavar}"
    usual = "" if flag else "required" if each.required else _usual(each)
    return f"| `{_cell(words)}` | {_cell(each.help or '')} | {_cell(usual)} |"


def _usual(each: Any) -> str:
    if isinstance(each.show_default, str):
        return each.show_default
    if each.default is None or each.default == []:
        return ""
    return f"`{each.default.as_posix() if isinstance(each.default, Path) else each.default}`"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def rewritten(page: str) -> str:
    """Return a page with what stands between the marks of commands as it should be.

    Raises
    ------
    InputError
        If the page lacks the marks of a command, has them twice, or names one that is not there.
    """
    known = commands()
    found = [match["name"] for match in BLOCK.finditer(page)]
    if sorted(found) != sorted(known):
        wrong = sorted({*known} ^ {*found}) or sorted(found)
        raise InputError(
            f"the page of the command line has the marks of {len(found)} commands; expected those of {len(known)}, "
            f"each once; look for {', '.join(wrong[:5])}."
        )
    return BLOCK.sub(
        lambda match: f"<!-- dac-alns {match['name']} -->\n\n{described(known[match['name']])}\n\n<!-- end -->", page
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        write_atomically(path, rewritten(path.read_text(encoding="utf-8")))
