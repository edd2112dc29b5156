"""The table of costs against trying every place."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.insertion_table import (
    BLOCK,
    COSTS,
    LISTING,
    blocks_of,
    line_up_blocks,
    list_opened,
    list_routes,
    scan_block,
)
from dacalns.core.insertions import NEAR
from dacalns.core.lanes import LANES
from dacalns.core.model import BANKED, USED
from dacalns.core.terms import NEED

SEEDS = st.integers(0, 10_000)


def lined_up(problem: oracle.Problem, solution: oracle.Solution, eta: float = 0.0) -> tuple[int, int, int]:
    """Line up all who wait, scan all routes; return how many routes are listed, and the height and number of blocks."""
    waiting = int(solution.counts[BANKED])
    routes = list_routes(problem, solution, 0, waiting, False)
    height, blocks = COSTS + routes, blocks_of(waiting)
    line_up_blocks(problem, solution, 0, waiting, blocks, height, eta)
    for block in range(blocks):
        for place in range(routes):
            scan_block(problem, solution, height, block, place)
    return routes, height, blocks


@pytest.mark.parametrize("kind", oracle.KINDS, ids=str)
@given(seed=SEEDS, share=st.sampled_from([0.0, 0.5, 0.8]))
def test_each_customer_has_its_least_cost_in_each_route(kind: dict[str, object], seed: int, share: float) -> None:
    problem = oracle.random_problem(seed, 11, **kind)
    solution = oracle.filled(problem, seed, share)
    candidates = [*oracle.routes_in(solution), []][: problem.fleet]
    routes, height, blocks = lined_up(problem, solution)
    assert routes == len(candidates)
    for position in range(blocks * LANES):
        block, lane = position // LANES, position % LANES
        costs = solution.scratch_floats[block * height + COSTS :][:routes, lane]
        if position >= solution.counts[BANKED]:
            assert (costs == math.inf).all(), "nobody stands there"
            continue
        customer = int(solution.scratch_ints[block, lane])
        assert customer == solution.bank[position]
        assert costs.tolist() == pytest.approx([oracle.cheapest(problem, route, customer)[0] for route in candidates])


@given(seed=SEEDS)
def test_noise_goes_by_the_farthest_neighbour(seed: int) -> None:
    problem = oracle.random_problem(seed, 11)
    solution = oracle.filled(problem, seed, 0.0)
    _, height, blocks = lined_up(problem, solution, 0.5)
    for position, customer in enumerate(oracle.bank_of(solution)):
        row = position // LANES * height
        farthest = max(problem.distance[customer, 1:])
        assert solution.scratch_floats[row + BLOCK.noise, position % LANES] == pytest.approx(0.5 * farthest)
        assert solution.scratch_floats[row + BLOCK.needs + NEED.amount, position % LANES] == problem.demand[customer]
    assert blocks == 2


def test_near_routes_are_those_of_near_customers() -> None:
    customers = NEAR + 20
    problem = oracle.on_a_line([0.0, *range(1, customers + 1)])
    solution = oracle.solution_of(problem, [[customer] for customer in range(2, customers + 1)])
    routes = list_routes(problem, solution, 0, int(solution.counts[BANKED]), True)
    listed = solution.scratch_ints[:routes, LISTING.listed].tolist()
    assert sorted(listed[:-1]) == sorted(int(solution.route[k]) for k in range(2, NEAR + 2))
    assert listed[-1] == solution.counts[USED], "the last is empty"
    solution.scratch_ints[:] = 7  # whatever another operator left there
    again = list_routes(problem, solution, 0, int(solution.counts[BANKED]), True)
    assert solution.scratch_ints[:again, LISTING.listed].tolist() == listed


def test_another_route_is_listed_when_the_empty_one_is_opened() -> None:
    problem = oracle.random_problem(1, 6)._replace(fleet=3)
    solution = oracle.solution_of(problem, [[1]])
    routes = list_routes(problem, solution, 0, int(solution.counts[BANKED]), False)
    assert routes == 2
    assert list_opened(problem, solution, routes, 1) == 2, "none was opened"
    opened = oracle.solution_of(problem, [[1], [2]])
    assert list_opened(problem, opened, 2, 1) == 3
    assert opened.scratch_ints[2, LISTING.listed] == 2
    full = oracle.solution_of(problem, [[1], [2], [3]])
    assert list_opened(problem, full, 3, 2) == 3, "the fleet has no other"
    assert np.count_nonzero(full.scratch_ints[:, LISTING.listed]) == 0
