"""Workers run episodes in this process or in several, to which the plan is sent."""

import importlib
import inspect
import multiprocessing
import pickle
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any, TypeVar

from dacalns.engines import Engine, Processes, WorkerDied
from dacalns.learning.rounds import Plan, operators_for
from dacalns.search.acceptance import PythonAcceptance
from dacalns.search.operators import Operator, PythonDestroy, PythonRepair
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.util.errors import InputError
from dacalns.util.shown import reason_of, shown

Record = TypeVar("Record")

# A plan that can be sent to another process.
#
# Compiled functions cannot be sent as they are: the other process looks them up where they are defined, so that it
# finds their compiled code in the cache.


@dataclass(frozen=True)
class _PortableOperator:
    """An operator as the place where its function is defined, and all its other fields."""

    kind: type[Operator]
    module: str
    attribute: str
    rest: dict[str, Any]

    @classmethod
    def of(cls, operator: Operator) -> "_PortableOperator":
        plain = getattr(operator.function, "py_func", operator.function)
        rest = _fields_of(operator, without=("function",))
        if isinstance(operator, PythonDestroy | PythonRepair) and not inspect.isroutine(plain):
            _require_sendable(f"operator {shown(operator.name)}", plain)
            return cls(type(operator), "", "", rest | {"function": plain})
        packed = cls(type(operator), plain.__module__, plain.__qualname__, rest)
        try:
            found = packed.function()
        except (ImportError, AttributeError):
            found = None
        if found is not operator.function:
            raise InputError(
                f"operator {shown(operator.name)} cannot be found by other processes; expected one defined at the top "
                "of a file; give the portfolio as FILE.py:NAME, or train with jobs=1."
            )
        return packed

    def function(self) -> Callable[..., Any]:
        found: Any = importlib.import_module(self.module)
        for part in self.attribute.split("."):
            found = getattr(found, part)
        function: Callable[..., Any] = found.function if isinstance(found, Operator) else found
        return function

    def unpacked(self) -> Operator:
        if "function" in self.rest:  # an object, which was sent as it is
            return _rebuilt(self.kind, self.rest)
        return _rebuilt(self.kind, {**self.rest, "function": self.function()})


@dataclass(frozen=True)
class _PortablePortfolio:
    """A portfolio whose operators are portable, and all its other fields."""

    kind: type[Portfolio]
    destroy: tuple[_PortableOperator, ...]
    repair: tuple[_PortableOperator, ...]
    rest: dict[str, Any]

    @classmethod
    def of(cls, portfolio: Portfolio) -> "_PortablePortfolio":
        if isinstance(portfolio.acceptance, PythonAcceptance):
            _require_sendable(f"acceptance criterion {shown(portfolio.acceptance.name)}", portfolio.acceptance)
        destroy, repair = (tuple(map(_PortableOperator.of, each)) for each in (portfolio.destroy, portfolio.repair))
        return cls(type(portfolio), destroy, repair, _fields_of(portfolio, without=("destroy", "repair")))

    def unpacked(self) -> Portfolio:
        destroy, repair = (tuple(entry.unpacked() for entry in each) for each in (self.destroy, self.repair))
        return _rebuilt(self.kind, {**self.rest, "destroy": destroy, "repair": repair})


def _require_sendable(what: str, thing: object) -> None:
    """Raise an `InputError` if something cannot be sent to other processes as it is."""
    try:
        pickle.dumps(thing)
    except Exception as error:  # pickle raises many kinds
        raise InputError(
            f"{what} cannot be sent to other processes ({reason_of(error)}); expected one that is defined at the top "
            "of a file, and that pickle takes; train with jobs=1."
        ) from error


