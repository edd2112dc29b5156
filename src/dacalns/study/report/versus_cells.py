"""What tables show of one method against another."""

from dacalns.study.report.document import Cell
from dacalns.study.report.words import cell, of_all, signed
from dacalns.study.versus import Versus


def gap_cell(value: float | None, found: Versus, paper: float | None = None) -> Cell:
    """A gap in percent, as precise as the paper's, with the paper's beside it."""
    text = None if value is None else signed(value, 2)
    return cell(text, found.used, found.expected, None if paper is None else signed(paper, 2))


def record_text(found: Versus) -> str:
    """Wins, losses and ties, and over how many instances they are."""
    return of_all(f"{found.wins} / {found.losses} / {found.ties}", found.counted, found.expected)


def ratio_text(found: Versus) -> str | None:
    """The ratio of times."""
    return None if found.time_ratio is None else f"{found.time_ratio:.2f}"
