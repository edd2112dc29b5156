"""A study's database with damaged cells: one sentence that names the file and the row."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dacalns.study.store import FILE, Store
from dacalns.util.errors import InputError
from study.synthetic_study import stored, study_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stored(tmp_path, study_of({"P-n16-k8": {"ALNS": [450, 451], "DAC": [450, 449]}}))


def change(folder: Path, table: str, column: str, value: Any) -> None:
    connection = sqlite3.connect(folder / FILE)
    connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = 1', (value,))
    connection.commit()
    connection.close()


def refused(folder: Path, *words: str) -> None:
    with Store(folder) as store, pytest.raises(InputError) as caught:
        store.studies()
    told = str(caught.value)
    assert len(told) <= 300
    assert all(word in told for word in (FILE, "is damaged", *words)), told


JSON_CELLS = ("{", "", None, 5, b"[]", b"\xff", '{"a": 1}', "[1]", "[" * 5000, "[NaN]", "9" * 5000)


@pytest.mark.parametrize("value", JSON_CELLS, ids=lambda value: repr(value)[:10])
@pytest.mark.parametrize("column", ["uses", "history", "routes", "destroy"])
def test_json_cells(folder: Path, column: str, value: Any) -> None:
    change(folder, "runs", column, value)
    refused(folder, "run 'P-n16-k8/ALNS/iterations/None/0'", column)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("cost", "x"), ("cost", None), ("cost", -1), ("cost", float("inf")), ("feasible", 2), ("feasible", "yes"),
        ("seed", 1.5), ("attempts", None), ("status", "dune"), ("status", 3), ("best_known", 0), ("instance", b"x"),
        ("wall_seconds", "x"), ("iterations", "x"), ("iterations", None), ("settings", "[]"), ("error", 5),
        ("history", "[[1, 2]]"), ("uses", "[[1]]"),
    ],
)  # fmt: skip
def test_other_cells(folder: Path, column: str, value: Any) -> None:
    change(folder, "runs", column, value)
    refused(folder, column)


@pytest.mark.parametrize(("column", "value"), [("seed", "x"), ("instance", None), ("method", b"x"), ("training", 1.5)])
def test_members(folder: Path, column: str, value: Any) -> None:
    change(folder, "members", column, value)
    refused(folder, "member of protocol 'made up'", column)


@pytest.mark.parametrize("value", ["{", "{}", "[]", "null", '{"name": "x"}', 5])
def test_outlines(folder: Path, value: Any) -> None:
    change(folder, "protocols", "outline", value)
    refused(folder, "protocol 'made up'")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("paper", "x"),
        ("comparisons", [["x"]]),
        ("map", {"a": 1}),
        ("name", "x"),
        ("seeds", ["x"]),
        ("methods", []),
    ],
)
def test_values_in_outlines(folder: Path, key: str, value: Any) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        ((text,),) = connection.execute("SELECT outline FROM protocols").fetchall()
    connection.close()
    change(folder, "protocols", "outline", json.dumps(json.loads(text) | {key: value}))
    refused(folder, "protocol 'made up'", key)


def test_status_and_attempts(folder: Path) -> None:
    change(folder, "runs", "attempts", "x")
    change(folder, "runs", "status", "failed")
    with Store(folder) as store, pytest.raises(InputError, match="attempts is 'x'"):
        store.claim("P-n16-k8/ALNS/iterations/None/0", 1)
    change(folder, "runs", "status", b"\xff")
    with Store(folder) as store, pytest.raises(InputError, match="status is"):
        store.studies()


@pytest.mark.parametrize(("column", "value"), [("until", "x"), ("process", "x"), ("process", 2**62), ("process", -1)])
def test_nobody_is_behind_a_damaged_claim(folder: Path, column: str, value: Any) -> None:
    with Store(folder) as store:
        assert store.claim("new")
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE claims SET until = 1e12")
        connection.execute(f'UPDATE claims SET "{column}" = ?', (value,))
    connection.close()
    with Store(folder) as store:
        assert store.claim("new")
