"""Settings of the confidence bounds; their arithmetic is tested with the kernel."""

import pytest

from dacalns.selectors import AlphaUCB
from dacalns.util.errors import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 1.1}, "alpha is 1.1"),
        ({"alpha": -1}, "alpha is -1"),
        ({"scores": (1, 2)}, "scores is .*four numbers"),
        ({"scores": (1, -2, 3, 4)}, "scores is .*four numbers"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AlphaUCB(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("destroys", "repairs"), [(1, 1), (2, 3), (32, 1), (1, 32)])
def test_memory_has_room_for_any_portfolio(destroys: int, repairs: int) -> None:
    memory = AlphaUCB().memory(destroys, repairs)
    assert memory.shape[0] == 1 + 2 * destroys
    assert memory.shape[1] >= repairs
    assert memory[1:].sum() == 0
