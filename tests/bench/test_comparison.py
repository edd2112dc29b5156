"""The statistics of a comparison, against sums done by hand."""

import pytest

from dacalns.bench.comparison import (
    Comparison,
    Run,
    compare,
    comparison_table,
    counted_costs,
)
from dacalns.errors import InputError


def runs_of(
    selector: str, costs: dict[str, list[float]], best_known: float | None = None, *,
    iterations: int = 100, seconds: float = 2.0, unserved: int = 0,
) -> list[Run]:  # fmt: skip
    """A run for each cost, with seeds 0, 100, ..."""
    return [
        Run(instance, selector, 100 * k, cost, unserved, iterations, seconds, best_known)
        for instance, found in costs.items()
        for k, cost in enumerate(found)
    ]


BASE = {"a": [100, 110, 120], "b": [200, 200, 200], "c": [50, 60, 70], "d": [10, 10, 10]}
# Means 110, 200, 60, 10 become 99, 210, 60, 9: two wins, a loss, a tie.
OTHER = {"a": [98, 99, 100], "b": [195, 205, 230], "c": [40, 60, 80], "d": [9, 9, 9]}


def test_by_hand() -> None:
    runs = runs_of("base", BASE, seconds=2.0) + runs_of("other", OTHER, seconds=3.0, iterations=600)
    found = compare(runs, "other", "base")
    assert found.instances == 4
    # Averages: -10 %, +5 %, 0 %, -10 %. Bests: 98/100, 195/200, 40/50, 9/10.
    assert found.gap_of_averages == pytest.approx((-10 + 5 + 0 - 10) / 4)
    assert found.gap_of_bests == pytest.approx((-2 - 2.5 - 20 - 10) / 4)
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)
    # Differences -11, +10, -1: ranks 3, 2, 1. The positive ranks add up to 2; of the eight ways to sign three ranks,
    # the sum is at most 2 in three: {}, {1}, {2}.
    assert found.p_value == pytest.approx(3 / 8)
    assert found.gap_to_best_known is None
    assert found.time_ratio == pytest.approx(1.5)
    assert found.iterations_per_second == pytest.approx(200)
    assert (found.unserved_runs, found.runs) == (0, 12)


def test_the_other_way_round() -> None:
    runs = runs_of("base", BASE) + runs_of("other", OTHER)
    found = compare(runs, "base", "other")
    assert (found.wins, found.losses, found.ties) == (1, 2, 1)
    assert found.p_value == pytest.approx(6 / 8)


def test_gap_to_best_known_is_over_the_instances_that_have_one() -> None:
    runs = runs_of("base", {"a": [110, 120], "b": [3, 3]}, best_known=100) + runs_of("base", {"c": [7, 7]})
    runs = [run if run.instance != "b" else Run(**{**vars(run), "best_known": 2.0}) for run in runs]
    found = compare(runs, "base", "base")
    assert found.gap_to_best_known == pytest.approx((15 + 50) / 2)
    assert found.with_best_known == 2


def test_last_bits_are_a_tie_and_more_is_not() -> None:
    def against(cost: float) -> Comparison:
        return compare(runs_of("x", {"a": [cost]}) + runs_of("y", {"a": [827.3]}), "x", "y")

    last_bits = against(827.3 + 4e-13)
    assert (last_bits.ties, last_bits.p_value, last_bits.gap_of_averages) == (1, None, 0.0)
    assert against(827.3 * (1 - 1e-8)).wins == 1


def test_a_run_that_leaves_customers_unserved_is_no_bargain() -> None:
    served = runs_of("x", {"a": [100, 130]})
    cheap = runs_of("y", {"a": [40, 40]}, unserved=3)
    assert list(counted_costs(served + cheap).values()) == [100, 130, 200, 200]
    found = compare(served + cheap, "y", "x")
    assert found.gap_of_averages == pytest.approx(100 * (200 - 115) / 115)
    assert (found.losses, found.unserved_runs, found.runs) == (1, 2, 2)


def test_the_penalty_is_by_the_best_known_value_where_there_is_one() -> None:
    runs = runs_of("x", {"a": [100]}, best_known=80) + runs_of("y", {"a": [40]}, best_known=80, unserved=1)
    assert list(counted_costs(runs).values()) == [100, 160]
    assert compare(runs, "y", "x").gap_to_best_known == pytest.approx(100)


def test_the_penalty_is_never_below_a_run_that_serves_everybody() -> None:
    runs = runs_of("x", {"a": [100, 350]}) + runs_of("y", {"a": [40]}, unserved=1)
    assert list(counted_costs(runs).values()) == [100, 350, 350]


def test_where_nobody_serves_everybody_all_are_equal() -> None:
    runs = runs_of("x", {"a": [100]}, unserved=1) + runs_of("y", {"a": [40]}, unserved=5)
    found = compare(runs, "y", "x")
    assert (found.ties, found.unserved_runs, found.gap_of_averages) == (1, 1, 0.0)


def test_seeds_may_come_in_any_order_but_must_be_the_same() -> None:
    runs = runs_of("x", {"a": [1, 2]}) + runs_of("y", {"a": [2, 2]})
    assert compare(runs[::-1], "x", "y") == compare(runs, "x", "y")
    with pytest.raises(InputError, match="x and y have not run on the same instances with the same seeds"):
        compare(runs[1:], "x", "y")
    with pytest.raises(InputError, match="z has no run"):
        compare(runs, "z", "z")


def test_the_table() -> None:
    runs = runs_of("base", BASE, best_known=10) + runs_of("other", OTHER, best_known=10, seconds=1.0)
    rows = [("tiny", compare(runs, name, "base")) for name in ("base", "other")]
    head, line, base, other = comparison_table(rows).splitlines()
    assert head.count("|") == line.count("|") == base.count("|") == other.count("|")
    assert base.startswith("| tiny | 4 | base | - | - | - | - | - | ")
    assert other.startswith("| tiny | 4 | other | base | -3.750 | -8.625 | 2 / 1 / 1 | 0.3750 | ")
    assert other.endswith("| 0 | 0.50 | 100 |")
