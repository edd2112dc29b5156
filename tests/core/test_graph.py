"""The graph of a search against plain Python: node features, static edges, and products with the adjacency."""

import math
from typing import Any

import numpy as np
import pytest

from core import network_oracle, oracle
from dacalns.core import graph
from dacalns.core.model import Problem, Solution
from dacalns.instances import Instance
from dacalns.search.start import problem_of

K = 3
# (seed, customers, timed, share of the customers that are served, explicit matrix)
CASES = [
    (1, 11, False, 1.0, False),
    (2, 11, False, 0.5, False),
    (3, 11, True, 1.0, False),
    (4, 11, True, 0.6, False),
    (5, 10, True, 0.0, False),
    (6, 9, False, 1.0, True),
    (7, 9, True, 0.7, True),
    (8, 1, False, 1.0, False),
    (9, 2, True, 1.0, False),
    (10, 2, False, 0.5, True),
]


def placed(points: Any, **more: Any) -> Instance:
    demands = np.r_[0.0, np.ones(len(points) - 1)]
    return Instance(name="placed", coordinates=points, demands=demands, capacity=len(points), rounding="exact", **more)


def expected_features(instance: Instance, problem: Problem, routes: list[list[int]]) -> list[list[float]]:
    """Node by node, from the instance and the routes as lists."""
    nodes = range(instance.customers + 1)
    if instance.coordinates is None:
        places = [(float(problem.distance[0, node]), 0.0) for node in nodes]
    else:
        depot = instance.coordinates[0]
        places = [(float(point[0] - depot[0]), float(point[1] - depot[1])) for point in instance.coordinates]
    reach = max(math.hypot(*place) for place in places) or 1.0
    served = {0, *(customer for route in routes for customer in route)}
    rows = [
        [x / reach, y / reach, float(problem.demand[node] / problem.capacity), float(node in served)]
        for node, (x, y) in zip(nodes, places, strict=True)
    ]
    if not problem.timed:
        return rows
    begin, horizon = float(problem.opens[0]), float(problem.closes[0] - problem.opens[0])
    widest = max(float(problem.closes[node] - problem.opens[node]) for node in nodes) or 1.0
    longest = max(float(problem.service[node]) for node in nodes) or 1.0
    arrivals = {}
    for route in routes:
        clock = begin
        for here, there in zip([0, *route], route, strict=False):
            clock += float(problem.distance[here, there])
            arrivals[there] = clock
            clock = max(clock, float(problem.opens[there])) + float(problem.service[there])
    for node in nodes:
        opens, closes = float(problem.opens[node]), float(problem.closes[node])
        arrival = arrivals.get(node)
        rows[node] += [(opens - begin) / horizon, (closes - begin) / horizon, (closes - opens) / widest]
        rows[node] += [float(problem.service[node]) / longest]
        rows[node] += [0.0, 0.0] if arrival is None else [
            (arrival - begin) / horizon, max(0.0, opens - arrival) / horizon
        ]  # fmt: skip
    return rows


def expected_edges(problem: Problem, k: int) -> tuple[dict[tuple[int, int], float], float]:
    """The weight of every static edge, both ways, and the unit."""
    nodes = range(len(problem.demand))
    away = [[0.5 * float(problem.distance[i, j] + problem.distance[j, i]) for j in nodes] for i in nodes]
    pairs, nearest = set(), []
    for i in nodes:
        others = sorted((away[i][j], j) for j in nodes if j != i)
        nearest += [length for length, _ in others[:k]]
        limit = others[min(k, len(others)) - 1][0]
        pairs |= {pair for length, j in others[: 2 * k] if length <= limit for pair in ((i, j), (j, i))}
    unit = sum(nearest) / len(nearest) or 1.0
    return {(i, j): 1.0 / max(away[i][j] / unit, 0.1) for i, j in pairs}, unit


