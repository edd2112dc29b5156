"""Where a customer is inserted most cheaply, in pure Python: the innermost loops of the peer."""

import math

from dacalns.bench.pure_python.state import PlainState


def cheapest_positions(state: PlainState, customer: int, first: int, end: int) -> tuple[list[float], list[int]]:
    """For each of the tours ``first`` … ``end`` - 1 the least added distance and the node to go in front of."""
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
                # Departures only grow along a tour: behind one after the window closes, nothing is in time.
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
