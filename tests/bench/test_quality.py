"""The comparison: who fails is counted and stops nobody, and what is there is always told."""

import csv
import json
import os
import signal
import time
from concurrent.futures import Future
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import dacalns
from dacalns.bench.peers import Answer
from dacalns.bench.quality.compare import compare
from dacalns.bench.quality.runs import SOLVERS, SolverProcesses, chosen_solvers, expected_seconds, runs_on
from dacalns.bench.quality.sets import Subset, folder_subset, named_subset, planned_subsets, subset_names
from dacalns.instances import Instance
from dacalns.study.report import write_report
from dacalns.study.rows import DONE, FAILED
from dacalns.util.errors import InputError

TINY = Instance(name="tiny", coordinates=[[0, 0], [3, 4], [0, 5], [6, 8]], demands=[0, 1, 1, 1], capacity=2)
"""One route for each customer costs 10 + 10 + 20; the best is 1 and 3 together, 20 + 10."""
TOGETHER, ALONE = [[1, 3], [2]], [[1], [2], [3]]


@dataclass(frozen=True)
class Fake:
    """A solver that does what its key says."""

    key: str
    seeded: bool = True

    @property
    def name(self):
        return f"The {self.key} one"

    def version(self):
        return None if self.key == "absent" else "1.0"

    def refuses(self, instance):
        return "it will not" if self.key == "refusing" or instance.windows is not None else None

    def prepare(self, instance, seconds, seed):
        if self.key == "broken" or (self.key == "failing" and instance.name == "tiny"):
            raise ValueError("no such luck")
        return lambda: self._answer(instance)

    def _answer(self, instance):
        alone = [[customer] for customer in range(1, instance.customers + 1)]
        if instance.name != "tiny":  # to warm up
            return Answer(alone)
        if self.key == "crashing":
            os._exit(3)
        if self.key == "hanging":
            time.sleep(60)
        if self.key == "forgetful":
            return Answer(alone[1:], 1.0, [(0.0, 1.0)])
        if self.key == "silent":
            return Answer([])
        if self.key == "raving":
            return Answer([["first", "second"]])
        if self.key == "wrong":
            return Answer([[1, 2, 3]])
        if self.key == "secretive":
            return Answer(lambda: TOGETHER)
        if self.key == "lying":
            return Answer(alone, 30.0, [(0.0, 30.0)])
        if self.key == "plain":
            return Answer(ALONE, 40.0, [(0.0, 40.0)])
        return Answer(TOGETHER, 30.0, [(0.0, 40.0), (0.05, 30.0)])


