"""Training from the first round to the policy."""

import csv
import json
import math
import multiprocessing
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from safetensors.numpy import load_file

import dacalns
from dacalns.learning import training
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import TrainingOptions
from dacalns.learning.rounds import Plan, counted_cost
from dacalns.learning.sources import as_source
from dacalns.learning.validation import validation_source
from dacalns.learning.workers import PortablePlan, Workers
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel

from .conftest import EPISODES, INSTANCES, STEPS_OF_A_ROUND

pytestmark = pytest.mark.slow_without_jit

KINDS = [
    ("dac", "online"),
    ("dac", "whole"),
    ("ac", "online"),
    ("ac", "whole"),
    ("wheel", "whole"),
    ("wheel", "surface"),
]


def rows_of(summary):
    with summary.metrics.open(newline="") as file:
        return list(csv.DictReader(file))


def without_seconds(summary):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows_of(summary)]


@pytest.mark.parametrize(("kind", "method"), KINDS)
def test_a_policy_is_trained_saved_and_used(train, kind, method):
    summary = train(kind=kind, method=method)
    tensors, card = dacalns.load_checkpoint(summary.policy)
    assert (card.problem, card.kind) == ("cvrp", kind)
    assert card.training["method"] == method
    assert card.training["rounds"] == summary.rounds
    assert card.training["steps"] == summary.steps >= 2 * STEPS_OF_A_ROUND[method]
    assert card.training["finished"]
    assert card.validation["round"] == summary.rounds
    assert all(np.isfinite(tensor).all() for tensor in tensors.values())
    selector = LearnedWheel(summary.policy) if kind == "wheel" else FrozenPolicy(summary.policy)
    assert dacalns.solve("P-n16-k8", selector=selector, stop=dacalns.MaxIterations(200)).feasible
    if kind == "wheel":
        assert tensors["pairs"].shape == (2, 3)
        assert tensors["pairs"].sum() == pytest.approx(1)


def test_a_policy_that_brings_its_portfolio_says_so(train):
    policy = str(train(rounds=1, kind="wheel", portfolio="paper", validation_instances=0).policy)
    stop = dacalns.MaxIterations(100)
    brought = dacalns.solve("P-n16-k8", selector=LearnedWheel(policy), stop=stop)
    assert brought.portfolio == "paper"
    line = "portfolio paper (which the policy was trained for; without it, full is the default), seed 0"
    assert line in str(brought)
    assert dacalns.Result.from_json(brought.to_json()) == brought
    named = dacalns.solve("P-n16-k8", selector=LearnedWheel(policy), portfolio="paper", stop=stop)
    usual = dacalns.solve("P-n16-k8", stop=stop)
    for result in (named, usual):
        assert result.portfolio_note == ""
        assert "portfolio_note" not in result.to_dict()


def test_vrptw_has_features_of_its_own(train):
    _, card = dacalns.load_checkpoint(train(problem="vrptw", validation_instances=0, rounds=1).policy)
    assert (card.problem, len(card.features)) == ("vrptw", 10)
    assert card.validation == {}


@pytest.mark.parametrize(("kind", "method"), [("dac", "online"), ("ac", "whole"), ("wheel", "surface")])
def test_the_policy_does_not_depend_on_the_number_of_processes(train, kind, method):
    one, two = (train(str(jobs), kind=kind, method=method, jobs=jobs, rounds=3) for jobs in (1, 2))
    assert one.policy.read_bytes() == two.policy.read_bytes()
    assert without_seconds(one) == without_seconds(two)


@pytest.mark.parametrize(("kind", "method"), KINDS)
def test_a_resumed_training_comes_to_the_same_policy_bit_for_bit(train, kind, method):
    whole = train("whole", kind=kind, method=method, steps=6 * STEPS_OF_A_ROUND[method])
    first = train("parts", kind=kind, method=method, steps=3 * STEPS_OF_A_ROUND[method])
    assert first.rounds < whole.rounds
    resumed = train("parts", kind=kind, method=method, steps=6 * STEPS_OF_A_ROUND[method], resume=True)
    assert resumed.rounds == whole.rounds
    assert resumed.policy.read_bytes() == whole.policy.read_bytes()
    one, other = load_file(whole.state), load_file(resumed.state)
    assert sorted(one) == ["average", "mean", "parameters", "square"]
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)
    assert [row["round"] for row in rows_of(resumed)] == [str(number + 1) for number in range(whole.rounds)]
    validated = ("validation_gap", "validation_wins", "validation_losses")  # at the end of the first part, too
    assert [[row[name] for name in row if name not in validated] for row in without_seconds(whole)] == [
        [row[name] for name in row if name not in validated] for row in without_seconds(resumed)
    ]


