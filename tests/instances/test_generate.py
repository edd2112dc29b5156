"""The generators: the same everywhere, feasible, and as their arguments say."""

import hashlib
import itertools

import numpy as np
import pytest

from dacalns.instances import Instance, generate_cvrp, generate_vrptw, preflight
from dacalns.instances.generate import DEMANDS, DEPOTS, POSITIONS
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream


def fingerprint(instance: Instance) -> str:
    windows = [] if instance.windows is None else instance.windows.tolist()
    assert instance.coordinates is not None
    numbers = [instance.coordinates.tolist(), instance.demands.tolist(), instance.capacity, windows]
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]


def test_pinned_on_every_machine() -> None:
    instances = [
        generate_cvrp(20, seed=1),
        generate_cvrp(30, "central", "clustered", "quadrant", 6.5, seed=2),
        generate_cvrp(30, "eccentric", "mixed", "many-small", seed=3),
        generate_vrptw(20, seed=1),
        generate_vrptw(30, "clustered", "long", 0.1, 1.0, seed=2),
    ]
    assert {instance.name: fingerprint(instance) for instance in instances} == {
        "cvrp-n20-s1": "9086c7d94e07",
        "cvrp-n30-central-clustered-quadrant-r6.5-s2": "b0c435f0d56f",
        "cvrp-n30-eccentric-mixed-many-small-s3": "af1d8e8ba42b",
        "vrptw-n20-s1": "15a30f862cf1",
        "vrptw-n30-clustered-long-w0.1-d1-s2": "c0b8e2f5d02c",
    }


def test_stream_draws_are_pinned() -> None:
    stream = Stream("test", 1)
    drawn = [stream.integer(0, 99) for _ in range(5)]
    assert drawn == [32, 3, 79, 3, 91]
    assert sorted(Stream("any").choose(range(9), 9)) == list(range(9))
    assert all(3 <= Stream("t", i).triangular(3, 6, 25) <= 25 for i in range(200))
    mean = sum(Stream("t", i).triangular(3, 6, 25) for i in range(3000)) / 3000
    assert mean == pytest.approx(34 / 3, abs=0.4)


@pytest.mark.parametrize(("depot", "positions", "demand"), list(itertools.product(DEPOTS, POSITIONS, DEMANDS)))
def test_cvrp(depot: str, positions: str, demand: str) -> None:
    instance = generate_cvrp(60, depot, positions, demand, seed=5)
    assert instance == generate_cvrp(60, depot, positions, demand, seed=5)
    assert instance != generate_cvrp(60, depot, positions, demand, seed=6)
    assert preflight(instance) == []
    assert (instance.rounding, instance.fleet, instance.customers) == ("round", None, 60)
    points = instance.coordinates
    assert points is not None
    assert len(np.unique(points, axis=0)) == 61
    assert points.min() >= 0
    assert points.max() <= 1000
    corner = {"central": [500, 500], "eccentric": [0, 0], "random": points[0].tolist()}[depot]
    assert points[0].tolist() == corner
    least, most = {
        "unitary": (1, 1),
        "1-10": (1, 10),
        "5-10": (5, 10),
        "1-100": (1, 100),
        "50-100": (50, 100),
        "quadrant": (1, 100),
        "many-small": (1, 100),
    }[demand]
    assert least <= instance.demands[1:].min() <= instance.demands[1:].max() <= most


def test_quadrants_and_many_small() -> None:
    instance = generate_cvrp(200, demand="quadrant", seed=1)
    assert instance.coordinates is not None
    x, y = instance.coordinates[1:].T
    low = (x < 500) != (y < 500)
    assert instance.demands[1:][low].max() <= 50
    assert instance.demands[1:][~low].min() >= 51
    small = (generate_cvrp(400, demand="many-small", seed=1).demands[1:] <= 10).mean()
    assert 0.6 < small < 1.0


