"""Weights as text and as tables."""

import pytest

from dacalns.selectors import FixedWeights
from dacalns.util.errors import InputError


def test_parsing() -> None:
    assert FixedWeights.parse("1,0/0,1,2.5").pairs == [[0, 1, 2.5], [0, 0, 0]]


@pytest.mark.parametrize("text", ["", "1", "1,2", "1/2/3", "a/b", "1,,2/3", "/"])
def test_text_that_is_no_weights(text: str) -> None:
    with pytest.raises(InputError, match=r"weights are .*such as weights:1,0/0,1,2"):
        FixedWeights.parse(text)


@pytest.mark.parametrize("pairs", [[[1, 1]], [[1], [1]], [[1, 1], [1]], [], [[1, 1, 1], [1, 1, 1]]])
def test_weights_for_another_portfolio(pairs: list[list[float]]) -> None:
    with pytest.raises(InputError, match="expected 2 with 2, as the portfolio has"):
        FixedWeights(pairs).memory(2, 2)


@pytest.mark.parametrize("pairs", [[[0, 0], [0, 0]], [[1, -1], [1, 1]], [[1, float("inf")], [1, 1]]])
def test_weights_that_make_no_sense(pairs: list[list[float]]) -> None:
    with pytest.raises(InputError, match="numbers of 0 or more, and not all 0"):
        FixedWeights(pairs).memory(2, 2)
