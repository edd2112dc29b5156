"""The explanation of a policy: numbers that fit together, on paper and back."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

import dacalns
from core.oracle import random_instance
from dacalns.search.policy_view import Explanation
from dacalns.util.errors import InputError

# Two points, two destroy and three repair operators; the second destroy operator was never used.
GIVEN: dict[str, Any] = {
    "iterations": [10, 25],
    "destroy_probabilities": [[0.5, 0.5], [0.9, 0.1]],
    "repair_probabilities": [[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]],
    "destroy_entropy": [0.69, 0.33],
    "repair_entropy": [1.03, 0.0],
    "destroy_value": [1.5, -2.0],
    "repair_value": [2.5, 0.0],
    "repair_given_destroy": [[0.1, 0.2, 0.7], [0.0, 0.0, 0.0]],
    "exploration": 0.1,
}


def test_a_result_carries_it_through_json() -> None:
    plain = dacalns.solve(random_instance(2, 5), portfolio="paper", stop=dacalns.MaxIterations(25))
    assert plain.explanation is None
    result = dataclasses.replace(plain, explanation=Explanation(**GIVEN))
    again = dacalns.Result.from_json(result.to_json())
    assert again == result
    assert again != plain
    assert isinstance(again.explanation, Explanation)
    assert again.explanation.operators == (2, 3)


def test_results_of_before_still_load() -> None:
    result = dacalns.solve(random_instance(2, 5), portfolio="paper", stop=dacalns.MaxIterations(5))
    data = result.to_dict()
    del data["explanation"]
    assert dacalns.Result.from_dict(data) == result


def test_a_damaged_explanation_in_a_file_is_told() -> None:
    data = dacalns.solve(random_instance(2, 5), portfolio="paper", stop=dacalns.MaxIterations(5)).to_dict()
    incomplete = {name: value for name, value in GIVEN.items() if name != "exploration"}
    with pytest.raises(InputError, match=r"explanation: exploration is missing"):
        dacalns.Result.from_dict({**data, "explanation": incomplete})
    with pytest.raises(InputError, match=r"explanation: .*surprise"):
        dacalns.Result.from_dict({**data, "explanation": {**GIVEN, "surprise": 1}})
    with pytest.raises(InputError, match="explanation: "):
        dacalns.Result.from_dict({**data, "explanation": 7})


def test_arrays_become_lists() -> None:
    arrays = {name: np.array(value) for name, value in GIVEN.items()}
    explanation = Explanation(**arrays)
    assert explanation == Explanation(**GIVEN)
    assert json.loads(json.dumps(dataclasses.asdict(explanation))) == GIVEN
    assert all(type(end) is int for end in explanation.iterations)


def test_single_precision_adds_up() -> None:
    third = np.full((2, 3), np.float32(1 / 3))
    assert Explanation(**{**GIVEN, "repair_probabilities": third}).operators == (2, 3)


def test_a_policy_without_a_critic() -> None:
    assert Explanation(**{**GIVEN, "destroy_value": [], "repair_value": []}).destroy_value == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("iterations", [], "0 points; expected 1 to 128"),
        ("iterations", list(range(1, 130)), "129 points"),
        ("iterations", [10, 10], "ascending"),
        ("iterations", [0, 10], "from 1 on"),
        ("iterations", [1.5, 10], "whole numbers"),
        ("iterations", 10, "a list of numbers"),
        ("destroy_probabilities", [[0.5, 0.5]], "is 1 x 2; expected 2 rows"),
        ("destroy_probabilities", [[0.5, 0.5], [0.9, 0.2]], "adds up to 1.1"),
        ("destroy_probabilities", [[0.5, 0.5], [1.5, -0.5]], "from -0.5 on"),
        ("destroy_probabilities", [[0.5, 0.5], [1.0]], "a table of numbers"),
        ("repair_probabilities", [[], []], "expected 2 rows"),
        ("repair_probabilities", [["a"] * 3] * 2, "a table of numbers"),
        ("destroy_entropy", [0.69], "has 1 numbers; expected 2"),
        ("destroy_entropy", [], "has 0 numbers; expected 2"),
        ("destroy_entropy", [0.75, 0.33], "is 0.33 to 0.75; expected 0 to 0.693"),
        ("repair_entropy", [-0.1, 0.0], "is -0.1 to 0"),
        ("repair_value", [1.0], "has 1 numbers"),
        ("destroy_value", [1.0, float("nan")], "all finite"),
        ("repair_given_destroy", [[0.1, 0.2, 0.7]], "is 1 x 3; expected 2 x 3"),
        ("repair_given_destroy", [[0.1, 0.2, 0.6], [0.0, 0.0, 0.0]], "adds up to 0.9"),
        ("exploration", 1.1, "0 to 1"),
        ("exploration", None, "a number"),
    ],
)
def test_numbers_that_do_not_fit(name: str, value: object, message: str) -> None:
    with pytest.raises(InputError, match=f"^explanation: {name} .*{message}"):
        Explanation(**{**GIVEN, name: value})
