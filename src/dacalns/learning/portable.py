"""A plan that can be sent to another process.

Compiled functions cannot be sent as they are: the other process looks them up where they are defined, so that it finds
their compiled code in the cache.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from dacalns.errors import InputError
from dacalns.learning.rounds import Plan
from dacalns.search.operators import DestroyOperator, Operator, RepairOperator, Scale
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.shown import shown


@dataclass(frozen=True)
class _PortableOperator:
    name: str
    module: str
    attribute: str
    problems: tuple[str, ...]
    scale: Scale | None

    @classmethod
    def of(cls, operator: Operator) -> "_PortableOperator":
        plain = getattr(operator.function, "py_func", operator.function)
        scale = operator.scale if isinstance(operator, DestroyOperator) else None
        packed = cls(operator.name, plain.__module__, plain.__qualname__, operator.problems, scale)
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
        if self.scale is None:
            return RepairOperator(self.name, self.function(), self.problems)
        return DestroyOperator(self.name, self.function(), self.problems, self.scale)


@dataclass(frozen=True)
class PortablePlan:
    """A plan without compiled functions.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    portfolio
        What the portfolio was named, if it was: ``"paper"`` or ``"FILE.py:VARIABLE"``.
    operators
        Its name, where its operators are, its acceptance and its construction, if it was not.
    rest
        All else of the plan.
    """

    problem: str
    portfolio: str | None
    operators: tuple[str, tuple[_PortableOperator, ...], tuple[_PortableOperator, ...], Any, str] | None
    rest: dict[str, Any]

    @classmethod
    def of(cls, plan: Plan, portfolio: str | Portfolio) -> "PortablePlan":
        """The plan, whose portfolio was given so.

        Raises
        ------
        InputError
            If an operator cannot be looked up.
        """
        rest = {entry.name: getattr(plan, entry.name) for entry in fields(plan) if entry.name != "portfolio"}
        problem = plan.source.problem
        if isinstance(portfolio, str):
            return cls(problem, portfolio, None, rest)
        destroy = tuple(map(_PortableOperator.of, plan.portfolio.destroy))
        repair = tuple(map(_PortableOperator.of, plan.portfolio.repair))
        own = plan.portfolio
        return cls(problem, None, (own.name, destroy, repair, own.acceptance, own.construction), rest)

    def plan(self) -> Plan:
        """The plan itself, in this process."""
        if self.operators is None:
            portfolio = as_portfolio(self.portfolio or "paper").for_problem(self.problem)
        else:
            name, destroy, repair, acceptance, construction = self.operators
            portfolio = Portfolio(
                [entry.unpacked() for entry in destroy],  # type: ignore[misc]
                [entry.unpacked() for entry in repair],  # type: ignore[misc]
                name,
                acceptance,
                construction,
            )
        return Plan(portfolio=portfolio, **self.rest)