def _fields_of(record: Any, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a dataclass by name, without what a record has cached beside its fields."""
    return {entry.name: getattr(record, entry.name) for entry in fields(record) if entry.name not in without}


def _rebuilt(kind: type[Record], values: dict[str, Any]) -> Record:
    """Return a record with these fields, unchecked: another process has checked them, and `__init__` may differ."""
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


@dataclass(frozen=True)
class PortablePlan:
    """A plan without compiled functions.

    Parameters
    ----------
    problem
        The problem of the plan's source.
    portfolio
        The name of the portfolio, if it has one: ``"paper"`` or ``"FILE.py:VARIABLE"``.
    packed
        The portfolio itself, if it has no such name.
    rest
        All other fields of the plan.
    """

    problem: str
    portfolio: str | None
    packed: _PortablePortfolio | None
    rest: dict[str, Any]

    @classmethod
    def of(cls, plan: Plan, portfolio: str | Portfolio) -> "PortablePlan":
        """Return the portable form of a plan; ``portfolio`` is what the user gave.

        Raises
        ------
        InputError
            If the place where an operator is defined cannot be found.
        """
        rest = _fields_of(plan, without=("portfolio",))
        problem = plan.source.problem
        if isinstance(portfolio, str):
            return cls(problem, portfolio, None, rest)
        return cls(problem, None, _PortablePortfolio.of(plan.portfolio), rest)

    def plan(self) -> Plan:
        """Return the plan itself, in this process."""
        if self.packed is None:
            portfolio = operators_for(as_portfolio(self.portfolio or "paper"), self.problem)
        else:
            portfolio = self.packed.unpacked()
        return Plan(portfolio=portfolio, **self.rest)


# Workers return answers in the order of the questions, so that nothing depends on how many workers there are.

Item = TypeVar("Item")
Returned = TypeVar("Returned")
Job = Callable[[Plan, Any, Item], Returned]

# Searches differ in length: with several portions for each process, none waits long for the last one.
PORTIONS = 4

_plans: dict[str, Plan] = {}
"""The plan that a process of an engine works on, by the name that `Workers` gave it."""


def require_not_starting() -> None:
    """Raise an `InputError` in a process that is just being started and imports the script that started it."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InputError(
            "train was called again by a process of its own, which imports your script; expected the call to stand "
            "below if __name__ == '__main__': put it there, or train with jobs=1."
        )


class Workers:
    """Processes that share a plan; while the context manager is entered, :meth:`run` gives them work.

    Parameters
    ----------
    plan
        The plan that they share.
    portfolio
        The portfolio, as the user gave it.
    jobs
        The number of processes of this machine; with 1, the work is done in this process.
    engine
        An engine that does the work instead.
    """

    def __init__(self, plan: Plan, portfolio: str | Portfolio, jobs: int, engine: Engine | None = None) -> None:
        self._engine: Engine
        if engine is None and jobs == 1:
            self._engine = _OneThread()
            self._name = ""
            self._plan: Plan | PortablePlan = plan
            return
        self._engine = engine or Processes(jobs)
        self._name = secrets.token_hex(8)
        self._plan = PortablePlan.of(plan, portfolio)

    def __enter__(self) -> "Workers":
        self._engine.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.__exit__(kind, error, trace)

    def run(
        self, job: Job[Item, Returned], shared: Any, items: Sequence[Item], sizes: Sequence[int] | None = None
    ) -> list[Returned]:
        """Return the values of ``job(plan, shared, item)`` for each item, in their order.

        ``job`` is a function at the top of a module; ``shared`` is sent with each portion of the items. Where
        ``sizes`` are known, the longest are begun first, so that no process works on a long one while others are done.

        Raises
        ------
        InputError
            If a process ends on its own, perhaps for lack of memory.
        """
        size = max(1, -(-len(items) // (PORTIONS * self._engine.slots)))
        order = list(range(len(items)))
        if sizes is not None:
            order.sort(key=lambda place: -sizes[place])
        portions = [[items[place] for place in order[begin : begin + size]] for begin in range(0, len(items), size)]
        try:
            futures = [self._engine.submit(_work, self._name, self._plan, job, shared, portion) for portion in portions]
            answers = dict(zip(order, (answer for future in futures for answer in future.result()), strict=True))
            return [answers[place] for place in range(len(items))]
        except WorkerDied:
            raise InputError(
                "a process of the training ended before its time; expected it to run on; free some memory or give "
                "fewer jobs, and in a script of yours call train below: if __name__ == '__main__'."
            ) from None


class _OneThread:
    """An engine in this process: one thread, because a search in the main thread would take Ctrl-C for itself."""

    slots = 1

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    def submit(self, call: Callable[..., Returned], *arguments: Any) -> "Future[Returned]":
        return self._pool.submit(call, *arguments)

    def __enter__(self) -> "_OneThread":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._pool.shutdown(wait=kind is None, cancel_futures=True)


def _work(
    name: str, given: Plan | PortablePlan, job: Job[Item, Returned], shared: Any, items: Sequence[Item]
) -> list[Returned]:
    plan = given if isinstance(given, Plan) else _unpacked(name, given)
    return [job(plan, shared, item) for item in items]


def _unpacked(name: str, portable: PortablePlan) -> Plan:
    if name not in _plans:
        _plans.clear()
        _plans[name] = portable.plan()
    return _plans[name]
