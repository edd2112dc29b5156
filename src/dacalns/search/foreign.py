"""Code that is not ours: what it is called, and what to say when it goes wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import soundness
from dacalns.core import stepper as steps
from dacalns.core.model import BANKED, USED

PACKAGE = __name__.partition(".")[0]
METHODS = {
    steps.SELECTING_DESTROY: "select_destroy",
    steps.SELECTING_REPAIR: "select_repair",
    steps.UPDATING: "update",
}
# An operator that has done nothing in fewer uses than these may have been unlucky.
ENOUGH_USES = 20


def is_foreign(thing: Any) -> bool:
    """Whether a function, or the class of an object, is defined outside of this package."""
    plain = getattr(thing, "py_func", thing)
    module = getattr(plain, "__module__", None) or type(plain).__module__
    return str(module).partition(".")[0] != PACKAGE


@dataclass(frozen=True)
class Names:
    """What the functions that a search calls are called in messages."""

    destroy: Sequence[str]
    repair: Sequence[str]
    criterion: str
    selector: str = ""

    def of(self, counters: npt.NDArray[np.int64]) -> str:
        """The function that is being called, or was called last."""
        called, which = int(counters[steps.CALLED]), int(counters[steps.WHICH])
        if called == steps.DESTROYING:
            return f"destroy operator {self.destroy[which]!r}"
        if called == steps.REPAIRING:
            return f"repair operator {self.repair[which]!r}"
        if called == steps.ACCEPTING:
            return f"acceptance criterion {self.criterion!r}"
        if called in METHODS:
            return f"selector {self.selector!r}, in {METHODS[called]},"
        return "an operator, selector or criterion"

    def of_choice(self, counters: npt.NDArray[np.int64]) -> str:
        """What is wrong with the choice that the selector has made."""
        destroy = counters[steps.CALLED] == steps.SELECTING_DESTROY
        kind, total = ("destroy", len(self.destroy)) if destroy else ("repair", len(self.repair))
        return (
            f"selector {self.selector!r} chose {counters[steps.WHICH]} in select_{kind}, iteration "
            f"{iteration_of(counters)}; expected a whole number from 0 to {total - 1}, that of a {kind} operator of "
            "the portfolio."
        )


def iteration_of(counters: npt.NDArray[np.int64]) -> int:
    """The iteration that is being done, counted from 1."""
    counted = counters[steps.CALLED] in (steps.ACCEPTING, steps.UPDATING)
    return int(counters[steps.ITERATION]) + (not counted)


def raised(name: str, error: BaseException, iteration: int | None = None) -> str:
    """The sentence about an exception."""
    reason = " ".join(str(error).split())
    when = "" if iteration is None else f" in iteration {iteration}"
    found = place_of(error)
    hint = "expected one that handles every solution" if found else "NUMBA_DISABLE_JIT=1 shows where"
    return f"{name} raised {type(error).__name__}: {reason[:120]}{when}{found}; {hint}."


def place_of(error: BaseException) -> str:
    """The last line of code that is not ours which the exception came through; empty if there is none."""
    place, frame = "", error.__traceback__
    while frame is not None:
        module = str(frame.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] not in (PACKAGE, "numba"):
            place = f" ({frame.tb_frame.f_code.co_filename}:{frame.tb_lineno})"
        frame = frame.tb_next
    return place


def corrupted(name: str, iteration: int, flaw: npt.NDArray[np.int64]) -> str:
    """The sentence about a solution whose arrays do not agree."""
    return (
        f"{name} left, in iteration {iteration}, a solution that does not hang together: {_flaw(flaw)}; change it only "
        "through remove and insert."
    )


def _flaw(flaw: npt.NDArray[np.int64]) -> str:
    kind, route, customer, other = (int(value) for value in flaw)
    position = {USED: "USED", BANKED: "BANKED"}.get(other, "TOUCHED")
    late = f"customer {customer} is served too late" if customer else "the depot is reached too late"
    return {
        soundness.COUNT: f"counts[{position}] is out of range",
        soundness.JOURNAL: "its journal of changed routes is wrong",
        soundness.NOT_A_CUSTOMER: f"in route {route}, {customer} follows {other}, and is no customer",
        soundness.BACKWARDS: f"in route {route}, {customer} follows {other}, but is not preceded by it",
        soundness.ELSEWHERE: f"customer {customer} stands in route {route}, but its route is {other}",
        soundness.SIZE: f"route {route} does not have the {customer} customers that its size says",
        soundness.ENDS: f"route {route} ends with {other}, but its last is {customer}",
        soundness.BANK: f"place {other} of the bank holds {customer}, which does not wait there",
        soundness.LOST: f"{customer} customers are in routes and {other} in the bank, which is not all of them",
        soundness.BEHIND: f"route {route} is not in use, but not empty",
        soundness.EMPTY: f"route {route} is in use, but empty",
        soundness.DEPOT: "the depot's times have changed",
        soundness.LEG: f"in route {route}, the leg from {other} to {customer} is not their distance",
        soundness.LENGTH: f"the length of route {route} is not that of its legs",
        soundness.LOAD: f"the load of route {route} is not the demand of its customers",
        soundness.CAPACITY: f"route {route} is over capacity",
        soundness.TIMES: f"in route {route}, the times of customer {customer} are wrong",
        soundness.LATE: f"in route {route}, {late}",
        soundness.UNTOLD: f"route {route} has changed without remove or insert",
    }.get(kind, "its arrays disagree")


def idle_operators(names: Names, progress: steps.Progress) -> list[str]:
    """A sentence on each operator of the user's that has never changed anything."""
    sentences = []
    for side, kind, operators, did in (
        (0, "destroy", names.destroy, "removed"),
        (1, "repair", names.repair, "served"),
    ):
        for which, name in enumerate(operators):
            chances = int(progress.chances[side, which])
            if chances >= ENOUGH_USES and not progress.changes[side, which]:
                waiting = " with customers waiting" if side else ""
                sentences.append(f"{kind} operator {name!r} {did} nobody in {chances} uses{waiting}.")
    return sentences
