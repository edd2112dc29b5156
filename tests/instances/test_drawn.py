"""Generated instances that have a name."""

import hashlib

import numpy as np
import pytest

from dacalns.instances import Instance, instance_names, read
from dacalns.instances.generate import drawn_instance, generated_instance
from dacalns.learning.sources import Generated
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream


def digest(*instances: Instance) -> str:
    """Of all numbers of instances."""
    seen = hashlib.sha256()
    for each in instances:
        windows = None if each.windows is None else each.windows.tolist()
        numbers = (each.coordinates.tolist(), each.demands.tolist(), windows, np.asarray(each.service).tolist())
        seen.update(repr((each.name, each.capacity, each.fleet, each.rounding, *numbers)).encode())
    return seen.hexdigest()[:16]


@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_a_name_says_all(problem: str) -> None:
    name = f"generated-{problem}-n60-s7"
    instance = read(name)
    assert (instance.name, instance.problem, instance.customers, instance.fleet) == (name, problem, 60, None)
    assert digest(instance) == digest(read(name)) == digest(read(name.upper()))
    assert len({digest(read(f"generated-{problem}-n60-s{seed}")) for seed in range(20)}) == 20
    assert instance.best_known is None


def test_names_are_pinned() -> None:
    found = {problem: digest(*map(read, instance_names(f"screen-{problem}"))) for problem in ("cvrp", "vrptw")}
    assert found == {"cvrp": "330b0d41375d05bc", "vrptw": "2f47433cc2efad7e"}


def test_rules_can_be_asked_for() -> None:
    name = "generated-cvrp-n20-s1"
    assert read(name, rounding="exact").rounding == "exact"
    assert read(name, fleet=7).fleet == 7
    assert read(name, fleet="free").fleet is None
    with pytest.raises(InputError, match="fleet is 0"):
        read(name, fleet=0)


@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_screening_sets_are_spread_over_the_sizes(problem: str) -> None:
    instances = [*map(read, instance_names(f"screen-{problem}"))]
    sizes = [instance.customers for instance in instances]
    assert len(instances) == len({digest(instance) for instance in instances}) == 12
    assert (sizes[0], sizes[-1]) == (30, 79)
    assert set(np.diff(sizes)) <= {4, 5}
    assert {instance.problem for instance in instances} == {problem}


@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_no_training_has_an_instance_of_the_screening(problem: str) -> None:
    screened = {read(name).coordinates.tobytes() for name in instance_names(f"screen-{problem}")}
    trained = {Generated(problem, 30, 79, seed).instance(number).coordinates.tobytes()
               for seed in range(3) for number in range(40)}  # fmt: skip
    assert not screened & trained


def test_trainings_draw_what_they_always_drew() -> None:
    found = {
        (problem, sort): digest(*(Generated(problem, 20, 59, 7, sort).instance(number) for number in range(25)))
        for problem in ("cvrp", "vrptw")
        for sort in (None, "short", "long")
    }
    assert found == {
        ("cvrp", None): "0336d98af1ea6b56",
        ("cvrp", "short"): "b889f2e05709c04d",
        ("cvrp", "long"): "e4008a3fa09954d1",
        ("vrptw", None): "17ddf715b92c605d",
        ("vrptw", "short"): "172261aa2bb34954",
        ("vrptw", "long"): "1896647f16292c6b",
    }


def test_equal_streams_give_equal_instances() -> None:
    one, two = (drawn_instance(Stream("test", 1), "vrptw", 25, "long") for _ in range(2))
    assert digest(one) == digest(two)


def test_other_names_are_no_generated_ones() -> None:
    for name in ("generated-tsp-n5-s1", "generated-cvrp-n5", "generated-cvrp-n5-s1-x", "A-n32-k5"):
        assert generated_instance(name) is None
    for name in ("generated-cvpr-n5-s1", "generated-cvrp-n5"):
        with pytest.raises(InputError, match="generated ones are named as generated-cvrp-n60-s7"):
            read(name)
    with pytest.raises(InputError, match="customers is 0"):
        read("generated-cvrp-n0-s1")
