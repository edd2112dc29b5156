"""Gaps, wins, ties and primal integrals, by hand."""

import pytest

from dacalns.bench.quality.runs import REPORTED
from dacalns.bench.quality.standings import (
    BEST_OF_RUNS,
    CAP,
    PUBLISHED,
    Reference,
    alarms,
    primal_integral,
    reference_of,
    solver_cases,
    summaries,
)
from dacalns.instances import generate_cvrp, read
from dacalns.study.rows import DONE, FAILED, Member, ProtocolOutline, Row, Study

REFERENCES = {"a": Reference(100.0, PUBLISHED), "b": Reference(200.0, PUBLISHED), "c": Reference(50.0, PUBLISHED)}
BUDGET = "2 s"


def run(instance, solver, cost=None, *, status=DONE, feasible=True, seed=0, trajectory=(), seconds=2.0, reported=None):
    return Row(
        f"{instance}/{solver}/{seed}", status, 1, instance, "cvrp", 9, solver, seed, BUDGET, "1", "", "",
        error="because", cost=cost, feasible=feasible if status == DONE else None, unserved=0 if feasible else 2,
        wall_seconds=seconds if status == DONE else None, cpu_seconds=1.0, iterations=0,
        history=[[0, *each, 0] for each in trajectory], settings={REPORTED: reported},
    )  # fmt: skip


def study_of(rows, missing=()):
    members = [
        Member("few", "few", "", row.instance, row.selector, BUDGET, row.seed, row.key) for row in [*rows, *missing]
    ]
    outline = ProtocolOutline("few", "", {}, {BUDGET: BUDGET}, [], None, [0])
    return Study(outline, members, {row.key: row for row in rows})


def summarised(rows, missing=()):
    study = study_of(rows, missing)
    keys = [*dict.fromkeys(member.method for member in study.members)]
    return summaries(study, solver_cases(study, BUDGET), keys, REFERENCES, 2.0)


def test_gaps_wins_losses_and_ties_by_hand() -> None:
    runs = [
        run("a", "x", 101.0), run("a", "x", 103.0, seed=1), run("a", "y", 104.0),  # 2 % and 4 %: a win
        run("b", "x", 206.0), run("b", "x", 206.0, seed=1), run("b", "y", 202.0),  # 3 % and 1 %: a loss
        run("c", "x", 50.0), run("c", "x", 51.0, seed=1), run("c", "y", 50.5),  # 1 % and 1 %: a tie
    ]  # fmt: skip
    x, y = summarised(runs)
    assert (x.solver, x.instances, x.runs, x.feasible, x.failed, x.in_gap) == ("x", 3, 6, 6, 0, 3)
    assert x.gap == pytest.approx((2 + 3 + 1) / 3)
    assert y.gap == pytest.approx((4 + 1 + 1) / 3)
    assert (y.wins, y.losses, y.ties) == (1, 1, 1)
    assert (x.wins, x.losses, x.ties) == (0, 0, 3)
    assert (y.seconds, y.share) == (2.0, 0.5)


def test_a_run_without_a_solution_is_no_gap_and_a_loss() -> None:
    runs = [
        run("a", "x", 101.0), run("a", "y", status=FAILED),
        run("b", "x", 202.0), run("b", "y", 1.0, feasible=False),
        run("c", "x", 51.0), run("c", "y", 50.5),
    ]  # fmt: skip
    _, y = summarised(runs)
    assert (y.gap, y.in_gap, y.instances) == (pytest.approx(1.0), 1, 3)
    assert (y.feasible, y.failed, y.runs) == (1, 1, 3)
    assert (y.wins, y.losses) == (2, 1)


def test_what_a_solver_cannot_do_is_left_out_of_its_mean() -> None:
    x, y = summarised([run("a", "x", 101.0), run("a", "y", 105.0), run("b", "x", 300.0)])
    assert x.gap == pytest.approx((1 + 50) / 2)
    assert (y.instances, y.gap) == (1, pytest.approx(5.0))
    assert (y.wins, y.losses, y.ties) == (1, 0, 0)


