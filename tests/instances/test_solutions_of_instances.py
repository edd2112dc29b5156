"""Solution files of instances that tell vehicles apart, reload, or number customers before depots."""

from pathlib import Path

import pytest

from dacalns.instances import Instance, VehicleType, read_solution
from dacalns.instances.solution_file import read_solution_of, solution_text_of, write_solution_of
from dacalns.util.errors import InputError

PLACES = [[0, 0], [1, 1], [3, 4], [6, 8], [9, 12], [12, 16]]
PLAIN = Instance(name="plain", coordinates=PLACES, demands=[0, 1, 1, 1, 1, 1], capacity=9)  # type: ignore[arg-type]
TYPES = (VehicleType(num_available=2, capacity=9.0), VehicleType(num_available=2, capacity=5.0, reload_depots=(0, 1)))


def depots(*types: VehicleType, **options: object) -> Instance:
    return Instance(  # type: ignore[arg-type]
        name="rich", coordinates=PLACES, depots=2, demands=[0, 0, 1, 1, 1, 1], vehicle_types=types, **options
    )


RICH = depots(*TYPES, vehicles=(3, 1, 0, 2))
CORDEAU = depots(
    VehicleType(num_available=2, capacity=9.0),
    VehicleType(num_available=2, capacity=9.0, start_depot=1, end_depot=1),
    customers_first=True,
)

# An instance, routes with their types, and the text.
CASES: dict[str, tuple[Instance, list[list[int]], list[int], str]] = {
    "plain": (PLAIN, [[1, 2], [5]], [0, 0], "Route #1: 1 2\nRoute #2: 5\n"),
    "one-type": (depots(TYPES[1]), [[2, 0, 3], [5]], [0, 0], "Route #1: 2 0 3\nRoute #2: 5\n"),
    "numbers": (
        RICH,
        [[2, 0, 3], [4], [5]],
        [1, 0, 1],
        "Route #1: 2 0 3\nRoute #2: 4\nRoute #3: 5\nRoute #4:\n",
    ),
    "unused": (RICH, [[4, 5]], [0], "Route #1:\nRoute #2: 4 5\nRoute #3:\nRoute #4:\n"),
    "in-order": (depots(*TYPES), [[4], [5]], [1, 0], "Route #1: 5\nRoute #2:\nRoute #3: 4\nRoute #4:\n"),
    "unlimited": (
        depots(VehicleType(num_available=None, capacity=9.0), TYPES[0]),
        [[2], [3], [4]],
        [0, 0, 1],
        "Route #1: 2\nRoute #2: 3\nRoute #3:\nRoute #4:\nRoute #5: 4\nRoute #6:\n",
    ),
    "customers-first": (CORDEAU, [[2, 3], [5]], [0, 1], "Route #1: 1 2\nRoute #2:\nRoute #3: 4\nRoute #4:\n"),
    "customers-first-and-reload": (
        CORDEAU.with_(vehicle_types=TYPES),
        [[2, 0, 3, 1, 5]],
        [1],
        "Route #1:\nRoute #2:\nRoute #3: 1 5 2 6 4\nRoute #4:\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_round_trip(case: str, tmp_path: Path) -> None:
    instance, routes, types, text = CASES[case]
    path = tmp_path / "x.sol"
    write_solution_of(instance, path, routes, types, 12.5)
    assert path.read_text() == text + "Cost 12.5\n"
    found, its_types, cost = read_solution_of(instance, path)
    assert sorted(zip(found, its_types, strict=True)) == sorted(zip(routes, types, strict=True))
    assert cost == 12.5


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cost", ["Cost 784", "Cost: 784"])
def test_the_cost_as_cvrplib_and_as_pyvrp_write_it(case: str, cost: str, tmp_path: Path) -> None:
    instance, routes, types, text = CASES[case]
    path = tmp_path / "x.sol"
    path.write_text(text + cost + "\n")
    found, its_types, value = read_solution_of(instance, path)
    assert sorted(zip(found, its_types, strict=True)) == sorted(zip(routes, types, strict=True))
    assert value == 784


def test_plain_instances_have_the_files_that_they_had(tmp_path: Path) -> None:
    assert solution_text_of(PLAIN, [[1, 2], [], [5]]) == "Route #1: 1 2\nRoute #2: 5\n"
    path = tmp_path / "x.sol"
    path.write_text("Route #1: 1 2\nRoute #1:\nRoute #1: 99\nCost 7\n")
    assert read_solution_of(PLAIN, path) == ([[1, 2], [99]], [0, 0], 7)
    assert read_solution(path) == ([[1, 2], [99]], 7)


@pytest.mark.parametrize(
    ("instance", "text", "line", "fragment"),
    [
        (RICH, "Route #1: 2\nRoute #5: 3\n", 2, "route 5 is of a vehicle that is not known; expected 1 to 4"),
        (RICH, "Route #0: 2\n", 1, "route 0 is of a vehicle that is not known"),
        (RICH, "Route #1: 2\nRoute #1: 3\n", 2, "route 1 is given a second time; expected it once (first on line 1)"),
        (RICH, "Route #1: 2 -1\n", 1, "customer in route 1 is '-1'; expected a whole number of 0 or more"),
        (PLAIN, "Route #1: 2 0\n", 1, "customer in route 1 is '0'; expected a whole number of 1 or more"),
        (CORDEAU, "Route #1: 2 7\n", 1, "customer in route 1 is 7; expected 1 to 4"),
        (CORDEAU, "Route #1: 0\n", 1, "customer in route 1 is '0'; expected a whole number of 1 or more"),
    ],
)
def test_mistakes_of_files(instance: Instance, text: str, line: int, fragment: str, tmp_path: Path) -> None:
    path = tmp_path / "x.sol"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_solution_of(instance, path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("routes", "types", "fragment"),
    [
        ([[2], [3], [4]], [0, 0, 0], "route 3 is one too many of type 0; expected at most 2"),
        ([[2]], [2], "type of route 1 is 2; expected a whole number from 0 to 1"),
        ([[2], [3]], [0], "there are 1 types for 2 routes; expected one for each"),
        ([[6]], [0], "customer is 6; expected a whole number from 0 to 5"),
        ([7], [0], "route 1 is 7; expected a list of customers"),
    ],
)
def test_mistakes_of_solutions(routes: list[list[int]], types: list[int], fragment: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_solution_of(RICH, tmp_path / "x.sol", routes, types)
    assert fragment in str(caught.value)
    assert not list(tmp_path.iterdir())
