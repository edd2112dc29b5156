"""What does not compile is told by its line and, where a word is wrong, by the likely one."""

from collections.abc import Callable
from pathlib import Path

import numba
import pytest

import dacalns
from dacalns import InputError, insert

HERE = Path(__file__)


def wrong_field(problem, solution, rng):  # type: ignore[no-untyped-def]
    solution.sucess[0] = 1  # problem line


def wrong_name(problem, solution, rng):  # type: ignore[no-untyped-def]
    rendom_int(rng, 3)  # type: ignore[name-defined]  # noqa: F821  # problem line


def wrong_name_in_a_module(problem, solution, rng):  # type: ignore[no-untyped-def]
    dacalns.rndom_int(rng, 3)  # type: ignore[attr-defined]  # problem line


def wrong_call(problem, solution, rng):  # type: ignore[no-untyped-def]
    insert(problem, solution, 3)  # problem line


@numba.njit
def helper(problem):  # type: ignore[no-untyped-def]
    return problem.neighbors[0, 0]  # problem line


def wrong_helper(problem, solution, rng):  # type: ignore[no-untyped-def]
    helper(problem)


def writes_to_the_problem(problem, solution, rng):  # type: ignore[no-untyped-def]
    problem.demand[0] = 3  # problem line


def unsupported(problem, solution, rng):  # type: ignore[no-untyped-def]
    mixed = {"a": 1}
    mixed[3] = 2  # type: ignore[index]  # problem line


CASES = {
    wrong_field: "solution has no 'sucess'; did you mean 'succ'?",
    wrong_name: "'rendom_int' is not defined; did you mean 'random_int' or 'random_float'?",
    wrong_name_in_a_module: "module 'dacalns' has no 'rndom_int'; did you mean 'random_int'",
    wrong_call: "missing a required argument: 'route'; expected (problem, solution, customer, route, after).",
    wrong_helper: "problem has no 'neighbors'; did you mean 'neighbours'?",
    writes_to_the_problem: "it writes to an array that is read-only, as all of the problem's are.",
    unsupported: "Numba cannot do setitem(DictType",
}
LINES = [number for number, line in enumerate(HERE.read_text().splitlines(), 1) if line.endswith("# problem line")]


@pytest.mark.slow_without_jit
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
@pytest.mark.parametrize(("function", "line"), [*zip(CASES, LINES, strict=True)])
def test_the_line_and_the_word(function: Callable[..., None], line: int) -> None:
    with pytest.raises(InputError) as caught:
        dacalns.repair_operator(function).compiled()
    sentence = str(caught.value)
    assert sentence.startswith(f"{HERE}:{line}: repair operator '{function.__name__}' does not compile: ")
    assert CASES[function] in sentence
    assert len(sentence) <= 300


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("import math\n\nx = 1 / 0\n", 3, "raised ZeroDivisionError: division by zero"),
        ("x = 1\ndef broken(:\n", 2, "raised SyntaxError: invalid syntax"),
        ("def f():\n    return missing\nf()\n", 2, "raised NameError: name 'missing' is not defined"),
    ],
)
def test_a_file_that_cannot_be_run(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        dacalns.solve("P-n16-k8", portfolio=str(path))
    assert f"{path}:{line}: importing it {message}" in str(caught.value)
