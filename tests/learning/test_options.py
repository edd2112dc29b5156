"""The options of a training, which have one definition."""

import inspect
import shlex
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import typer.main

import dacalns
from dacalns import cli
from dacalns.cli.command import app
from dacalns.engines import Processes
from dacalns.learning import training
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import OF_PLAN, OPTIONS, TrainingOptions, without_effect
from dacalns.learning.standing import save_standing
from dacalns.study.load_protocol import load_protocol

from .conftest import INSTANCES

pytestmark = pytest.mark.slow_without_jit

NAMES = {entry.name for entry in fields(TrainingOptions)}
POLICIES = Path(dacalns.__file__).parent / "selectors" / "policies"
WHOLE = ("steps", "episodes", "seed", "halving", "hold")
OPTION_TYPES = dict.fromkeys(("rate", "deviation", "margin", "temperature", "seconds"), float) | dict.fromkeys(
    WHOLE, int
)
# What a training is given that is not about the policy: where to write, who works, and whom to tell.
AROUND = {"out", "resume", "force", "jobs", "engine", "log"}

REFUSED = [
    ("dac", "online", {"deviation": 1.0}),
    ("dac", "online", {"margin": 0.005}),
    ("dac", "online", {"temperature": 1.0}),
    ("dac", "online", {"halving": 50}),
    ("dac", "online", {"hold": 10}),
    ("dac", "online", {"seconds": 1.0}),
    ("dac", "whole", {"patience": 0.02}),
    ("wheel", "whole", {"patience": 0.02}),
    ("wheel", "whole", {"hold": 10}),
    ("wheel", "whole", {"preset": "paper"}),
    ("wheel", "surface", {"patience": 0.02}),
    ("wheel", "surface", {"rate": 0.001}),
    ("wheel", "surface", {"halving": 50}),
    ("wheel", "surface", {"hold": 10}),
    ("wheel", "surface", {"preset": "paper"}),
]


def options(**given):
    return TrainingOptions(**{"problem": "cvrp", "instances": INSTANCES, "steps": 1} | given)


@pytest.mark.parametrize(("kind", "method", "given"), REFUSED)
def test_an_option_without_effect_is_refused_by_its_name(train, tmp_path, kind, method, given):
    """Even if it has the usual value: whoever writes it believes that it matters."""
    name, value = next(iter(given.items()))
    with pytest.raises(dacalns.InputError, match=rf"^{name} is {value!r}; expected none for (method|kind) '.*leave it"):
        train(kind=kind, method=method, settings=None, **given)
    assert list(tmp_path.iterdir()) == []


SETTINGS_REFUSED = [
    ("wheel", "[network]\nhidden = 8", r"a table \[network\]; expected \[search\] and \[selector\]"),
    ("wheel", "[learning]\nrate = 0.1", r"a table \[learning\]; expected"),
    ("wheel", "[rewards]\nalpha1 = 0", r"a table \[rewards\]; expected"),
    ("wheel", '[selector]\nname = "dac"\npreset = "improved"', "preset = 'improved'; expected none for training kind"),
    ("wheel", "[search]\ncall_limit = 5", "call_limit = 5; expected none for training"),
    ("dac", "[search]\ncall_limit = 5", "call_limit = 5; expected none for training"),
    ("dac", "[stop]\ntime = 5", r"a table \[stop\]; expected"),
]


@pytest.mark.parametrize(("kind", "table", "message"), SETTINGS_REFUSED)
def test_settings_without_effect_are_refused(tmp_path, kind, table, message):
    path = tmp_path / "s.toml"
    path.write_text(table + "\n")
    with pytest.raises(dacalns.InputError, match=rf"^the settings have {message}.*leave it out"):
        blueprint(options(kind=kind, settings=path))


def commands_in(card):
    """The commands in a card: that of the policy, and those of the policies that its training began with."""
    return [training["command"] for training in (*card.training.get("start", ()), card.training)]


@pytest.mark.parametrize(
    "path", sorted(POLICIES.rglob("*.safetensors")), ids=lambda path: str(path.relative_to(POLICIES))
)
def test_the_commands_in_the_cards_of_our_policies_are_accepted(path):
    card = dacalns.load_checkpoint(path)[1]
    for command in commands_in(card):
        words = shlex.split(command)[2:]
        pairs = zip(words[::2], words[1::2], strict=True)
        given = {word.removeprefix("--").replace("-", "_"): value for word, value in pairs}
        del given["out"]
        typed = {name: OPTION_TYPES.get(name, str)(value) for name, value in given.items()}
        blueprint(TrainingOptions(**typed), with_start=False)
    if card.kind == "wheel":
        assert not set(without_effect("wheel", card.training["method"], False)) & set(card.training)


