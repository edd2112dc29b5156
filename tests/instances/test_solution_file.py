"""Solution files: both spellings of the cost, exact round trips, errors that name the line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dacalns.instances import read_solution, write_solution
from dacalns.util.errors import InputError


@pytest.mark.parametrize("cost", ["Cost 784", "Cost: 784", "cost : 784.0", "COST 784"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_reading(tmp_path: Path, cost: str, end: str) -> None:
    path = tmp_path / "x.sol"
    path.write_bytes(end.join(["Route #1: 21 31 ", "route 2: 4", "", "Time 3.2", cost, ""]).encode())
    assert read_solution(path) == ([[21, 31], [4]], 784.0)


def test_cost_may_be_missing_and_empty_routes_are_none(tmp_path: Path) -> None:
    path = tmp_path / "x.sol"
    path.write_text("Route #1: 1\nRoute #2:\n")
    assert read_solution(str(path)) == ([[1]], None)


@pytest.mark.parametrize(
    ("cost", "line"), [(784.0, "Cost 784"), (827.3, "Cost 827.3"), (16377 / 10, "Cost 1637.7"), (0, "Cost 0")]
)
def test_writing(tmp_path: Path, cost: float, line: str) -> None:
    path = tmp_path / "x.sol"
    write_solution(path, [[21, 31], [], [4]], cost)
    assert path.read_text() == f"Route #1: 21 31\nRoute #2: 4\n{line}\n"


routes = st.lists(st.lists(st.integers(1, 10**6), min_size=1, max_size=5), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(routes, st.none() | st.floats(0, 1e9))
def test_round_trip_is_exact(
    tmp_path_factory: pytest.TempPathFactory, routes: list[list[int]], cost: float | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.sol"
    write_solution(path, routes, cost)
    assert read_solution(path) == (routes, cost)


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("Route #1: 1 x\n", 1, "customer in route 1 is 'x'; expected a whole number of 1 or more"),
        ("Route #1: 1\nRoute #2: 0 3\n", 2, "customer in route 2 is '0'"),
        ("Route #1: 1 2.5\n", 1, "'2.5'"),
        ("Route #1: -4\n", 1, "'-4'"),
        ("Route #1 1 2\n", 1, "the line is 'Route #1 1 2'"),
        ("Route one: 1 2\n", 1, "the line is 'Route one: 1 2'"),
        ("Route #1: 1\nCost much\n", 2, "cost is 'much'"),
        ("Route #1: 1\nCost\n", 2, "cost is ''"),
        ("Route #1: 1\nCost 1\nCost 2\n", 3, "cost '2' is a second one"),
        ("Cost 784\n", 1, "there is no route"),
        ("\n", 1, "the file is empty"),
    ],
)
def test_malformed_files(tmp_path: Path, text: str, line: int, fragment: str) -> None:
    path = tmp_path / "bad.sol"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_solution(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_solution(tmp_path / "none.sol")
    with pytest.raises(InputError, match="there is no folder"):
        write_solution(tmp_path / "none" / "x.sol", [[1]], 1)
    with pytest.raises(InputError, match="cannot be read"):
        read_solution("nul\0l.sol")


@pytest.mark.parametrize(
    ("routes", "cost", "fragment"),
    [
        ([[0]], 1, "customer is 0"),
        ([["a"]], 1, "customer is 'a'"),
        ([3], 1, "route 1 is 3"),
        ([[1]], "much", "cost is 'much'"),
        ([[1]], float("nan"), "cost is nan"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, routes: list[list[int]], cost: float, fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        write_solution(tmp_path / "x.sol", routes, cost)
    assert fragment in str(caught.value)
    assert list(tmp_path.iterdir()) == []