def test_an_instance_that_was_cut_short_does_not_count() -> None:
    rows = [run("a", "x", 101.0), run("a", "y", 102.0), run("b", "x", 400.0)]
    missing = [run("b", "y")]
    assert [case.instance for case in solver_cases(study_of(rows, missing), BUDGET)] == ["a"]
    x, _ = summarised(rows, missing)
    assert (x.instances, x.gap) == (1, pytest.approx(1.0))


def test_integrals_are_means_over_runs_then_instances() -> None:
    runs = [
        run("a", "x", 102.0, trajectory=[(0.0, 104.0), (1.0, 102.0)]),  # 3 %
        run("a", "x", 101.0, seed=1, trajectory=[(0.0, 101.0)]),  # 1 %
        run("b", "x", 200.0, trajectory=[(1.0, 200.0)]),  # 10 % for half of the time
    ]
    (x,) = summarised(runs)
    assert x.integral == pytest.approx((2 + 5) / 2)


def test_without_a_trajectory_there_is_no_integral() -> None:
    runs = [run("a", "x", 102.0, trajectory=[(0.0, 102.0)]), run("b", "x", 202.0)]
    assert summarised(runs)[0].integral is None


def test_what_an_infeasible_run_says_of_its_way_is_not_believed() -> None:
    runs = [run("a", "x", 1.0, feasible=False, trajectory=[(0.0, 100.0)])]
    assert summarised(runs)[0].integral == 10.0


def test_the_reference_is_the_best_known_cost_or_the_best_of_the_runs() -> None:
    known, generated = read("A-n32-k5"), generate_cvrp(5, seed=1)
    rows = [run(generated.name, "x", 12.0), run(generated.name, "y", 11.0), run(known.name, "y", 700.0)]
    cases = {case.instance: case for case in solver_cases(study_of(rows), BUDGET)}
    assert reference_of(known, cases[known.name]) == Reference(784.0, PUBLISHED)
    assert reference_of(generated, cases[generated.name]) == Reference(11.0, BEST_OF_RUNS)
    assert reference_of(generated, None) == Reference(None, BEST_OF_RUNS)


def test_what_is_doubtful_is_told() -> None:
    rows = [
        run("a", "x", 100.0, reported=100.0),
        run("a", "y", 99.0, reported=99.0),
        run("b", "x", 200.0, reported=190.0),
        run("b", "y", status=FAILED),
        run("c", "x", 50.0, seconds=4.0),
    ]
    told = alarms(rows, REFERENCES, 2.0)
    assert [sentence.split(":")[0] for sentence in told] == ["a, y, seed 0", "b, x, seed 0", "b, y, seed 0", "x"]
    assert "99 is less than the reference of 100" in told[0]
    assert "says 190, and our checker 200" in told[1]
    assert "failed: because" in told[2]
    assert "1 of its runs took longer than they were given, the worst 2.00 times as long" in told[3]


def test_the_primal_integral_by_hand() -> None:
    # Nothing for 1 s (10 %), then 4 % for 2 s, then 1 % for 1 s: (10 + 8 + 1) / 4.
    assert primal_integral([(1.0, 208.0), (3.0, 202.0)], reference=200.0, seconds=4.0) == pytest.approx(19 / 4)


def test_no_solution_is_the_cap() -> None:
    assert primal_integral([], reference=5.0, seconds=3.0) == CAP


def test_the_best_from_the_start_is_zero() -> None:
    assert primal_integral([(0.0, 7.0)], reference=7.0, seconds=2.0) == 0.0


def test_a_gap_beyond_the_cap_counts_as_the_cap() -> None:
    assert primal_integral([(0.0, 300.0), (1.0, 110.0)], reference=100.0, seconds=2.0, cap=50.0) == pytest.approx(30.0)


def test_what_comes_after_the_end_does_not_count() -> None:
    assert primal_integral([(0.0, 102.0), (2.5, 100.0)], reference=100.0, seconds=2.0) == pytest.approx(2.0)


def test_a_worse_solution_changes_nothing() -> None:
    assert primal_integral([(0.0, 102.0), (1.0, 105.0)], reference=100.0, seconds=2.0) == pytest.approx(2.0)


def test_below_the_reference_is_negative() -> None:
    assert primal_integral([(0.0, 99.0)], reference=100.0, seconds=2.0) == pytest.approx(-1.0)
