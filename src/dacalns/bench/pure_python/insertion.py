"""The cheapest insertion of customers in pure Python, with costs that are kept up to date."""

import math
from collections.abc import Callable

from dacalns.bench.pure_python.state import PlainState

# A rating decides which waiting customer goes first. From the least costs in each route it returns the key, of which
# the lowest goes first, and a bound: routes whose cost is at or above it do not matter to the key.
Rating = Callable[[list[float]], tuple[float, float]]


def least_cost(costs: list[float]) -> tuple[float, float]:
    """Return the least cost as the key, for greedy insertion; it is infinite if there is no place."""
    best = min(costs)
    return best, best


def negative_regret(penalty: float) -> Rating:
    """Return a rating for regret-2: the best cost minus the second-best, or minus the penalty if there is none."""

    def rate(costs: list[float]) -> tuple[float, float]:
        ordered = sorted(costs)
        best = ordered[0]
        second = ordered[1] if len(ordered) > 1 else math.inf
        if best == math.inf:
            return math.inf, math.inf
        return best - (second if second < math.inf else penalty), second

    return rate


# The innermost loops of the peer.


def cheapest_positions(state: PlainState, customer: int, first: int, end: int) -> tuple[list[float], list[int]]:
    """Return the least added distance in each of the tours ``first`` to ``end`` - 1, and the node that then follows."""
    scan = _timed_positions if state.problem.timed else _untimed_positions
    return scan(state, customer, first, end)


def _untimed_positions(state: PlainState, customer: int, first: int, end: int) -> tuple[list[float], list[int]]:
    problem = state.problem
    row, demand, capacity = problem.distance[customer], problem.demand[customer], problem.capacity
    tours, legs_of, loads = state.tours, state.legs, state.loads
    home = row[0]
    costs, places = [], []
    for route in range(first, end):
        best = math.inf
        place = 0
        if loads[route] + demand <= capacity:
            hither = home
            for node, leg in zip(tours[route], legs_of[route]):  # noqa: B905 (a check would cost time here)
                to = row[node]
                delta = hither + to - leg
                if delta < best:
                    best = delta
                    place = node
                hither = to
        costs.append(best)
        places.append(place)
    return costs, places


def _timed_positions(state: PlainState, customer: int, first: int, end: int) -> tuple[list[float], list[int]]:
    problem = state.problem
    row, demand, capacity = problem.distance[customer], problem.demand[customer], problem.capacity
    early, late, duration = problem.opens[customer], problem.closes[customer], problem.service[customer]
    tours, legs_of, loads, depart, latest = state.tours, state.legs, state.loads, state.depart, state.latest
    home = row[0]
    costs, places = [], []
    for route in range(first, end):
        best = math.inf
        place = 0
        if loads[route] + demand <= capacity:
            hither, leaves = home, depart[0]
            for node, leg in zip(tours[route], legs_of[route]):  # noqa: B905
                # Departures only grow along a tour: once one is after the end of the window, no later place is in time.
                if leaves > late:
                    break
                to = row[node]
                delta = hither + to - leg
                if delta < best:
                    start = leaves + hither
                    if start < early:
                        start = early
                    if start <= late and start + duration + to <= latest[node]:
                        best = delta
                        place = node
                hither = to
                leaves = depart[node]
        costs.append(best)
        places.append(place)
    return costs, places


# After a tour took a customer, the cached insertion costs are brought up to date.
#
# An insertion destroys one position, makes two, and can only delay the others. So only the two new positions are looked
# at, and the tour is scanned only if its best position is gone. In Python that is faster than scanning the tour for all
# customers, as vector code does.


def untimed_route_grew(
    state: PlainState,
    route: int,
    position: int,
    costs_of: list[list[float]],
    places_of: list[list[int]],
    keys: list[float],
    bounds: list[float],
    rate: Rating,
) -> None:
    """Update costs, places, keys and bounds of all waiting customers; without time windows."""
    distance, demand = state.problem.distance, state.problem.demand
    tour, legs = state.tours[route], state.legs[route]
    before, inserted, following = tour[position - 1], tour[position], tour[position + 1]
    leg_ahead, leg_behind = legs[position], legs[position + 1]
    room = state.problem.capacity - state.loads[route]
    for k, customer in enumerate(state.waiting):
        costs = costs_of[k]
        old = costs[route]
        if old == math.inf:
            continue  # the tour was full for this customer, and is fuller now
        places = places_of[k]
        if demand[customer] > room:
            cost = math.inf
        elif places[route] == following:
            (cost,), (places[route],) = cheapest_positions(state, customer, route, route + 1)
        else:
            cost = old
            row = distance[customer]
            near = row[inserted]
            ahead = row[before] + near - leg_ahead
            if ahead < cost:
                cost = ahead
                places[route] = inserted
            behind = near + row[following] - leg_behind
            if behind < cost:
                cost = behind
                places[route] = following
            if cost == old:
                continue
        costs[route] = cost
        if old <= bounds[k] or cost < bounds[k]:
            keys[k], bounds[k] = rate(costs)


def timed_route_grew(
    state: PlainState,
    route: int,
    position: int,
    costs_of: list[list[float]],
    places_of: list[list[int]],
    keys: list[float],
    bounds: list[float],
    rate: Rating,
) -> None:
    """Update costs, places, keys and bounds of all waiting customers; with time windows."""
    problem, depart, latest = state.problem, state.depart, state.latest
    distance, demand, opens, closes, service = (
        problem.distance, problem.demand, problem.opens, problem.closes, problem.service,
    )  # fmt: skip
    tour, legs = state.tours[route], state.legs[route]
    before, inserted, following = tour[position - 1], tour[position], tour[position + 1]
    leg_ahead, leg_behind = legs[position], legs[position + 1]
    room = problem.capacity - state.loads[route]
    for k, customer in enumerate(state.waiting):
        costs = costs_of[k]
        old = costs[route]
        if old == math.inf:
            continue  # the tour was too full or too late for this customer, and is no better now
        places = places_of[k]
        place = places[route]
        if demand[customer] > room:
            cost = math.inf
        else:
            row = distance[customer]
            early, late, duration = opens[customer], closes[customer], service[customer]
            cost = math.inf
            if place != following:
                previous = tour[tour.index(place) - 1]
                start = max(early, depart[previous] + row[previous])
                if start <= late and start + duration + row[place] <= latest[place]:
                    cost = old
            if cost == math.inf:
                (cost,), (places[route],) = cheapest_positions(state, customer, route, route + 1)
            else:
                near = row[inserted]
                ahead = row[before] + near - leg_ahead
                if ahead < cost:
                    start = max(early, depart[before] + row[before])
                    if start <= late and start + duration + near <= latest[inserted]:
                        cost = ahead
                        places[route] = inserted
                behind = near + row[following] - leg_behind
                if behind < cost:
                    start = max(early, depart[inserted] + near)
                    if start <= late and start + duration + row[following] <= latest[following]:
                        cost = behind
                        places[route] = following
                if cost == old:
                    continue
        costs[route] = cost
        if old <= bounds[k] or cost < bounds[k]:
            keys[k], bounds[k] = rate(costs)
