"""What networks see of rich problems: against plain lists, zero where a feature is absent, and the same for all."""

from itertools import chain
from typing import Any

import numpy as np
import pytest

from core.rich_arrays import chain_of, of_trips, released, stops_of, stretch, trip_of
from core.rich_states import (
    BEFORE_ALL_COSTS,
    MANY,
    expected_rows,
    expected_search,
    rich_instance,
    several_trips,
    states_of,
)
from dacalns import generate_rich
from dacalns.core import graph
from dacalns.core.model import USED, Problem, Solution
from dacalns.core.rich_view import BEYOND, SEARCH, STATIC, Beyond, Search
from dacalns.instances import Instance
from dacalns.instances.feature_sets import RICH, drawn_features
from dacalns.instances.features import FEATURES, PLAIN
from dacalns.search.policy_view import node_features
from dacalns.search.start import graph_of, positions_of, problem_of
from dacalns.util.random_stream import Stream

# A column is zero unless a problem has all the features of one of these sets; with each of the sets, it can be another.
TOLD_BY = {
    "pickup": [{"pickups"}, {"pairs"}],
    "pair": [{"pairs"}],
    "mate": [{"pairs"}],
    "optional": [{"prizes"}, {"groups"}],
    "prize": [{"prizes"}],
    "release": [{"release-times"}],
    "group": [{"groups"}, {"several-windows"}],
    "barred": [{"restrictions"}],
    "depot": [{"depots"}],
    "visited": [{"groups"}, {"several-windows"}],
    "rate": [{"vehicle-types", "distance-costs"}, {"vehicle-types", "duration-costs"}],
    "smaller": [{"vehicle-types"}],
    "trip": [{"reloads"}],
    "limit": [{"duration-limits"}, {"distance-limits"}, {"stop-limits"}],
    "left_out": [{"prizes"}, {"groups"}],
    "vehicles": [set()],
    "types": [{"vehicle-types"}],
}


def seen(instance: Instance, solution: Solution) -> tuple[np.ndarray, np.ndarray]:
    """The columns that only rich problems have, and the numbers on the search."""
    problem: Problem = problem_of(instance)
    features = node_features(graph_of(instance, 3), problem, solution)
    vector = np.full(5 + len(Search._fields), 7.0)
    graph.read_search(problem, solution, features, vector)
    assert (vector[:5] == 7).all()
    return features[:, graph.FIRST_BEYOND :], vector[5:]


def drawn(seed: int) -> Instance:
    stream = Stream("rich view", seed)
    return generate_rich(stream.integer(6, 14), drawn_features(stream, RICH), seed)


@pytest.mark.parametrize("seed", range(24))
def test_columns_say_what_the_instance_and_the_routes_say(seed: int) -> None:
    instance = drawn(seed) if seed % 3 else rich_instance(seed)
    start = several_trips(instance) if "reloads" in instance.features else None
    for solution in states_of(instance, start):
        columns, numbers = seen(instance, solution)
        for customer, row in enumerate(expected_rows(instance, solution)):
            for name, value in zip(Beyond._fields, columns[customer].tolist(), strict=True):
                wanted = row.get(name, 0.0)
                near = 0.05 if name == "prize" and wanted == BEFORE_ALL_COSTS else 1e-5
                assert value == pytest.approx(wanted, abs=near), (name, customer)
        found = dict(zip(Search._fields, numbers.tolist(), strict=True))
        assert found == pytest.approx(expected_search(instance, solution))