@pytest.mark.parametrize(("kind", "method"), sorted({(kind, method) for kind, method, _ in REFUSED}))
def test_every_other_option_is_taken(kind, method):
    values = {
        "episodes": 3, "rate": 0.5, "seed": 7, "patience": 0.1, "halving": 3, "deviation": 0.3, "margin": 0.1,
        "hold": 4, "temperature": 2.0, "seconds": 0.5,
    }  # fmt: skip
    assert set(values) == set(OF_PLAN)
    refused = {name for *case, given in REFUSED if case == [kind, method] for name in given}
    given = {name: value for name, value in values.items() if name not in refused}
    assert blueprint(options(kind=kind, method=method, **given)).numbers() == given


@pytest.mark.parametrize(
    ("given", "usual"),
    [
        ({}, ("dac", "whole", "context", "full")),
        ({"kind": "ac"}, ("ac", "whole", "context", "full")),
        ({"kind": "wheel"}, ("wheel", "surface", "context", "full")),
        ({"method": "online"}, ("dac", "online", "paper", "full")),
        ({"portfolio": "paper"}, ("dac", "whole", "context", "paper")),
        ({"preset": "improved"}, ("dac", "whole", "improved", "full")),
        ({"settings": dacalns.Settings(rewards=dacalns.Rewards())}, ("dac", "whole", "paper", "full")),
    ],
)
def test_what_is_left_out_is_as_the_policies_in_the_package_were_trained(given, usual):
    made = blueprint(options(**given))
    assert (made.kind, made.plan.method, made.preset, made.plan.portfolio.name) == usual
    words = made.in_words()
    assert f"Training {usual[0]} for cvrp: method {usual[1]}" in words
    assert f"portfolio {usual[3]} (" in words
    assert ("preset" in words) == (usual[0] != "wheel")


def test_the_usual_options_are_those_of_the_policies_for_the_usual_portfolio():
    """A network of portfolio full learned as a training does that is told nothing, and the wheels before it, too."""
    for problem in ("cvrp", "vrptw"):
        for kind, method in (("dac", "whole"), ("wheel", "surface")):
            card = dacalns.load_checkpoint(dacalns.bundled_policy(problem, kind, "full"))[1]
            made = blueprint(options(problem=problem, kind=kind))
            assert (made.plan.method, card.training["method"]) == (method, method)
            assert made.card({}, {}, 1).portfolio == card.portfolio
        assert card.kind == "wheel"
        network = dacalns.load_checkpoint(dacalns.bundled_policy(problem, "dac", "full"))[1]
        assert blueprint(options(problem=problem)).settings.network == network.network


@pytest.mark.parametrize("lacking", ["validate_every", "validation_instances"])
def test_validations_that_do_not_happen_end_no_training(train, lacking):
    with pytest.raises(dacalns.InputError, match=rf"^stop_after is 2; expected none where {lacking} is 0"):
        train(stop_after=2, **{lacking: 0})


def test_jobs_are_refused_beside_an_engine(train):
    with pytest.raises(dacalns.InputError, match=r"^jobs is 2; expected none beside an engine"):
        train(jobs=2, engine=Processes(1))


