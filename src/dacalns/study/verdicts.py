"""Whether what the paper claims holds here, by the test: under one reading of what the paper leaves open."""

from collections.abc import Sequence
from dataclasses import dataclass

from dacalns.study.cases import Case, distinct
from dacalns.study.paper_tables import ALL, GLOBAL, Claim
from dacalns.study.versus import Versus, versus

SIGNIFICANT = 0.05
HOLDS, NOT_SHOWN, OPPOSITE = "holds here", "not shown here", "the opposite here"
"""Of a claim that a method is better."""
NO_DIFFERENCE, DIFFERENCE = "no difference shown", "a difference shown"
"""Of a claim that two methods cannot be told apart."""
NO_DATA, UNTESTED = "no data", "not tested"


@dataclass(frozen=True)
class Verdict:
    """A claim, what we found, and what that makes of it."""

    claim: Claim
    found: Versus
    words: str


def cases_at(cases: Sequence[Case], dataset: str, scale: str) -> list[Case]:
    """The cases that a line of the paper's tables is over."""
    return distinct(
        case for case in cases if dataset in (ALL, case.dataset) and scale in (GLOBAL, case.scale)
    )  # fmt: skip


def verdict_on(claim: Claim, cases: Sequence[Case]) -> Verdict:
    """Judge a claim.

    That a method is better holds here at an exact p < 0.05, is the opposite here where the opposite has p < 0.05, and
    else is not shown here. That two cannot be told apart no test can show: a difference is shown where either
    direction has p < 0.05.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    found = versus(cases_at(cases, claim.dataset, claim.scale), claim.first, claim.second)
    return Verdict(claim, found, _words(claim, found))


def _words(claim: Claim, found: Versus) -> str:
    if claim.kind == "time":
        return UNTESTED if found.time_ratio is not None else NO_DATA
    if not found.used:
        return NO_DATA
    better = found.p_exact is not None and found.p_exact < SIGNIFICANT
    worse = found.p_worse is not None and found.p_worse < SIGNIFICANT
    if claim.kind == "equal":
        return DIFFERENCE if better or worse else NO_DIFFERENCE
    if better:
        return HOLDS
    return OPPOSITE if worse else NOT_SHOWN
