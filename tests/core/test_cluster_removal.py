"""Cluster removal against Kruskal's algorithm in plain Python."""

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.related_removals import LONGEST, cluster_removal, remove_cluster, split
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, settle


def naive_clusters(problem: oracle.Problem, customers: list[int]) -> set[frozenset[int]]:
    """Join the two nearest clusters, whichever customers are nearest, until two are left."""
    clusters = [{customer} for customer in customers]
    for one, other in sorted(combinations(customers, 2), key=lambda pair: problem.distance[pair]):
        if len(clusters) == 2:
            break
        ours, theirs = (next(cluster for cluster in clusters if node in cluster) for node in (one, other))
        if ours is not theirs:
            clusters.remove(theirs)
            ours |= theirs
    return {frozenset(cluster) for cluster in clusters}


@given(seed=st.integers(0, 10_000), size=st.integers(1, 14), skipped=st.integers(0, 3))
def test_clusters_equal_naive(seed: int, size: int, skipped: int) -> None:
    problem = oracle.random_problem(seed, size + skipped)._replace(capacity=1e9)
    solution = oracle.solution_of(problem, [list(range(1, size + skipped + 1))])
    split(problem, solution, 1 + skipped, size)
    found: dict[int, set[int]] = {}
    for customer, _, cluster in solution.scratch_ints[:size, :3].tolist():
        found.setdefault(cluster, set()).add(customer)
    stretch = list(range(1 + skipped, 1 + skipped + size))
    assert {frozenset(cluster) for cluster in found.values()} == naive_clusters(problem, stretch)
    assert sorted(found) == [0, 1][:size]


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 10_000), count=st.integers(0, 20), share=st.sampled_from([0.6, 1.0]))
def test_one_cluster_of_each_of_near_routes_until_enough_are_out(
    timed: bool, seed: int, count: int, share: float
) -> None:
    problem = oracle.random_problem(seed, 16, timed=timed)
    solution = oracle.filled(problem, seed, share)
    routes, waiting = oracle.routes_in(solution), set(oracle.bank_of(solution))
    cluster_removal(problem, solution, count, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    removed = set(oracle.bank_of(solution)) - waiting
    parts = [removed & set(route) for route in routes if removed & set(route)]
    for part in parts:
        assert part in naive_clusters(problem, next(route for route in routes if part <= set(route)))
    assert bool(removed) == bool(count)
    # Without the one that came last it would not have been enough; and it was enough, or every route lost a cluster.
    assert not parts or len(removed) - max(map(len, parts)) < count
    assert len(removed) >= count or len(parts) == len(routes)


def test_either_cluster_goes_and_the_nearest_route_follows() -> None:
    problem = oracle.on_a_line([0, 1, 2, 8, 9, 10, 30, 31, 38])
    full = oracle.solution_of(problem, [[1, 2, 3, 4], [5, 6], [7, 8]])
    solution, rng, seen = empty_solution(problem), seeded(1), set()
    for _ in range(80):
        copy_into(solution, full)
        remove_cluster(problem, solution, 2, rng)
        seen.add(tuple(sorted(oracle.bank_of(solution))))
    assert seen == {(1, 2), (3, 4)}
    for _ in range(80):
        copy_into(solution, full)
        cluster_removal(problem, solution, 2, rng)
        removed = set(oracle.bank_of(solution))
        # Whoever begins at either end of the line, the route in the middle is the next.
        assert removed in ({1, 2}, {3, 4}) or removed & {5, 6}


def test_of_a_long_route_a_stretch_is_split() -> None:
    customers = 2 * int(LONGEST)
    # Ever wider apart, so that the last customer of a stretch is a cluster.
    problem = oracle.on_a_line([float(place**2) for place in range(customers + 1)])
    full, solution, rng = (
        oracle.solution_of(problem, [list(range(1, customers + 1))]),
        empty_solution(problem),
        seeded(2),
    )
    sizes = set()
    for _ in range(40):
        copy_into(solution, full)
        remove_cluster(problem, solution, 1, rng)
        removed = sorted(oracle.bank_of(solution))
        assert removed in ([int(LONGEST)], list(range(1, int(LONGEST))))
        sizes.add(len(removed))
    assert len(sizes) == 2


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    cluster_removal(problem, solution, 3, seeded(0))
    assert sorted(chain(oracle.bank_of(solution))) == [1, 2, 3, 4, 5]
