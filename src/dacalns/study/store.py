"""The store keeps the rows of a study in one SQLite file, which several runners may share.

A runner claims a run before it does it, so that no other runner does the same.
"""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

from dacalns.study.paper_tables import EXPERIMENTS
from dacalns.study.readings import ReadingMap
from dacalns.study.rows import DONE, FAILED, Member, ProtocolOutline, Row, Study
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shortened, shown, shown_path
from dacalns.util.typed_data import from_plain

FILE = "study.sqlite"
# These numbers mark the file as ours, and its layout.
APPLICATION, LAYOUT = 0x0DAC_A175, 2
# The layout before trainings had seeds, which can still be read, and the columns that it lacks.
EARLIER, LATER_COLUMNS = 1, ("policy", "training")
# Runners on one folder wait this long for each other.
WAIT_SECONDS = 60.0
# A runner says this often that it still works on a run; one that has been silent for longer is taken to be dead.
CLAIM_SECONDS = 120.0

JSON_COLUMNS = ("destroy", "repair", "uses", "history", "routes", "settings")
OF_DONE = ("cost", "feasible", "unserved", "wall_seconds", "iterations")
ROW_COLUMNS = tuple(entry.name for entry in fields(Row))
MEMBER_COLUMNS = tuple(entry.name for entry in fields(Member))

TABLES = f"""
CREATE TABLE runs ({", ".join(f'"{name}"' + " PRIMARY KEY NOT NULL" * (name == "key") for name in ROW_COLUMNS)});
CREATE TABLE protocols (name PRIMARY KEY NOT NULL, outline NOT NULL, text NOT NULL);
CREATE TABLE members (protocol NOT NULL, position NOT NULL, {", ".join(f'"{name}"' for name in MEMBER_COLUMNS)},
    PRIMARY KEY (protocol, position));
CREATE TABLE claims (key PRIMARY KEY NOT NULL, owner NOT NULL, host NOT NULL, process NOT NULL, until NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {LAYOUT};
"""