def test_the_command_line_refuses_them_too(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    words = ["--problem", "cvrp", "--steps", "9", "--out", "p", "--kind", "wheel", "--hold", "10"]
    monkeypatch.setattr(sys, "argv", ["dac-alns", "train", *words])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    assert exit_.value.code == 2
    assert "hold is 10; expected none for method 'surface'" in " ".join(capsys.readouterr().err.split())


@pytest.fixture
def complaint(tmp_path):
    """What loading a protocol complains about whose training has such lines."""

    def load(lines):
        path = tmp_path / "p.toml"
        path.write_text(
            '[groups.g]\ninstances = ["P-n16-k8"]\npolicy = "t"\n[methods.M]\n[budgets.b]\niterations = 9\n'
            f"[trainings.t]\n{lines}\n"
        )
        with pytest.raises(dacalns.InputError) as error:
            load_protocol(path)
        return str(error.value)

    return load


def test_a_protocol_refuses_them_too(complaint):
    required = 'problem = "cvrp"\nsteps = 9\n'
    assert "patience is 0.02; expected none" in complaint(required + 'method = "whole"\npatience = 0.02')
    assert "stop_after is 3; expected none" in complaint(required + "stop_after = 3\nvalidation_instances = 0")


def test_the_keys_of_a_protocol_are_the_options_that_are_defined(complaint):
    for name in NAMES:
        assert "there is no key" not in complaint(f"{name} = 1")
    for name in AROUND:
        assert f"there is no key '{name}'" in complaint(f"{name} = 1")


def test_the_command_line_and_train_take_the_options_that_are_defined():
    keywords = inspect.signature(dacalns.train).parameters
    assert set(keywords) == NAMES | AROUND | {"on_progress", "on_compile"}
    for entry in fields(TrainingOptions):
        assert keywords[entry.name].annotation == entry.type.__origin__
        usual = inspect.Parameter.empty if entry.name in ("problem", "steps") else entry.default
        assert keywords[entry.name].default is usual
    command = typer.main.get_command(app).commands["train"]
    taken = {parameter.name: parameter for parameter in command.params}
    assert set(taken) == NAMES | (AROUND - {"out"}) | {"out_file", "ray_address", "quiet"}
    for name, option in OPTIONS.items():
        assert taken[name].opts == [f"--{name.replace('_', '-')}"]
        assert taken[name].help.startswith(option.help)


@pytest.mark.parametrize(
    ("kind", "method", "idle"),
    [
        ("dac", "online", {"halving", "deviation", "margin", "hold", "temperature", "seconds"}),
        ("ac", "whole", {"patience", "seconds"}),
        ("wheel", "whole", {"patience", "hold", "seconds"}),
        ("wheel", "surface", {"patience", "hold", "seconds", "rate", "halving"}),
    ],
)
def test_a_card_tells_what_had_an_effect_and_nothing_else(train, kind, method, idle):
    card = dacalns.load_checkpoint(train(kind=kind, method=method, rounds=1).policy)[1]
    assert {name for name in OF_PLAN if name in card.training} == set(OF_PLAN) - idle
    command = card.training["command"].split()
    assert {word[2:] for word in command if word[2:] in OF_PLAN} == set(OF_PLAN) - idle
    assert ("hold" in card.validation) == (kind != "wheel")
    assert card.validation["iterations"] == "max(2000, 50 n)"


def test_a_card_tells_the_rate_of_an_online_training(train):
    card = dacalns.load_checkpoint(train(method="online", rate=0.01, rounds=1).policy)[1]
    assert card.training["rate"] == card.learning.rate == 0.01


def test_a_card_tells_the_seconds_of_its_validation(train):
    card = dacalns.load_checkpoint(train(seconds=0.01, rounds=1).policy)[1]
    assert card.validation["seconds"] == 0.01
    assert "iterations" not in card.validation


def test_a_network_that_wheels_teach_holds_its_decisions(train, tmp_path):
    for name in ("one", "two"):
        train(name, kind="wheel", rounds=1, validation_instances=0)
    wheels = f"{tmp_path / 'one'},{tmp_path / 'two'}"
    made = blueprint(options(kind="dac", method="online", portfolio="paper", start_from=wheels))
    assert made.numbers()["hold"] == 10
    assert blueprint(options(kind="dac", method="online", portfolio="paper", start_from=wheels, hold=3)).plan.hold == 3
    with pytest.raises(dacalns.InputError, match="hold is 3"):
        blueprint(options(kind="dac", method="online", portfolio="paper", start_from=str(tmp_path / "one"), hold=3))


def test_the_state_of_an_earlier_version_is_resumed(train, monkeypatch):
    """Earlier versions told options without effect, too, and for an online training the rate of another method."""
    idle = {"rate": 0.001, "halving": 50, "deviation": 1.0, "margin": 0.005, "hold": 10, "temperature": 1.0}
    with monkeypatch.context() as earlier:
        earlier.setattr(
            training, "save_standing", lambda path, standing, plan: save_standing(path, standing, plan | idle)
        )
        first = train("old", method="online", rate=0.01, rounds=2)
    assert b"halving" in first.state.read_bytes()
    assert train("old", method="online", rate=0.01, rounds=4, resume=True).rounds > first.rounds
    with pytest.raises(dacalns.InputError, match=r"learning\.rate 0\.01, not 0\.02"):
        train("old", method="online", rate=0.02, resume=True)
