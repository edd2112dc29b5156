"""Code that is not ours: how it is loaded, compiled, called with a limit, and named when it fails."""

import contextvars
import ctypes
import importlib.util
import inspect
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from dacalns.core import soundness
from dacalns.core import stepper as steps
from dacalns.core.flaws import WRONG_SUM
from dacalns.core.jit import pluggable
from dacalns.core.model import BANKED, USED
from dacalns.search.compile_errors import explained
from dacalns.util.errors import InputError
from dacalns.util.shown import LIST, shortened, shown, shown_path

Thing = TypeVar("Thing")

# Threads that may be left behind.


class LeftBehind(BaseException):
    """What ends Python code in a thread that nobody waits for any more."""


class Aside:
    """A thread that does one call after the other for another thread, which may stop waiting for it.

    It is a daemon, so that the process can end whatever it is doing, and has the context variables of whoever made it.
    """

    times_left: ClassVar[int] = 0  #: how often this process has left one
    _left: ClassVar[list[threading.Thread]] = []

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._work,), name="dacalns search", daemon=True)
        self._thread.start()

    def begin(self, call: Callable[[], Any], tell: Callable[[Any, BaseException | None], None]) -> None:
        """Do a call, and ``tell`` in that thread what it has returned, or what it has raised."""

        def do() -> None:
            try:
                answer = call()
            except BaseException as error:
                tell(None, error)
            else:
                tell(answer, None)

        self._calls.put(do)

    def end(self) -> None:
        """Let the thread end when it has done its calls."""
        self._calls.put(None)

    def leave(self) -> None:
        """Leave the thread to itself: Python code in it is ended, compiled code may go on as long as the process."""
        self.end()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(LeftBehind)
        )
        self._left.append(self._thread)
        Aside.times_left += 1

    @classmethod
    def any_left(cls) -> bool:
        """Return True if a thread that was left is still at work."""
        for thread in cls._left:
            thread.join(0.2)
        cls._left[:] = [thread for thread in cls._left if thread.is_alive()]
        return bool(cls._left)

    def _work(self) -> None:
        try:
            while (call := self._calls.get()) is not None:
                call()
        except LeftBehind:  # it came when the call had just ended
            pass


# Python files of the user, as ``FILE.py`` or ``FILE.py:NAME``.


def split_file(given: str) -> tuple[Path, str | None] | None:
    """The file and the name in it; None if this is no such text."""
    match = re.fullmatch(r"(.*\.py)(?::(\w+))?", given)
    return (Path(match[1]), match[2]) if match else None


def require_file(path: Path, kind: str) -> None:
    """Raise an `InputError` if there is no such file; nothing is run."""
    if not os.path.isfile(path):
        raise InputError(f"{kind} file {shown(str(path))} does not exist; expected a Python file; check the path.")


def load_file(path: Path, kind: str) -> ModuleType:
    """Run a file, and return it as a module.

    Parameters
    ----------
    path
        The file.
    kind
        What it should define, for messages: ``"portfolio"``.

    Raises
    ------
    InputError
        If there is no such file, or running it fails.
    """
    require_file(path, kind)
    spec = importlib.util.spec_from_file_location(f"dacalns_{kind}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # cached compiled code refers to it by name
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())[:120]
        raise InputError(
            f"{shown_path(path)}{_line_in(path, error)}: importing it raised {type(error).__name__}: {reason}; "
            f"expected a file that defines a {kind}."
        ) from error
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """The line of the file that an exception came through last."""
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        return f":{error.lineno}"
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f":{lines[-1]}" if lines else ""


# Code that is not ours: what it is called, and what to say when it goes wrong.

PACKAGE = __name__.partition(".")[0]
METHODS = {
    steps.CALL.selecting_destroy: "select_destroy",
    steps.CALL.selecting_repair: "select_repair",
    steps.CALL.updating: "update",
}
# What `COUNTER.called` says while a stopping criterion in plain Python is asked, which no kernel does.
STOPPING = len(steps.CALL)
# An operator that has done nothing in fewer uses than these may have been unlucky.
ENOUGH_USES = 20


class StopSearch(Exception):  # noqa: N818 - it is no error
    """Raise it in a callback, or in any other code of yours that a search calls, to end the search.

    The best solution found until then is returned as always, and ``stopped_by`` is ``"callback"``.
    """


class MisuseError(Exception):
    """What code of the user's did wrong without raising anything.

    Parameters
    ----------
    did
        What it did: ``"returned 5"``.
    expected
        What it should have returned.
    """

    def __init__(self, did: str, expected: str) -> None:
        super().__init__(did)
        self.expected = expected


def is_foreign(thing: Any) -> bool:
    """Return True if a function, or the class of an object, is defined outside of this package."""
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
    stops: Sequence[str] = ()

    def of(self, counters: npt.NDArray[np.int64]) -> str:
        """The function that is being called, or was called last."""
        called, which = int(counters[steps.COUNTER.called]), int(counters[steps.COUNTER.which])
        if called == steps.CALL.destroying:
            return f"destroy operator {self.destroy[which]!r}"
        if called == steps.CALL.repairing:
            return f"repair operator {self.repair[which]!r}"
        if called == steps.CALL.accepting:
            return f"acceptance criterion {self.criterion!r}"
        if called in METHODS:
            return f"selector {self.selector!r}, in {METHODS[called]},"
        if called == STOPPING:
            return f"stopping criterion {self.stops[which]!r}"
        return "an operator, selector or criterion"

    def of_choice(self, counters: npt.NDArray[np.int64]) -> str:
        """What is wrong with the choice that the selector has made."""
        destroy = counters[steps.COUNTER.called] == steps.CALL.selecting_destroy
        kind, total = ("destroy", len(self.destroy)) if destroy else ("repair", len(self.repair))
        return (
            f"selector {self.selector!r} chose {counters[steps.COUNTER.which]} in select_{kind}, iteration "
            f"{iteration_of(counters)}; expected a whole number from 0 to {total - 1}, that of a {kind} operator of "
            "the portfolio."
        )