class Store:
    """The database of a study's folder; several runners may use one folder.

    Every change is one transaction, so that whatever kills a runner, rows are there whole or not at all.

    Parameters
    ----------
    folder
        The folder of the study.
    create
        True if folder and file are to be made if they are not there yet.

    Raises
    ------
    InputError
        If there is no study, or the file is not one of ours or of another version of this package.
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(folder) / FILE
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"
        if create:
            _make_folder(Path(folder))
        elif not os.path.isfile(self.path):
            raise InputError(
                f"{shown_path(folder)}: there is no {FILE} in it; expected the folder of a study; make one with "
                "dac-alns study run."
            )
        with self._guarded():
            self._connection = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
            self._prepare(change=create)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add_protocol(self, outline: ProtocolOutline, text: str, members: Iterable[Member]) -> None:
        """Write what a protocol expects, in place of what it expected before."""
        with self._transaction() as connection:
            connection.execute("REPLACE INTO protocols VALUES (?, ?, ?)", (outline.name, _json(asdict(outline)), text))
            connection.execute("DELETE FROM members WHERE protocol = ?", (outline.name,))
            connection.executemany(
                f"INSERT INTO members (protocol, position, {_names(MEMBER_COLUMNS)}) "
                f"VALUES (?, ?, {_marks(MEMBER_COLUMNS)})",
                ((outline.name, position, *astuple(member)) for position, member in enumerate(members)),
            )

    def studies(self) -> list[Study]:
        """Return all protocols that were run in this folder, with their rows."""
        with self._guarded():
            rows = {row.key: row for row in self._rows("")}
            found = self._connection.execute("SELECT name, outline FROM protocols ORDER BY rowid").fetchall()
            present = {entry[1] for entry in self._connection.execute("PRAGMA table_info(members)")}
            names = [name for name in MEMBER_COLUMNS if name in present]
            studies = []
            for name, text in found:
                expected = self._connection.execute(
                    f"SELECT {_names(names)} FROM members WHERE protocol = ? ORDER BY position", (name,)
                )
                members = [self._member(name, names, entry) for entry in expected]
                outline = self._outline(name, text)
                keys = {member.key for member in members}
                studies.append(Study(outline, members, {key: rows[key] for key in rows if key in keys}))
        return studies

    def rows(self, keys: Iterable[str]) -> dict[str, Row]:
        """Return the rows with these keys, as far as they are there."""
        wanted = list(keys)
        with self._guarded():
            found: dict[str, Row] = {}
            for begin in range(0, len(wanted), 500):
                some = wanted[begin : begin + 500]
                found |= {row.key: row for row in self._rows(f"WHERE key IN ({_marks(some)})", some)}
        return found

    def add(self, row: Row) -> None:
        """Write a row and give up the claim on it; a row that is done is never replaced."""
        with self._transaction() as connection:
            connection.execute(
                f"INSERT INTO runs VALUES ({_marks(ROW_COLUMNS)}) ON CONFLICT(key) DO UPDATE SET "
                + ", ".join(f'"{name}" = excluded."{name}"' for name in ROW_COLUMNS)
                + f" WHERE runs.status != '{DONE}'",
                [_json(value) if name in JSON_COLUMNS else value for name, value in vars(row).items()],
            )
            connection.execute("DELETE FROM claims WHERE key = ?", (row.key,))

    def claim(self, key: str, attempts: int = 1) -> bool:
        """Claim a run, and return True if this runner may do it.

        It may not if another runner does it, or if the run is done or has failed ``attempts`` times.
        """
        with self._transaction() as connection:
            row = connection.execute("SELECT status, attempts FROM runs WHERE key = ?", (key,)).fetchone()
            if row is not None and not isinstance(row[1], int):
                raise self._damaged("run", key, f"attempts is {shown(row[1])}; expected a whole number.")
            if row is not None and (row[0] == DONE or row[1] >= attempts):
                return False
            claim = connection.execute(
                "SELECT owner, host, process, until FROM claims WHERE key = ?", (key,)
            ).fetchone()
            if claim is not None and claim[0] != self._owner and _alive(*claim[1:]):
                return False
            connection.execute(
                "REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                (key, self._owner, socket.gethostname(), os.getpid(), time.time() + CLAIM_SECONDS),
            )
            return True

    def renew_claims(self) -> None:
        """Write that this runner is still at work."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE claims SET until = ? WHERE owner = ?", (time.time() + CLAIM_SECONDS, self._owner)
            )

    def give_up_claims(self) -> None:
        """Give up the claims on runs that this runner has not done, so that others can do them."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))

    def _prepare(self, *, change: bool) -> None:
        # Read all in one transaction, because another runner may be making the tables at this moment.
        self._connection.execute("BEGIN")
        (tables,), (application,), (layout,) = (
            self._connection.execute(what).fetchone()
            for what in ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
        )
        self._connection.execute("COMMIT")
        if not tables:
            with self._transaction() as connection:
                # Another runner may have been faster.
                if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    for statement in TABLES.split(";\n"):
                        if statement.strip():
                            connection.execute(statement)
        elif application != APPLICATION or layout not in (EARLIER, LAYOUT):
            what = "it is of another program" if application != APPLICATION else f"its layout is {layout}"
            raise InputError(
                f"{shown_path(self.path)}: {what}; expected a study of layout {LAYOUT}; choose another folder."
            )
        elif layout == EARLIER and change:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        with self._transaction() as connection:
            # Another runner may have been faster.
            if connection.execute("PRAGMA user_version").fetchone()[0] == EARLIER:
                for name in LATER_COLUMNS:
                    connection.execute(f'ALTER TABLE members ADD COLUMN "{name}"')
                connection.execute(f"PRAGMA user_version = {LAYOUT}")

    def _rows(self, condition: str, values: Iterable[str] = ()) -> Iterator[Row]:
        for entry in self._connection.execute(f"SELECT {_names(ROW_COLUMNS)} FROM runs {condition}", tuple(values)):
            given = dict(zip(ROW_COLUMNS, entry, strict=True))
            try:
                given |= {name: _from_json(name, given[name]) for name in JSON_COLUMNS}
                # SQLite stores True and False as numbers.
                given["feasible"] = {0: False, 1: True}.get(given["feasible"], given["feasible"])
                row = from_plain(Row, given, "it")
                _require_whole(row)
            except InputError as error:
                raise self._damaged("run", given["key"], str(error)) from None
            yield row

    def _member(self, protocol: str, names: list[str], entry: tuple[Any, ...]) -> Member:
        try:
            return from_plain(Member, dict(zip(names, entry, strict=True)), "it")
        except InputError as error:
            raise self._damaged("a member of protocol", protocol, str(error)) from None

    def _outline(self, name: Any, text: Any) -> ProtocolOutline:
        try:
            found = from_plain(ProtocolOutline, _from_json("outline", text), "it")
            if found.name != name:
                raise InputError(f"its name is {shown(found.name)}; expected that of the row.")
            if found.paper not in (None, *EXPERIMENTS):
                raise InputError(f"paper is {shown(found.paper)}; expected one of {listed(EXPERIMENTS)}.")
            if found.map:
                ReadingMap.of(found.map)
        except InputError as error:
            raise self._damaged("protocol", name, str(error)) from None
        return found

    def _damaged(self, what: str, key: Any, reason: str) -> InputError:
        words = reason.removeprefix("it: ").rstrip(".")
        return InputError(
            f"{shown_path(self.path)}: {what} {shown(key, 40)} is damaged ({shortened(words, 120)}); restore the file, "
            "or run the study in another folder."
        )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._guarded():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter if even SQLite's message is damaged
            raise InputError(
                f"{shown_path(self.path)}: {shortened(str(error), 80)}; expected a database that can be read and "
                "written; free some space or correct "
                "the folder's permissions, then give the same command again: what is written stays."
            ) from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{shown_path(folder)}: cannot be made a folder ({reason}); expected a folder for the study; choose "
            "another."
        ) from None


def _alive(host: Any, process: Any, until: Any) -> bool:
    """Return True if the runner behind a claim is still at work; a damaged claim has no runner."""
    if not (isinstance(process, int) and process > 0 and isinstance(until, int | float)) or time.time() > until:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _from_json(name: str, text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else _refuse(name, text)
    except (ValueError, RecursionError):
        return _refuse(name, text)


def _refuse(name: str, text: Any) -> Any:
    raise InputError(f"{name} is {shown(text)}; expected JSON.")


def _require_whole(row: Row) -> None:
    """Raise an `InputError` unless a row has all values that its status requires."""
    if row.status not in (DONE, FAILED):
        raise InputError(f"status is {shown(row.status)}; expected {DONE} or {FAILED}.")
    if row.status == DONE:
        for name in OF_DONE:
            if getattr(row, name) is None:
                raise InputError(f"{name} is missing; expected it of a run that is {DONE}.")
            if getattr(row, name) < 0:
                raise InputError(f"{name} is {shown(getattr(row, name))}; expected 0 or more.")
        if row.best_known is not None and row.best_known <= 0:
            raise InputError(f"best_known is {shown(row.best_known)}; expected a number over 0.")
        if [len(uses) for uses in row.uses] != [len(row.repair)] * len(row.destroy):
            raise InputError(f"uses does not fit {len(row.destroy)} destroy and {len(row.repair)} repair operators.")
        if {len(entry) for entry in row.history} - {4}:
            raise InputError("history is not a list of iteration, seconds, cost and unserved customers.")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
