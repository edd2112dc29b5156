"""One run of a study: its instance, and the task that is sent to the process that does it."""

import datetime
import os
import platform
import time
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Self

from dacalns.engines import processor_name
from dacalns.instances import Instance, read, read_solution_of
from dacalns.search.checker import check
from dacalns.search.kernels import load_kernels
from dacalns.search.portfolio import as_portfolio
from dacalns.search.result import Result
from dacalns.search.run import doubts_of, gap_to_best_known, require_user_code_sound
from dacalns.search.stopping import MaxIterations, MaxTime, StoppingCriterion
from dacalns.search.user_code import Aside
from dacalns.selectors import as_selector
from dacalns.settings import Settings
from dacalns.solve import solve_validated
from dacalns.study.content_key import code_version
from dacalns.study.rows import DONE, FAILED, Row
from dacalns.util.errors import InputError

# Instances with a best-known cost.


def known_instance(name: str) -> Instance:
    """Return an instance with the best cost that is known for it: from its file, our list or a ``.sol`` file.

    A file that has not changed is parsed once, however often a study asks for its instance.
    """
    return _unchanged(name, _status(name), _status(Path(name).with_suffix(".sol")))


def _status(path: str | Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is written again; None if there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@lru_cache(maxsize=1024)
def _unchanged(name: str, *_: tuple[int, int, int] | None) -> Instance:
    instance = read(name)
    return with_solution_beside(instance, name)[0] if os.path.isfile(name) else instance


def with_solution_beside(instance: Instance, path: str | Path) -> tuple[Instance, str]:
    """Return an instance with the cost of the solution beside its file, and a sentence if that cost is not used.

    This is the one rule for references in ``.sol`` files: ``NAME.sol`` beside ``NAME.vrp`` counts with the cost that
    our checker measures, if it is feasible and below the best-known cost of the instance.
    """
    beside = Path(path).with_suffix(".sol")
    if not beside.is_file():
        return instance, ""
    routes, types, _ = read_solution_of(instance, beside)
    verdict = check(instance, routes, types)
    if not verdict.feasible:
        return instance, f"{beside.name} is not feasible and no reference: {verdict.violations[0]}"
    cost = round(verdict.cost, 9)
    if instance.best_known is not None and instance.best_known <= cost:
        return instance, ""
    return instance.with_(best_known=cost, best_known_origin=beside.name), ""


# Tasks.

PAPER = {"portfolio": "paper", "selector": "roulette"}
"""The defaults of a method in a study: the operators and the classic baseline of the paper."""


class RunTask:
    """A run as it is sent to the process that does it; subclasses are frozen dataclasses with these fields.

    A subclass says in :meth:`done` what to do. Its rows are then kept, counted and compared like those of any other
    run.
    """

    key: str
    instance: Instance
    seed: int
    attempt: int

    @property
    def method(self) -> str:
        """The name of the selector or solver, for the row."""
        raise NotImplementedError

    @property
    def budget(self) -> str:
        """The budget in words."""
        raise NotImplementedError

    def done(self) -> Row:
        """Do the run and return its row; an exception from this method is the reason why the run failed."""
        raise NotImplementedError

    def again(self) -> Self:
        """Return the same run as another attempt."""
        return replace(self, attempt=self.attempt + 1)  # type: ignore[type-var]

    def failed(self, error: str) -> Row:
        """Return the row of this run if it failed."""
        return self.row_with(FAILED, error=error)

    def row_with(self, status: str, **rest: object) -> Row:
        """Return the row of this run with the values that the task itself does not have."""
        return Row(
            self.key, status, self.attempt, self.instance.name, self.instance.problem, self.instance.customers,
            self.method, self.seed, self.budget, code_version(), machine(),
            datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), **rest,  # type: ignore[arg-type]
        )  # fmt: skip

    def row(self) -> Row:
        """Do the run and return its row; a run that fails has a row, too."""
        try:
            return self.done()
        except Exception as error:  # a user's operator or another solver may raise anything
            said = " ".join(str(error).split())
            return self.failed(said if isinstance(error, InputError) else f"{type(error).__name__}: {said}")


