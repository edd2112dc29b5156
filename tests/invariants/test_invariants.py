"""Random instances of every kind, solved in every way, against exact arithmetic and all solutions."""

import pytest

from invariants.draw import draw
from invariants.judge import judge

# `make invariants` takes others, and more.
CASES = 200
TOGETHER = 20


@pytest.mark.parametrize("first", range(0, CASES, TOGETHER))
def test_nothing_is_wrong(first: int) -> None:
    wrong = {number: judge(draw(number)) for number in range(first, first + TOGETHER)}
    assert {number: sentences for number, sentences in wrong.items() if sentences} == {}
