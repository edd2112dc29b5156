"""What is noted of every round."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dacalns.instances.atomic import append, write_atomically
from dacalns.instances.csv_text import csv_text
from dacalns.learning.rounds import Report
from dacalns.learning.validation import Validation
from dacalns.search.portfolio import Portfolio

Row = tuple[float | None, ...]
FIRST = ("round", "steps", "seconds", "return", "loss", "entropy")
LAST = ("validation_gap", "validation_wins", "validation_losses")


def columns(portfolio: Portfolio) -> tuple[str, ...]:
    """The names of the metrics: of shares, ``destroy/NAME``, ``repair/NAME`` and ``pair/NAME/NAME``."""
    destroy, repair = ([operator.name for operator in kind] for kind in (portfolio.destroy, portfolio.repair))
    pairs = [f"pair/{one}/{other}" for one in destroy for other in repair]
    return (*FIRST, *(f"destroy/{name}" for name in destroy), *(f"repair/{name}" for name in repair), *pairs, *LAST)


def row_of(number: int, steps: int, seconds: float, reports: Sequence[Report]) -> Row:
    """The metrics of a round that was not validated."""
    uses = np.sum([report.uses for report in reports], axis=0)
    shares = uses / max(1, uses.sum())
    means = [
        math.fsum(getattr(report, name) for report in reports) / len(reports) for name in ("reward", "loss", "entropy")
    ]
    every = [*shares.sum(axis=1), *shares.sum(axis=0), *shares.ravel()]
    return (number, steps, round(seconds, 3), *means, *map(float, every), None, None, None)


def with_validation(row: Row, validation: Validation) -> Row:
    """The metrics of a round that was validated."""
    return (*row[: -len(LAST)], validation.gap, validation.wins, validation.losses)


class MetricsFile:
    """A CSV file with a row for each round.

    Parameters
    ----------
    path
        Where to; an existing file is replaced.
    names
        Of the columns.
    rows
        Those of earlier rounds.
    """

    def __init__(self, path: Path, names: Sequence[str], rows: Sequence[Row]) -> None:
        self._path = path
        write_atomically(path, csv_text([names, *rows]))

    def add(self, row: Row) -> None:
        """Write a row, at once."""
        append(self._path, csv_text([row]))
