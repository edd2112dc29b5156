"""All that is bundled can be read, and its best-known values are those of the lists."""

from pathlib import Path

import numpy as np
import pytest

from dacalns.instances import instance_names, preflight, read
from dacalns.instances.best_known import best_known_values
from dacalns.instances.instance_file import bundled_names

ANCHORS = {
    "A-n32-k5": 784,
    "B-n31-k5": 672,
    "P-n16-k8": 450,
    "P-n55-k8": 576,  # published as 588, presumably for exactly 8 routes; ours may be fewer
    "C101": 827.3,
    "R101": 1637.7,
    "RC101": 1619.8,
}
ORIGINALS = Path(__file__).parents[3] / "shared" / "data" / "paper"


@pytest.mark.parametrize(("name", "cost"), ANCHORS.items())
def test_anchors(name: str, cost: float) -> None:
    assert read(name).best_known == cost


@pytest.mark.parametrize("name", instance_names())
def test_every_bundled_instance(name: str) -> None:
    instance = read(name)
    assert instance.name == name
    assert instance.best_known is not None
    assert instance.best_known_origin == ""
    assert instance.proven_optimal == (name != "P-n55-k8")
    assert preflight(instance) == []
    if instance.problem == "cvrp":
        assert (instance.rounding, instance.fleet) == ("round", int(name.split("-k")[1]))
        assert instance.customers == int(name.split("-")[1][1:]) - 1
    else:
        assert (instance.rounding, instance.fleet, instance.customers) == ("dimacs", 25, 100)


def test_the_list_and_the_files_agree() -> None:
    published = [name for name, listed in best_known_values().items() if not listed.origin]
    assert sorted(published) == sorted(bundled_names())


def test_p_n55_k8_is_p_n55_k7_with_less_room() -> None:
    narrow, wide = read("P-n55-k8"), read("P-n55-k7")
    assert (narrow.capacity, wide.capacity) == (160, 170)
    assert np.array_equal(narrow.distances, wide.distances)
    assert np.array_equal(narrow.demands, wide.demands)


@pytest.mark.skipif(not ORIGINALS.is_dir(), reason="the published files are not beside this checkout")
def test_the_same_numbers_as_in_the_published_files() -> None:
    files = [path for path in ORIGINALS.glob("*/*") if path.suffix in (".vrp", ".txt")]
    assert len(files) == 129
    for path in files:
        assert read(path).with_(comment="") == read(path.stem).with_(comment="")
