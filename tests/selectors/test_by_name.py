"""Selectors by name, and from files."""

from pathlib import Path

import pytest

import dacalns
from core.oracle import random_instance
from dacalns.selectors import SELECTORS, AlphaUCB, FixedWeights, Roulette, UniformRandom, as_selector
from dacalns.util.errors import InputError


def test_names() -> None:
    assert [as_selector(name) for name in ("random", "roulette", "ucb")] == [UniformRandom(), Roulette(), AlphaUCB()]
    assert as_selector("weights:1/1,2") == FixedWeights([[1, 2]])
    mine = Roulette(segment=5)
    assert as_selector(mine) is mine


@pytest.mark.parametrize("name", SELECTORS)
def test_a_selector_is_called_what_it_is_listed_as(name: str) -> None:
    assert as_selector(name).name == name


@pytest.mark.parametrize("name", ["roulete", "", "weights", "ROULETTE!"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=f"selector is '{name}'") as caught:
        as_selector(name)
    assert "\n" not in str(caught.value)


# --- from files --------------------------------------------------------------------------------------------------

SOURCE = """
import dacalns

class Constant:
    def __init__(self, repair=0):
        self.repair = repair
    def select_destroy(self, state):
        return 0
    def select_repair(self, destroyed, destroy):
        return self.repair
    def update(self, outcome):
        pass

last = Constant(2)
fast = dacalns.Roulette(segment=5)

def factory():
    return Constant(1)

def demanding(number):
    return Constant(number)

def refusing():
    raise dacalns.InputError("the number is 3; expected 4.")

class Half:
    def update(self, outcome):
        pass

number = 7
_hidden = Constant()
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize(("name", "repair"), [("Constant", 0), ("last", 2), ("factory", 1)])
def test_objects_classes_and_factories_in_a_file(source: Path, name: str, repair: int) -> None:
    result = dacalns.solve(
        random_instance(3), portfolio="paper", selector=f"{source}:{name}", stop=dacalns.MaxIterations(10)
    )
    assert result.selector == "Constant"
    assert result.operators.uses[0][repair] == 10


def test_a_compiled_selector_in_a_file(source: Path) -> None:
    assert as_selector(f"{source}:fast") == Roulette(segment=5)


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        ("", r"which selector to use is not said; expected mine.py:NAME, NAME one of: Constant, last, fast, Half\."),
        (":lost", r"mine.py: it has no 'lost'; expected mine.py:NAME, NAME one of: Constant, last, fast, Half\."),
        (":demanding", r"demanding\(\) raised TypeError: .*; expected an object, or a class or function"),
        (":refusing", r"the number is 3; expected 4"),
        (":Half", r"selector 'Half' has no method select_destroy\(state\) and no select_repair"),
        (":number", r"selector is 7; expected one of"),
    ],
)
def test_files_without_the_selector(source: Path, suffix: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        as_selector(f"{source}{suffix}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"), [("1 / 0", "raised ZeroDivisionError.*a file that defines a selector"), ("", "none there")]
)
def test_files_that_are_no_selector(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        as_selector(f"{path}:mine")


def test_a_file_that_does_not_exist() -> None:
    with pytest.raises(InputError, match=r"selector file 'absent.py' does not exist"):
        as_selector("absent.py:mine")
