"""Times of the day and lengths of time as people write them."""

import datetime

import pytest

from dacalns.instances.clock_times import ClockTime, clock_time, in_unit, seconds_long


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("08:30", 8.5), ("8:30", 8.5), ("08:30:36", 8.51), ("8:30 pm", 20.5), ("12:15 a.m.", 0.25), ("12:15PM", 12.25),
        ("24:00", 24), ("26:30", 26.5), (datetime.time(8, 30), 8.5), (datetime.timedelta(hours=25), 25),
    ],
)  # fmt: skip
def test_times_of_the_day(value, hours):
    assert clock_time(value).seconds == pytest.approx(hours * 3600)
    assert clock_time(value).date == ""


@pytest.mark.parametrize("value", ["2026-05-04 08:30", "2026-05-04T08:30:00", datetime.datetime(2026, 5, 4, 8, 30)])
def test_times_with_a_date(value):
    assert clock_time(value) == ClockTime(8.5 * 3600, "2026-05-04")


@pytest.mark.parametrize(
    "value",
    [
        "8", 8, 8.5, "", None, "8:60", "48:00", "13:00 pm", "0:30 am", "8.30", "2026-13-04 08:30", "2026-05-04 24:30",
        datetime.datetime(2026, 5, 4, tzinfo=datetime.UTC), datetime.timedelta(hours=-1), "1" * 100,
    ],
)  # fmt: skip
def test_what_is_no_time(value):
    assert clock_time(value) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0:10", 600), ("1:30", 5400), ("0:00:30", 30), ("10 min", 600), ("1.5 h", 5400), ("90s", 90),
        ("2 Hours", 7200),
        (datetime.timedelta(minutes=5), 300), (datetime.time(0, 5), 300), ("10", None), ("10 days", None), (10, None),
    ],
)  # fmt: skip
def test_lengths_of_time(value, seconds):
    assert seconds_long(value) == seconds


def test_units():
    assert in_unit(5400, "h") == 1.5
    assert in_unit(100, "min") == pytest.approx(5 / 3, abs=1e-9)
