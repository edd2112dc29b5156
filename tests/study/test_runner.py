import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

import dacalns
from dacalns.engines import Processes
from dacalns.study import task as tasks
from dacalns.study.content_key import code_version
from dacalns.study.plan import planned_runs
from dacalns.study.rows import DONE, FAILED
from dacalns.study.runner import run_study
from dacalns.study.store import Store

from .synthetic_study import count_runs

pytestmark = pytest.mark.slow_without_jit

# What a machine's speed decides.
TIMES = {"wall_seconds": None, "cpu_seconds": None, "finished": "", "history": []}


class Here:
    """An engine in this process, for tests that change what runs do."""

    slots = 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, call, *arguments):
        from concurrent.futures import Future

        future = Future()
        try:
            future.set_result(call(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


def rows_of(folder):
    """The rows of the only study, by member, without what depends on the speed of the machine."""
    with Store(folder) as store:
        (study,) = store.studies()
    return {
        (member.instance, member.method, member.budget, member.seed): replace(study.rows[member.key], **TIMES)
        for member in study.members
        if member.key in study.rows
    }


def test_all_runs_are_done_and_right(protocol, tmp_path):
    summary = run_study(protocol(), tmp_path / "study", Processes(2))
    assert (summary.runs, summary.done, summary.failed, summary.left) == (8, 8, (), 0)
    found = rows_of(tmp_path / "study")
    assert len(found) == 8
    for (name, method, _, seed), row in found.items():
        selector = {"ALNS": "roulette", "Random": "random"}[method]
        result = dacalns.solve(name, portfolio="paper", selector=selector, stop=dacalns.MaxIterations(200), seed=seed)
        assert (row.cost, row.routes, row.iterations) == (result.cost, result.routes, 200)
        assert row.uses == result.operators.uses
        assert row.feasible
        assert row.gap_percent == pytest.approx(result.gap_percent)
        assert (row.version, row.status, row.attempts) == (code_version(), DONE, 1)


def test_what_is_done_is_not_done_again(protocol, tmp_path, monkeypatch):
    run_study(protocol(), tmp_path / "study", Here())
    monkeypatch.setattr(tasks.SearchTask, "row", lambda _: pytest.fail("done already"))
    assert run_study(protocol(), tmp_path / "study", Here()).done == 8


def test_another_protocol_in_the_folder_uses_its_rows(protocol, tmp_path):
    first = protocol()
    run_study(first, tmp_path / "study", Here())
    more = protocol(first.text + '[methods.UCB]\nselector = "ucb"\n', "more.toml")
    seen = []
    run_study(more, tmp_path / "study", Here(), on_progress=lambda standing: seen.extend(standing.rows))
    assert {member.method for member, _ in seen[8:]} == {"UCB"}
    with Store(tmp_path / "study") as store:
        assert [len(study.rows) for study in store.studies()] == [8, 12]


def test_other_code_makes_other_runs(protocol, tmp_path, monkeypatch):
    loaded = protocol()
    keys = {run.member.key for run in planned_runs(loaded, {})}
    monkeypatch.setattr("dacalns.study.plan.code_version", lambda: "other")
    assert not keys & {run.member.key for run in planned_runs(loaded, {})}


def test_a_key_knows_the_content_of_files(protocol, tmp_path):
    text = '[groups.g]\ninstances = ["P-n16-k8"]\n[methods.M]\nselector = "mine.py:Mine"\n'
    found = []
    for content in ("a = 1", "a = 2", "a = 1"):
        (tmp_path / "mine.py").write_text(content)
        found.append(planned_runs(protocol(text), {})[0].member.key)
    assert found[0] == found[2] != found[1]


def test_equal_time_is_what_the_other_method_takes(protocol, tmp_path):
    loaded = protocol(protocol().text + '[budgets.time]\nlike = "ALNS"\nfactor = 2.0\n')
    run_study(loaded, tmp_path / "study", Processes(2))
    with Store(tmp_path / "study") as store:
        (study,) = store.studies()
    assert len(study.rows) == 16
    for name in ("P-n16-k8", "P-n19-k2"):
        rows = {
            (member.method, member.budget, member.seed): study.rows[member.key]
            for member in study.members
            if member.instance == name
        }
        times = [rows["ALNS", "iterations", seed].wall_seconds for seed in (0, 100)]
        assert rows["Random", "time", 0].settings["stop"]["seconds"] == pytest.approx(sum(times))
        assert rows["Random", "time", 0].budget.endswith(" s")


def test_a_run_that_fails_is_tried_twice_recorded_and_stops_no_other(protocol, tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Bad:\n"
        "    def select_destroy(self, state): raise RuntimeError('out of luck')\n"
        "    def select_repair(self, destroyed, destroy): return 0\n"
        "    def update(self, outcome): pass\n"
    )
    text = protocol().text + '[methods.Bad]\nselector = "mine.py:Bad"\n[budgets.time]\nlike = "Bad"\n'
    summary = run_study(protocol(text), tmp_path / "study", Processes(2))
    assert summary.done == 8
    # Its own runs, and those whose budget is its time.
    assert len(summary.failed) == 4 + 12
    found = rows_of(tmp_path / "study")
    bad = found["P-n16-k8", "Bad", "iterations", 0]
    assert (bad.status, bad.attempts, bad.cost) == (FAILED, 2, None)
    assert "out of luck" in bad.error
    assert found["P-n16-k8", "ALNS", "time", 0].error == (
        "Bad has failed on P-n16-k8; expected its time as the budget."
    )
    again = run_study(protocol(text), tmp_path / "study", Here(), on_progress=lambda _: pytest.fail("tried again"))
    assert len(again.failed) == 16
    retried = run_study(protocol(text), tmp_path / "study", Here(), retry_failed=True)
    assert len(retried.failed) == 16


def test_a_process_that_dies_fails_its_run_alone(protocol, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import os\n"
        "class Deadly:\n"
        "    def select_destroy(self, state): os._exit(9)\n"
        "    def select_repair(self, destroyed, destroy): return 0\n"
        "    def update(self, outcome): pass\n"
    )
    text = protocol().text + '[methods.Deadly]\nselector = "mine.py:Deadly"\n'
    summary = run_study(protocol(text), tmp_path / "study", Processes(2))
    assert summary.done == 8
    assert {member.method for member, _ in summary.failed} == {"Deadly"}
    assert all("ended with code 9" in error for _, error in summary.failed)


def test_a_policy_is_trained_once_and_used(protocol, tmp_path):
    text = (
        'seeds = [0]\n[budgets.b]\niterations = 100\n[groups.g]\ninstances = ["P-n16-k8"]\npolicy = "t"\n'
        '[methods.M]\nselector = "dac-t:{policy}"\n[methods.B]\nselector = "dac-t"\n'
        '[trainings.t]\nproblem = "cvrp"\nsteps = 100\nepisodes = 1\nvalidation_instances = 0\ninstances = "P-n19-k2"\n'
    )
    for times in (1, 2):
        told = []
        summary = run_study(
            protocol(text), tmp_path / "study", Processes(1), on_training=lambda *said, told=told: told.append(said)
        )
        assert summary.done == 2
        assert bool(told) == (times == 1)
    (policy,) = (tmp_path / "study" / "policies").glob("t-*.safetensors")
    rows = rows_of(tmp_path / "study")
    assert rows["P-n16-k8", "M", "b", 0].settings["selector"]["policy"] == str(policy)


def test_two_runners_share_a_folder(protocol, tmp_path):
    loaded = protocol(protocol().text.replace("[0, 100]", str(list(range(12)))))
    done = []

    def run():
        done.append(run_study(loaded, tmp_path / "study", Processes(1)).done)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [48, 48]
    run_study(loaded, tmp_path / "alone", Processes(2))
    assert rows_of(tmp_path / "study") == rows_of(tmp_path / "alone")


COMMAND = [sys.executable, "-m", "dacalns", "study", "run"]


def test_killed_five_times_it_comes_to_the_same_rows(protocol, tmp_path):
    loaded = protocol(protocol().text.replace("[0, 100]", str(list(range(30)))).replace("200", "8000"))
    command = [*COMMAND, loaded.file, "--out", str(tmp_path / "study"), "--jobs", "2"]
    left = []
    for kill in range(5):
        runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        database, before = tmp_path / "study" / "study.sqlite", left[-1] if left else 0
        deadline = time.monotonic() + 60
        # At another moment each time, but always in the middle of the runs.
        while time.monotonic() < deadline and runner.poll() is None and count_runs(database) < before + 2 + kill:
            time.sleep(0.01 * (1 + kill))
        runner.send_signal(signal.SIGKILL)
        runner.wait()
        left.append(count_runs(database))
    assert 0 < left[0] < left[-1] < 120
    assert run_study(loaded, tmp_path / "study", Processes(2)).done == 120
    run_study(loaded, tmp_path / "alone", Processes(2))
    found = rows_of(tmp_path / "study")
    assert len(found) == 120
    assert found == rows_of(tmp_path / "alone")


def test_interrupted_it_says_how_to_go_on(protocol, tmp_path):
    loaded = protocol(protocol().text.replace("iterations = 200", "seconds = 60"))
    # A background job of a shell would ignore Ctrl-C.
    runner = subprocess.Popen(
        [*COMMAND, loaded.file, "--out", str(tmp_path / "study"), "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    database = tmp_path / "study" / "study.sqlite"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not _claimed(database):
        time.sleep(0.1)
    runner.send_signal(signal.SIGINT)
    _, told = runner.communicate(timeout=30)
    assert runner.returncode == 130
    assert "Interrupted; to go on, give the same command." in told
    assert not _claimed(database)


def _claimed(database):
    if not database.exists():
        return False
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
    try:
        return connection.execute("SELECT count(*) FROM claims").fetchone()[0] > 0
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()


def test_a_full_disk_is_told_and_loses_nothing(protocol, tmp_path, monkeypatch):
    loaded = protocol()
    add, added = Store.add, []

    def full(self, row):
        if len(added) == 3:
            self._connection.execute("PRAGMA max_page_count = 1")
            self._connection.execute(
                f"PRAGMA max_page_count = {self._connection.execute('PRAGMA page_count').fetchone()[0]}"
            )
            row = replace(row, error="x" * 100_000)
        added.append(row)
        add(self, row)

    monkeypatch.setattr(Store, "add", full)
    with pytest.raises(dacalns.InputError, match=r"study\.sqlite: database or disk is full; .* what is written stays"):
        run_study(loaded, tmp_path / "study", Here())
    assert len(rows_of(tmp_path / "study")) == 3
    monkeypatch.undo()
    assert run_study(loaded, tmp_path / "study", Here()).done == 8


def test_a_file_of_another_program_is_told(protocol, tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    connection = sqlite3.connect(folder / "study.sqlite")
    connection.execute("CREATE TABLE other (a)")
    connection.commit()
    connection.close()
    with pytest.raises(dacalns.InputError, match="it is of another program; expected a study"):
        run_study(protocol(), folder, Here())
    (folder / "study.sqlite").write_text("no database at all, but long enough to have a header of a hundred bytes" * 9)
    with pytest.raises(dacalns.InputError, match="file is not a database"):
        run_study(protocol(), folder, Here())


def test_many_runners_may_make_the_database_at_once(tmp_path):
    for attempt in range(20):
        folder, ready, failed = tmp_path / str(attempt), threading.Barrier(4), []

        def make(folder=folder, ready=ready, failed=failed):
            ready.wait()
            try:
                Store(folder, create=True).__exit__()
            except dacalns.InputError as error:
                failed.append(str(error))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []


def test_a_claim_of_a_dead_runner_is_void(tmp_path, monkeypatch):
    with Store(tmp_path, create=True) as store, Store(tmp_path) as other:
        monkeypatch.setattr(os, "getpid", lambda: 2**22 + 1)  # more than any process has
        assert store.claim("a")
        monkeypatch.undo()
        assert other.claim("a")
        assert not store.claim("a")
        other.give_up_claims()
        assert store.claim("a")