@dataclass(frozen=True)
class SearchTask(RunTask):
    """One search of ours, with all that a process needs to do it.

    Parameters
    ----------
    key
        The key of the row.
    instance
        The instance itself, so that no other machine need have its file.
    settings
        The settings of selector, operators and acceptance.
    seed
        The seed of all that is random.
    iterations, seconds
        The budget: one of the two, while the other is None.
    attempt
        1 or 2.
    """

    key: str
    instance: Instance
    settings: Settings
    seed: int
    iterations: int | None
    seconds: float | None
    attempt: int = 1

    @property
    def method(self) -> str:
        """The name of the selector."""
        return self.settings.selector.name if self.settings.selector is not None else "roulette"

    @property
    def budget(self) -> str:
        """The budget in words."""
        return f"{self.iterations} iterations" if self.seconds is None else f"{self.seconds:.6g} s"

    def done(self) -> Row:
        """Search, and return the row; the independent checker has measured the answer of the search."""
        options = prepared(self.settings) | {"stop": self._stop(), "seed": self.seed}
        began, times_left = time.process_time(), Aside.times_left
        result = solve_validated(self.instance, **options)
        cpu_seconds = time.process_time() - began
        require_user_code_sound(result)
        if Aside.times_left > times_left:  # a call had not returned when the time was over
            raise InputError(result.warnings[0])
        if result.stopped_by != "criterion":
            raise InputError(f"the search was stopped by {result.stopped_by}; expected a whole run; run it again.")
        return self.row_with(DONE, cpu_seconds=cpu_seconds, **_of_search(self.instance, result))

    def _stop(self) -> StoppingCriterion:
        if self.iterations is not None:
            return MaxIterations(self.iterations)
        assert self.seconds is not None
        return MaxTime(self.seconds)


def prepared(settings: Settings) -> dict[str, Any]:
    """Return the arguments of a method for `solve`, portfolio and selector as objects.

    What the method needs is compiled, or loaded from the cache, before its time is measured.
    """
    options = PAPER | settings.options()
    portfolio, selector = as_portfolio(options["portfolio"]), as_selector(options["selector"])
    load_kernels(portfolio, selector, options.get("acceptance", portfolio.acceptance))
    return options | {"portfolio": portfolio, "selector": selector}


def _of_search(instance: Instance, result: Result) -> dict[str, object]:
    doubts = doubts_of(result)
    if doubts:
        raise InputError(f"{DISAGREES}: {doubts[0]}")
    return _answer(instance, result.routes, round(result.cost, 9), result.feasible, len(result.unserved)) | {
        "wall_seconds": result.seconds,
        "iterations": result.iterations,
        "destroy": result.operators.destroy,
        "repair": result.operators.repair,
        "uses": result.operators.uses,
        "history": [[event.iteration, event.seconds, event.cost, event.unserved] for event in result.history],
        "settings": result.settings | types_in_settings(instance, result.vehicle_types),
    }


DISAGREES = "the independent checker does not agree with the search"


def checked(instance: Instance, routes: list[list[int]], types: list[int] | None = None) -> dict[str, Any]:
    """Return what the independent checker says about routes, as fields of a row.

    This is the one rule for answers, and the rule by which a search of ours has its own answer checked: routes that
    leave customers out are an answer that is not feasible; routes that break any other rule are no answer at all, and
    their run has failed.

    Raises
    ------
    InputError
        If they are no routes, or break another rule.
    """
    verdict = check(instance, routes, types)
    broken = [violation for violation in verdict.violations if violation.kind != "missing"]
    if broken:
        raise InputError(f"{DISAGREES}: {broken[0]}")
    return _answer(instance, routes, round(verdict.cost, 9), verdict.feasible, len(verdict.violations))


def types_in_settings(instance: Instance, types: list[int] | None) -> dict[str, list[int]]:
    """Return the vehicle type of each route for the settings of a row; nothing where there is only one."""
    return {"vehicle_types": [*map(int, types)]} if types is not None and len(instance.types) > 1 else {}


def _answer(instance: Instance, routes: list[list[int]], cost: float, feasible: bool, unserved: int) -> dict[str, Any]:
    return {
        "cost": cost,
        "feasible": feasible,
        "unserved": unserved,
        "best_known": instance.best_known,
        "gap_percent": gap_to_best_known(cost, instance.best_known) if feasible else None,
        "routes": [[int(customer) for customer in route] for route in routes],
    }


@cache
def machine() -> str:
    """Return the machine that this process runs on, in words."""
    return f"{platform.system()} {platform.machine()}, {processor_name()}, {os.cpu_count()} cores"
