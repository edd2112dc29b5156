"""The reference of the command line, which is made from the commands."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dacalns
from dacalns.cli.command import app
from dacalns.cli.reference import commands, described, rewritten

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
COMMANDS = commands()


def test_the_page_says_what_the_commands_take():
    page = PAGE.read_text(encoding="utf-8")
    assert rewritten(page) == page, "run: python -m dacalns.cli.reference docs/cli.md"


def test_a_change_of_an_option_changes_the_page():
    page = PAGE.read_text(encoding="utf-8")
    assert rewritten(page.replace("| `--seed N` |", "| `--sed N` |")) == page
    with pytest.raises(
        dacalns.InputError, match=r"has the marks of \d+ commands; expected those of \d+.*look for check"
    ):
        rewritten(page.replace("<!-- dac-alns check -->", ""))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help_and_says_what_it_takes(name):
    for each in COMMANDS[name].params:
        assert re.search(r"^[A-Za-z].*\.$", each.help or "", re.DOTALL), each.opts
        if not getattr(each, "is_flag", False):
            assert each.metavar, each.opts
    table = described(COMMANDS[name])
    assert "None" not in table
    for option in (word for each in COMMANDS[name].params for word in each.opts if word.startswith("--")):
        assert f"`{option}" in table


@pytest.mark.parametrize("words", [[], *(name.split() for name in COMMANDS), ["study"], ["generate"]], ids=" ".join)
def test_flags_are_shown_without_a_value(words):
    text = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output
    assert "--help" in text
    assert "bool" not in text.lower()


@pytest.mark.parametrize("words", [[], *(name.split() for name in COMMANDS)], ids=" ".join)
def test_arguments_are_shown_as_users_know_them(words):
    text = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output
    assert not re.search(r"<(str|path|list|int|float)\b|\[\[|\{|\]\.\.\.\]", text.lower())
    if words == ["solve"]:
        assert " solve [OPTIONS] INSTANCE " in " ".join(text.split())
        assert re.search(r"a file could not be written, or", text), "lines end where the source does"
