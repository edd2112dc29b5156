"""Files in the formats of Li and Lim and of Cordeau: what they mean, and every mistake with its line."""

from pathlib import Path

import numpy as np
import pytest

from dacalns.instances import VehicleType, read
from dacalns.util.errors import InputError

LI_LIM = """2\t200\t1
0 40 50 0 0 1236 0 0 0
1 45 68 -10 912 967 90 3 0
2 45 70 20 825 870 80 0 4
3 42 66 10 65 146 70 0 1

4 42 68 -20 727 782 60 2 0
"""
CORDEAU = """2 3 3 2
80 100
0 60.5
1 10 0 5 7 1 2 1 2
2 20 0 6 8 1 2 1 2
3 30 0 7 9 1 0
4 0 1 0 0 0 0
5 0 2 0 0 0 0
"""
TIMED = """6 3 2 1
0 100
1 10 0 5 7 1 1 1 20 30
2 20 0 6 8 1 1 1 40 50
3 0 1 0 0 0 0 0 99
"""


def put(folder: Path, text: str) -> Path:
    path = folder / "rich.txt"
    path.write_text(text)
    return path


def test_pairs(tmp_path: Path) -> None:
    instance = read(put(tmp_path, LI_LIM))
    assert (instance.name, instance.capacity, instance.fleet, instance.rounding) == ("rich", 200, 2, "exact")
    assert instance.features == {"pairs", "windows"}
    assert instance.pairs is not None
    assert instance.pairs.tolist() == [[2, 4], [3, 1]]
    assert instance.demands.tolist() == [0, 0, 20, 10, 0]
    assert instance.service.tolist() == [0, 90, 80, 70, 60]
    assert np.array_equal(instance.windows, [[0, 1236], [912, 967], [825, 870], [65, 146], [727, 782]])
    assert np.array_equal(instance.coordinates, [[40, 50], [45, 68], [45, 70], [42, 66], [42, 68]])


def test_depots(tmp_path: Path) -> None:
    instance = read(put(tmp_path, CORDEAU))
    assert (instance.name, instance.depots, instance.fleet) == ("rich", 2, 6)
    assert instance.vehicle_types == (
        VehicleType(num_available=3, capacity=100.0, shift_duration=80.0),
        VehicleType(num_available=3, capacity=60.5, start_depot=1, end_depot=1),
    )
    assert np.array_equal(instance.coordinates, [[0, 1], [0, 2], [10, 0], [20, 0], [30, 0]])
    assert instance.demands.tolist() == [0, 0, 7, 8, 9]
    assert instance.service.tolist() == [0, 0, 5, 6, 7]
    assert instance.windows is None
    assert instance.customers_first


def test_one_depot_with_windows(tmp_path: Path) -> None:
    instance = read(put(tmp_path, TIMED))
    assert (instance.depots, instance.fleet, instance.capacity, instance.is_plain) == (1, 3, 100, True)
    assert np.array_equal(instance.windows, [[0, 99], [20, 30], [40, 50]])
    limited = read(put(tmp_path, TIMED.replace("0 100", "70 100")))
    assert limited.vehicle_types == (VehicleType(num_available=3, capacity=100.0, shift_duration=70.0),)
    assert not limited.customers_first


