"""The comparison of selectors as a whole, on an instance of a few customers."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dacalns
from dacalns.errors import InputError

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compare_selectors.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_selectors", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for their module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A file of six customers with the solution of a short search beside it."""
    path = tmp_path / "tiny.vrp"
    instance = dacalns.generate_cvrp(6, route_length=3, seed=1)
    dacalns.write_instance(instance, path)
    result = dacalns.solve(dacalns.read(path), stop=dacalns.MaxIterations(200))
    dacalns.write_solution(path.with_suffix(".sol"), result.routes, 1.0)  # the cost is measured, not believed
    return path


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("budget", ["iterations", "time"])
def test_the_whole_of_it(tiny: Path, tmp_path: Path, budget: str) -> None:
    report = tmp_path / "out.json"
    command = [
        sys.executable, str(SCRIPT), "--files", str(tiny), "--selectors", "random", "weights:1,0/0,0,1", "--pairs",
        "weights:1,0/0,0,1:random", "--seeds", "2", "--jobs", "1", "--budget", budget, "--json", str(report),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    data = json.loads(report.read_text())
    assert [(row["selector"], row["against"]) for row in data["rows"]] == [
        ("roulette", "roulette"), ("random", "roulette"), ("weights:1,0/0,0,1", "roulette"),
        ("weights:1,0/0,0,1", "random"),
    ]  # fmt: skip
    assert sorted((run["selector"], run["seed"]) for run in data["runs"]) == [
        (selector, seed) for selector in ("random", "roulette", "weights:1,0/0,0,1") for seed in (0, 100)
    ]
    if budget == "iterations":
        assert {run["iterations"] for run in data["runs"]} == {2000}
    cost = dacalns.check(dacalns.read(tiny), dacalns.read_solution(tiny.with_suffix(".sol"))[0]).cost
    assert {run["best_known"] for run in data["runs"]} == {cost}
    assert f"`python benchmarks/compare_selectors.py --files {tiny} --selectors random" in done.stdout
    assert f"dac-alns {dacalns.__version__}" in done.stdout
    assert "CPU cores" in done.stdout
    assert done.stdout.count("| files | 1 |") == 4


def test_selectors_take_turns(script: ModuleType) -> None:
    assert script.turns(("a", "b", "c"), 0) == ["a", "b", "c"]
    assert script.turns(("a", "b", "c"), 100) == ["b", "c", "a"]
    assert script.turns(("a", "b", "c"), 300) == ["a", "b", "c"]


def test_a_budget_of_time_is_measured_in_the_process_that_uses_it(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The baseline's seconds are 1, 5 and 2 for the three seeds; all get twice the median, 4."""
    asked = []

    def solve(instance: object, *, selector: str, stop: object, seed: int, **_: object) -> dacalns.Result:
        asked.append((selector, stop, seed))
        result = plain(instance, selector=selector, stop=dacalns.MaxIterations(1), seed=seed)
        return dacalns.Result.from_dict({**result.to_dict(), "seconds": {0: 1.0, 100: 5.0, 200: 2.0}[seed]})

    plain = dacalns.solve
    monkeypatch.setattr(dacalns, "solve", solve)
    task = script.Task("P-n16-k8", ("roulette", "random"), "roulette", "paper", "time", 2.0, (0, 100, 200))
    runs = script.solve_task(task)
    assert asked[:3] == [("roulette", dacalns.MaxIterations(2000), seed) for seed in (0, 100, 200)]
    assert [stop for _, stop, _ in asked[3:]] == [dacalns.MaxTime(4.0)] * 6
    assert [run.selector for run in runs] == ["roulette", "random", "random", "roulette", "roulette", "random"]


def test_an_answer_that_is_not_what_it_says_ends_it(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = dacalns.solve("P-n16-k8", stop=dacalns.MaxIterations(1)).to_dict()
    task = script.Task("P-n16-k8", ("random",), "random", "paper", "iterations", 1.0, (0,))
    for change, message in (
        ({"cost": 1.0}, "says cost 1; checked"),
        ({"routes": [[1, 1], *honest["routes"]]}, "not what it says"),
        ({"routes": honest["routes"][1:]}, "not what it says"),
        ({"stopped_by": "interrupt"}, "needs whole runs"),
    ):
        monkeypatch.setattr(dacalns, "solve", lambda *_, c=change, **__: dacalns.Result.from_dict({**honest, **c}))
        with pytest.raises(InputError, match=message):
            script.solve_task(task)


def test_unserved_customers_are_counted(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = dacalns.read("P-n16-k8")
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(1)).to_dict()
    routes = result["routes"][1:]
    cost = dacalns.check(instance, routes).cost
    short = {"routes": routes, "unserved": result["routes"][0], "feasible": False, "cost": cost}
    monkeypatch.setattr(dacalns, "solve", lambda *_, **__: dacalns.Result.from_dict({**result, **short}))
    task = script.Task("P-n16-k8", ("random",), "random", "paper", "iterations", 1.0, (0,))
    (run,) = script.solve_task(task)
    assert run.unserved == len(result["routes"][0])


def test_an_infeasible_solution_beside_a_file_is_no_reference(script: ModuleType, tiny: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.vrp"
    other.write_text(tiny.read_text())
    assert script.best_known(str(other)) is None
    dacalns.write_solution(tmp_path / "third.sol", [[1, 2]], 3)
    third = tmp_path / "third.vrp"
    third.write_text(tiny.read_text())
    assert script.best_known(str(third)) is None


def test_groups_and_all_of_them_with_each_instance_once(script: ModuleType) -> None:
    runs = [
        script.Run(name, selector, 0, cost, 0, 1, 1.0, None)
        for selector, cost in (("x", 1.0), ("y", 2.0))
        for name in ("a", "b", "c")
    ]
    rows = script.rows_of(runs, {"one": ["a", "b"], "two": ["b", "c"]}, [("x", "y")])
    assert [(name, row.instances, row.wins) for name, row in rows] == [("one", 2, 2), ("two", 2, 2), ("all", 3, 3)]


def test_pairs_of_names_with_colons(script: ModuleType) -> None:
    selectors = ("roulette", "weights:1,0/0,1,2")
    assert script.split_pair("weights:1,0/0,1,2:roulette", selectors) == ("weights:1,0/0,1,2", "roulette")
    assert script.split_pair("roulette:weights:1,0/0,1,2", selectors) == ("roulette", "weights:1,0/0,1,2")
    with pytest.raises(InputError, match="'roulette:ucb' is not of two selectors that run"):
        script.split_pair("roulette:ucb", selectors)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs", "0"], "jobs is 0"),
        (["--jobs", "1000000"], "one process for each core"),
        (["--seeds", "0"], "seeds is 0"),
        (["--time-factor", "nan"], "time-factor"),
        (["--json", "no/such/folder/x.json"], "no/such/folder"),
        (["--pairs", "dac:wheel"], "'dac:wheel'"),
    ],
)
def test_bad_arguments_are_told_before_the_first_run(script: ModuleType, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        script.parse(arguments)


def test_defaults_are_the_six_strata_unless_files_are_given(script: ModuleType) -> None:
    assert len(script.parse([]).sets) == 6
    assert script.parse(["--files", "x.vrp"]).sets == []
    assert script.parse(["--selectors", "ucb", "roulette", "ucb"]).selectors == ("roulette", "ucb")


def test_the_name_of_a_script_hides_no_module_of_the_standard_library() -> None:
    """A script's folder goes first when Python looks for modules: ``benchmarks/selectors.py`` would break asyncio."""
    names = {path.stem for path in SCRIPT.parent.glob("*.py")}
    assert not names & sys.stdlib_module_names
