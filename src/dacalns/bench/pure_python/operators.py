"""The destroy and repair operators of the peer, in pure Python."""

import math
from random import Random
from typing import Any

from dacalns.bench.pure_python.insertion import (
    Rating,
    cheapest_positions,
    least_cost,
    negative_regret,
    timed_route_grew,
    untimed_route_grew,
)
from dacalns.bench.pure_python.state import PlainState

# The destroy operators of :mod:`dacalns.core.removals` in pure Python.


def random_removal(state: PlainState, random: Random) -> PlainState:
    """Remove customers, every set of them equally likely."""
    served = [customer for tour in state.tours for customer in tour if customer]
    count = random.randint(*state.problem.random_range)
    return state.without(random.sample(served, min(count, len(served))))


def worst_removal(state: PlainState, random: Random) -> PlainState:
    """Remove customers one by one, always the one whose removal saves most."""
    distance = state.problem.distance
    nodes = len(distance)
    pred, succ, saving = [0] * nodes, [0] * nodes, [-math.inf] * nodes
    for tour, legs in zip(state.tours, state.legs, strict=True):
        before = 0
        for k in range(len(tour) - 1):
            node, after = tour[k], tour[k + 1]
            pred[node], succ[node] = before, after
            saving[node] = legs[k] + legs[k + 1] - distance[before][after]
            before = node
    removed = []
    for _ in range(random.randint(*state.problem.worst_range)):
        most = max(saving)
        if most == -math.inf:
            break
        worst = saving.index(most)
        removed.append(worst)
        saving[worst] = -math.inf
        before, after = pred[worst], succ[worst]
        if before:
            succ[before] = after
            ahead = pred[before]
            row = distance[before]
            saving[before] = row[ahead] + row[after] - distance[ahead][after]
        if after:
            pred[after] = before
            behind = succ[after]
            row = distance[after]
            saving[after] = row[before] + row[behind] - distance[before][behind]
    return state.without(removed)


# The repair operators of :mod:`dacalns.core.repairs` in pure Python.


def random_repair(state: PlainState, random: Random) -> PlainState:
    """Serve the waiting customers in random order, each in a random route that can take it.

    Within the route it takes the cheapest position. A new route is opened only if no route in use can take the
    customer.
    """
    problem, waiting, loads = state.problem, state.waiting, state.loads
    random.shuffle(waiting)
    left = []
    for customer in waiting:
        demand, capacity = problem.demand[customer], problem.capacity
        routes = [route for route, load in enumerate(loads) if load + demand <= capacity]
        while routes:
            route = routes.pop(int(random.random() * len(routes)))
            costs, places = cheapest_positions(state, customer, route, route + 1)
            if costs[0] < math.inf:
                state.insert(customer, route, places[0])
                break
        else:
            if not _served_alone(state, customer):
                left.append(customer)
    state.waiting = left
    state.evaluate()
    return state


def _served_alone(state: PlainState, customer: int) -> bool:
    """Open a route for the customer and return True, if there may be another route and it can be served in time."""
    if len(state.loads) == state.problem.fleet:
        return False
    state.open_tour()
    costs, _ = cheapest_positions(state, customer, len(state.loads) - 1, len(state.loads))
    if costs[0] == math.inf:
        state.close_empty_tour()
        return False
    state.insert(customer, len(state.loads) - 1, 0)
    return True


def greedy_repair(state: PlainState, random: Random) -> PlainState:  # noqa: ARG001
    """Serve, again and again, the waiting customer that is cheapest to insert, where it is cheapest."""
    return fill_by_best(state, least_cost)


def regret_repair(state: PlainState, random: Random) -> PlainState:  # noqa: ARG001
    """Serve, again and again, the waiting customer that would lose most by going to its second-best route."""
    return fill_by_best(state, negative_regret(state.problem.penalty))


def fill_by_best(state: PlainState, rate: Rating) -> PlainState:
    """Insert all customers that fit, the one with the lowest key first.

    The least cost and its place are kept for each waiting customer and route. After an insertion only the changed
    route is looked at again.
    """
    waiting, fleet = state.waiting, state.problem.fleet
    route_grew = timed_route_grew if state.problem.timed else untimed_route_grew
    if len(state.tours) < fleet:
        state.open_tour()  # the last tour stays empty as long as another may be opened
    costs_of, places_of = [], []
    for customer in waiting:
        costs, places = cheapest_positions(state, customer, 0, len(state.tours))
        costs_of.append(costs)
        places_of.append(places)
    keys, bounds = _rated(costs_of, rate)
    columns: tuple[list[Any], ...] = (waiting, keys, bounds, costs_of, places_of)
    while keys:
        key = min(keys)
        if key == math.inf:
            break
        k = keys.index(key)
        customer, costs, places = waiting[k], costs_of[k], places_of[k]
        route = costs.index(min(costs))
        opens_route = len(state.tours[route]) == 1
        position = state.insert(customer, route, places[route])
        for column in columns:
            column[k] = column[-1]
            column.pop()
        route_grew(state, route, position, costs_of, places_of, keys, bounds, rate)
        if opens_route and len(state.tours) < fleet:
            state.open_tour()
            for other, costs, places in zip(waiting, costs_of, places_of, strict=True):
                cost, place = cheapest_positions(state, other, len(state.tours) - 1, len(state.tours))
                costs += cost
                places += place
            keys[:], bounds[:] = _rated(costs_of, rate)
    state.close_empty_tour()
    state.evaluate()
    return state


def _rated(costs_of: list[list[float]], rate: Rating) -> tuple[list[float], list[float]]:
    ratings = [rate(costs) for costs in costs_of]
    return [key for key, _ in ratings], [bound for _, bound in ratings]