def require_edges(problem: Problem, built: graph.Graph, k: int) -> dict[tuple[int, int], float]:
    edges, unit = expected_edges(problem, k)
    assert built.unit == pytest.approx(unit)
    nodes = len(problem.demand)
    rows = [built.neighbours[built.starts[i] : built.starts[i + 1]].tolist() for i in range(nodes)]
    assert [(i, j) for i, row in enumerate(rows) for j in row] == sorted(edges)
    assert built.weights.tolist() == pytest.approx([edges[pair] for pair in sorted(edges)], rel=1e-6)
    degree = [1 + sum(weight for (i, _), weight in edges.items() if i == node) for node in range(nodes)]
    assert built.degree.tolist() == pytest.approx(degree, rel=1e-6)
    return edges


def built_case(arguments: tuple[Any, ...]) -> tuple[Instance, Problem, Solution, graph.Graph]:
    seed, customers, timed, share, matrix = arguments
    instance = oracle.random_instance(seed, customers, timed=timed, matrix=matrix)
    problem = problem_of(instance)
    return instance, problem, oracle.filled(problem, seed, share), graph.build_graph(problem, instance.coordinates, K)


def product(problem: Problem, solution: Solution, built: graph.Graph, source: np.ndarray) -> np.ndarray:
    """The kernels' product of the normalised adjacency with ``source``."""
    nodes = len(source)
    links, arcs = np.full((nodes, 2), 7), np.full((nodes, 2), 7, dtype=np.float32)
    shrink, target = np.full(nodes, 7, dtype=np.float32), np.full(source.shape, 7, dtype=np.float32)
    graph.read_routes(problem, solution, built.degree, built.unit, links, arcs, shrink)
    graph.gather(built.starts, built.neighbours, built.weights, links, arcs, shrink, source, target)
    return target


