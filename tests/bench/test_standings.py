"""Gaps, wins and ties, by hand."""

import pytest

from dacalns.bench.quality.alarms import alarms
from dacalns.bench.quality.reference import BEST_OF_RUNS, PUBLISHED, Reference, reference_of
from dacalns.bench.quality.run import FAILED, FEASIBLE, INFEASIBLE, LEFT_OUT, Run
from dacalns.bench.quality.standings import counted_instances, standings
from dacalns.instances import generate_cvrp, read

REFERENCES = {"a": Reference(100.0, PUBLISHED), "b": Reference(200.0, PUBLISHED), "c": Reference(50.0, PUBLISHED)}


def run(instance, solver, cost=None, *, status=FEASIBLE, seed=0, trajectory=None, seconds=2.0, reported=None):
    return Run(
        instance, solver, seed, 2.0, status, cost, reported, reason="because", seconds=seconds, processor_seconds=1.0,
        trajectory=trajectory,
    )  # fmt: skip


def test_gaps_wins_losses_and_ties_by_hand() -> None:
    runs = [
        run("a", "x", 101.0), run("a", "x", 103.0, seed=1), run("a", "y", 104.0),  # 2 % and 4 %: a win
        run("b", "x", 206.0), run("b", "x", 206.0, seed=1), run("b", "y", 202.0),  # 3 % and 1 %: a loss
        run("c", "x", 50.0), run("c", "x", 51.0, seed=1), run("c", "y", 50.5),  # 1 % and 1 %: a tie
    ]  # fmt: skip
    x, y = standings(runs, REFERENCES)
    assert (x.solver, x.instances, x.runs, x.feasible, x.failed) == ("x", 3, 6, 6, 0)
    assert x.gap == pytest.approx((2 + 3 + 1) / 3)
    assert y.gap == pytest.approx((4 + 1 + 1) / 3)
    assert (y.wins, y.losses, y.ties) == (1, 1, 1)
    assert (x.wins, x.losses, x.ties) == (0, 0, 3)
    assert (y.seconds, y.share) == (2.0, 0.5)


def test_a_run_without_a_solution_counts_as_a_hundred_percent() -> None:
    runs = [
        run("a", "x", 101.0), run("a", "y", status=FAILED),
        run("b", "x", 202.0), run("b", "y", status=INFEASIBLE),
    ]  # fmt: skip
    _, y = standings(runs, REFERENCES)
    assert (y.gap, y.feasible, y.failed, y.runs) == (100.0, 0, 1, 2)
    assert (y.wins, y.losses) == (2, 0)


def test_what_a_solver_cannot_do_is_left_out_of_its_mean() -> None:
    runs = [
        run("a", "x", 101.0), run("a", "y", 105.0), run("b", "x", 300.0), run("b", "y", status=LEFT_OUT),
    ]  # fmt: skip
    x, y = standings(runs, REFERENCES)
    assert x.gap == pytest.approx((1 + 50) / 2)
    assert (y.instances, y.gap) == (1, pytest.approx(5.0))
    assert (y.wins, y.losses, y.ties) == (1, 0, 0)


def test_who_was_left_out_everywhere_has_no_numbers() -> None:
    _, y = standings([run("a", "x", 101.0), run("a", "y", status=LEFT_OUT)], REFERENCES)
    assert (y.instances, y.gap, y.integral, y.seconds, y.share) == (0, None, None, None, None)


def test_an_instance_that_was_cut_short_does_not_count() -> None:
    runs = [run("a", "x", 101.0), run("a", "y", 102.0), run("b", "x", 400.0)]
    assert counted_instances(runs) == ["a"]
    x, _ = standings(runs, REFERENCES)
    assert (x.instances, x.gap) == (1, pytest.approx(1.0))


def test_integrals_are_means_over_runs_then_instances() -> None:
    runs = [
        run("a", "x", 102.0, trajectory=[(0.0, 104.0), (1.0, 102.0)]),  # 3 %
        run("a", "x", 101.0, seed=1, trajectory=[(0.0, 101.0)]),  # 1 %
        run("b", "x", 200.0, trajectory=[(1.0, 200.0)]),  # 10 % for half of the time
    ]
    (x,) = standings(runs, REFERENCES)
    assert x.integral == pytest.approx((2 + 5) / 2)


def test_without_a_trajectory_there_is_no_integral() -> None:
    runs = [run("a", "x", 102.0, trajectory=[(0.0, 102.0)]), run("b", "x", 202.0)]
    assert standings(runs, REFERENCES)[0].integral is None


def test_what_an_infeasible_run_says_of_its_way_is_not_believed() -> None:
    runs = [run("a", "x", status=INFEASIBLE, trajectory=[(0.0, 100.0)])]
    assert standings(runs, REFERENCES)[0].integral == 10.0


def test_the_reference_is_the_best_known_cost_or_the_best_of_the_runs() -> None:
    known, generated = read("A-n32-k5"), generate_cvrp(5, seed=1)
    runs = [run(generated.name, "x", 12.0), run(generated.name, "y", 11.0), run(known.name, "y", 700.0)]
    assert reference_of(known, runs) == Reference(784.0, PUBLISHED)
    assert reference_of(generated, runs) == Reference(11.0, BEST_OF_RUNS)
    assert reference_of(generated, []) == Reference(None, BEST_OF_RUNS)


def test_what_is_doubtful_is_told() -> None:
    runs = [
        run("a", "x", 100.0, reported=100.0),
        run("a", "y", 99.0, reported=99.0),
        run("b", "x", 200.0, reported=190.0),
        run("b", "y", status=FAILED),
        run("c", "x", 50.0, seconds=4.0),
        run("c", "y", status=LEFT_OUT),
    ]
    told = alarms(runs, REFERENCES)
    assert [sentence.split(":")[0] for sentence in told] == ["a, y, seed 0", "b, x, seed 0", "b, y, seed 0", "x"]
    assert "99 is less than the reference of 100" in told[0]
    assert "says 190, and our checker 200" in told[1]
    assert "failed: because" in told[2]
    assert "1 of its runs took longer than they were given, the worst 2.00 times as long" in told[3]
