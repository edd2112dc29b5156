"""What the paper prints, and what it says of that."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

GLOBAL, ALL = "Global", "all"
"""A scale that is all of a dataset, and a dataset that is everything."""

PAPERS = ("comparative", "generalisation")
"""Its experiments."""


EXPERIMENTS = ("comparative", "generalisation")

Place = tuple[str, str]
"""A dataset and a scale."""
Pair = tuple[str, str]
"""Two methods, the first one against the second one."""


@dataclass(frozen=True)
class Performance:
    """A cell of the paper's tables of performance: gaps in percent, and a ratio of times."""

    gap_of_bests: float
    gap_of_averages: float
    time_ratio: float


@dataclass(frozen=True)
class RankTest:
    """A cell of the paper's tables of tests."""

    wins: int
    losses: int
    ties: int
    p_value: float

    @property
    def instances(self) -> int:
        """How many it is over."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True)
class Claim:
    """Something that the paper says of two methods.

    Parameters
    ----------
    kind
        ``"better"``: the first method is better; ``"equal"``: they cannot be told apart; ``"time"``: what they take.
    first, second, dataset, scale
        Of which methods, and where.
    note
        What it is said by, where that is not the paper's own test.
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
    """The paper's ``"comparative"`` or ``"generalisation"`` experiment."""
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
