"""Policies for rich problems: trained on generated instances of several sets of features, and used on others."""

import shlex
import sys

import numpy as np
import pytest

import dacalns
from core.rich_states import expected_search
from dacalns import InputError, MaxIterations, cli, generate_rich
from dacalns.core import brain
from dacalns.core.graph import RICH_FEATURES
from dacalns.instances.feature_sets import spelled_out
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import TrainingOptions
from dacalns.learning.rounds import operators_for
from dacalns.learning.workers import PortablePlan
from dacalns.search.policy_view import node_features
from dacalns.search.portfolio import as_portfolio
from dacalns.search.run import Search
from dacalns.search.start import graph_of
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel
from dacalns.selectors.settings import NetworkSettings
from dacalns.study.load_protocol import load_protocol

pytestmark = pytest.mark.slow_without_jit

PROBLEM = "pairs+windows,prizes"
FEW = MaxIterations(60)


@pytest.fixture
def trained(train):
    """Train on tiny instances of two sets of features."""

    def run(name="policy", steps=60, **given):
        options = {"problem": PROBLEM, "instances": "generated:6-8", "portfolio": "full", "episodes": 2}
        method = given.setdefault("method", "online")
        return train(name, steps=steps if method == "online" else 1, **options | {"validation_instances": 1} | given)

    return run


def other_instance(number=1):
    """One that no training draws, with the features of both sets."""
    return generate_rich(9, {"pairs", "windows", "prizes"}, seed=number)


def test_a_policy_is_trained_on_two_sets_saved_and_used_on_another_instance(trained):
    summary = trained()
    tensors, card = dacalns.load_checkpoint(summary.policy)
    assert (card.problem, card.features, card.kind) == (PROBLEM, RICH_FEATURES, "dac")
    assert card.training["instances"] == "generated:6-8"
    assert card.validation["round"] == summary.rounds
    assert tensors["w1"].shape == (24, 8)
    assert tensors["u"].shape[1] == 2 * 8 + 2 + 3
    first, again = (
        dacalns.solve(other_instance(), selector=f"dac-t:{summary.policy}", stop=FEW, seed=4) for _ in range(2)
    )
    assert first.feasible
    assert len(first.operators.destroy) == 4, "those of full, which the policy was trained for"
    assert (first.cost, first.routes, first.operators.uses) == (again.cost, again.routes, again.operators.uses)
    assert first.explanation.destroy_probabilities == again.explanation.destroy_probabilities
    assert trained("again").policy.read_bytes() == summary.policy.read_bytes()


