"""Destroy operators: each takes ``count`` customers out of their routes."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.lanes import LANES, higher, lane_with, lanes_of, most_of, put_lanes, spread, with_lane
from dacalns.core.model import BANKED
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import remove


@kernel
def random_served(solution, rng):
    """A customer who is served, each equally likely; 0 if nobody is."""
    customers = len(solution.route) - 1
    if solution.counts[BANKED] == customers:
        return 0
    customer = 1 + random_int(rng, customers)
    while solution.route[customer] < 0:
        customer = 1 + random_int(rng, customers)
    return customer


@kernel
def remove_by_rank(problem, solution, listed, count, determinism, rng):
    """Remove ``count`` of the customers ``listed`` in the first column of the scratch table, mostly from its top.

    The higher ``determinism``, the more often the first.
    """
    table = solution.scratch_ints
    for _ in range(min(count, listed)):
        rank = int(random_float(rng) ** determinism * listed)
        remove(problem, solution, table[rank, 0])
        listed -= 1
        for later in range(rank, listed):
            table[later, 0] = table[later + 1, 0]


@kernel
def random_removal(problem, solution, count, rng):
    """Remove ``count`` customers, every set of them equally likely."""
    customers = len(solution.route) - 1
    for _ in range(min(count, customers - solution.counts[BANKED])):
        remove(problem, solution, random_served(solution, rng))


@kernel
def worst_removal(problem, solution, count, rng):
    """Remove ``count`` customers one by one, always the one whose removal saves most."""
    saving = solution.scratch_floats  # of customer k in row k // LANES, so that eight are looked at at once
    nodes = len(solution.route)
    blocks = (nodes + LANES - 1) // LANES
    put_lanes(saving, 0, spread(-np.inf))
    put_lanes(saving, blocks - 1, spread(-np.inf))
    for customer in range(1, nodes):
        _note_saving(problem, solution, customer)
    for _ in range(count):
        highest = spread(-np.inf)
        for block in range(blocks):
            highest = higher(highest, lanes_of(saving, block))
        most = most_of(highest)
        if most == -np.inf:
            return
        block = 0
        lane = lane_with(lanes_of(saving, block), most)
        while lane == LANES:
            block += 1
            lane = lane_with(lanes_of(saving, block), most)
        worst = block * LANES + lane
        before, after = solution.pred[worst], solution.succ[worst]
        remove(problem, solution, worst)
        _set(saving, worst, -np.inf)
        if before:
            _set(saving, before, saved_without(problem, solution, before))
        if after:
            _set(saving, after, saved_without(problem, solution, after))


@inlined
def _note_saving(problem, solution, customer):
    served = solution.route[customer] >= 0
    saved = saved_without(problem, solution, customer) if served else -np.inf
    solution.scratch_floats[customer // LANES, customer % LANES] = saved


@inlined
def _set(saving, customer, number):
    row = customer // LANES
    put_lanes(saving, row, with_lane(lanes_of(saving, row), customer % LANES, number))


@kernel
def saved_without(problem, solution, customer):
    """How much shorter the customer's route is without it."""
    before, after, leg = solution.pred[customer], solution.succ[customer], solution.leg
    onward = leg[after] if after else between(problem, customer, 0)
    return leg[customer] + onward - between(problem, before, after)
