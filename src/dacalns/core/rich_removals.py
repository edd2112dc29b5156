"""Destroy operators for rich problems alone: related pairs, other vehicles, and who is hardly worth it."""

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, END
from dacalns.core.related_removals import related_removal
from dacalns.core.removals import WHO, random_served, remove_by_rank
from dacalns.core.rich_places import saved_without
from dacalns.core.rich_terms import cost_without
from dacalns.core.rich_vehicles import exchange_vehicles
from dacalns.core.rng import random_int
from dacalns.core.routes import DIRTY, remove
from dacalns.core.string_removals import SHORT, remove_strings_near
from dacalns.core.terms import apart

# The column of the table of floats that rows are sorted by, the lowest first.
KEY = 0
# The higher, the more often those at the top of a list are removed.
DETERMINISM = 6


@inlined
def _put_in_order(solution, listed, customer, key):
    """Put a customer into the list, which is sorted by key; return how many are on it."""
    table, values = solution.scratch_ints, solution.scratch_floats
    place = listed
    while place and values[place - 1, KEY] > key:
        values[place, KEY] = values[place - 1, KEY]
        table[place, WHO] = table[place - 1, WHO]
        place -= 1
    values[place, KEY] = key
    table[place, WHO] = customer
    return listed + 1


# --- Pairs ----------------------------------------------------------------------------------------------------------


@kernel
def pair_removal(problem, solution, count, rng):
    """Remove a random pair and, mostly, pairs whose first and second places are both near to its own.

    Pairs like that can take one another's places. Where a customer without a pair is drawn, related ones are removed.
    """
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
        return
    if problem.mate[centre] == 0:
        related_removal(problem, solution, count, rng)
        return
    first = problem.mate[centre] if problem.second[centre] else centre
    listed = _list_pairs_near(problem, solution, first)
    remove(problem, solution, first)
    remove_by_rank(problem, solution, listed, (count - 1) // 2, DETERMINISM, rng)


@kernel
def _list_pairs_near(problem, solution, first):
    """List the first ones of pairs either end of which is near the same end of this pair, most related first."""
    table = solution.scratch_ints
    second = problem.mate[first]
    listed = 0
    for end in (first, second):
        near = problem.neighbours[end]
        for k in range(len(near)):
            other = np.int64(near[k])
            mate = problem.mate[other]
            if mate == 0 or problem.second[other] != problem.second[end] or solution.route[other] < 0:
                continue
            one = mate if problem.second[other] else other
            place = 0
            while end == second and place < listed and table[place, WHO] != one:
                place += 1
            if one == first or (end == second and place < listed):
                continue  # found by its first place already
            away = apart(problem, first, one) + apart(problem, second, problem.mate[one])
            listed = _put_in_order(solution, listed, one, away)
    return listed


# --- Vehicles -------------------------------------------------------------------------------------------------------


@kernel
def vehicle_exchange(problem, solution, count, rng):
    """Let two routes side by side exchange their vehicles, of different types, then remove strings around them.

    With the type, depots, capacities and costs change, and nothing that lies between might be accepted.
    """
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
        return
    here, there = exchange_vehicles(problem, solution, centre)
    remove_strings_near(problem, solution, centre, count, SHORT, rng)
    if there >= 0:  # only now: strings are removed from routes that are not dirty yet
        solution.dirty[here] = solution.dirty[there] = DIRTY.rejoined


# --- Those who may be left out --------------------------------------------------------------------------------------


@kernel
def prize_removal(problem, solution, count, rng):
    """Remove, mostly, customers who earn least of those that may be left out and lie near one who is left out.

    So he, or others near him, may have their places.
    """
    waiting = solution.counts[BANKED]
    centre = solution.bank[random_int(rng, waiting)] if waiting else random_served(solution, rng)
    if count <= 0 or centre == END:
        return
    near = problem.neighbours[centre]
    listed = 0
    for k in range(len(near)):
        customer = np.int64(near[k])
        if solution.route[customer] < 0 or problem.mate[customer]:
            continue
        earns = cost_without(problem, customer)
        if earns < np.inf:
            listed = _put_in_order(solution, listed, customer, earns - saved_without(problem, solution, customer))
    remove_by_rank(problem, solution, listed, count, DETERMINISM, rng)