def test_what_a_policy_was_not_trained_for_is_refused_in_a_sentence(trained):
    selector = FrozenPolicy(trained(validation_instances=0).policy)
    for instance, message in (
        (generate_rich(9, {"prizes", "depots"}), "trained on pairs, prizes, windows, but the instance has depots, veh"),
        (generate_rich(9), "trained for problems with pairs, prizes, windows, but the instance is a cvrp; exp"),
        (generate_rich(9, {"windows"}), "but the instance is a vrptw; expected a policy for vrptw"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            dacalns.solve(instance, selector=selector, stop=FEW, portfolio="full")
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="there is no bundled dac policy for a vrp with pairs"):
        dacalns.solve(other_instance(), selector="dac-t", stop=FEW)


@pytest.mark.parametrize(("kind", "method"), [("ac", "whole"), ("wheel", "surface"), ("wheel", "whole")])
def test_policies_of_every_kind_serve_rich_problems(trained, kind, method):
    summary = trained(kind=kind, method=method, problem="rich")
    card = dacalns.load_checkpoint(summary.policy)[1]
    assert (card.problem, card.kind, card.training["problem"]) == (spelled_out("rich"), kind, "rich")
    assert "--problem rich " in card.training["command"]
    selector = LearnedWheel(summary.policy) if kind == "wheel" else FrozenPolicy(summary.policy)
    for features in ({"pairs", "windows"}, {"reloads", "groups"}):
        instance = generate_rich(9, features, seed=1)
        assert dacalns.solve(instance, selector=selector, stop=FEW, portfolio="full").feasible


def test_wheels_for_sets_of_features_teach_a_network_for_all_of_them(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("dacalns.learning.start.SEARCHES", 4)
    for name, problem in (("pairs", "pairs+windows"), ("any", "rich")):
        trained(name, problem=problem, kind="wheel", method="whole", settings=None, validation_instances=0)
    wheels = f"{tmp_path / 'pairs'},{tmp_path / 'any'}"
    taught = trained("taught", start_from=wheels, kind="ac", method="whole", validation_instances=0)
    card = dacalns.load_checkpoint(taught.policy)[1]
    assert [each["name"] for each in card.training["start"]] == ["pairs", "any"]
    assert dacalns.solve(other_instance(), selector=FrozenPolicy(taught.policy), stop=FEW).feasible
    with pytest.raises(InputError, match="taught: the policy was trained for problems with pairs, prizes, windows, b"):
        trained("plain", start_from=tmp_path / "taught", problem="cvrp", method="whole")


def test_the_policy_does_not_depend_on_when_the_training_was_stopped(trained):
    whole = trained("whole", steps=200)
    trained("parts", steps=50)
    assert trained("parts", steps=200, resume=True).policy.read_bytes() == whole.policy.read_bytes()
    with pytest.raises(InputError, match=r"problem 'pairs\+windows,prizes', not 'prizes'"):
        trained("parts", steps=300, resume=True, problem="prizes")


def options(**given):
    return TrainingOptions(**{"problem": PROBLEM, "instances": "generated:6-8", "steps": 1} | given)


def test_the_command_in_a_card_trains_the_same_policy_again():
    made = blueprint(options(problem="prizes,windows+pairs", portfolio="full"))
    words = shlex.split(made.command(1))
    assert words[words.index("--problem") + 1] == made.described()["problem"] == PROBLEM
    again = blueprint(options(problem=words[words.index("--problem") + 1], portfolio="full"))
    assert again.described() == made.described()
    assert PortablePlan.of(made.plan, "full").plan() == made.plan


def test_listed_instances_say_which_sets_a_policy_is_for():
    made = blueprint(options(problem="rich", instances="generated-pairs+windows-n9-s1,generated-prizes-n9-s2"))
    assert made.problem == PROBLEM
    assert made.card({}, {}, 1).problem == PROBLEM


def test_operators_must_fit_all_sets():
    assert len(operators_for(as_portfolio("full"), "rich").destroy) == 4
    assert len(operators_for(as_portfolio("full"), "vrptw").destroy) == 7
    timed = dacalns.Portfolio(["random_removal", "time_oriented_removal"], ["greedy_repair"])
    assert len(operators_for(timed, "pairs+windows,prizes+windows").destroy) == 2
    for problem, count in (("pairs+windows,prizes", 2), ("rich", 26)):
        message = rf"'time_oriented_removal' of portfolio 'custom' does not fit all of the {count} sets of features of "
        with pytest.raises(InputError, match=message):
            blueprint(options(problem=problem, portfolio=timed))


def test_a_protocol_and_the_command_line_take_sets(tmp_path, monkeypatch, capsys):
    path = tmp_path / "p.toml"
    path.write_text(
        'portfolio = "full"\n[groups.g]\ninstances = ["generated-prizes-n8-s1"]\npolicy = "t"\n'
        '[methods.M]\nselector = "dac-t:{policy}"\n[budgets.b]\niterations = 9\n'
        f'[trainings.t]\nproblem = "{PROBLEM}"\ninstances = "generated:6-8"\nsteps = 9\n'
    )
    [training] = load_protocol(path).trainings.values()
    assert training.each()[0]["problem"] == PROBLEM
    path.write_text(path.read_text().replace(PROBLEM, "pears"))
    with pytest.raises(InputError, match=r"problem is 'pears'; expected one of cvrp, vrptw, rich alone, .*'pairs'"):
        load_protocol(path)
    words = ["--problem", "rich", "--instances", "generated:6-8:long", "--steps", "9", "--out", str(tmp_path / "x")]
    monkeypatch.setattr(sys, "argv", ["dac-alns", "train", *words])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    assert exit_.value.code == 2
    assert "expected no 'long' for rich" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("kind", [ActorCritic, DualActorCritic])
def test_in_a_search_the_network_sees_what_a_selector_in_python_sees(kind):
    """The loop's kernels are compiled for rich problems: as plain ones, most columns would stay as they were built."""
    instance = generate_rich(10, {"pairs", "windows", "prizes", "depots", "duration-limits"}, 3)
    portfolio = as_portfolio("full").for_features(instance.features)
    learner = kind(network=NetworkSettings(hidden=8))
    search = Search(instance, portfolio, learner, portfolio.acceptance, MaxIterations(9), 1, None)
    search.begin()
    for iteration in range(1, 9):
        # What the first actor of an iteration looks at is what the iteration before has left.
        looked_at = node_features(graph_of(instance, 10), search.stepper.problem, search.stepper.current)
        numbers = list(expected_search(instance, search.stepper.current).values())
        search.advance(10**12, iteration, False)
        seen = brain.state_in(search.selector_memory, brain.STATE.full)
        np.testing.assert_array_equal(seen.features, looked_at)
        assert seen.vector[2 * 8 + 2 :].tolist() == pytest.approx(numbers)
        columns = {name for name, column in zip(RICH_FEATURES, seen.features.T, strict=True) if column.any()}
        assert {"arrival", "pickup", "mate", "prize", "depot", "limit"} <= columns