class Here:
    """An engine in this process."""

    slots = 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, call, *arguments):
        future = Future()
        try:
            future.set_result(call(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """Compare solvers that do what their keys say; returns the comparison and what was printed."""

    def run(*solvers, engine=None, seeds=1, folder=tmp_path, instances=(TINY,), **options):
        monkeypatch.setattr("dacalns.bench.quality.runs._warm", set())
        text = StringIO()
        subset = Subset("few", "a few", instances, 0.1, seeds)
        peers = [solver if isinstance(solver, Fake) else Fake(solver) for solver in solvers]
        comparison = compare(
            Console(file=text, width=100), [subset], peers, folder, "the command", engine or Here(), **options
        )
        return comparison, text.getvalue()

    return run


def test_who_fails_is_counted_and_stops_nobody(compared) -> None:
    keys = ("good", "failing", "crashing", "hanging", "forgetful", "silent", "raving", "wrong", "secretive", "plain")
    comparison, text = compared(*keys, engine=SolverProcesses(), patience=3.0)
    (result,) = comparison.results
    statuses = {row.selector: (row.status, row.feasible) for row in result.rows}
    assert statuses == {
        "good": (DONE, True),
        "failing": (FAILED, None),
        "crashing": (FAILED, None),
        "hanging": (FAILED, None),
        "forgetful": (DONE, False),
        "silent": (DONE, False),
        "raving": (FAILED, None),
        "wrong": (FAILED, None),
        "secretive": (FAILED, None),
        "plain": (DONE, True),
    }
    reasons = {row.selector: row.error for row in result.rows}
    assert reasons["failing"] == "ValueError: no such luck"
    assert "ended with code 3" in reasons["crashing"]
    assert reasons["hanging"] == "there was no answer after 3 s"
    assert "not a whole number" in reasons["raving"]
    assert "capacity" in reasons["wrong"]
    assert {row.attempts for row in result.rows if row.status == FAILED} == {2}
    found = {summary.solver: summary for summary in result.summaries}
    assert found["good"].gap == 0.0
    assert found["plain"].gap == pytest.approx(100 / 3)
    for key in keys[1:-1]:  # no gap, and a loss against the first one
        assert (found[key].gap, found[key].in_gap, found[key].wins, found[key].losses) == (None, 0, 1, 0), key
    assert "tiny, crashing, seed 0: failed: its process ended with code 3" in text
    assert "tiny, forgetful, seed 0: not feasible: 1 of 3 customers are not served" in text


def test_a_solver_that_died_runs_again(compared) -> None:
    comparison, _ = compared("crashing", "good", engine=SolverProcesses(), instances=(TINY, TINY.with_(name="other")))
    assert [row.status for row in comparison.results[0].rows if row.selector == "crashing"] == [FAILED, DONE]


def test_what_is_in_the_folder_is_not_run_again(compared) -> None:
    first, _ = compared("good", "plain", seeds=2)
    again, text = compared("good", "plain", "lying", seeds=2)
    assert "4 of 6 runs are in the folder already" in text
    before = {row.key: row for row in first.results[0].rows}
    assert {row.key: row for row in again.results[0].rows if row.selector != "lying"} == before


def test_the_report_of_studies_can_be_made_of_a_comparison(compared, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    compared("good", "plain", instances=(TINY, TINY.with_(name="other")))
    text = write_report(tmp_path, "md")
    assert "good" in text
    assert "The plain one 1.0" in text


def test_who_is_not_installed_or_does_not_start_is_named_and_left_out(compared) -> None:
    comparison, text = compared("absent", "good", "broken")
    assert [solver.key for solver in comparison.solvers] == ["good"]
    assert {row.selector for row in comparison.results[0].rows} == {"good"}
    assert 'The absent one is not installed and left out; to have it: pip install "dac-alns[peers]"' in text
    assert "The broken one 1.0 does not start and is left out: ValueError: no such luck" in text


def test_without_any_solver_there_is_nothing_to_compare(compared) -> None:
    with pytest.raises(InputError, match="No solver is left"):
        compared("absent", "broken")


def test_who_refuses_an_instance_is_left_out_there(compared) -> None:
    comparison, text = compared("good", "refusing")
    (result,) = comparison.results
    assert [row.selector for row in result.rows] == ["good"]
    assert [(each.solver, each.instance, each.reason) for each in result.left_out] == [
        ("refusing", "tiny", "it will not")
    ]
    refusing = result.summaries[1]
    assert (refusing.instances, refusing.gap, refusing.integral, refusing.seconds) == (0, None, None, None)
    assert "refusing, seed" not in text


def test_costs_are_measured_and_not_believed(compared) -> None:
    comparison, text = compared("lying")
    assert comparison.results[0].rows[0].cost == 40.0
    assert "tiny, lying, seed 0: says 30, and our checker 40" in text


def test_who_takes_no_seed_runs_once(compared) -> None:
    comparison, _ = compared("good", Fake("plain", seeded=False), seeds=3)
    runs = [(row.selector, row.seed) for row in comparison.results[0].rows]
    assert runs == [("good", 0), ("plain", 0), ("good", 1), ("good", 2)]


def test_who_goes_first_changes() -> None:
    subset = Subset("few", "a few", (TINY, TINY.with_(name="other")), 0.1, 2)
    runs, left_out = runs_on(subset, [Fake("a"), Fake("b"), Fake("c", seeded=False)])
    assert "".join(run.member.method for run in runs) == "abc" + "ba" + "bca" + "ab"
    assert left_out == []
    assert len({run.member.key for run in runs}) == len(runs)


def test_the_files(compared, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    comparison, text = compared("good", "plain", seeds=2, folder=folder)
    assert json.loads((folder / "quality.json").read_text()) == json.loads(json.dumps(comparison.to_dict()))
    with open(folder / "quality.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["solver"], row["seed"], row["cost"], row["reference"]) for row in rows] == [
        ("good", "0", "30.0", "30.0"), ("plain", "0", "40.0", "30.0"),
        ("good", "1", "30.0", "30.0"), ("plain", "1", "40.0", "30.0"),
    ]  # fmt: skip
    assert float(rows[1]["gap_percent"]) == pytest.approx(100 / 3, abs=1e-5)
    page = (folder / "quality.md").read_text()
    # 33 % counts as 10 %: for half of the time, and for all of it.
    assert "| The good one | 0.000 | 5.000 | - | 2 of 2 |" in page
    assert "| The plain one | 33.333 | 10.000 | 1 / 0 / 0 | 2 of 2 |" in page
    assert "| tiny | 3 | 30† | 0.000 | 33.333 |" in page
    assert "- Command: `the command`" in page
    assert "best of these runs" in page
    assert f"wrote {folder / 'quality.md'}" in text


def test_an_interruption_tells_what_is_there_and_the_same_call_goes_on(compared, tmp_path: Path) -> None:
    class Interrupted(Here):
        def submit(self, call, *arguments):
            (task,) = arguments
            if task.instance.name == "second" and task.solver.key == "plain":
                signal.raise_signal(signal.SIGINT)
                return Future()
            return super().submit(call, *arguments)

    instances = (TINY, TINY.with_(name="second"))
    comparison, text = compared("good", "plain", engine=Interrupted(), instances=instances)
    assert comparison.interrupted
    assert [summary.instances for summary in comparison.results[0].summaries] == [1, 1]
    assert "Interrupted" in text
    assert "The plain one" in text
    assert json.loads((tmp_path / "quality.json").read_text())["interrupted"] is True
    assert "Interrupted: not all runs were done." in (tmp_path / "quality.md").read_text()
    comparison, _ = compared("good", "plain", instances=instances)
    assert not comparison.interrupted
    assert [summary.instances for summary in comparison.results[0].summaries] == [2, 2]


def test_a_folder_that_cannot_be_made_is_told_first(compared, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made a folder"):
        compared("good", folder=tmp_path / "file" / "folder")


def test_all_named_subsets_take_less_than_20_minutes_and_fit_their_titles() -> None:
    subsets = planned_subsets()
    assert [subset.name for subset in subsets] == subset_names()[:3]
    seconds = sum(expected_seconds(runs_on(subset, SOLVERS)[0]) for subset in subsets)
    assert 10 * 60 < seconds < 18 * 60  # the rest is for loading
    assert [len(subset.instances) for subset in subsets] == [18, 12, 6]
    augerat, solomon, generated = subsets
    assert all(60 <= instance.customers <= 79 for instance in augerat.instances)
    assert {instance.name for instance in solomon.instances} >= {"C101", "R112", "RC208"}
    assert all(200 <= instance.customers <= 400 and instance.fleet is None for instance in generated.instances)
    assert all(instance.best_known is not None for instance in [*augerat.instances, *solomon.instances])


def test_budgets_and_sizes_can_be_changed(tmp_path: Path) -> None:
    (subset,) = planned_subsets(["augerat-large"], seconds=0.5, seeds=7, customers="60-61")
    assert (subset.seconds, subset.seeds) == (0.5, 7)
    assert [instance.name for instance in subset.instances] == ["A-n61-k9", "A-n62-k8"]
    assert [each.name for each in planned_subsets(["augerat-large", "solomon"], customers="100")] == ["solomon"]


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        ({"names": ["augerat"]}, "set is 'augerat'; expected one of augerat-large, solomon, x-like, vehicle-types, "),
        ({"names": ["augerat"]}, "did you mean 'augerat-large'?"),
        ({"seconds": 0.0}, "seconds is 0.0; expected more than 0"),
        ({"seeds": 0}, "seeds is 0"),
        ({"customers": "400-100"}, "customers is '400-100'; expected a number or a range such as 100-400"),
        ({"customers": "many"}, "customers is 'many'"),
        ({"customers": "5"}, "no instance has so many"),
        ({"folders": [Path("nowhere")]}, "folder is 'nowhere'; expected a folder"),
    ],
)
def test_what_is_refused(given: dict, fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        planned_subsets(**given)
    assert fragment in str(caught.value)


def test_solvers_by_key() -> None:
    assert [solver.key for solver in chosen_solvers(["hgs", "ours"])] == ["ours", "hgs"]
    assert chosen_solvers([]) == list(SOLVERS)
    assert len({solver.key for solver in SOLVERS}) == len(SOLVERS)
    with pytest.raises(InputError, match="solver is 'hsg'"):
        chosen_solvers(["hsg"])


def test_a_folder_with_solutions_beside(tmp_path: Path) -> None:
    dacalns.write_instance(TINY, tmp_path / "tiny.vrp")
    dacalns.write_solution(tmp_path / "tiny.sol", ALONE, 12.0)
    dacalns.write_instance(TINY.with_(name="short"), tmp_path / "short.vrp")
    dacalns.write_solution(tmp_path / "short.sol", ALONE[1:], 12.0)
    dacalns.write_instance(dacalns.read("A-n32-k5"), tmp_path / "A-n32-k5.vrp")
    dacalns.write_instance(TINY.with_(name="in-json"), tmp_path / "in-json.json")
    dacalns.write_solution(tmp_path / "in-json.sol", ALONE, 12.0)
    (tmp_path / "notes.md").write_text("not an instance")
    (tmp_path / "A-n32-k5.json").write_text('{"cost": 784.0, "routes": [[1, 2]]}')
    subset = folder_subset(tmp_path)
    references = {each.name: (each.best_known, each.best_known_origin) for each in subset.instances}
    # The cost is measured, not read.
    assert references == {
        "tiny": (40.0, "tiny.sol"),
        "short": (None, ""),
        "in-json": (40.0, "in-json.sol"),
        "A-n32-k5": (784.0, ""),
    }
    assert subset.notes == ["short.sol is not feasible and no reference: No route visits customer 1."]
    assert [each.customers for each in subset.instances] == [3, 3, 3, 31]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no instance in it"):
        folder_subset(tmp_path)


@pytest.mark.slow_without_jit
def test_the_command(tmp_path: Path) -> None:
    from dacalns.cli.command import app

    given = ["bench-quality", "augerat-large", "--seconds", "0.05", "--seeds", "1", "--customers", "60"]
    done = CliRunner().invoke(app, [*given, "--solver", "ours", "--solver", "paper", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "quality.json").read_text())
    assert [solver["key"] for solver in found["solvers"]] == ["ours", "paper"]
    assert [run["feasible"] for run in found["subsets"][0]["runs"]] == [True, True]
    assert found["command"] == "dac-alns " + " ".join([*given, "--solver", "ours", "--solver", "paper"])
    assert named_subset("augerat-large").instances[0].name in done.output


def test_the_subsets_of_richer_problems_take_less_than_20_minutes_and_ask_what_they_say() -> None:
    subsets = planned_subsets(["variants"])
    assert [subset.name for subset in subsets] == subset_names()[3:]
    seconds = sum(expected_seconds(runs_on(subset, SOLVERS)[0]) for subset in subsets)
    assert 8 * 60 < seconds < 18 * 60
    for subset in subsets:
        assert len(subset.instances) == 4
        assert all(instance.customers == 100 and not instance.is_plain for instance in subset.instances)
