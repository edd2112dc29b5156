"""The script that finds references: what it keeps, what it refuses, and one whole run."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import dacalns
from dacalns.instances.best_known import BestKnown, read_references
from dacalns.study.rows import DONE, Member, ProtocolOutline, Row
from dacalns.study.store import Store
from dacalns.util.errors import InputError

pytest.importorskip("pyvrp")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "references.py"
NAME = "C102-n20-s1"


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
    assert listed.cost >= dacalns.read(NAME).best_known
    assert "0.2 s, seed 3" in listed.origin
    said = capsys.readouterr().out
    assert "(PyVRP " in said
    assert f"(dac-alns {dacalns.__version__} roulette, 0.2 s, seed 3)" in said


def test_runs_of_a_study_are_checked(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "references.csv"
    alone = [[customer] for customer in range(1, 21)]
    # The cost is measured, not believed.
    row = Row(
        "a", DONE, 1, NAME, "vrptw", 20, "ucb", 3, "9 iterations", "1", "", "", cost=2.0, feasible=True, routes=alone,
        unserved=0, wall_seconds=1.0, iterations=9,
    )  # fmt: skip
    found = [row, replace(row, key="b", cost=3.0), replace(row, key="c", cost=1.0, feasible=False)]
    with Store(tmp_path, create=True) as store:
        outline = ProtocolOutline("p", "", {}, {}, [], None, [0])
        store.add_protocol(outline, "", [Member("", "", "", NAME, "", "", 3, row.key) for row in found])
        for each in found:
            store.add(each)
    options = [NAME, "--seconds", "0", "--ours", "0", "--study", str(tmp_path), "--out", str(path)]
    script.main(options)
    cost = dacalns.check(dacalns.read(NAME), alone).cost
    listed = BestKnown(cost, "dimacs", 25, origin="dac-alns 1 ucb, 9 iterations, seed 3")
    assert read_references(path) == {NAME: listed}
    with Store(tmp_path) as store:
        store.add_protocol(outline, "", [Member("", "", "", NAME, "", "", 3, "d")])
        store.add(replace(row, key="d", routes=alone[1:]))
    script.main(options)
    assert read_references(path) == {NAME: listed}
    assert "not feasible: No route visits customer 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        (["R105-n67-s1"], "instance is 'R105-n67-s1'; expected one of the set vrptw"),
        (["--study", "no-such-folder"], "no-such-folder: there is no study.sqlite in it"),
        (["--out", "no-such-folder/x.csv"], "there is no folder 'no-such-folder'"),
    ],
)
def test_what_is_refused(script: ModuleType, given: list[str], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        script.main(given)
    assert fragment in str(caught.value)
