"""Reasons for infeasibility, each on an instance made for it."""

import pytest

from dacalns.instances import Instance, preflight, read, require_feasible
from dacalns.util.errors import InfeasibleInstanceError, InputError


def line(**changes: object) -> Instance:
    """Three customers on a line at 10, 20, 30 from the depot, which closes at 100."""
    fields = {
        "name": "line",
        "coordinates": [[0, 0], [10, 0], [20, 0], [30, 0]],
        "demands": [0, 4, 4, 4],
        "capacity": 10,
        "windows": [[0, 100], [0, 100], [0, 100], [0, 60]],
        "service": [0, 5, 5, 5],
    }
    return Instance(**{**fields, **changes})  # type: ignore[arg-type]


def test_nothing_wrong() -> None:
    assert preflight(line()) == []
    require_feasible(line(fleet=2))


def test_a_customer_over_capacity() -> None:
    assert preflight(line(demands=[0, 4, 10.5, 4])) == ["Customer 2 demands 10.5, more than the capacity of 10."]


def test_a_window_that_closes_too_early() -> None:
    windows = [[0, 100], [0, 100], [0, 19.5], [0, 60]]
    assert preflight(line(windows=windows)) == [
        "Customer 2 cannot be reached in time: the earliest arrival is at 20 and its window closes at 19.5."
    ]
    windows = [[5, 100], [0, 100], [0, 24.9], [0, 60]]
    assert "at 25 and its window closes at 24.9" in preflight(line(windows=windows))[0]


def test_a_depot_that_closes_too_early() -> None:
    windows = [[0, 100], [0, 100], [0, 100], [66, 70]]
    assert preflight(line(windows=windows)) == [
        "From customer 3 the depot cannot be regained in time: "
        "the earliest return is at 101 and the depot closes at 100."
    ]
    windows[3] = [65, 70]
    assert preflight(line(windows=windows)) == []


def test_too_few_vehicles_for_the_demand() -> None:
    assert preflight(line(fleet=1)) == [
        "The total demand of 12 needs 2 vehicles of capacity 10, more than the fleet of 1."
    ]


def test_too_many_large_customers() -> None:
    assert preflight(line(demands=[0, 6, 6, 6], fleet=2, capacity=10)) == [
        "3 customers demand more than half of the capacity each, "
        "so that no two of them share a route, and the fleet is 2."
    ]
    assert preflight(line(demands=[0, 5, 5, 5], fleet=2)) == []


def test_a_detour_that_is_faster_than_the_direct_way_is_no_proof() -> None:
    matrix = [[0, 1, 50], [1, 0, 1], [50, 1, 0]]
    fields = {"name": "detour", "matrix": matrix, "demands": [0, 1, 1], "capacity": 9}
    reached = Instance(**fields, windows=[[0, 9], [0, 9], [0, 3]])  # type: ignore[arg-type]
    assert preflight(reached) == []
    late = Instance(**fields, windows=[[0, 9], [3, 9], [0, 3]])  # type: ignore[arg-type]
    assert "Customer 2 cannot be reached in time: the earliest arrival is at 4" in preflight(late)[0]
    slow = Instance(**fields, windows=[[0, 9], [0, 9], [0, 9]], service=[0, 4, 2])  # type: ignore[arg-type]
    assert "From customer 2 the depot cannot be regained in time: the earliest return is at 14" in preflight(slow)[0]


def test_rounding_decides_feasibility() -> None:
    fields = {"name": "edge", "coordinates": [[0, 0], [1, 1]], "demands": [0, 1], "capacity": 1}
    windows = [[0, 2.8], [0, 1.4]]
    assert preflight(Instance(**fields, windows=windows, rounding="dimacs")) == []  # type: ignore[arg-type]
    reasons = preflight(Instance(**fields, windows=windows, rounding="exact"))  # type: ignore[arg-type]
    assert reasons[0].startswith("Customer 1 cannot be reached in time: the earliest arrival is at 1.414214")


def test_the_error_shows_the_first_reasons() -> None:
    instance = read("R101", fleet=3).with_(capacity=1)
    with pytest.raises(InfeasibleInstanceError) as caught:
        require_feasible(instance)
    message = str(caught.value)
    assert message.startswith("R101 has no feasible solution: Customer 1 demands 10, more than the capacity of 1;")
    assert "more reasons" in message
    assert "\n" not in message
    assert isinstance(caught.value, InputError)


def test_names_and_clock_times_are_told() -> None:
    fields = {"names": ["", "Anna", "Bob", "Cleo"], "time_unit": "min"}
    late = line(windows=[[480, 1080], [0, 1080], [480, 490], [480, 1080]], **fields)
    assert preflight(late) == [
        "Customer Bob cannot be reached in time: the earliest arrival is at 08:20 and its window closes at 08:10."
    ]
    assert preflight(line(demands=[0, 4, 10.5, 4], **fields)) == [
        "Customer Bob demands 10.5, more than the capacity of 10."
    ]
