"""The script that finds references: what it keeps, what it refuses, and one whole run."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import dacalns
from dacalns.errors import InputError
from dacalns.instances.best_known import BestKnown, read_references

pytest.importorskip("pyvrp")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "references.py"
NAME = "C102-n20-s1"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("references", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cheapest_stays_and_the_first_of_equals(script: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "references.csv"
    found = [BestKnown(cost, "dimacs", 25, origin=origin) for cost, origin in ((9.5, "a"), (8, "b, too"), (8, "c"))]
    assert script.keep_cheapest(path, "x", []) is None
    assert script.keep_cheapest(path, "x", found) == found[1]
    assert script.keep_cheapest(path, "x", found[:1]) == found[1]
    script.keep_cheapest(path, "w", found[:1])
    assert read_references(path) == {"w": found[0], "x": found[1]}
    assert path.read_text().splitlines() == [
        "name,cost,rounding,fleet,origin", "w,9.5,dimacs,25,a", 'x,8,dimacs,25,"b, too"',
    ]  # fmt: skip


@pytest.mark.slow_without_jit
def test_both_solvers(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "references.csv"
    script.main([NAME, "--seconds", "0.2", "--ours", "0.2", "--seeds", "3", "--out", str(path)])
    listed = read_references(path)[NAME]
    assert listed.cost == dacalns.read(NAME).best_known
    assert "0.2 s, seed 3" in listed.origin
    said = capsys.readouterr().out
    assert "(PyVRP " in said
    assert f"(dac-alns {dacalns.__version__} roulette, 0.2 s, seed 3)" in said


def test_solutions_from_files_are_checked(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "references.csv"
    instance = dacalns.read(NAME)
    options = [NAME, "--seconds", "0", "--ours", "0", "--solutions", str(tmp_path), "--origin", "by hand"]
    alone = [[customer] for customer in range(1, 21)]
    for folder, routes in (("one", alone), ("two", alone[1:])):
        (tmp_path / folder).mkdir()
        # The cost is measured, not believed.
        dacalns.write_solution(tmp_path / folder / f"{NAME}.sol", routes, cost=1.0)
    script.main([*options, "--out", str(path)])
    cost = dacalns.check(instance, alone).cost
    assert read_references(path) == {NAME: BestKnown(cost, "dimacs", 25, origin="by hand")}
    assert "not feasible: No route visits customer 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        (["R105-n67-s1"], "instance is 'R105-n67-s1'; expected one of the set vrptw"),
        (["--solutions", "."], "--origin None; expected a folder and what found its solutions"),
        (["--solutions", "no-such-folder", "--origin", "x"], "--solutions is 'no-such-folder'"),
        (["--out", "no-such-folder/x.csv"], "there is no folder 'no-such-folder'"),
    ],
)
def test_what_is_refused(script: ModuleType, given: list[str], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        script.main(given)
    assert fragment in str(caught.value)