def test_rows_that_a_killed_training_wrote_after_its_state_are_not_doubled(train):
    summary = train(method="online", rounds=2)
    with summary.metrics.open("a") as file:
        file.write(f"{summary.rounds + 1},stray\n")
    resumed = train(method="online", rounds=4, resume=True)
    assert [int(row["round"]) for row in rows_of(resumed)] == list(range(1, resumed.rounds + 1))


def test_resuming_what_is_done_changes_nothing(train):
    first = train()
    before = {path: path.read_bytes() for path in (first.policy, first.state, first.metrics)}
    again = train(resume=True)
    assert (again.rounds, again.steps, again.seconds) == (first.rounds, first.steps, first.seconds)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("given", "difference"),
    [
        ({"seed": 1}, "seed 0, not 1"),
        ({"problem": "vrptw"}, "problem 'cvrp', not 'vrptw'"),
        ({"instances": "generated:5-9"}, "instances 'generated:5-8', not 'generated:5-9'"),
        ({"kind": "ac"}, "kind 'dac', not 'ac'"),
        ({"method": "online"}, "method 'whole', not 'online'"),
        ({"episodes": 6}, "episodes 4, not 6"),
        ({"rate": 0.1}, "rate 0.001, not 0.1"),
        ({"settings": None, "preset": "paper"}, "network.hidden 8, not 64"),
        ({"portfolio": dacalns.Portfolio(["random_removal"], ["random_repair", "regret_repair"])}, "portfolio"),
    ],
)
def test_resuming_with_another_plan_names_the_difference(train, given, difference):
    train(rounds=1, validation_instances=0)
    with pytest.raises(dacalns.InputError, match=difference) as error:
        train(resume=True, **given)
    assert "\n" not in str(error.value)


def test_nothing_that_is_there_is_overwritten_unless_forced(train, tmp_path):
    for suffix in ("", ".state", ".csv"):
        path = tmp_path / f"policy{suffix}"
        path.write_text("mine")
        with pytest.raises(dacalns.InputError, match="there already"):
            train()
        assert path.read_text() == "mine"
        path.unlink()
    with pytest.raises(dacalns.InputError, match="leave resume out to begin"):
        train(resume=True)
    first = train(rounds=2)
    again = train(rounds=1, force=True)
    assert again.rounds == 1 < first.rounds
    assert len(rows_of(again)) == 1


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_damaged_state_is_told(train, tmp_path, content):
    state = train(rounds=1, validation_instances=0).state
    state.write_bytes(state.read_bytes()[:-50] if content is None else content)
    with pytest.raises(dacalns.InputError, match="does not say where a training stopped"):
        train(resume=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": 0}, "steps is 0"),
        ({"episodes": 0}, "episodes is 0"),
        ({"jobs": 0}, "jobs is 0"),
        ({"rate": -1.0}, "rate is -1.0"),
        ({"rate": -1.0, "method": "online"}, "rate is -1.0"),
        ({"patience": 2, "method": "online"}, "patience is 2; expected a finite number"),
        ({"start_from": " , "}, "start_from is ' , '"),
        ({"hold": 0}, "hold is 0"),
        ({"validate_every": -1}, "validate_every is -1"),
        ({"validation_instances": -1}, "validation_instances is -1"),
        ({"stop_after": 0}, "stop_after is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"kind": "dca"}, "did you mean 'dac'"),
        ({"kind": "wheel", "method": "online"}, "expected 'whole' or 'surface' for a wheel"),
        ({"kind": "dac", "method": "surface"}, "expected 'online' or 'whole' for kind 'dac'"),
        ({"kind": "wheel", "method": "surface", "rate": 0.1}, "expected none for method 'surface'"),
        ({"preset": "papr"}, "did you mean 'paper'"),
        ({"preset": "improved"}, 'write preset = "improved" below'),
        ({"settings": dacalns.Settings(stop=dacalns.StopSettings(time=1))}, r"\[stop\]"),
        ({"settings": dacalns.Settings(search=dacalns.SearchSettings(jobs=2))}, "jobs = 2; expected none for training"),
        ({"settings": dacalns.Settings(selector=dacalns.SelectorSettings("ucb"))}, "selector 'ucb'"),
        (
            {"settings": dacalns.Settings(search=dacalns.SearchSettings(objective="vehicles-then-distance"))},
            "objective 'vehicles-then-distance'",
        ),
        ({"settings": "no-such.toml"}, "no such file"),
    ],
)
def test_what_makes_no_sense_is_told_before_anything_is_written(train, tmp_path, given, message):
    with pytest.raises(dacalns.InputError, match=message):
        train(**given)
    assert list(tmp_path.iterdir()) == []


