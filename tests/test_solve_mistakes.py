"""What `dacalns.solve` cannot be asked for is said in one sentence."""

import dataclasses

import pytest

from core.oracle import random_instance
from dacalns import InfeasibleInstanceError, InputError, MaxIterations, Roulette, solve

pytestmark = pytest.mark.slow_without_jit


def test_an_instance_without_solutions() -> None:
    instance = dataclasses.replace(random_instance(1, 5), capacity=1.0)
    with pytest.raises(InfeasibleInstanceError, match="has no feasible solution"):
        solve(instance)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stop": -1}, "time is -1"),
        ({"stop": "10"}, "stop is '10'"),
        ({"stop": True}, "stop is True"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"selector": "roulete"}, "selector is 'roulete'"),
        ({"selector": "weights:1/1", "portfolio": "paper"}, "expected 2 with 3"),
        ({"selector": 3}, "selector is 3"),
        ({"selector": Roulette}, "selector is"),
        ({"acceptance": "sa"}, "acceptance is 'sa'"),
        ({"portfolio": "best"}, "portfolio is 'best'"),
        ({"portfolio": "absent.py"}, "'absent.py' does not exist"),
        ({"start": "absent.sol"}, "absent.sol"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        solve("A-n32-k5", **{"stop": MaxIterations(1), **settings})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_an_unknown_instance() -> None:
    with pytest.raises(InputError, match="A-n32-k6"):
        solve("A-n32-k6")


def test_large_seeds() -> None:
    assert solve("A-n32-k5", stop=MaxIterations(20), seed=2**64 - 1).seed == 2**64 - 1
