"""Selectors by name."""

import pytest

from dacalns.errors import InputError
from dacalns.selectors import SELECTORS, AlphaUCB, FixedWeights, Roulette, UniformRandom, as_selector


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
