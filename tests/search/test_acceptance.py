"""Settings of the acceptance criteria."""

import pytest

from dacalns.errors import InputError
from dacalns.search.acceptance import LateAcceptance, RecordToRecord, SimulatedAnnealing, Threshold


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
