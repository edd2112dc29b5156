"""JSON that people read."""

import json

import pytest

import dacalns
from dacalns.util.json_text import json_text


@pytest.mark.parametrize(
    "value",
    [
        {}, [], 1.5, "ü", None, [[]], {"a": {}}, [{}], [1, [2, 3], {"b": [4], "c": {"d": [[5, 6], [7]]}}],
        {"routes": [[1, 2], []], "history": [{"cost": 1.5, "seconds": 0.1}], "name": 'with "quotes"\n'},
    ],
)  # fmt: skip
def test_it_says_what_json_says(value):
    assert json.loads(json_text(value)) == value


def test_a_list_of_plain_values_is_one_line():
    assert json_text({"routes": [[1, 2, 3], [4]], "best": [{"cost": 7.0, "seconds": 0.5}]}) == (
        '{\n "routes": [\n  [1, 2, 3],\n  [4]\n ],\n "best": [\n  {"cost": 7.0, "seconds": 0.5}\n ]\n}'
    )


def test_numbers_that_json_lacks_are_refused():
    with pytest.raises(ValueError, match="Out of range float"):
        json_text({"cost": float("nan")})


def test_a_result_has_a_line_for_each_route():
    result = dacalns.solve("A-n32-k5", stop=dacalns.MaxIterations(20), seed=1)
    lines = [line.strip(" ,") for line in result.to_json().splitlines()]
    assert all(str(route) in lines for route in result.routes)
