"""A verdict on each of the paper's claims."""

from collections.abc import Sequence

from dacalns.study.cases import Case
from dacalns.study.holm import holm
from dacalns.study.paper_tables import ALL, GLOBAL, Claim, Experiment, experiment
from dacalns.study.report.document import DASH, Cell, Column, Table
from dacalns.study.report.versus_cells import gap_cell, ratio_text, record_text
from dacalns.study.report.words import cell, p_text
from dacalns.study.verdicts import (
    DIFFERENCE,
    HOLDS,
    NO_DATA,
    NO_DIFFERENCE,
    NOT_SHOWN,
    OPPOSITE,
    UNTESTED,
    Verdict,
    verdict_on,
)

TONES = {
    HOLDS: "good", NO_DIFFERENCE: "good", NOT_SHOWN: "neutral", OPPOSITE: "bad", DIFFERENCE: "bad",
    NO_DATA: "faint", UNTESTED: "faint",
}  # fmt: skip


def verdicts_of(name: str, cases: Sequence[Case]) -> list[Verdict]:
    """A verdict on each claim of an experiment."""
    return [verdict_on(claim, cases) for claim in experiment(name).claims]


def verdict_table(verdicts: Sequence[Verdict], printed: Experiment) -> Table:
    """The claims, what the paper has to show for them, what we found, and the verdict."""
    columns = [
        Column("Verdict", number=False), Column("Claim of the paper", number=False), Column("Gap, %"),
        Column("W / L / T"), Column("p"), Column("exact p"), Column("Holm"),
        Column("exact p of the opposite"), Column("Time"),
        Column("In the paper", number=False),
    ]  # fmt: skip
    tested = [verdict.claim.kind != "time" for verdict in verdicts]
    corrected = holm([verdict.found.p_exact if test else None for verdict, test in zip(verdicts, tested, strict=True)])
    rows = []
    for verdict, test, together in zip(verdicts, tested, corrected, strict=True):
        found = verdict.found
        row = [Cell(verdict.words, tone=TONES[verdict.words]), Cell(claim_text(verdict.claim))]
        if test:
            p_values = (found.p_value, found.p_exact, together, found.p_worse)
            row += [gap_cell(found.gap_of_averages, found), Cell(record_text(found))]
            row += [cell(p_text(value), found.used, found.expected) for value in p_values]
        else:
            row += [Cell(DASH)] * 6
        row += [cell(ratio_text(found), found.timed, found.expected), Cell(_printed_words(verdict.claim, printed))]
        rows.append(row)
    note = (
        "Every verdict is on one reading of the paper: it leaves open settings that can decide a claim. Over which "
        "readings a claim holds, the map says (dac-alns study run map). Holds here: exact p < 0.05. The opposite here: "
        "exact p of the opposite < 0.05. Not shown here: neither. No test shows that two methods are equal: for such a "
        "claim a difference is shown at p < 0.05 in either direction. Gap, W / L / T and p are of the averages. Holm: "
        "exact p, corrected for all claims of this table. Ratios of times are not tested."
    )
    if any(verdict.found.trainings for verdict in verdicts):
        note += " Averages of a method that was trained several times are over all its trainings."
    return Table(columns, rows, "Verdict on each claim", note)


def claim_text(claim: Claim) -> str:
    """A claim as a sentence without a full stop."""
    where = "overall" if claim.dataset == ALL else f"on {claim.dataset}" + (
        "" if claim.scale == GLOBAL else f" {claim.scale}"
    )  # fmt: skip
    if claim.kind == "equal":
        return f"{claim.first} and {claim.second} cannot be told apart {where}"
    if claim.kind == "time":
        return f"time of {claim.first} by that of {claim.second} {where}"
    return f"{claim.first} is better than {claim.second} {where}"


def _printed_words(claim: Claim, printed: Experiment) -> str:
    test = printed.tests.get((claim.first, claim.second), {}).get((claim.dataset, claim.scale))
    words = [] if test is None or claim.kind == "time" else [f"p = {test.p_value:.4f}"]
    return "; ".join([*words, *([claim.note] if claim.note else [])]) or DASH