@pytest.mark.parametrize("seed", range(12))
def test_vehicles_arrive_when_they_leave_early_and_do_not_wait_before(seed: int) -> None:
    features = ("windows", *(("release-times", "reloads", "shifts", "pairs", "depots")[: seed % 6]))
    instance = generate_rich(10, {*features, "vehicle-types"}, seed)
    problem: Any = problem_of(instance)
    start = several_trips(instance) if "reloads" in features else None
    for solution in states_of(instance, start):
        columns = node_features(graph_of(instance, 3), problem, solution)
        day = float(problem.closes[0])
        for route in range(solution.counts[USED]):
            for node, arrives in arrivals(problem, solution, route).items():
                waits = max(0.0, problem.opens[node] - arrives)
                assert columns[node, graph.FEATURE.arrival] == pytest.approx(arrives / day, abs=1e-6)
                assert columns[node, graph.FEATURE.waiting] == pytest.approx(waits / day, abs=1e-6)
                assert arrives <= problem.closes[node]
        waiting = np.flatnonzero(solution.route < 0)
        assert not columns[waiting][:, [graph.FEATURE.arrival, graph.FEATURE.waiting]].any()


def arrivals(problem: Any, solution: Any, route: int) -> dict[int, float]:
    """When the vehicle is at each customer of a trip that begins as early as is of use for going there."""
    stops, gaps = stops_of(problem, solution, route)
    nodes, chain = trip_of(solution, route), chain_of(solution, route)
    earlier = of_trips(problem, solution, chain[: chain.index(route)])
    ready = max(released(problem, nodes), earlier[0] + earlier[1])
    found = {}
    for place, node in enumerate(nodes, start=1):
        clock = max(ready, stretch(stops[:place], gaps)[1])
        for (opens, _, service), gap in zip(stops[:place], gaps, strict=False):
            clock = max(clock, opens) + service + gap
        found[node] = clock
    return found


@pytest.mark.parametrize("seed", range(40))
def test_what_is_not_asked_for_is_zero(seed: int) -> None:
    instance = drawn(seed)
    silent = [name for name, sets in TOLD_BY.items() if not any(each <= instance.features for each in sets)]
    assert silent
    for solution in states_of(instance):
        columns, numbers = seen(instance, solution)
        assert np.isfinite(columns).all()
        assert np.abs(columns).max() <= 1 + 1e-6
        assert 0 <= numbers.min() <= numbers.max() <= 1
        for name in silent:
            found = columns[:, getattr(BEYOND, name)] if name in Beyond._fields else numbers[getattr(SEARCH, name)]
            assert not np.any(found), name


@pytest.mark.parametrize(
    ("name", "features"), [(name, sorted(each)) for name, sets in TOLD_BY.items() for each in sets if each]
)
def test_what_is_asked_for_shows(name: str, features: list[str]) -> None:
    """Instances are drawn, so that it need not show in the first one."""
    for seed in range(6):
        instance = generate_rich(12, features, seed)
        start = several_trips(instance) if name == "trip" else None
        for solution in states_of(instance, start):
            columns, numbers = seen(instance, solution)
            if np.any(columns[:, getattr(BEYOND, name)] if name in Beyond._fields else numbers[getattr(SEARCH, name)]):
                return
    pytest.fail(f"{name} is zero with {features}")


def test_every_column_is_listed_once() -> None:
    assert set(TOLD_BY) == {*Beyond._fields, *Search._fields}
    assert tuple(STATIC) == Beyond._fields[: len(STATIC)]
    assert (*graph.WINDOW_FEATURES, *Beyond._fields) == graph.RICH_FEATURES
    assert len(set(graph.RICH_FEATURES)) == len(graph.RICH_FEATURES)
    assert set(chain.from_iterable(chain(*TOLD_BY.values()))) <= set(FEATURES)


def test_all_rich_problems_have_one_shape_and_plain_ones_their_own() -> None:
    sets = [{feature} for feature in FEATURES if not {feature} <= PLAIN] + [set(MANY)]
    assert {graph_of(generate_rich(12, each), 3).features.shape[1] for each in sets} == {len(graph.RICH_FEATURES)}
    for features, columns in ((set(), 4), ({"windows"}, 10)):
        instance = generate_rich(9, features)
        built = graph_of(instance, 3)
        assert built.features.shape[1] == columns
        assert graph.search_numbers(columns) == 0
        plain = graph.build_graph(problem_of(instance), positions_of(instance), 3)
        assert all(np.array_equal(one, other) for one, other in zip(built, plain, strict=True))
