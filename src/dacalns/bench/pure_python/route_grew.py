"""Bringing the cached insertion costs up to date after a tour took a customer, in pure Python.

An insertion destroys one position, makes two, and can only delay the others. So the two new ones are looked at, and
the tour is scanned only where its best position is gone: in Python that is faster than scanning it for everybody, as
vector code does.
"""

import math

from dacalns.bench.pure_python.insertion import cheapest_positions
from dacalns.bench.pure_python.rating import Rating
from dacalns.bench.pure_python.state import PlainState


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