def iteration_of(counters: npt.NDArray[np.int64]) -> int:
    """The iteration that is being done, counted from 1."""
    counted = counters[steps.COUNTER.called] in (steps.CALL.accepting, steps.CALL.updating, STOPPING)
    return int(counters[steps.COUNTER.iteration]) + (not counted)


def raised(name: str, error: BaseException, iteration: int | None = None) -> str:
    """The sentence about an exception."""
    reason = " ".join(str(error).split()).rstrip(".")
    when = "" if iteration is None else f" in iteration {iteration}"
    if isinstance(error, MisuseError):
        return f"{name} {reason}{when}; expected {error.expected}."
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
    links, sums = soundness.WRONG_LINK, WRONG_SUM
    position = {USED: "USED", BANKED: "BANKED"}.get(other, "TOUCHED")
    late = f"customer {customer} is served too late" if customer else "the depot is reached too late"
    return {
        links.count: f"counts[{position}] is out of range",
        links.journal: "its journal of changed routes is wrong",
        links.not_a_customer: f"in route {route}, {customer} follows {other}, and is no customer",
        links.backwards: f"in route {route}, {customer} follows {other}, but is not preceded by it",
        links.elsewhere: f"customer {customer} stands in route {route}, but its route is {other}",
        links.size: f"route {route} does not have the {customer} customers that its size says",
        links.ends: f"route {route} ends with {other}, but its last is {customer}",
        links.bank: f"place {other} of the bank holds {customer}, which does not wait there",
        links.lost: f"{customer} customers are in routes and {other} in the bank, which is not all of them",
        links.behind: f"route {route} is not in use, but not empty",
        links.empty: f"route {route} is in use, but empty",
        sums.depot: "the depot's times have changed",
        sums.leg: f"in route {route}, the leg from {other} to {customer} is not their distance",
        sums.length: f"the length of route {route} is not that of its legs",
        sums.load: f"the load of route {route} is not the demand of its customers",
        sums.capacity: f"route {route} is over capacity",
        sums.times: f"in route {route}, the times of customer {customer} are wrong",
        sums.late: f"in route {route}, {late}",
        sums.limits: f"route {route} breaks a limit of its vehicle",
        sums.pair: f"in route {route}, {customer} is apart from {other}, or on the wrong side of it",
        sums.trips: f"the trips of the vehicle of route {route} do not follow one another",
        sums.members: f"of group {route}, another number is visited than is noted",
        sums.vehicles: f"of vehicle type {route}, another number is in use than is noted",
        links.untold: f"route {route} has changed without remove or insert",
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


# Compile what the user wrote, and say in one sentence why where it cannot be.


def compiled_for_loop(what: str, function: Callable[..., Any], signature: Any, compiled_as: Any = None) -> Any:
    """The function as the compiled loop calls it.

    Parameters
    ----------
    what
        What it is, for the message: ``"repair operator 'mine'"``.
    function
        Plain Python, or compiled by Numba.
    signature
        What it takes and returns, in Numba's types.
    compiled_as
        A signature for which the function is compiled instead, whose arguments look the same in memory.

    Raises
    ------
    InputError
        If Numba cannot compile it.
    """
    try:
        return pluggable(function, signature, compiled_as)
    except Exception as error:  # Numba raises many kinds, some of them not its own
        raise InputError(explained(what, function, error)) from error


def called(thing: Any) -> str:
    """What results and messages call a callable: by its name, an object without one by its class."""
    thing = thing.func if isinstance(thing, partial) else thing
    given = getattr(thing, "name", None)
    if isinstance(given, str) and given:
        return given
    return str(getattr(thing, "__name__", "") or type(thing).__name__).replace("<lambda>", "lambda")


def require_callable(what: str, function: Any, parameters: tuple[str, ...], hint: str = "") -> None:
    """Raise an `InputError` unless this can be called with as many arguments; a class must be called first."""
    wanted = ", ".join(parameters)
    if isinstance(function, type) or not callable(function):
        raise InputError(f"{what} is {shown(function)}; expected something that is called with ({wanted}).")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of C
        return
    try:
        signature.bind(*parameters)
    except TypeError:
        takes = ", ".join(signature.parameters)
        raise InputError(f"{what} {called(function)!r} takes ({takes}); expected ({wanted}){hint}.") from None


def copied(what: str, thing: Thing) -> Thing:
    """Return a copy of a callable for a search beside the first one; a function is its own copy.

    Raises
    ------
    InputError
        If it cannot be copied.
    """
    try:
        return deepcopy(thing)
    except Exception as error:
        raise InputError(
            f"{what} cannot be copied ({shortened(str(error), LIST)}); expected one that copy.deepcopy copies, since "
            "each job needs its own; use jobs=1."
        ) from error


def require_function(what: str, function: Any, parameters: tuple[str, ...]) -> None:
    """Raise an `InputError` unless this is a function with as many parameters."""
    plain = getattr(function, "py_func", function)
    if not inspect.isroutine(plain):
        raise InputError(f"{shown(function)} is no function; expected one with parameters ({', '.join(parameters)}).")
    given = tuple(inspect.signature(plain).parameters)
    if len(given) != len(parameters):
        raise InputError(f"{what} {plain.__name__!r} takes ({', '.join(given)}); expected ({', '.join(parameters)}).")