def test_route_length_fixes_the_capacity_and_nothing_else() -> None:
    drawn, given = generate_cvrp(100, seed=4), generate_cvrp(100, route_length=10, seed=4)
    assert np.array_equal(drawn.distances, given.distances)
    assert np.array_equal(drawn.demands, given.demands)
    assert given.capacity == np.ceil(given.demands.sum() / 10)
    assert given.name == "cvrp-n100-r10-s4"
    assert drawn.name == "cvrp-n100-s4"


def test_clusters_are_clustered() -> None:
    def nearest(instance: Instance) -> float:
        distances = instance.distances[1:, 1:] + np.diag([np.inf] * instance.customers)
        return float(distances.min(axis=1).mean())

    for seed in range(3):
        clustered = generate_cvrp(200, positions="clustered", seed=seed)
        mixed = generate_cvrp(200, positions="mixed", seed=seed)
        scattered = generate_cvrp(200, positions="random", seed=seed)
        assert nearest(clustered) < nearest(mixed) < nearest(scattered)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("horizon", ["short", "long"])
@pytest.mark.parametrize(("width", "density"), [(0.001, 1.0), (0.2, 0.5), (1.0, 1.0), (0.5, 0.0)])
@pytest.mark.parametrize("customers", [1, 40, 300])
def test_vrptw(positions: str, horizon: str, width: float, density: float, customers: int) -> None:
    instance = generate_vrptw(customers, positions, horizon, width, density, seed=9)
    assert instance == generate_vrptw(customers, positions, horizon, width, density, seed=9)
    assert preflight(instance) == []
    assert preflight(instance.with_(rounding="exact")) == []
    assert (instance.rounding, instance.fleet, instance.customers) == ("dimacs", None, customers)


def test_width_and_density_say_what_they_do() -> None:
    def widths(instance: Instance) -> np.ndarray:
        assert instance.windows is not None
        return np.diff(instance.windows, axis=1)[1:, 0] / instance.windows[0, 1]

    assert np.median(widths(generate_vrptw(100, width=0.05, density=1, horizon="long"))) == pytest.approx(0.05, rel=0.2)
    open_windows = generate_vrptw(100, width=0.05, density=0.25).windows
    assert open_windows is not None
    assert (open_windows[1:, 0] == 0).sum() >= 75
    narrow, wide = generate_vrptw(50, width=0.05), generate_vrptw(50, width=0.4)
    assert (widths(narrow) <= widths(wide)).all()
    assert narrow.name == "vrptw-n50-w0.05-s0"
    assert generate_vrptw(50, "random", "long", density=1, seed=3).name == "vrptw-n50-random-long-d1-s3"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"customers": 0}, "customers is 0; expected a whole number from 1 to"),
        ({"customers": "many"}, "customers is 'many'"),
        ({"customers": 10**9}, "customers is 1000000000"),
        (
            {"depot": "centre"},
            "depot is 'centre'; expected one of random, central, eccentric; did you mean 'central'",
        ),
        ({"positions": "cluster"}, "did you mean 'clustered'"),
        ({"demand": "1-50"}, "demand is '1-50'; expected one of unitary, 1-10"),
        ({"route_length": 0}, "route_length is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, "seed is 1.5"),
    ],
)
def test_cvrp_refuses(arguments: dict[str, object], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        generate_cvrp(**{"customers": 10, **arguments})  # type: ignore[arg-type]
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"customers": True}, "customers is True"),
        ({"positions": "R"}, "positions is 'R'; expected one of random, clustered, mixed"),
        ({"horizon": "middle"}, "horizon is 'middle'; expected one of short, long"),
        ({"width": 0}, "width is 0; expected a fraction over 0"),
        ({"width": 1.5}, "width is 1.5; expected a fraction from 0 to 1"),
        ({"density": "half"}, "density is 'half'"),
        ({"density": float("nan")}, "density is nan"),
    ],
)
def test_vrptw_refuses(arguments: dict[str, object], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        generate_vrptw(**{"customers": 10, **arguments})  # type: ignore[arg-type]
    assert fragment in str(caught.value)
