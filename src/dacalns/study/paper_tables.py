"""The values that the paper prints in its tables, and the claims that it makes."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

GLOBAL, ALL = "Global", "all"
"""The name for all scales of a dataset, and the name for all datasets."""

EXPERIMENTS = ("comparative", "generalisation")
"""The paper's experiments."""

Place = tuple[str, str]
"""A dataset and a scale."""
Pair = tuple[str, str]
"""Two methods; the first one is compared with the second one."""


@dataclass(frozen=True)
class Performance:
    """A cell of the paper's tables of performance, with gaps in percent and a ratio of times."""

    gap_of_bests: float
    gap_of_averages: float
    time_ratio: float


@dataclass(frozen=True)
class RankTest:
    """A cell of the paper's tables of significance tests."""

    wins: int
    losses: int
    ties: int
    p_value: float

    @property
    def instances(self) -> int:
        """The number of instances that it is over."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True)
class Claim:
    """Something that the paper says about two methods.

    Parameters
    ----------
    kind
        ``"better"``: the first method is better; ``"equal"``: they cannot be told apart; ``"time"``: the ratio of
        times.
    first, second, dataset, scale
        The methods, and the dataset and the scale.
    note
        What the claim rests on, if that is not the paper's own test.
    """

    kind: str
    first: str
    second: str
    dataset: str
    scale: str
    note: str = ""


@dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments: its tables by methods and places, and its claims."""

    performance: dict[Pair, dict[Place, Performance]]
    tests: dict[Pair, dict[Place, RankTest]]
    claims: list[Claim]


@cache
def experiment(name: str) -> Experiment:
    """Return the paper's ``"comparative"`` or ``"generalisation"`` experiment."""
    text = resources.files("dacalns.study").joinpath("data/paper_tables.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)[name]
    return Experiment(
        _table(data["performance"], Performance),
        _table(data["tests"], RankTest),
        [Claim(**claim) for claim in data["claims"]],
    )


def _table(data: dict[str, dict[str, dict[str, list[Any]]]], kind: Any) -> dict[Pair, dict[Place, Any]]:
    table: dict[Pair, dict[Place, Any]] = {}
    for pair, datasets in data.items():
        first, second = pair.split(" vs ")
        table[first, second] = {
            (dataset, scale): kind(*values) for dataset, scales in datasets.items() for scale, values in scales.items()
        }
    return table