def test_validation_is_what_the_saved_policy_does_against_roulette(train):
    summary = train("policy", instances="generated:25-30", rounds=1, hold=5, validation_instances=4)
    source = validation_source(dacalns.learning.sources.as_source("cvrp", "generated:25-30", 0))
    policy, roulette = (
        [
            counted_cost(dacalns.solve(source.instance(k), portfolio="paper", selector=selector, seed=k))
            for k in range(4)
        ]
        for selector in (FrozenPolicy(summary.policy, hold=5), "roulette")
    )
    gaps = [100 * (one - other) / other for one, other in zip(policy, roulette, strict=True)]
    assert summary.validation.gap == pytest.approx(np.mean(gaps))
    assert summary.validation.wins == sum(gap < 0 for gap in gaps)
    assert summary.validation.losses == sum(gap > 0 for gap in gaps)
    _, card = dacalns.load_checkpoint(summary.policy)
    assert card.validation["gap"] == summary.validation.gap
    assert rows_of(summary)[-1]["validation_gap"] == repr(summary.validation.gap)


def test_validation_has_other_instances_of_the_same_sizes():
    trained = dacalns.learning.sources.as_source("cvrp", "cvrp-small", 0)
    sizes = [trained.customers(number) for number in range(18)]
    validated = validation_source(trained)
    assert (validated.fewest, validated.most, validated.problem) == (min(sizes), max(sizes), "cvrp")
    assert validated.seed < 0


def test_the_running_mean_is_saved_and_the_fitted_critic_leaves_the_actors_alone(train, monkeypatch):
    fitted = train("fitted", instances="generated:25-30", rounds=2)
    monkeypatch.setattr(training, "CRITIC_ROUNDS", 0)
    bare = train("bare", instances="generated:25-30", rounds=2)
    one, other = (dacalns.load_checkpoint(summary.policy)[0] for summary in (fitted, bare))
    flat = np.concatenate([tensor.ravel() for tensor in other.values()])
    average = load_file(bare.state)["average"].astype(np.float32)
    np.testing.assert_array_equal(np.sort(flat), np.sort(average))
    changed = [name for name in one if one[name].tobytes() != other[name].tobytes()]
    assert changed
    for name in changed:  # in the parts of the heads, and there in the critic's alone
        assert one[name][1:].tobytes() == other[name][1:].tobytes()
    results = [
        dacalns.solve("A-n32-k5", selector=FrozenPolicy(summary.policy), stop=dacalns.MaxIterations(300))
        for summary in (fitted, bare)
    ]
    assert results[0].operators.uses == results[1].operators.uses
    thoughts = [result.explanation for result in results]
    assert thoughts[0].destroy_probabilities == thoughts[1].destroy_probabilities
    assert thoughts[0].repair_probabilities == thoughts[1].repair_probabilities
    assert thoughts[0].destroy_value != thoughts[1].destroy_value


def test_the_metrics_have_a_row_for_each_round(train):
    summary = train(rounds=3)
    rows = rows_of(summary)
    assert [row["round"] for row in rows] == ["1", "2", "3"]
    assert [row["steps"] for row in rows] == ["8000", "16000", "24000"]
    for row in rows:
        destroy, pairs = ([float(row[name]) for name in row if name.startswith(kind)] for kind in ("destroy/", "pair/"))
        assert sum(destroy) == pytest.approx(1)
        assert sum(pairs) == pytest.approx(1)
        assert len(pairs) == 6
        assert all(math.isfinite(float(value)) for value in row.values() if value)
    # After the second round, because it is due, and after the last.
    assert [bool(row["validation_gap"]) for row in rows] == [False, True, True]


def test_it_ends_when_validations_stop_improving(train):
    summary = train(rounds=50, validate_every=1, stop_after=2)  # on instances so small that all gaps are zero
    assert (summary.stopped_by, summary.rounds) == ("no improvement", 3)
    assert summary.finished
    assert dacalns.load_checkpoint(summary.policy)[1].training["finished"]


