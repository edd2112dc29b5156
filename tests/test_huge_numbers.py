"""Numbers that no machine can hold, and sizes that none has room for: one sentence, wherever they stand."""

import sys
from pathlib import Path

import pytest

import dacalns
from dacalns.cli import main
from dacalns.instances import Instance, read, require_feasible, write_instance
from dacalns.instances.preflight import fleet_bound
from dacalns.learning.sources import as_source
from dacalns.search.acceptance import LateAcceptance, SimulatedAnnealing
from dacalns.selectors.by_name import as_selector
from dacalns.selectors.wheels import FixedWeights, Roulette
from dacalns.study.load_protocol import load_protocol
from dacalns.util.errors import InputError

VRP = """\
NAME : {name}
TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : {capacity}
VEHICLES : 2
NODE_COORD_SECTION
1 0 0
2 3 4
3 0 5
DEMAND_SECTION
1 0
2 1
3 1
EOF
"""
PROTOCOL = "[groups.g]\ninstances = ['{instance}']\n[methods.m]\nselector = 'roulette'\n"
DIGITS = ("9" * 400, "9" * 5000)
OPTIONS = ("--fleet", "--iterations", "--no-improvement", "--time", "--target", "--seed", "--jobs")


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def sentence(error: BaseException) -> str:
    assert len(str(error)) <= 300
    return str(error)


def test_a_capacity_that_is_next_to_nothing(tmp_path: Path) -> None:
    for capacity in ("1e-320", "9e-13", "0"):
        with pytest.raises(InputError, match=r"x\.vrp:5: CAPACITY is .*from 1e-12 to 1e\+12"):
            read(written(tmp_path, "x.vrp", VRP.format(name="x", capacity=capacity)))
    with pytest.raises(InputError, match=r"x: capacity is 1e-320"):
        Instance(name="x", coordinates=[[0, 0], [1, 1]], demands=[0, 1], capacity=1e-320)
    tiny = read(written(tmp_path, "x.vrp", VRP.format(name="x", capacity="1e-12")))
    assert fleet_bound(tiny) > 10**12
    with pytest.raises(InputError, match="no feasible solution"):
        require_feasible(tiny)


def test_the_limit_of_numbers_is_named() -> None:
    with pytest.raises(InputError, match=r"capacity is 2875550107808\.6; expected a number .* 1e\+12"):
        Instance(name="x", coordinates=[[0, 0], [1, 1]], demands=[0, 1], capacity=2875550107808.6)


@pytest.mark.parametrize("digits", DIGITS, ids=len)
def test_names(tmp_path: Path, digits: str) -> None:
    for name in (f"R101-n{digits}-s1", f"R101-n5-s{digits}", f"generated-cvrp-n{digits}-s1"):
        with pytest.raises(InputError, match="neither a file nor a bundled instance") as caught:
            read(name)
        sentence(caught.value)
        with pytest.raises(InputError, match=r"x\.toml:2: .*neither a file nor") as caught:
            load_protocol(written(tmp_path, "x.toml", PROTOCOL.format(instance=name)))
        sentence(caught.value)
    found = read(written(tmp_path, "x.vrp", VRP.format(name=f"A-n3-k{digits}", capacity=5)))
    assert found.fleet == 2


@pytest.mark.parametrize("digits", DIGITS, ids=len)
@pytest.mark.parametrize("sizes", ["2-{}", "{}-2", "{}-{}"])
def test_generated_instances_of_a_training(digits: str, sizes: str) -> None:
    with pytest.raises(InputError, match="2 to 100000 customers") as caught:
        as_source("cvrp", "generated:" + sizes.replace("{}", digits), 0)
    sentence(caught.value)


