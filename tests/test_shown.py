"""What messages repeat is short, whatever was given."""

import pickle
import re
from pathlib import Path

import pytest

from dacalns.util.errors import LONGEST, InfeasibleInstanceError, InputError
from dacalns.util.shown import listed, reason_of, shortened, shown, shown_path
from dacalns.util.values import did_you_mean


def test_short_texts_stay_as_they_are() -> None:
    assert shortened("abc", 3) == "abc"
    assert shown("abc") == "'abc'"
    assert shown([1, None, "x"]) == "[1, None, 'x']"
    assert shown_path(Path("a") / "b.vrp") == str(Path("a") / "b.vrp")


def nested(levels: int) -> list[object]:
    tree: list[object] = []
    for _ in range(levels):
        tree = [tree]
    return tree


def test_anything_is_shown_in_sixty_characters() -> None:
    values = ("a" * 10**6, "\x00" * 1000, [*range(10**5)], 10**400, 10**5000, -(10**5000), [10**5000], nested(10**5))
    assert all(len(shown(value)) <= 60 for value in values)


def test_both_ends_stay() -> None:
    text = shortened("begin" + "x" * 1000 + "end", 20)
    assert text.startswith("begin")
    assert text.endswith("end")
    assert len(text) == 20


def test_lists_tell_how_much_they_leave_out() -> None:
    assert listed([]) == ""
    assert listed(["a", "b"]) == "a, b"
    assert listed(["a" * 500]) == shortened("a" * 500, 40)
    assert re.fullmatch(r"0, 1, .* and \d+ more", listed(range(1000)))
    assert len(listed(range(1000))) < 160


def test_reasons_are_one_line() -> None:
    assert reason_of(ValueError("two\n  lines")) == "ValueError: two lines"
    assert len(reason_of(ValueError("x" * 1000))) == 140


@pytest.mark.parametrize("kind", [InputError, InfeasibleInstanceError])
def test_no_message_is_longer_than_a_sentence(kind: type[InputError]) -> None:
    error = kind("file.vrp:3: " + "x" * 1000 + "; correct it.")
    assert len(str(error)) == LONGEST
    assert str(error).startswith("file.vrp:3: ")
    assert str(error).endswith("; correct it.")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))


def test_a_name_with_which_a_text_begins_is_suggested_first() -> None:
    names = ["R112", "R105", "R101", "RC101"]
    assert did_you_mean("R101.25", names).startswith("did you mean 'R101' or ")
    assert did_you_mean("something else", names) == ""
