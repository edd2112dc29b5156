"""Protocols with several trainings, run from end to end."""

import io
import sqlite3
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

import dacalns
from dacalns.engines import Processes
from dacalns.learning.monitor import TrainingProgress
from dacalns.study import trained_policy
from dacalns.study.cases import cases_of
from dacalns.study.live import StudyDisplay
from dacalns.study.plan import planned_runs
from dacalns.study.report import write_report
from dacalns.study.rows import Member
from dacalns.study.runner import StudyProgress, run_study
from dacalns.study.store import LAYOUT, Store

from .synthetic_study import stored, study_of

TWO = """
seeds = [0, 100]

[budgets.iterations]
iterations = 100

[groups.Tiny]
dataset = "CVRP"
scale = "Small"
policy = "t"
instances = ["P-n16-k8", "P-n19-k2"]

[methods.ALNS]
selector = "roulette"

[methods.DAC-T]
selector = "dac-t:{policy},hold=1"

[trainings.t]
problem = "cvrp"
steps = 60
seeds = [3, 5]
episodes = 1
validation_instances = 0
instances = ["P-n20-k2"]
"""


def members_of(folder):
    with Store(folder) as store:
        (study,) = store.studies()
    return study, {(member.instance, member.method, member.training, member.seed): member for member in study.members}


@pytest.mark.slow_without_jit
def test_two_trainings_are_run_interrupted_resumed_and_reported(protocol, tmp_path, monkeypatch):
    loaded, folder = protocol(TWO), tmp_path / "study"
    assert loaded.runs == 2 * 2 * (1 + 2)
    train, trained = trained_policy.train, []

    def interrupted(**options):
        if len(trained) == 1:
            return SimpleNamespace(finished=False)
        trained.append(options["seed"])
        return train(**options)

    monkeypatch.setattr(trained_policy, "train", interrupted)
    told = []
    stopped = run_study(loaded, folder, Processes(1), on_training=lambda name, _: told.append(name))
    assert (stopped.interrupted, stopped.done) == (True, 0)
    monkeypatch.undo()
    summary = run_study(loaded, folder, Processes(2), on_training=lambda name, _: told.append(name))
    assert (summary.runs, summary.done, summary.failed, summary.left) == (12, 12, (), 0)
    assert [*dict.fromkeys(told)] == ["t, seed 3", "t, seed 5"]
    monkeypatch.setattr("dacalns.study.task.SearchTask.row", lambda _: pytest.fail("done already"))
    assert run_study(loaded, folder, Processes(1), on_training=lambda *_: pytest.fail("trained")).done == 12
    monkeypatch.undo()

    study, members = members_of(folder)
    assert study.outline.trainings == {"t": [3, 5]}
    policies = {
        seed: dacalns.FrozenPolicy(next((folder / "policies").glob(f"t-{seed}-*.safetensors"))) for seed in (3, 5)
    }
    assert len({member.key for member in members.values()}) == 12
    for (name, method, training, seed), member in members.items():
        assert member.policy == (None if method == "ALNS" else "t")
        if method == "DAC-T":
            selector = replace(policies[training], hold=1)
            stop = dacalns.MaxIterations(100)
            result = dacalns.solve(name, portfolio="paper", selector=selector, stop=stop, seed=seed)
            assert (study.rows[member.key].cost, study.rows[member.key].uses) == (result.cost, result.operators.uses)
    (case, _) = cases_of(study, "iterations")
    assert case.outcomes["DAC-T"].trainings == (3, 5)
    assert case.outcomes["DAC-T"].settled
    assert case.outcomes["ALNS"].trainings == ()
    text = str(write_report(folder, "md"))
    assert "**Each training**" in text
    assert "| DAC-T vs ALNS | Tiny | all 2 |" in text


def test_runs_wait_for_the_time_of_a_method_with_every_policy(protocol):
    loaded = protocol(TWO + '[budgets.time]\nlike = "DAC-T"\n')
    policies = {"t": {3: str(dacalns.bundled_policy("cvrp")), 5: str(dacalns.bundled_policy("cvrp", "timed"))}}
    runs = planned_runs(loaded, policies)
    assert len(runs) == loaded.runs == 24
    keys = {run.member.key for run in runs if run.member.method == "DAC-T" and run.member.budget == "iterations"}
    references = {run.references for run in runs if run.member.budget == "time"}
    assert {len(each) for each in references} == {4}
    assert {key for each in references for key in each} == keys


def test_the_display_shows_trainings_and_runs():
    study = study_of({"a": {"DAC-T": {0: [1, 2], 1: [3, "failed"]}}})
    for terminal in (True, False):
        shown = io.StringIO()
        with StudyDisplay(Console(file=shown, force_terminal=terminal, width=100), "a study") as display:
            display._told = -1e9
            display.training("t, seed 1", TrainingProgress("training", 1, 10, 20, 0.5, None, 2.0, {}, None))
            rows = [(member, study.rows[member.key]) for member in study.members]
            display._told = -1e9
            display.running(StudyProgress(4, 3, 1, rows=rows))
        # A terminal shows the latest only.
        assert terminal or "training t, seed 1: 10 of 20 iterations" in shown.getvalue()
        assert "4 of 4 runs done, 0 left, 1 failed" in shown.getvalue()


def as_earlier_layout(folder):
    """Make the database what it was before trainings had seeds."""
    connection = sqlite3.connect(folder / "study.sqlite")
    for name in ("policy", "training"):
        connection.execute(f'ALTER TABLE members DROP COLUMN "{name}"')
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()


def layout_of(folder):
    connection = sqlite3.connect(folder / "study.sqlite")
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def test_folders_of_the_earlier_layout_are_read_and_brought_up_to_date(tmp_path):
    study = study_of({"a": {"X": [1, 2], "Y": [2, 3]}})
    stored(tmp_path, study)
    as_earlier_layout(tmp_path)
    with Store(tmp_path) as store:
        assert store.studies() == [study]
    # Who only reads changes nothing.
    assert layout_of(tmp_path) == 1
    later = study_of({"b": {"X": {4: [1, 2]}}}, name="later")
    stored(tmp_path, later)
    assert layout_of(tmp_path) == LAYOUT == 2
    with Store(tmp_path, create=True) as store:
        assert store.studies() == [study, later]
        assert store.studies()[1].members[0] == Member(
            "Tiny", "CVRP", "Small", "b", "X", "iterations", 0, "b/X/iterations/4/0", "for Tiny", 4
        )


def test_a_folder_of_a_later_layout_is_refused(tmp_path):
    stored(tmp_path, study_of({}))
    connection = sqlite3.connect(tmp_path / "study.sqlite")
    connection.execute("PRAGMA user_version = 3")
    connection.close()
    with pytest.raises(dacalns.InputError, match="its layout is 3; expected a study of layout 2; choose another"):
        Store(tmp_path)
