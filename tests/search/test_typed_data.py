"""Results from damaged data: every field is checked, and told by its name."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import dacalns
from dacalns.search.result import Result
from dacalns.util.errors import InputError


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        dacalns.solve("P-n16-k8", selector="roulette", stop=dacalns.MaxIterations(20)).to_json()
    )
    return found


def refused(data: Any, match: str) -> None:
    with pytest.raises(InputError, match=match) as caught:
        Result.from_dict(data)
    assert len(str(caught.value)) <= 300


def test_it_comes_back(plain: dict[str, Any]) -> None:
    assert json.loads(Result.from_dict(plain).to_json()) == plain


def test_every_field_is_of_its_type(plain: dict[str, Any]) -> None:
    for name, value in plain.items():
        for wrong in ({"x": object()}, [[None]], b"x", float("nan"), 10**5000):
            if isinstance(value, dict | list) and type(wrong) is type(value) and name == "settings":
                continue
            refused(plain | {name: wrong}, f"(result: |^){name}")


def test_wrong_numbers(plain: dict[str, Any]) -> None:
    for name, wrong in (
        ("cost", "x"), ("cost", None), ("cost", True), ("cost", float("inf")), ("cost", 10**400), ("customers", 1.5),
        ("customers", True), ("feasible", 1), ("routes", 5), ("routes", [[1], 2]), ("routes", [["1"]]), ("seed", None),
        ("instance", 5), ("settings", []), ("settings", {"x": float("nan")}), ("history", {}), ("history", [3]),
        ("operators", None), ("time", []), ("best_known", "x"), ("fleet_phase", 3),
    ):  # fmt: skip
        refused(plain | {name: wrong}, f"result: {name}")


def test_nested_fields(plain: dict[str, Any]) -> None:
    for change, match in (
        (lambda data: data["operators"].pop("uses"), r"operators\.uses is missing"),
        (lambda data: data["operators"].update(uses=[[1]]), r"operators\.uses does not fit"),
        (lambda data: data["operators"]["destroy_seconds"].append(1.0), r"operators\.destroy_seconds does not fit"),
        (lambda data: data["operators"]["uses"][0].__setitem__(0, "x"), r"operators\.uses\[0\]\[0\] is 'x'"),
        (lambda data: data["history"][0].update(cost=None), r"history\[0\]\.cost is None"),
        (lambda data: data["history"][0].update(surprise=1), r"history\[0\]\.'surprise' is not known"),
        (lambda data: data["time"].update(operators="x"), r"time\.operators is 'x'; expected a finite number"),
    ):
        data = copy.deepcopy(plain)
        change(data)
        refused(data, match)


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_what_is_no_object(data: Any) -> None:
    refused(data, "expected an object")


def test_text_that_json_cannot_read(tmp_path: Path) -> None:
    for text in ('{"cost": ' + "9" * 5000 + "}", '{"a":' * 100_000, "{" * 100_000):
        with pytest.raises(InputError, match="JSON text:1: ") as caught:
            Result.from_json(text)
        assert len(str(caught.value)) <= 300
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(InputError, match=r"x\.json:1: "):
            Result.from_json(tmp_path / "x.json")
