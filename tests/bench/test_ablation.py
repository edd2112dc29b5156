"""The script that takes operators out and puts them in: which, how long, and what it prints."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dacalns
from dacalns.util.errors import InputError

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "ablation.py"


def test_each_is_taken_out_or_put_in_once(script: ModuleType) -> None:
    base = dacalns.Portfolio(["random_removal", "string_removal"], ["greedy_repair"])
    of_cvrp, of_vrptw = (script.configurations(base, problem) for problem in ("cvrp", "vrptw"))
    assert [operator.name for operator in of_cvrp["- random_removal"].destroy] == ["string_removal"]
    added = of_cvrp["+ regret_repair"]
    assert [operator.name for operator in added.repair] == ["greedy_repair", "regret_repair"]
    assert added.destroy == base.destroy
    assert {label for label in of_cvrp if label.startswith("-")} == {"- random_removal", "- string_removal"}
    assert of_vrptw.keys() - of_cvrp.keys() == {
        "+ tail_exchange",
        "+ time_oriented_removal",
        "+ blink_narrow_repair",
        "+ blink_early_repair",
        "+ blink_late_repair",
    }
    assert of_cvrp.keys() < of_vrptw.keys()
    everything = len(dacalns.DESTROY_OPERATORS) + len(dacalns.REPAIR_OPERATORS)
    of_rich = {"+ pair_removal", "+ vehicle_exchange", "+ prize_removal"}
    assert len(of_vrptw) == everything - len(of_rich)  # the base in place of the operator that stays
    of_pairs = script.configurations(base, "pairs+windows")
    assert of_pairs.keys() & of_rich == {"+ pair_removal"}
    assert "+ historical_removal" not in of_pairs
    assert set(script.configurations(base, "cvrp", ["string_removal"])) == {"base", "- string_removal"}
    assert all(portfolio.acceptance == base.acceptance for portfolio in of_cvrp.values())


def test_instances_vary_and_repeat(script: ModuleType) -> None:
    for problem in ("cvrp", "vrptw"):
        instances = [script.generated(problem, number) for number in range(6)]
        assert {instance.problem for instance in instances} == {problem}
        assert len({instance.customers for instance in instances}) > 3
        assert all(60 <= instance.customers <= 200 for instance in instances)
        again = script.generated(problem, 3)
        assert (again.distances == instances[3].distances).all()
    rich = script.generated("depots+prizes", 3)
    assert rich.features >= {"depots", "prizes"}
    assert rich.same_content(script.generated("depots+prizes", 3))


def test_gaps_and_differences(script: ModuleType) -> None:
    found = script.gaps({"base": [102.0, 104.0], "+ one": [100.0, 101.0]})
    assert found == pytest.approx({"base": 3.0, "+ one": 0.5})
    lines = script.table({"cvrp": [found, {"base": 1.0, "+ one": 0.5, "+ two": 2.0}], "vrptw": [found]})
    assert [line.split()[:2] for line in lines[1:]] == [["base", "2.000"], ["+", "one"], ["+", "two"]]
    of_cvrp, of_both = "0.500 -1.500 [-2.500, -0.500]", "0.500 -1.833 [-2.500, -0.500]"
    assert " ".join(lines[2].split()) == f"+ one {of_cvrp} 0.500 -2.500 {of_both}"
    assert lines[3].split()[2:] == ["2.000", "+1.000", "2.000", "+1.000"]  # only where it was measured


def test_as_many_iterations_as_fit(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def solve(instance: object, *, stop: object, **chosen: object) -> object:
        given.append(stop)
        return type("Found", (), {"feasible": True, "cost": 1.0})

    portfolios = {"base": dacalns.PORTFOLIOS["paper"], "- x": dacalns.PORTFOLIOS["full"]}
    monkeypatch.setattr(script, "cpu_of_an_iteration", lambda *_: {"base": 1e-3, "- x": 5e-4})
    monkeypatch.setattr(script.dacalns, "solve", solve)
    script.costs_at_equal_time(script.generated("cvrp", 0), portfolios, 1, 0.5, True)
    assert given == [dacalns.MaxIterations(500), dacalns.MaxIterations(1000)]


def test_a_clock_that_stands_still_makes_no_endless_search(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    portfolios = {"base": dacalns.Portfolio(["string_removal"], ["blink_repair"])}
    monkeypatch.setattr(script, "PILOT", 2)
    monkeypatch.setattr(script.time, "process_time", lambda: 0.0)
    assert script.cpu_of_an_iteration(script.generated("cvrp", 0), portfolios) == {"base": script.LEAST}


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("others", [[], ["--cpu"]])
def test_a_whole_run(
    script: ModuleType,
    others: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "costs.json"
    options = "--destroy string_removal --repair blink_repair --only route_removal --instances 1 --seeds 2"
    arguments = [*options.split(), "--seconds", "0.01", "--json", str(path), *others]
    monkeypatch.setattr(sys, "argv", ["ablation.py", *arguments])
    monkeypatch.setattr(script, "PILOT", 200)
    script.main()
    rows = json.loads(path.read_text())
    assert [row["problem"] for row in rows] == ["cvrp", "vrptw"]
    assert all(len(found) == 2 for row in rows for found in row["costs"].values())
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]] == ["base", "+"]


@pytest.mark.slow_without_jit
def test_several_jobs() -> None:
    """In a process of its own: others must be able to import the script."""
    options = "--destroy string_removal --repair blink_repair --only route_removal --instances 2 --seeds 1 --jobs 2"
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *options.split(), "--seconds", "0.01"], capture_output=True, text=True, check=True
    )
    told = [line.split(":")[0] for line in ran.stderr.splitlines()]
    assert told == ["cvrp 0", "vrptw 0", "cvrp 1", "vrptw 1"]
    assert [line.split()[0] for line in ran.stdout.splitlines()[2:]] == ["base", "+"]


def test_mistakes(script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="expected both or neither"):
        script.base_portfolio("full", ["string_removal"], None)
    monkeypatch.setattr(sys, "argv", ["ablation.py", "--only", "string_removel"])
    with pytest.raises(SystemExit) as ended:
        script.main()
    assert ended.value.code == 2
    assert "operator of --only is 'string_removel'" in capsys.readouterr().err