def test_progress_is_told(train):
    told = []
    train(rounds=3, on_progress=told.append)
    phases = [progress.phase for progress in told]
    assert phases[:2] == ["training", "validation"]
    assert told[0].round == 0
    assert "portfolio paper (the policy is for searches with paper; dac-alns solve uses full" in told[0].about
    assert {"training", "critic"} <= set(phases)
    last = [progress for progress in told if progress.phase == "training"][-1]
    assert (last.round, last.steps, last.all_steps, last.seconds_to_go) == (3, 24000, 24000, 0)
    assert last.episodes_per_second > 0
    assert last.validation.round == 3
    assert last.metrics["steps"] == 24000


def test_the_card_tells_how_to_train_it_again(train, tmp_path, monkeypatch):
    summary = train(method="online", rate=0.01)
    _, card = dacalns.load_checkpoint(summary.policy)
    assert card.preset == "custom"
    command = card.training["command"].split()
    assert command[:2] == ["dac-alns", "train"]
    (tmp_path / "settings.toml").write_text(card.training["settings.toml"])
    monkeypatch.chdir(tmp_path)
    given = dict(zip(command[2::2], command[3::2], strict=True))
    again = dacalns.train(
        given["--problem"], given["--instances"], steps=int(given["--steps"]), out=given["--out"],
        kind=given["--kind"], method=given["--method"], settings=given["--settings"], episodes=int(given["--episodes"]),
        rate=float(given["--rate"]), seed=int(given["--seed"]), patience=float(given["--patience"]), jobs=1,
        portfolio=given["--portfolio"], validate_every=2, validation_instances=3,
    )  # fmt: skip
    assert again.policy.read_bytes() == summary.policy.read_bytes()


def test_fields_of_a_preset_and_a_reading_of_the_portfolio(train, tmp_path):
    """A policy that chooses scales, trained with another target, is used with the portfolio that it was trained for."""
    summary = train(
        settings=None, preset="paper,target=joint,hidden=8", portfolio="paper:scales", rounds=1, validation_instances=0
    )
    card = dacalns.load_checkpoint(summary.policy)[1]
    assert (card.preset, card.learning.target, card.network.hidden) == ("custom", "joint", 8)
    assert len(card.portfolio.destroy) == 6
    selector = dacalns.FrozenPolicy(summary.policy, hold=1)
    result = dacalns.solve("P-n16-k8", selector=selector, stop=dacalns.MaxIterations(50))
    assert (result.portfolio, result.selector) == ("paper:scales", "dac-t")
    with pytest.raises(
        dacalns.InputError, match="warm'; expected one of paper, one-step, improved, context for training"
    ):
        train(settings=None, preset="warm", force=True)


def test_a_preset_is_named_in_the_card(train):
    summary = train(settings=None, preset="improved", rounds=1, validation_instances=0)
    _, card = dacalns.load_checkpoint(summary.policy)
    assert card.preset == "improved"
    assert card.learning == dacalns.PRESETS["improved"].learning
    assert "--preset improved" in card.training["command"]


def test_own_operators_reach_the_processes(train, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import dacalns\n"
        "few = dacalns.random_removal.at(count=(1, 2))\n"
        "PORTFOLIO = dacalns.Portfolio([few], ['greedy_repair', 'regret_repair'])\n"
    )
    text = train("text", portfolio="mine.py:PORTFOLIO", jobs=2, rounds=1, kind="wheel")
    portfolio = dacalns.Portfolio([dacalns.random_removal.at(count=(1, 2))], ["greedy_repair", "regret_repair"])
    thing = train("thing", portfolio=portfolio, jobs=2, rounds=1, kind="wheel")
    tensors, card = dacalns.load_checkpoint(text.policy)
    assert card.portfolio.repair == ("greedy_repair", "regret_repair")
    assert tensors["pairs"].tobytes() == dacalns.load_checkpoint(thing.policy)[0]["pairs"].tobytes()


def test_operators_that_other_processes_cannot_find_are_told(train):
    @dacalns.repair_operator
    def hidden(problem, solution, rng):
        pass

    with pytest.raises(dacalns.InputError, match="'hidden' cannot be found by other processes"):
        train(portfolio=dacalns.Portfolio(["random_removal"], [hidden, "regret_repair"]), jobs=2, kind="wheel")


def _die(plan, shared, item):
    if multiprocessing.parent_process() is not None:
        os._exit(3)


def test_a_process_that_ends_early_is_told():
    options = TrainingOptions(problem="cvrp", instances=INSTANCES, steps=1, kind="wheel", episodes=EPISODES)
    plan = blueprint(options).plan
    with Workers(plan, "paper", 2) as workers, pytest.raises(dacalns.InputError, match="ended before its time"):
        workers.run(_die, None, [1, 2, 3])


