"""Budgets by name."""

import pytest

import dacalns
from dacalns import StopSettings


def test_the_first_budget_met_counts():
    assert StopSettings().criterion() is None
    assert StopSettings(time=0).criterion() == dacalns.MaxTime(0)
    combined = StopSettings(1, 2, 3, 4).criterion()
    assert combined == (
        dacalns.MaxTime(1) | dacalns.MaxIterations(2) | dacalns.NoImprovement(3) | dacalns.TargetCost(4)
    )


@pytest.mark.parametrize("budget", [{"time": -1}, {"iterations": 0.5}, {"no_improvement": 0}, {"target": "a"}])
def test_budgets_that_make_no_sense(budget):
    with pytest.raises(dacalns.InputError, match=str(next(iter(budget.values())))):
        StopSettings(**budget)