# The text, what is replaced by what, the line that the message must name, a piece of the message.
MISTAKES: dict[str, tuple[str, str, str, int, str]] = {
    "vehicles": (LI_LIM, "2\t200", "0\t200", 1, "number of vehicles is '0'"),
    "capacity": (LI_LIM, "2\t200", "2\t0", 1, "capacity is '0'; expected a number over 0"),
    "speed": (LI_LIM, "200\t1", "200\t-1", 1, "speed is '-1'"),
    "row-short": (LI_LIM, "60 2 0", "60 2", 7, "row of node 4 has 8 values ('4' first); expected 9"),
    "row-number": (LI_LIM, "4 42 68", "5 42 68", 7, "node number is '5'; expected 4, as the depot is 0"),
    "row-text": (LI_LIM, "4 42 68", "4 42 x", 7, "y of node 4 is 'x'"),
    "window-negative": (LI_LIM, "65 146", "-65 146", 5, "window opening of node 3 is '-65'"),
    "window-reversed": (LI_LIM, "65 146", "165 146", 5, "window of node 3 is 165 to 146"),
    "depot-demand": (LI_LIM, "0 40 50 0", "0 40 50 3", 2, "demand of depot 0 is 3; expected 0"),
    "no-partner": (LI_LIM, "80 0 4", "80 0 0", 4, "delivery of node 2 is 0; expected another node from 1 to 4"),
    "no-such-partner": (LI_LIM, "80 0 4", "80 0 9", 4, "delivery of node 2 is 9"),
    "partner-is-itself": (LI_LIM, "80 0 4", "80 0 2", 4, "delivery of node 2 is 2; expected another node"),
    "partner-is-half": (LI_LIM, "80 0 4", "80 0 3.5", 4, "delivery of node 2 is 3.5"),
    "not-agreed": (LI_LIM, "60 2 0", "60 3 0", 4, "delivery of node 2 is 4, which has pickup 3 and delivery 0"),
    "delivery-has-both": (LI_LIM, "60 2 0", "60 2 3", 4, "which has pickup 2 and delivery 3; expected 2 and 0"),
    "amounts": (LI_LIM, "68 -20", "68 -19", 7, "demand of node 4 is -19; expected -20, as its pickup takes 20"),
    "only-a-depot": (LI_LIM, LI_LIM[10:], "0 40 50 0 0 1236 0 0 0\n", 2, "there are 1 nodes; expected a depot and"),
    "type": (CORDEAU, "2 3 3 2", "1 3 3 2", 1, "type is '1'; expected 2 (several depots) or 6"),
    "counts": (CORDEAU, "2 3 3 2", "2 3 4 2", 1, "there are 7 lines below; expected 8"),
    "counts-zero": (CORDEAU, "2 3 3 2", "2 0 3 2", 1, "number of vehicles is '0'"),
    "depot-line": (CORDEAU, "80 100", "80 100 3", 2, "line of depot 1 has 3 values ('80' first); expected 2"),
    "depot-limit": (CORDEAU, "80 100", "-80 100", 2, "longest route of depot 1 is '-80'"),
    "depot-capacity": (CORDEAU, "0 60.5", "0 0", 3, "capacity of depot 2 is '0'; expected a number over 0"),
    "number": (CORDEAU, "2 20 0", "3 20 0", 5, "number is '3'; expected 2, customer 2"),
    "number-of-depot": (CORDEAU, "5 0 2 0", "6 0 2 0", 8, "number is '6'; expected 5, depot 2"),
    "values": (CORDEAU, "7 1 2 1 2", "7 1 2 1", 4, "row of customer 1 has 8 values"),
    "values-few": (CORDEAU, "9 1 0", "9 1", 6, "row of customer 3 has 6 values; expected 7"),
    "value-text": (CORDEAU, "3 30 0", "3 x 0", 6, "x of customer 3 is 'x'"),
    "value-negative": (CORDEAU, "7 9 1 0", "7 -9 1 0", 6, "demand of customer 3 is '-9'"),
    "frequency": (CORDEAU, "9 1 0", "9 2 0", 6, "frequency of customer 3 is 2; expected 1, as each customer is"),
    "demand-of-depot": (CORDEAU, "0 2 0 0", "0 2 0 4", 8, "demand of depot 2 is 4; expected 0"),
    "timed-window": (TIMED, "20 30", "40 30", 3, "window of node 1 is 40 to 30"),
    "timed-without": (TIMED, "1 1 1 20 30", "1 1 1", 3, "row of customer 1 has 8 values; expected 9"),
    "neither": (CORDEAU, "2 3 3 2", "2 3 3 2 5", 1, "the file begins with '2 3 3 2 5'; expected VRPLIB"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_message(case: str, tmp_path: Path) -> None:
    text, old, new, line, fragment = MISTAKES[case]
    assert text.count(old) == 1, "the case would spoil another place than it means"
    path = put(tmp_path, text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert fragment in message
    assert message.endswith(".")
