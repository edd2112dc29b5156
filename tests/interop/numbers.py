"""A problem that is no routing: values to be made small, some of which destroying takes away."""

from typing import Any

import numpy as np

from dacalns.interop import StateView


class Values:
    """A list of numbers; the objective is the sum of their squares plus an offset, which may be negative."""

    def __init__(self, values: list[Any], offset: float = 0.0) -> None:
        self.values, self.offset = values, offset

    def objective(self) -> float:
        return self.offset + float(sum(value * value for value in self.values if value is not None))


def forget(count: int) -> Any:
    def destroy(state: Values, rng: Any, **_: Any) -> Values:
        values = list(state.values)
        for place in rng.permutation(len(values))[:count]:
            values[place] = None
        return Values(values, state.offset)

    destroy.__name__ = f"forget_{count}"
    return destroy


def fill(scale: float, name: str) -> Any:
    def repair(state: Values, rng: Any, **_: Any) -> Values:
        values = [scale * rng.normal() if value is None else value for value in state.values]
        return Values(values, state.offset)

    repair.__name__ = name
    return repair


def fill_by_count(wanted: int, name: str) -> Any:
    """Good for states in which so many are missing, and bad for others."""

    def repair(state: Values, rng: Any, **_: Any) -> Values:
        scale = 0.5 if state.values.count(None) == wanted else 6.0
        return Values([scale * rng.normal() if value is None else value for value in state.values], state.offset)

    repair.__name__ = name
    return repair


DESTROY = [forget(1), forget(3)]
REPAIR = [fill(1.0, "near"), fill(10.0, "far")]
START = Values([5.0] * 10)


def see(state: Values) -> StateView:
    """A path of nodes, and which of them are missing."""
    nodes = [[0.0 if value is None else value / 5, value is None] for value in state.values]
    places = range(len(nodes) - 1)
    missing = state.values.count(None) / len(nodes)
    return StateView(nodes, (places, [place + 1 for place in places]), removed=missing)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)
