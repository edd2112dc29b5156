"""Who is not served, why, and what would help: for a whole answer."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dacalns.instances import Instance
from dacalns.search.for_all import ForAll
from dacalns.search.reasons import MAINS, SEARCH, Inquiry, Reason, Reasons, units_of
from dacalns.search.relaxation import Relaxation
from dacalns.search.result import Result
from dacalns.search.smallest_change import Searcher, SmallestChanges
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

NOBODY = "Everybody is served."


@dataclass(frozen=True)
class WhyNot:
    """Who is not served, why, and what would help.

    Parameters
    ----------
    reasons
        A reason for each customer, pair and group that is not served, with what would help.
    together
        What would serve all at once who must be served and are not, or as many of them as it can; empty if that is not
        known, or if it is only one customer, pair or group.
    proofs
        Why no solution serves everybody, as far as `dacalns.preflight` can prove it.
    routes, vehicle_types
        The answer that this is about.
    """

    reasons: list[Reason]
    together: list[Relaxation] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    routes: list[list[int]] = field(default_factory=list)
    vehicle_types: list[int] = field(default_factory=list)

    def __getitem__(self, customer: int) -> Reason:
        for reason in self.reasons:
            if customer in reason.customers:
                return reason
        raise KeyError(customer)

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __len__(self) -> int:
        return len(self.reasons)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return what is known in lines: for each who is not served, the main reason and what would help."""
        said = [f"No solution serves everybody: {proof}" for proof in self.proofs]
        if self.together:
            said += ["For all together who must be served:", *_help(self.together)]
        for reason in self.reasons:
            words = f" ({MAINS[reason.main]})" if reason.main in MAINS else ""
            said += [reason.sentence, f"  main reason: {reason.main}{words}"]
            said += _help(reason.relaxations) or (
                [] if reason.main == SEARCH else ["  no single change was found that would help"]
            )
        return said or [NOBODY]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain lists, dictionaries and numbers."""
        return dataclasses.asdict(self)

    def added_to(self, result: Result) -> Result:
        """Return a result with these reasons, and with what would serve all at once."""
        return dataclasses.replace(result, reasons=Reasons.of(self.reasons), together=self.together)


def _help(relaxations: list[Relaxation]) -> list[str]:
    words = ["  would help: ", *["  or: "] * len(relaxations)]
    return [f"{word}{each.sentence}" for word, each in zip(words, relaxations, strict=False)]


def why_not(
    instance: Instance, result: Result, proofs: list[str], searcher: Searcher | None, most: int, customers: int | None
) -> WhyNot:
    """Explain a result.

    Parameters
    ----------
    instance, result
        The problem and its answer.
    proofs
        What the pre-flight says.
    searcher
        What searches a little; None for no searches.
    most
        How many changes are wanted for each.
    customers
        How many customers, pairs and groups are explained at the most; None for all.

    Raises
    ------
    InputError
        When the result is not one of this problem.
    """
    require_result_of(instance, result)
    units = units_of(instance, [*result.unserved, *result.left_out])
    if not units:
        return WhyNot([], [], proofs, result.routes, result.vehicle_types)
    answer = [[*route] for route in result.routes], [*result.vehicle_types]
    inquiry = Inquiry(instance, *answer, len(units))
    changes = SmallestChanges(inquiry, answer, searcher, most)
    reasons = [changes.explained(unit) for unit in units[:customers]]
    required = units_of(instance, result.unserved)
    together = ForAll(changes, required).found() if len(required) > 1 else []
    return WhyNot(reasons, together, proofs, *answer)


def require_result_of(instance: Instance, result: Result) -> None:
    """Raise an `InputError` unless a result may be one of an instance."""
    nodes = {*instance.customer_nodes}
    said = {*result.unserved, *result.left_out}
    visited = {node for route in result.routes for node in route if node >= instance.depots}
    if result.customers != instance.customers or not (said | visited) <= nodes:
        raise InputError(
            f"result is of {shown(result.instance)} with {result.customers} customers, and instance is "
            f"{shown(instance.name)} with {instance.customers}; expected the instance that was solved; give that."
        )