@pytest.mark.parametrize("arguments", CASES, ids=str)
def test_features(arguments: tuple[Any, ...]) -> None:
    instance, problem, solution, built = built_case(arguments)
    names = graph.WINDOW_FEATURES if problem.timed else graph.PLAIN_FEATURES
    assert len(names) == (10 if problem.timed else 4)
    features = np.full((len(problem.demand), len(names)), 7, dtype=np.float32)  # nothing may stay of what was there
    graph.read_solution(problem, solution, built.features, features)
    expected = np.array(expected_features(instance, problem, oracle.routes_in(solution)))
    for column, name in enumerate(names):
        np.testing.assert_allclose(features[:, column], expected[:, column], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("arguments", CASES, ids=str)
def test_static_edges(arguments: tuple[Any, ...]) -> None:
    _, problem, _, built = built_case(arguments)
    require_edges(problem, built, K)


@pytest.mark.parametrize("columns", [4, 5, 64, 67, 128])
@pytest.mark.parametrize("arguments", CASES, ids=str)
def test_gather_is_the_product_with_the_adjacency(arguments: tuple[Any, ...], columns: int) -> None:
    _, problem, solution, built = built_case(arguments)
    source = np.random.default_rng(0).standard_normal((len(problem.demand), columns)).astype(np.float32)
    matrix = network_oracle.adjacency(problem, oracle.routes_in(solution), K)
    assert matrix == pytest.approx(matrix.T)
    np.testing.assert_allclose(product(problem, solution, built, source), matrix @ source, rtol=2e-5, atol=2e-6)


def test_an_arc_between_neighbours_counts_on_top() -> None:
    problem = problem_of(placed([[0, 0], [1, 0], [2, 0]]))
    built = graph.build_graph(problem, None, 2)
    alone, together = oracle.solution_of(problem, [[1], [2]]), oracle.solution_of(problem, [[1, 2]])
    source = np.eye(3, dtype=np.float32)
    # All distances are 1, 1 and 2, the unit is their mean.
    near, far = 4 / 3, 2 / 3
    for solution, between, first, second in ((alone, near, 3 * near, 3 * far), (together, 2 * near, 2 * near, 2 * far)):
        plain = np.array([[1, first, second], [first, 1, between], [second, between, 1]])
        root = np.sqrt(plain.sum(axis=1))
        np.testing.assert_allclose(product(problem, solution, built, source), plain / np.outer(root, root), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_ties_are_all_taken(k: int) -> None:
    """From the middle of a cross all four ends are as near, so that two nearest neighbours are four."""
    problem = problem_of(placed([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]))
    built = graph.build_graph(problem, None, k)
    require_edges(problem, built, k)
    assert built.neighbours[: built.starts[1]].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("k", [1, 2, 10])
def test_coincident_customers(k: int) -> None:
    problem = problem_of(placed([[0, 0], [3, 4], [3, 4], [3, 4], [6, 8]]))
    edges = require_edges(problem, graph.build_graph(problem, None, k), k)
    assert edges[1, 2] == 1 / graph.NEAREST
    assert max(edges.values()) == 1 / graph.NEAREST


def test_everyone_at_the_depot() -> None:
    instance = placed([[5, 5]] * 4)
    problem = problem_of(instance)
    built = graph.build_graph(problem, instance.coordinates, 2)
    assert built.unit == 1
    assert set(built.weights.tolist()) == {10}
    assert built.features[:, :2].tolist() == [[0, 0]] * 4
    source = np.ones((4, 1), dtype=np.float32)
    assert np.isfinite(product(problem, oracle.solution_of(problem, [[1, 2], [3]]), built, source)).all()


def test_an_asymmetric_matrix_counts_with_its_mean() -> None:
    matrix = np.array([[0, 2, 9], [4, 0, 1], [3, 7, 0.0]])
    instance = Instance(name="one-way", matrix=matrix, demands=np.array([0.0, 1, 1]), capacity=2, rounding="exact")
    problem = problem_of(instance)
    built = graph.build_graph(problem, None, 1)
    # Means are 3 (to 1), 6 (to 2) and 4 (between 1 and 2); nearest of each are 3, 3 and 4.
    edges = require_edges(problem, built, 1)
    unit = 10 / 3
    assert edges == pytest.approx({(0, 1): unit / 3, (1, 0): unit / 3, (1, 2): unit / 4, (2, 1): unit / 4})
    assert built.features[:, :2] == pytest.approx(np.array([[0, 0], [2 / 9, 0], [1, 0]]))
    there, back = (product(problem, oracle.solution_of(problem, [route]), built, np.eye(3, dtype=np.float32))
                   for route in ([1, 2], [2, 1]))  # fmt: skip
    np.testing.assert_allclose(there, back, rtol=1e-6)


@pytest.mark.parametrize("customers", [1, 2, 4])
def test_fewer_customers_than_neighbours(customers: int) -> None:
    """All are neighbours then."""
    problem = problem_of(oracle.random_instance(3, customers))
    built = graph.build_graph(problem, None, 10)
    require_edges(problem, built, 10)
    assert np.diff(built.starts).tolist() == [customers] * (customers + 1)


def test_scaling_a_grid_keeps_its_ties() -> None:
    """Distances on a grid are equal in pairs; multiplied by 3.7, in some only up to the last bit."""
    grid = np.array([[x, y] for x in range(5) for y in range(5)], dtype=float)
    plain, scaled = (graph.build_graph(problem_of(placed(points)), points, K) for points in (grid, 3.7 * grid))
    assert plain.neighbours.tolist() == scaled.neighbours.tolist()


@pytest.mark.parametrize("columns", [9, 40, 300])
def test_the_lowest_of_a_row_do_not_depend_on_the_processor(columns: int) -> None:
    """NumPy's own choice among equal ones does."""
    rng = np.random.default_rng(columns)
    block = rng.integers(0, 4, (50, columns)).astype(np.float64)
    expected = [sorted(sorted(range(columns), key=lambda k: (row[k], k))[:8]) for row in block.tolist()]
    assert graph._lowest(block, 8).tolist() == expected
