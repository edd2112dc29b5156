"""Published numbers of vehicles: for Solomon's very numbers and exact distances, and nothing else."""

from pathlib import Path

import pytest

from dacalns.instances import instance_names, read, write_instance
from dacalns.instances.best_known import fewest_vehicles, fewest_vehicles_values


def test_all_of_solomon_is_listed() -> None:
    listed = fewest_vehicles_values()
    assert sorted(listed) == sorted(instance_names("solomon"))
    assert sum(value.vehicles for value in listed.values()) == 405
    assert {value.rounding for value in listed.values()} == {"exact"}


@pytest.mark.parametrize(
    ("name", "vehicles", "distance"), [("C101", 10, 828.94), ("R104", 9, 1007.31), ("R211", 2, 885.71)]
)
def test_what_is_published(name: str, vehicles: int, distance: float) -> None:
    known = fewest_vehicles(read(name, rounding="exact"))
    assert known is not None
    assert (known.vehicles, known.distance) == (vehicles, distance)


def test_any_fleet_that_is_large_enough() -> None:
    for fleet in ("free", 9, 25):
        assert fewest_vehicles(read("R104", rounding="exact", fleet=fleet)) is not None
    assert fewest_vehicles(read("R104", rounding="exact", fleet=8)) is None


def test_other_distances_and_other_numbers_have_none(tmp_path: Path) -> None:
    assert fewest_vehicles(read("R104")) is None
    assert fewest_vehicles(read("A-n32-k5", rounding="exact")) is None
    assert fewest_vehicles(read("R105-n62-s1", rounding="exact")) is None
    instance = read("R104", rounding="exact")
    path = tmp_path / "R104.txt"
    write_instance(instance.with_(capacity=201), path)
    assert fewest_vehicles(read(path, rounding="exact")) is None
    write_instance(instance, path)
    assert fewest_vehicles(read(path, rounding="exact")) == fewest_vehicles(instance)
