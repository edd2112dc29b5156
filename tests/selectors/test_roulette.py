"""Settings of the roulette wheel; its arithmetic is tested with the kernel."""

import pytest

from dacalns.selectors import Roulette, as_selector
from dacalns.util.errors import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scores": (1, 2, 3)}, "scores is .*four numbers"),
        ({"scores": (1, 2, 3, -1)}, "scores is .*four numbers"),
        ({"reaction": 1.5}, "reaction is 1.5"),
        ({"reaction": -0.1}, "reaction is -0.1"),
        ({"segment": 0}, "segment is 0"),
        ({"segment": 1.5}, "segment is 1.5"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Roulette(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("destroys", "repairs"), [(1, 1), (2, 3), (32, 1), (1, 32)])
def test_memory_has_room_for_any_portfolio(destroys: int, repairs: int) -> None:
    memory = Roulette().memory(destroys, repairs)
    assert memory[0, :9].tolist() == [destroys, repairs, 100, 0.1, 0, 33, 9, 13, 0]
    assert (memory[1].sum(), memory[2].sum()) == (destroys, repairs)


def test_wheels_by_name() -> None:
    assert as_selector("roulette:ropke-pisinger") == Roulette()
    assert as_selector("roulette:tuned") == Roulette((20, 10, 2, 0), 20, 0.4)
    assert as_selector("roulette:quick") == Roulette((30, 20, 10, 0), 5, 0.4)
    with pytest.raises(InputError, match=r"preset of roulette is 'tunde'; .* did you mean 'tuned'"):
        as_selector("roulette:tunde")
