"""The signed-rank test, against counts done by hand, every sign there is, and SciPy."""

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, rankdata, wilcoxon

from dacalns.study.paper_tables import EXPERIMENTS, RankTest, experiment
from dacalns.study.statistics import exact_p_value, paper_p_value, rank_biserial, wilcoxon_less
from dacalns.util.errors import InputError

small = st.integers(-6, 6).map(float)
unlike = st.lists(st.integers(1, 10**6), unique=True, min_size=1, max_size=30).flatmap(
    lambda sizes: st.tuples(*(st.sampled_from([-float(size), float(size)]) for size in sizes))
)


def signed(wins: int, losses: int, sum_of_losses: int, ties: int = 0) -> list[float] | None:
    """Differences whose ranks are 1, 2, ... and whose losses add up to a rank sum, if there are such."""
    ranks = range(1, wins + losses + 1)
    # Start with the smallest ranks and move the largest of them up: every sum between the extremes comes up once.
    chosen = list(ranks)[:losses]
    missing = sum_of_losses - sum(chosen)
    for place in reversed(range(losses)):
        step = min(missing, wins)
        chosen[place] += step
        missing -= step
    if missing:
        return None
    return [float(rank if rank in chosen else -rank) for rank in ranks] + [0.0] * ties


@pytest.mark.parametrize(
    ("wins", "losses", "ranks_of_losses", "printed"),
    [(6, 0, 0, 0.0156), (8, 0, 0, 0.0039), (7, 1, 1, 0.0078), (7, 1, 2, 0.0117), (5, 1, 1, 0.0312), (5, 3, 6, 0.0547)],
)
def test_the_papers_values_that_follow_from_wins_and_losses(
    wins: int, losses: int, ranks_of_losses: int, printed: float
) -> None:
    differences = signed(wins, losses, ranks_of_losses)
    assert differences is not None
    for p_value in (paper_p_value(differences), exact_p_value(differences), wilcoxon_less(differences)):
        assert p_value is not None
        assert f"{p_value:.4f}" == f"{printed:.4f}"


def test_six_and_eight_wins_to_the_last_bit() -> None:
    assert exact_p_value([-1.0] * 6) == exact_p_value([-1, -2, -3, -4, -5, -6]) == 1 / 64
    assert exact_p_value([-1.0] * 8) == 1 / 256


PRINTED = [
    pytest.param(test, id=f"{' '.join(pair)} {' '.join(place)}")
    for name in EXPERIMENTS
    for pair, places in experiment(name).tests.items()
    for place, test in places.items()
]
# These two cannot come of 12/4/2 and 26/22/6 unless sizes tie, which changes the normal distribution's width.
NEEDS_EQUAL_SIZES = {RankTest(12, 4, 2, 0.0037), RankTest(26, 22, 6, 0.0278)}


@pytest.mark.parametrize("test", PRINTED)
def test_the_papers_printed_values_can_all_come_of_its_wins_losses_and_ties(test: RankTest) -> None:
    lowest = test.losses * (test.losses + 1) // 2
    found = set()
    for total in range(lowest, lowest + test.wins * test.losses + 1):
        differences = signed(test.wins, test.losses, total, test.ties)
        assert differences is not None
        p_value = paper_p_value(differences)
        assert p_value is not None
        found.add(f"{p_value:.4f}")
    assert (f"{test.p_value:.4f}" in found) == (test not in NEEDS_EQUAL_SIZES)


@given(st.lists(small, max_size=9))
def test_exact_is_the_share_of_all_signs(differences: list[float]) -> None:
    sizes = [abs(value) for value in differences if value]
    if not sizes:
        assert exact_p_value(differences) is rank_biserial(differences) is None
        return
    ranks = rankdata(sizes)
    positive = sum(ranks[k] for k, value in enumerate(value for value in differences if value) if value > 0)
    sums = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up)
        for signs in itertools.product((False, True), repeat=len(ranks))
    ]
    assert exact_p_value(differences) == pytest.approx(sum(value <= positive for value in sums) / len(sums))
    assert rank_biserial(differences) == pytest.approx(1 - 2 * positive / sum(ranks))


@given(unlike)
def test_exact_is_scipys_where_sizes_differ(differences: tuple[float, ...]) -> None:
    theirs = wilcoxon(differences, alternative="less", method="exact").pvalue
    assert exact_p_value(differences) == pytest.approx(theirs, rel=1e-9)
    assert paper_p_value(differences) == pytest.approx(theirs, rel=1e-9)


def test_exact_beyond_what_scipy_does_exactly() -> None:
    # Where all sizes are equal, it is the sign test.
    assert exact_p_value([-1.0] * 600 + [1.0] * 500) == pytest.approx(binom.cdf(500, 1100, 0.5))


def test_ties_make_the_papers_value_normal_and_leave_ours_exact() -> None:
    differences = [-1.0, -2.0, -3.0, 4.0, -5.0, 0.0]
    assert paper_p_value(differences) == pytest.approx(0.1726, abs=5e-5)  # as the paper prints it for 4/1/1
    assert exact_p_value(differences) == 7 / 32
    assert wilcoxon_less(differences) == 7 / 32


def test_zeros_only() -> None:
    for p_value in (wilcoxon_less, paper_p_value, exact_p_value, rank_biserial):
        assert p_value([0.0, 0.0]) is None
        assert p_value([]) is None


def test_rank_biserial_is_one_where_the_first_is_always_better() -> None:
    assert rank_biserial([-3, -1, -2]) == 1
    assert rank_biserial([3, 1, 2, 0]) == -1
    assert rank_biserial([-3, 1, 2]) == 0


def test_without_scipy_the_error_has_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(InputError, match=r'run: pip install "dac-alns\[study\]"$'):
        wilcoxon_less([1.0])