@pytest.mark.parametrize("number", [*DIGITS, "0x" + "f" * 5000], ids=len)
@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("stop", "time"),
        ("stop", "iterations"),
        ("stop", "no_improvement"),
        ("stop", "target"),
        ("search", "seed"),
        ("search", "call_limit"),
        ("search", "portfolio"),
        ("selector", "name"),
        ("selector", "preset"),
        ("selector]\nname = 'roulette'\n#[", "segment"),
        ("selector]\nname = 'dac-t'\n#[", "hold"),
        ("network", "hidden"),
        ("network", "neighbours"),
        ("learning", "rate"),
        ("acceptance]\ntype = 'LateAcceptance'\n#[", "length"),
        ("acceptance]\ntype = 'Threshold'\n#[", "start"),
    ],
)
def test_settings(tmp_path: Path, table: str, key: str, number: str) -> None:
    path = written(tmp_path, "x.toml", f"[{table}]\n{key} = {number}\n")
    with pytest.raises(InputError, match=r"x\.toml:\d: ") as caught:
        dacalns.load_settings(path)
    sentence(caught.value)


@pytest.mark.parametrize("digits", DIGITS, ids=len)
@pytest.mark.parametrize("selector", ["dac-t:hold={}", "dac:hidden={}", "dac:neighbours={}", "dac:rate={}"])
def test_selectors(selector: str, digits: str) -> None:
    with pytest.raises(InputError, match=r"(hold|hidden|neighbours|rate) is ") as caught:
        as_selector(selector.format(digits))
    sentence(caught.value)


@pytest.mark.parametrize("line", ["seeds = [{}]", "portfolio = {}", "title = {}", "comparisons = [[{}, 'm']]"])
def test_protocols(tmp_path: Path, line: str) -> None:
    text = line.format("0x" + "f" * 5000) + "\n" + PROTOCOL.format(instance="P-n16-k8")
    with pytest.raises(InputError, match=r"x\.toml:\d: ") as caught:
        load_protocol(written(tmp_path, "x.toml", text))
    sentence(caught.value)


def test_sizes_that_no_machine_has_room_for() -> None:
    with pytest.raises(InputError, match="hidden is 80000; expected a whole number from 1 to 1024"):
        as_selector("dac:hidden=80000")
    with pytest.raises(InputError, match="length is 1000000000000; expected a whole number from 1 to 1000000"):
        LateAcceptance(10**12)


def test_numbers_given_in_python() -> None:
    for make in (
        lambda: dacalns.MaxIterations(10**5000),
        lambda: dacalns.MaxTime(10**400),
        lambda: dacalns.TargetCost(-(10**400)),
        lambda: Roulette(scores=(10**400, 1, 1, 0)),
        lambda: SimulatedAnnealing(10**400, 1),
        lambda: FixedWeights([[10**400]]).memory(1, 1),
        lambda: FixedWeights([[1e308, 1e308]]).memory(1, 2),
        lambda: dacalns.solve("P-n16-k8", seed=10**400),
        lambda: read("P-n16-k8", fleet=10**400),
    ):
        with pytest.raises(InputError) as caught:
            make()
        sentence(caught.value)


@pytest.mark.parametrize("digits", DIGITS, ids=len)
@pytest.mark.parametrize("option", OPTIONS)
def test_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, digits: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["dac-alns", "solve", "P-n16-k8", option, digits])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("Error: ")
    assert told.count("\n") == 1
    assert len(told) <= len("Error: \n") + 300


def test_names_that_no_file_can_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected text that UTF-8 can write"):
        write_instance(
            Instance(name="\ud800", coordinates=[[0, 0], [1, 1]], demands=[0, 1], capacity=1), tmp_path / "x.vrp"
        )


def test_paths_with_a_null_byte(tmp_path: Path) -> None:
    for text, message in (
        ('[groups.g]\ninstances = "a\\u0000*"\n[methods.m]\n', "no file matches"),
        ('[groups.g]\ninstances = "a\\u0000"\n[methods.m]\n', "neither a file"),
    ):
        with pytest.raises(InputError, match=message):
            load_protocol(written(tmp_path, "x.toml", text))
    for wrong in (
        lambda: dacalns.load_settings("a\0b"),
        lambda: dacalns.Result.from_json("a\0b"),
        lambda: dacalns.solve("P-n16-k8", selector="dac-t:a\0b"),
        lambda: dacalns.solve("P-n16-k8", portfolio="a\0b.py"),
        lambda: dacalns.solve("P-n16-k8", portfolio="a" * 5000 + ".py"),
    ):
        with pytest.raises(InputError) as caught:
            wrong()
        sentence(caught.value)
