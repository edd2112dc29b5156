"""The runner does the runs of a study, or of a comparison of solvers, that are not in its folder yet.

So a study that was stopped goes on where it was. Several runners, even on several machines, may share a folder.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Protocol as Interface

from dacalns.engines import Engine, WorkerDied
from dacalns.learning.monitor import TrainingProgress
from dacalns.search.kernels import Loading
from dacalns.search.signals import Interrupt
from dacalns.study.content_key import code_version
from dacalns.study.plan import planned_runs
from dacalns.study.protocol import Protocol
from dacalns.study.rows import DONE, FAILED, Member, Row
from dacalns.study.store import Store
from dacalns.study.task import RunTask, prepared
from dacalns.study.trained_policy import StudyInterrupted, trained_policies
from dacalns.util.errors import InputError

ATTEMPTS = 2
# The limit of attempts if failed runs are to be tried again: no number of attempts is too many.
RETRIED = 1 << 30
# The number of rows that are read at a time.
AT_ONCE = 1000
# How often a runner looks at what others have done and whether to stop, and how often it says that it is still at work.
POLL_SECONDS, RENEW_SECONDS = 0.5, 30.0


class PlannedTask(Interface):
    """A run that is to be done, and what it waits for."""

    @property
    def member(self) -> Member:
        """The run as the study names it."""

    @property
    def references(self) -> tuple[str, ...]:
        """The keys of the runs that must be done first."""

    def task(self, references: Iterable[Row]) -> RunTask:
        """Return the task for the process that does the run, given the rows that it has waited for.

        Raises
        ------
        InputError
            If it cannot be done, because one of those runs has failed.
        """

    def refused(self, error: str) -> Row:
        """Return the row of a run that cannot be done."""


@dataclass
class StudyProgress:
    """How far a study has come.

    Parameters
    ----------
    runs
        The number of runs that it asks for.
    done, failed
        The numbers of runs that are done and that have failed.
    began, first
        The time when this runner began, and the number of runs that were there by then.
    """

    runs: int
    done: int = 0
    failed: int = 0
    began: float = field(default_factory=time.monotonic)
    first: int = 0
    rows: list[tuple[Member, Row]] = field(default_factory=list)
    """The runs that ended since the last report, by this runner or another one."""

    @property
    def left(self) -> int:
        """The number of runs that are still to be done."""
        return self.runs - self.done - self.failed

    @property
    def seconds_left(self) -> float | None:
        """The estimated seconds until all is done; None before the first run has ended."""
        came = self.done + self.failed - self.first
        return self.left * (time.monotonic() - self.began) / came if came else None


@dataclass(frozen=True)
class Summary:
    """The outcome of the runs of a study."""

    runs: int
    done: int
    failed: tuple[tuple[Member, str], ...]
    infeasible: int
    seconds: float
    interrupted: bool = False

    @property
    def left(self) -> int:
        """The number of runs that are still to be done."""
        return self.runs - self.done - len(self.failed)


def run_study(
    protocol: Protocol,
    folder: str | os.PathLike[str],
    engine: Engine,
    *,
    command: str = "",
    retry_failed: bool = False,
    on_progress: Callable[[StudyProgress], None] | None = None,
    on_training: Callable[[str, TrainingProgress], None] | None = None,
) -> Summary:
    """Do all runs of a protocol that are not in the folder yet.

    Parameters
    ----------
    protocol
        The runs to do.
    folder
        The folder for the rows; it is made if need be.
    engine
        The engine that does the runs; it is entered here.
    command
        The command that the user gave, for the report.
    retry_failed
        True if runs that failed twice are tried again.
    on_progress
        A function that is told now and then how far the study has come.
    on_training
        A function that is told how the training of a policy goes on.

    Raises
    ------
    InputError
        If the folder cannot be written to, or a training fails.
    """
    began = time.monotonic()
    with Store(folder, create=True) as store:
        try:
            policies = {
                name: trained_policies(store, training, engine, on_training)
                for name, training in protocol.trainings.items()
            }
        except StudyInterrupted:
            return Summary(0, 0, (), 0, time.monotonic() - began, interrupted=True)
        runs = planned_runs(protocol, policies)
        # Reports list groups and instances in the order of the protocol, whatever is run first.
        order = {name: place for place, name in enumerate(protocol.groups)}
        members = sorted((run.member for run in runs), key=lambda member: order[member.group])
        store.add_protocol(protocol.outline(command), protocol.text, members)
        summary = do_runs(
            store,
            engine,
            runs,
            retry_failed=retry_failed,
            on_progress=on_progress,
            prepare=lambda methods: _prepare(protocol, methods),
        )
        return replace(summary, seconds=time.monotonic() - began)


def do_runs(
    store: Store,
    engine: Engine,
    runs: Sequence[PlannedTask],
    *,
    retry_failed: bool = False,
    on_progress: Callable[[StudyProgress], None] | None = None,
    prepare: Callable[[set[str]], None] | None = None,
) -> Summary:
    """Do those of the runs that are not in the store yet, in their order, as many at a time as the engine has slots.

    A run that fails is tried once more. Ctrl-C ends the runs under way; what is written stays.

    Parameters
    ----------
    store
        The store for the rows.
    engine
        The engine that does the runs; it is entered here.
    runs
        The runs.
    retry_failed
        True if runs that failed twice are tried again.
    on_progress
        A function that is told now and then how far the runs have come.
    prepare
        A function that is called before the first run, with the names of the methods that have runs to do.
    """
    began = time.monotonic()
    runner = _Runner(store, engine, runs, retry_failed, on_progress)
    if runner.waiting and prepare is not None:
        prepare({run.member.method for run in runner.waiting})
    with Interrupt() as interrupt:
        if runner.waiting:
            with engine, _claims_of(store):
                runner.run(interrupt)
    return runner.summary(time.monotonic() - began, interrupt.requested)


@contextmanager
def _claims_of(store: Store) -> Iterator[None]:
    try:
        yield
    finally:
        # On a full disk not even this can be written; then the claims expire when this process ends.
        with suppress(InputError):
            store.give_up_claims()


def _prepare(protocol: Protocol, needed: set[str]) -> None:
    """Compile everything once, before each process would do it; what fails here fails again there and is noted."""
    with Loading():
        for name, method in protocol.methods.items():
            if name in needed:
                with suppress(Exception):
                    prepared(method.settings)


class _Runner:
    def __init__(
        self,
        store: Store,
        engine: Engine,
        runs: Sequence[PlannedTask],
        retry_failed: bool,
        on_progress: Callable[[StudyProgress], None] | None,
    ) -> None:
        self._store, self._engine, self._on_progress = store, engine, on_progress
        self._by_key = {run.member.key: run for run in runs}
        self._limit = RETRIED if retry_failed else ATTEMPTS
        self._settled: dict[str, Row] = {}
        self._standing = StudyProgress(len(self._by_key))
        keys = [*self._by_key]
        # Rows are read in portions, because a study may have a hundred thousand of them.
        for begin in range(0, len(keys), AT_ONCE):
            for key, row in store.rows(keys[begin : begin + AT_ONCE]).items():
                if row.status == DONE or row.attempts >= self._limit:
                    self._settle(key, row)
        self._standing.first = self._standing.done + self._standing.failed
        self.waiting = deque(run for key, run in self._by_key.items() if key not in self._settled)
        self._flying: dict[Future[Row], RunTask] = {}
        self._renewed_at = time.monotonic()

    def run(self, interrupt: Interrupt) -> None:
        """Do runs until none is left or the user asks to stop."""
        while (self.waiting or self._flying) and not interrupt.requested:
            self._send()
            timeout = POLL_SECONDS
            if self._flying:
                ended, _ = wait(self._flying, timeout, FIRST_COMPLETED)
                for future in ended:
                    self._take(future)
            else:
                # No run of this runner is under way: the rest is with another runner.
                time.sleep(timeout)
            self._renew_claims()
            if self._on_progress is not None:
                self._on_progress(self._standing)
                self._standing.rows.clear()

    def _send(self) -> None:
        """Give work to free processes; runs that must wait, or that another runner does, are looked at again later."""
        for _ in range(len(self.waiting)):
            if len(self._flying) >= self._engine.slots:
                return
            run = self.waiting.popleft()
            if any(key not in self._settled for key in run.references):
                self.waiting.append(run)
            elif not self._store.claim(run.member.key, self._limit):
                row = self._store.rows([run.member.key]).get(run.member.key)
                if row is not None and (row.status == DONE or row.attempts >= self._limit):
                    self._settle(run.member.key, row)
                else:
                    self.waiting.append(run)
            else:
                self._begin(run)

    def _begin(self, run: PlannedTask) -> None:
        try:
            task = run.task([self._settled[key] for key in run.references])
        except InputError as error:
            self._write(replace(run.refused(str(error)), attempts=ATTEMPTS))
            return
        self._submit(task)

    def _submit(self, task: RunTask) -> None:
        self._flying[self._engine.submit(type(task).row, task)] = task

    def _take(self, future: "Future[Row]") -> None:
        task = self._flying.pop(future)
        try:
            row = future.result()
        except WorkerDied as error:
            row = task.failed(str(error))
        except Exception as error:  # it was raised while the task or the row was sent
            row = task.failed(f"{type(error).__name__}: {error}")
        if row.version != code_version():
            row = task.failed(f"it ran on code {row.version}; expected {code_version()}; install the same everywhere.")
        if row.status == FAILED and task.attempt < ATTEMPTS:
            self._store.add(row)
            if self._store.claim(task.key, ATTEMPTS):
                self._submit(task.again())
            return
        self._write(row)

    def _write(self, row: Row) -> None:
        self._store.add(row)
        self._settle(row.key, row)

    def _settle(self, key: str, row: Row) -> None:
        # The large fields are not needed any more.
        self._settled[key] = replace(row, history=[], routes=[], uses=[], settings={})
        if row.status == DONE:
            self._standing.done += 1
        else:
            self._standing.failed += 1
        self._standing.rows.append((self._by_key[key].member, row))

    def _renew_claims(self) -> None:
        now = time.monotonic()
        if now - self._renewed_at > RENEW_SECONDS:
            self._store.renew_claims()
            self._renewed_at = now

    def summary(self, seconds: float, interrupted: bool) -> Summary:
        """Return the outcome of the runs."""
        failed = tuple(
            (self._by_key[key].member, row.error or "") for key, row in self._settled.items() if row.status == FAILED
        )
        infeasible = sum(row.feasible is False for row in self._settled.values())
        return Summary(len(self._by_key), self._standing.done, failed, infeasible, seconds, interrupted)