def test_searches_may_be_given_seconds(train):
    trained = train(rounds=1, method="whole", seconds=0.01)
    _, card = dacalns.load_checkpoint(trained.policy)
    assert card.training["seconds"] == 0.01
    assert "--seconds 0.01" in card.training["command"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"method": "online", "seconds": 1.0}, "seconds is 1.0; expected none for method 'online'"),
        ({"method": "whole", "seconds": 0}, "seconds is 0; expected"),
    ],
)
def test_seconds_that_make_no_sense(train, given, sentence):
    with pytest.raises(dacalns.InputError, match=sentence):
        train(rounds=1, **given)


def test_what_is_written_is_no_pickle(train):
    state = train(rounds=1).state.read_bytes()
    header = json.loads(state[8 : 8 + int.from_bytes(state[:8], "little")])
    told = json.loads(header["__metadata__"]["dac-alns-training"])
    assert told["round"] == 1
    assert told["plan"]["seed"] == 0


def test_parameters_that_explode_are_told_and_the_last_good_round_is_kept(train, monkeypatch):
    combine = training.combine

    def explode(plan, state, reports):
        after = combine(plan, state, reports)
        if after.step > 1:
            after.parameters[0] = np.nan
        return after

    monkeypatch.setattr(training, "combine", explode)
    with pytest.raises(dacalns.InputError, match=r"no longer finite after round 2.*lower rate"):
        train(rounds=4)
    monkeypatch.setattr(training, "combine", combine)
    assert train(rounds=3, resume=True).policy.read_bytes() == train("other", rounds=3).policy.read_bytes()


def test_a_script_that_does_not_guard_its_call_is_told_so(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import dacalns\n"
        "dacalns.train('cvrp', 'generated:5-8', steps=9, out='p', kind='wheel', jobs=2, force=True, episodes=2)\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "expected the call to stand below if __name__ == '__main__'" in done.stderr
    assert "InputError: a process of the training ended before its time" in done.stderr
    assert (tmp_path / "p.state").exists()


def test_a_portfolio_object_is_the_same_in_another_process() -> None:
    mine = dacalns.Portfolio(
        ["random_removal"], ["greedy_repair"], "mine", acceptance=dacalns.HillClimbing(), construction="savings"
    )
    for portfolio in (mine, dacalns.PORTFOLIOS["paper"]):
        plan = Plan(as_source("cvrp", INSTANCES, 0), portfolio.for_features(frozenset()))
        there = PortablePlan.of(plan, portfolio).plan()
        assert there == plan
        assert (there.portfolio.acceptance, there.portfolio.construction) == (
            portfolio.acceptance, portfolio.construction,
        )  # fmt: skip


@dataclass(frozen=True, init=False)
class NotedPortfolio(dacalns.Portfolio):
    """A portfolio with a field more than those of the package have."""

    note: str

    def __init__(self, *given: object, note: str) -> None:
        super().__init__(*given)
        object.__setattr__(self, "note", note)


@dataclass(frozen=True)
class NotedRepair(dacalns.RepairOperator):
    """An operator with a field more than those of the package have."""

    note: str = ""


def test_no_field_of_a_portfolio_or_an_operator_is_forgotten_in_another_process() -> None:
    operator = NotedRepair("mine", dacalns.greedy_repair.function, note="of the operator")
    mine = NotedPortfolio(["random_removal"], [operator], note="of the portfolio")
    plan = Plan(as_source("cvrp", INSTANCES, 0), mine.for_features(frozenset()))
    plan.portfolio.for_features(frozenset())  # is cached in the portfolio, and is none of its fields
    there = pickle.loads(pickle.dumps(PortablePlan.of(plan, mine))).plan()
    assert there == plan
    assert there.portfolio.note == "of the portfolio"
    assert there.portfolio.repair[0].note == "of the operator"
    assert "_fit" not in vars(there.portfolio)


def test_a_portfolio_object_gives_the_same_policy_in_other_processes(train):
    mine = dacalns.Portfolio(
        ["random_removal"], ["greedy_repair"], "mine", acceptance=dacalns.HillClimbing(), construction="savings"
    )
    one, two = (train(str(jobs), portfolio=mine, instances="generated:20-25", jobs=jobs) for jobs in (1, 2))
    assert one.policy.read_bytes() == two.policy.read_bytes()
    assert without_seconds(one) == without_seconds(two)
