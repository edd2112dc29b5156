"""Settings of the acceptance criteria."""

import pytest

import dacalns
from dacalns.core import acceptance as kernels
from dacalns.search.acceptance import (
    ACCEPTANCES,
    LateAcceptance,
    LocalAnnealing,
    RecordToRecord,
    SimulatedAnnealing,
    Threshold,
    as_acceptance,
)
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.util.errors import InputError


@pytest.mark.parametrize("criterion", [SimulatedAnnealing, RecordToRecord, Threshold])
@pytest.mark.parametrize(("start", "end"), [(0.1, 0.2), (0.1, 0), (0, 0), (-1, -2), (float("nan"), 0.1)])
def test_allowances_must_fall(criterion: type, start: float, end: float) -> None:
    with pytest.raises(InputError, match=f"^{criterion.__name__} has start .*expected 0 < end <= start"):
        criterion(start, end)


@pytest.mark.parametrize("length", [0, -1, 2.5, "3", True])
def test_late_acceptance_needs_a_length(length: object) -> None:
    with pytest.raises(InputError, match="LateAcceptance length is"):
        LateAcceptance(length)  # type: ignore[arg-type]


def test_allowances_scale_with_the_instance() -> None:
    small, large = (SimulatedAnnealing().memory(reference) for reference in (100.0, 1000.0))
    assert large == pytest.approx(10 * small)


def test_temperatures_stay_positive_on_an_instance_without_distances() -> None:
    assert SimulatedAnnealing().memory(0.0).min() > 0


@pytest.mark.parametrize("name", ACCEPTANCES)
def test_criteria_by_name(name: str) -> None:
    by_name, itself = (
        dacalns.solve("P-n16-k8", portfolio="paper", acceptance=given, stop=dacalns.MaxIterations(200), seed=3)
        for given in (name, ACCEPTANCES[name])
    )
    assert by_name.routes == itself.routes
    assert by_name.settings == itself.settings
    assert by_name.settings["acceptance"]["type"] == type(ACCEPTANCES[name]).__name__


def test_the_calibrated_one_is_that_of_the_papers_portfolio() -> None:
    assert PORTFOLIOS["paper"].acceptance is ACCEPTANCES["calibrated"]
    assert ACCEPTANCES["calibrated"] == LocalAnnealing(1.2, 0.77)
    assert ACCEPTANCES["version-0.1"] == SimulatedAnnealing()


def test_a_threshold_is_of_the_start_or_of_the_current_solution() -> None:
    assert Threshold(0.2, 0.1).memory(50.0).tolist() == [10, 5]
    assert Threshold(0.2, 0.1, of="current").memory(50.0).tolist() == [0.2, 0.1]
    assert Threshold(0.2, 0.1, of="current").kernel is kernels.relative_threshold
    with pytest.raises(InputError, match="of is 'best'; expected one of start, current"):
        Threshold(0.2, 0.1, of="best")


@pytest.mark.parametrize("given", ["hillclimbing", "", 3, SimulatedAnnealing])
def test_what_is_no_criterion(given: object) -> None:
    with pytest.raises(InputError, match=r"^acceptance is .* expected .*hill-climbing") as caught:
        as_acceptance(given)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
