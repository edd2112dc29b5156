"""Operators, seed, jobs and objective."""

import pytest

from dacalns import InputError, SearchSettings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"portfolio": "papr"}, "did you mean 'paper'"),
        ({"portfolio": 1}, "portfolio is 1"),
        ({"seed": 1.5}, "seed is"),
        ({"jobs": 0}, "jobs is 0; expected a whole number from 1 to 1024"),
        ({"objective": "vehicles"}, "expected one of distance, vehicles-then-distance"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(InputError, match=message):
        SearchSettings(**settings)


def test_a_file_is_not_run_before_it_is_needed():
    assert SearchSettings("missing.py:MINE").portfolio == "missing.py:MINE"
