"""One run of one solver, and what the independent checker says of it."""

from dataclasses import dataclass, field

from dacalns.bench.peers import Answer
from dacalns.bench.peers.peer import Trajectory
from dacalns.instances import Instance
from dacalns.search.checker import check
from dacalns.util.errors import InputError

FEASIBLE, INFEASIBLE, FAILED, LEFT_OUT = "feasible", "infeasible", "failed", "left out"


@dataclass(frozen=True)
class Run:
    """A run.

    Parameters
    ----------
    instance, solver, seed, budget
        What was asked, and for how many seconds.
    status
        ``feasible`` or ``infeasible`` by our checker; ``failed`` if there was no answer; ``left out`` if the solver
        cannot be asked to solve such an instance.
    cost
        As our checker measures it; None unless feasible.
    reported
        As the solver says.
    reason
        Why it is not feasible.
    seconds, processor_seconds
        What it took, by the clock on the wall and by that of the processor.
    trajectory
        New best solutions over time as the solver tells them; None if it does not.
    routes
        The solution, if it is one.
    """

    instance: str
    solver: str
    seed: int
    budget: float
    status: str
    cost: float | None = None
    reported: float | None = None
    reason: str = ""
    seconds: float = 0.0
    processor_seconds: float = 0.0
    trajectory: Trajectory | None = None
    routes: list[list[int]] = field(default_factory=list)


def judged(
    instance: Instance, solver: str, seed: int, budget: float, answer: Answer, seconds: float, processor_seconds: float
) -> Run:
    """Return the run that an answer makes, believing nothing but its routes."""
    cost, reason = _verdict(instance, answer.routes)
    return Run(
        instance=instance.name,
        solver=solver,
        seed=seed,
        budget=budget,
        status=INFEASIBLE if reason else FEASIBLE,
        cost=None if reason else cost,
        reported=answer.cost,
        reason=reason,
        seconds=seconds,
        processor_seconds=processor_seconds,
        trajectory=answer.trajectory,
        routes=[] if reason else [[int(customer) for customer in route] for route in answer.routes],
    )


def _verdict(instance: Instance, routes: list[list[int]]) -> tuple[float, str]:
    """Return the cost, and the first reason why the routes are no solution; nothing if they are one."""
    if not routes:
        return 0.0, "it found no solution"
    try:
        verdict = check(instance, routes)
    except InputError as error:  # no routes at all
        return 0.0, str(error)
    return round(verdict.cost, 9), str(verdict.violations[0]) if verdict.violations else ""
