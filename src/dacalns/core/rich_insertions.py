"""Insertion into the routes of rich problems: customers, pairs and members of groups, each where it costs least.

An *item* is what is served at once: a customer, a pair by its first one, or a group by the first of its members, of
whom the cheapest is taken. One that may be left out is only served where that costs less than leaving it out.
"""

import numpy as np
from numba import types

from dacalns.core.insertions import MANY, NEAR, overlooked
from dacalns.core.jit import compiled_once, inlined, kernel
from dacalns.core.model import BANKED, END, USED
from dacalns.core.rich import NOWHERE, RICH_PROBLEM, RICH_SOLUTION
from dacalns.core.rich_fleet import as_route, detour_of, has_vehicle, may_load_again, rank_of, trip_number
from dacalns.core.rich_openings import NEVER, PASSED_OVER, open_behind_another, open_best_route, open_route
from dacalns.core.rich_places import scan_for, scan_route, try_place
from dacalns.core.rich_terms import (
    cost_without,
    has_room,
    is_item,
    let_all_rest,
    objective,
    suits,
    waits,
)
from dacalns.core.rich_vehicles import change_kind, drop_dear, how_bold, larger_kind, suit_vehicles
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import copy_into, link, remove, settle

# --- The cheapest place of all --------------------------------------------------------------------------------------

# How often some who are left out are lined up besides, and how many at most.
SOME, NEAR_SOME = 0.2, 30
# The columns of the scratch table: who waits in line, and which routes have been looked at for whom.
WAITING, LOOKED_AT = 0, 1


@kernel
def place_item(problem, solution, item, larger, boldness, blink, rng):
    """Where an item costs least: the customer (END: nowhere), the number of the route, and whom the two follow.

    One that may be left out is placed if that costs less than ``boldness`` times what leaving it out does.

    Where there are many places, those beside near customers, at the ends of routes and in new routes are looked at, and
    all only if none of those will do.
    """
    least = boldness * cost_without(problem, item)
    chosen, route, place, place_too = END, -1, END, END
    group = problem.group[item]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    near = len(solution.route) > MANY
    while True:
        for k in range(begin, end):
            customer = problem.members[k] if group else item
            limit = least + problem.unserved[customer] if group and least < np.inf else least
            if near:
                cost, at, one, other = place_near_by(problem, solution, customer, limit, larger, blink, rng)
            else:
                cost, at, one, other = place_in_any(problem, solution, customer, limit, larger, blink, rng)
            if cost < limit:
                least = cost - problem.unserved[customer] if group else cost
                chosen, route, place, place_too = customer, at, one, other
        if chosen or not near or cost_without(problem, item) < np.inf:
            return chosen, route, place, place_too
        near = False


@kernel
def place_in_any(problem, solution, customer, least, larger, blink, rng):
    """Where a customer, or the pair that it begins, costs least, if below ``least``."""
    used = solution.counts[USED]
    route, place, place_too = -1, END, END
    for number in range(used + len(problem.ends)):
        if number < used or has_vehicle(problem, solution, number - used):
            at = as_route(problem, solution, number)
            if has_room(problem, solution, at, customer):
                cost, one, other = scan_for(problem, solution, customer, at, least, blink, rng)
                if cost < least:
                    least, route, place, place_too = cost, number, one, other
            elif larger and number < used:
                cost, one = place_in_larger(problem, solution, customer, at, least, blink, rng)
                if cost < least:
                    least, route, place = cost, number, one
    if problem.trips:
        return place_in_new_trip(problem, solution, customer, least, route, place, place_too, blink, rng)
    return least, route, place, place_too


@kernel
def place_in_new_trip(problem, solution, customer, least, route, place, place_too, blink, rng):
    """The same, also on a trip of its own that a vehicle in use makes behind another one, or before its first."""
    for other in range(solution.counts[USED]):
        for side in range(2):
            for rank in range(problem.reload_at.shape[1]):
                if not may_load_again(problem, solution, other, side, rank):
                    continue
                number = trip_number(problem, solution, other, side, rank)
                at = as_route(problem, solution, number)
                if not has_room(problem, solution, at, customer):
                    continue
                more = detour_of(problem, solution, number)
                cost, one, two = scan_for(problem, solution, customer, at, least - more, blink, rng)
                if cost < least - more:
                    least, route, place, place_too = cost + more, number, one, two
    return least, route, place, place_too


@kernel
def place_in_larger(problem, solution, customer, route, least, blink, rng):
    """Where a customer costs least in a route that changes to a larger vehicle for that, if below ``least``."""
    place = END
    kind, more = larger_kind(problem, solution, route, customer)
    if kind < 0 or more >= least:
        return np.inf, place
    now = solution.kind[route]
    solution.kind[route] = kind
    cost, place = scan_route(problem, solution, customer, route, least - more, blink, rng)
    solution.kind[route] = now
    return (cost + more if cost < least - more else np.inf), place


@kernel
def place_near_by(problem, solution, customer, least, larger, blink, rng):
    """The same, beside near customers and in new routes; a pair anywhere in the routes of near ones."""
    used = solution.counts[USED]
    route, place, place_too = -1, END, END
    pair = problem.paired and problem.mate[customer] > 0
    table = solution.scratch_ints
    near = problem.neighbours[customer]
    looked = 0
    for k in range(len(near)):
        node = np.int64(near[k])
        number = solution.route[node]
        if number < 0 or not suits(problem, solution, number, customer):
            continue
        looked += 1
        if looked > NEAR:
            break
        if pair and table[number, LOOKED_AT] == customer:
            continue
        if not has_room(problem, solution, number, customer):
            if larger and not pair and table[number, LOOKED_AT] != customer:
                table[number, LOOKED_AT] = customer
                cost, one = place_in_larger(problem, solution, customer, number, least, blink, rng)
                if cost < least:
                    least, route, place = cost, number, one
            continue
        if pair:
            table[number, LOOKED_AT] = customer
            cost, one, other = scan_for(problem, solution, customer, number, least, blink, rng)
            if cost < least:
                least, route, place, place_too = cost, number, one, other
            continue
        ahead, following = solution.pred[node], solution.succ[node]
        cost = try_place(problem, solution, customer, number, ahead, node, least)
        if cost < least and not overlooked(blink, rng):
            least, route, place = cost, number, ahead
        cost = try_place(problem, solution, customer, number, node, following, least)
        if cost < least and not overlooked(blink, rng):
            least, route, place = cost, number, node
    for k in range(used):
        table[k, LOOKED_AT] = END
    if not pair:
        for number in range(used):
            if has_room(problem, solution, number, customer):
                cost = try_place(problem, solution, customer, number, END, solution.first[number], least)
                if cost < least and not overlooked(blink, rng):
                    least, route, place = cost, number, END
                last = solution.last[number]
                cost = try_place(problem, solution, customer, number, last, END, least)
                if cost < least and not overlooked(blink, rng):
                    least, route, place = cost, number, last
    for kind in range(len(problem.ends)):
        if has_vehicle(problem, solution, kind):
            at = as_route(problem, solution, used + kind)
            if has_room(problem, solution, at, customer):
                cost, one, other = scan_for(problem, solution, customer, at, least, blink, rng)
                if cost < least:
                    least, route, place, place_too = cost, used + kind, one, other
    if problem.trips:
        return place_in_new_trip(problem, solution, customer, least, route, place, place_too, blink, rng)
    return least, route, place, place_too


@kernel
def serve(problem, solution, customer, route, place, place_too):
    """Put a customer, and the other one of its pair, where they were found to cost least."""
    if route < solution.counts[USED] and not has_room(problem, solution, route, customer):
        change_kind(solution, route, larger_kind(problem, solution, route, customer)[0])
    link(problem, solution, customer, route, place)
    if problem.paired and problem.mate[customer]:
        link(problem, solution, problem.mate[customer], solution.route[customer], place_too)


# How often routes may change to larger vehicles while customers are inserted. If they always might, no other vehicle
# would be opened as long as there are larger ones.
LARGER = 0.5

# How often vehicles are exchanged before customers are inserted, and not only behind that. What routes that have just
# lost some customers cost says little of what they will cost, and where vehicles are scarce, those who were removed may
# not fit any more.
SUIT_FIRST = 0.1

# How often a route is opened for those who may be left out: for some near one another, and for the best of all.
OPEN, OPEN_BEST = 0.1, 0.01

# --- One after the other, with blinks -------------------------------------------------------------------------------


@kernel
def fill_in_line(problem, solution, waiting, blink, rng):
    """Serve those lined up in the first column of the scratch table, each at the cheapest place not overlooked."""
    if random_float(rng) < SUIT_FIRST:
        suit_vehicles(problem, solution)
    larger = np.int64(random_float(rng) < LARGER)
    boldness = how_bold(problem, solution, rng)
    if problem.elective and solution.counts[BANKED] and random_float(rng) < OPEN:
        customer = solution.bank[random_int(rng, solution.counts[BANKED])]
        open_route(problem, solution, np.int64(customer), np.int64(random_int(rng, len(problem.ends))), rng)
    if problem.elective and problem.timed and random_float(rng) < OPEN_BEST:
        open_best_route(problem, solution, np.int64(random_int(rng, len(problem.ends))), PASSED_OVER, rng)
    waiting = line_up_some(problem, solution, waiting, boldness, rng)
    serve_line(problem, solution, waiting, larger, boldness, blink, rng)
    drop_dear(problem, solution)
    let_all_rest(problem, solution)
    suit_vehicles(problem, solution)


@compiled_once(
    types.void(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.int64, types.float64, types.float64, types.uint64[::1])
)
@kernel
def serve_line(problem, solution, waiting, larger, boldness, blink, rng):
    """Serve those in line, one after the other."""
    queue = solution.scratch_ints
    for k in range(waiting):
        item = queue[k, WAITING]
        if not is_item(problem, solution, item):
            continue
        customer, route, place, place_too = place_item(problem, solution, item, larger, boldness, blink, rng)
        if customer:
            serve(problem, solution, customer, route, place, place_too)
        elif problem.mate[item] == 0 and cost_without(problem, item) == np.inf:
            open_behind_another(problem, solution, item)


@inlined
def line_up_some(problem, solution, waiting, boldness, rng):
    """Put behind those in line, now and then, some who may be left out and lie near one another; return how many are.

    Whoever waits far from all that changes would never have his turn. Those who may cost more than their prizes are
    many: only together they are worth a route of their own.
    """
    banked = solution.counts[BANKED]
    bold = boldness > 1.0
    if not problem.elective or banked == 0 or not (bold or random_float(rng) < SOME):
        return waiting
    queue = solution.scratch_ints
    most = len(solution.route)
    centre = solution.bank[random_int(rng, banked)]
    near = problem.neighbours[centre]
    for k in range(-1, len(near) if bold else min(NEAR_SOME, len(near))):
        customer = centre if k < 0 else np.int64(near[k])
        if waiting < most and is_item(problem, solution, customer):
            queue[waiting, WAITING] = customer
            waiting += 1
    return waiting


# --- By regret ------------------------------------------------------------------------------------------------------

# So many routes may be opened before all costs are computed anew.
SPARE = 8


@inlined
def _cell(solution, place):
    return solution.scratch_floats[place // 8, place % 8]


@inlined
def _set_cell(solution, place, value):
    solution.scratch_floats[place // 8, place % 8] = value


@kernel
def fill_by_best(problem, solution, depth, eta, rng):
    """Insert all that fits, the item with the highest regret first, each where it costs least.

    See `dacalns.core.insertion_table.fill_by_best`. What leaving out an item costs counts as one more route. On large
    instances only places in the routes of near customers are looked at; all are, if somebody must be served whom none
    of these can take.
    """
    if random_float(rng) < SUIT_FIRST:
        suit_vehicles(problem, solution)
    larger = np.int64(random_float(rng) < LARGER)
    boldness = how_bold(problem, solution, rng)
    near = np.int64(len(solution.route) > MANY)
    fill_from_bank(problem, solution, np.int64(depth), float(eta), near, larger, boldness, rng)
    if near and anybody_must_be_served(problem, solution):
        fill_from_bank(problem, solution, np.int64(depth), float(eta), np.int64(0), larger, boldness, rng)
    drop_dear(problem, solution)
    let_all_rest(problem, solution)
    suit_vehicles(problem, solution)


@kernel
def anybody_must_be_served(problem, solution):
    """True if anybody in the bank stands for something that must not be left out."""
    for k in range(solution.counts[BANKED]):
        item = solution.bank[k]
        if is_item(problem, solution, item) and cost_without(problem, item) == np.inf:
            return True
    return False


@compiled_once(
    types.void(
        RICH_PROBLEM, RICH_SOLUTION,
        types.int64, types.float64, types.int64, types.int64, types.float64, types.uint64[::1],
    )
)  # fmt: skip
@kernel
def fill_from_bank(problem, solution, depth, eta, near, larger, boldness, rng):
    """Serve those in the bank who wait, by regret; with ``near``, in the routes of near customers alone."""
    cells = 8 * (len(solution.scratch_floats) - 2 * len(solution.route))
    begin = 0
    if problem.trips:  # the table has no columns for those that could be begun
        waiting = 0
        for k in range(solution.counts[BANKED]):
            if waits(problem, solution, solution.bank[k], rng):
                solution.scratch_ints[waiting, WAITING] = solution.bank[k]
                waiting += 1
        serve_line(problem, solution, waiting, larger, boldness, NEVER, rng)
        return
    while True:
        width = solution.counts[USED] + SPARE + len(problem.ends)
        most = max(1, cells // width)
        items = 0
        while begin < solution.counts[BANKED] and items < most:
            item = solution.bank[begin]
            if waits(problem, solution, item, rng):
                solution.scratch_ints[items, WAITING] = item
                items += 1
            begin += 1
        if items == 0:
            return
        complete = begin == solution.counts[BANKED]
        served, full = _fill_from_table(problem, solution, items, width, depth, eta, near, larger, boldness, rng)
        if full or (served and not complete):
            begin = 0  # places in the bank have changed
        elif complete:
            return


@kernel
def _fill_from_table(problem, solution, items, width, depth, eta, near, larger, boldness, rng):
    """Serve the items in line; return whether one was served, and whether the table became too small on the way."""
    queue = solution.scratch_ints
    base = solution.counts[USED] + SPARE  # where the columns of new routes begin
    for k in range(items):
        for column in range(width):
            number = column if column < base else solution.counts[USED] + column - base
            _set_cell(solution, k * width + column, np.inf)
            if column >= base or (column < solution.counts[USED] and not near):
                cost = cost_in(problem, solution, queue[k, WAITING], number, larger, rng)
                _set_cell(solution, k * width + column, cost)
        if near:
            _note_costs_near(problem, solution, queue[k, WAITING], k * width, larger, rng)
    served = False
    while items:
        chosen, column_chosen, most = -1, -1, -np.inf
        for k in range(items):
            item = queue[k, WAITING]
            first = second = third = np.inf
            best = -1
            out = boldness * cost_without(problem, item)
            noise = 0.0
            if eta > 0.0:
                others = problem.neighbours[item]
                noise = eta * problem.distance[item, np.int64(others[len(others) - 1])] if len(others) else 0.0
            for column in range(width):
                cost = _cell(solution, k * width + column)
                if cost == np.inf or (column >= base and not has_vehicle(problem, solution, column - base)):
                    continue
                if noise > 0.0:
                    cost += noise * (2.0 * random_float(rng) - 1.0)
                if cost < first:
                    third, second, first = second, first, cost
                    best = column
                elif cost < second:
                    third, second = second, cost
                elif cost < third:
                    third = cost
            if best < 0 or first >= out:
                continue
            merit = -first
            if depth > 1:
                merit = min(min(second, out), problem.penalty) - first
            if depth > 2 and eta == 0.0:
                merit += min(min(third, out), problem.penalty) - first
            if merit > most:
                most, chosen, column_chosen = merit, k, best
        if chosen < 0:
            return served, False
        item = queue[chosen, WAITING]
        number = column_chosen if column_chosen < base else solution.counts[USED] + column_chosen - base
        used = solution.counts[USED]
        if not _serve_in(problem, solution, item, number, larger, rng):
            _set_cell(solution, chosen * width + column_chosen, np.inf)
            continue
        served = True
        items -= 1
        queue[chosen, WAITING] = queue[items, WAITING]
        for column in range(width):
            _set_cell(solution, chosen * width + column, _cell(solution, items * width + column))
        changed = min(number, used)
        if changed >= base:
            return True, True
        for k in range(items):
            item, place = queue[k, WAITING], k * width + changed
            if near and solution.size[changed] > NEAR:
                cost = cost_near(problem, solution, item, changed, larger, rng)
            else:
                cost = cost_in(problem, solution, item, changed, larger, rng)
            _set_cell(solution, place, cost)
    return served, False


@kernel
def _note_costs_near(problem, solution, item, row, larger, rng):
    """Note in a row of the table what an item costs in the routes of near customers: beside them, or at an end."""
    table = solution.scratch_ints
    group = problem.group[item]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    for k in range(begin, end):
        customer = problem.members[k] if group else item
        bonus = problem.unserved[customer] if group else 0.0
        near = problem.neighbours[customer]
        looked = 0
        for rank in range(len(near)):
            node = np.int64(near[rank])
            route = solution.route[node]
            if route < 0 or not suits(problem, solution, route, customer):
                continue
            looked += 1
            if looked > NEAR:
                break
            cell = row + route
            least = _cell(solution, cell) + bonus
            if table[route, LOOKED_AT] != customer:
                table[route, LOOKED_AT] = customer
                cost = _cost_at_ends(problem, solution, customer, route, least, larger, rng)
                if cost < least:
                    least = cost
                    _set_cell(solution, cell, cost - bonus)
            cost = _cost_beside(problem, solution, customer, route, node, least)
            if cost < least:
                _set_cell(solution, cell, cost - bonus)
        for route in range(solution.counts[USED]):
            table[route, LOOKED_AT] = END


@kernel
def cost_near(problem, solution, item, route, larger, rng):
    """What an item costs at least in a route of near customers: beside them, or at an end."""
    group = problem.group[item]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    best = np.inf
    for k in range(begin, end):
        customer = problem.members[k] if group else item
        bonus = problem.unserved[customer] if group else 0.0
        near = problem.neighbours[customer]
        looked, least, new = 0, np.inf, True
        for rank in range(len(near)):
            node = np.int64(near[rank])
            there = solution.route[node]
            if there < 0 or not suits(problem, solution, there, customer):
                continue
            looked += 1
            if looked > NEAR:
                break
            if there == route:
                if new:
                    least = _cost_at_ends(problem, solution, customer, route, np.inf, larger, rng)
                    new = False
                least = min(least, _cost_beside(problem, solution, customer, route, node, least))
        best = min(best, least - bonus)
    return best


@inlined
def _cost_beside(problem, solution, customer, route, node, least):
    """What somebody costs on either side of a near one, if that is below ``least``; infinite for pairs, or no room."""
    if problem.mate[customer] or not has_room(problem, solution, route, customer):
        return np.inf
    cost = try_place(problem, solution, customer, route, solution.pred[node], node, least)
    return min(cost, try_place(problem, solution, customer, route, node, solution.succ[node], min(least, cost)))


@kernel
def _cost_at_ends(problem, solution, customer, route, least, larger, rng):
    """What somebody costs at either end of a route; a pair, and one who needs a larger vehicle, anywhere in it."""
    if problem.mate[customer]:
        return scan_for(problem, solution, customer, route, least, NEVER, rng)[0]
    if not has_room(problem, solution, route, customer):
        return place_in_larger(problem, solution, customer, route, least, NEVER, rng)[0] if larger else np.inf
    cost = try_place(problem, solution, customer, route, END, solution.first[route], least)
    return min(cost, try_place(problem, solution, customer, route, solution.last[route], END, min(least, cost)))


@kernel
def cost_in(problem, solution, item, number, larger, rng):
    """What an item costs in a route at least, whichever member of a group it is."""
    if number >= solution.counts[USED] and not has_vehicle(problem, solution, number - solution.counts[USED]):
        return np.inf
    route = as_route(problem, solution, number)
    group = problem.group[item]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    least = np.inf
    for k in range(begin, end):
        customer = problem.members[k] if group else item
        limit = least + problem.unserved[customer] if group and least < np.inf else least
        cost = np.inf
        if has_room(problem, solution, route, customer):
            cost, _, _ = scan_for(problem, solution, customer, route, limit, NEVER, rng)
        elif larger and number < solution.counts[USED]:
            cost, _ = place_in_larger(problem, solution, customer, route, limit, NEVER, rng)
        if cost < limit:
            least = cost - problem.unserved[customer] if group else cost
    return least


@kernel
def _serve_in(problem, solution, item, number, larger, rng):
    """Serve an item in a route where it costs least; return whether it fits there."""
    route = as_route(problem, solution, number)
    group = problem.group[item]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    least = np.inf
    chosen = place = place_too = END
    for k in range(begin, end):
        customer = problem.members[k] if group else item
        limit = least + problem.unserved[customer] if group and least < np.inf else least
        cost, one, other = np.inf, END, END
        if has_room(problem, solution, route, customer):
            cost, one, other = scan_for(problem, solution, customer, route, limit, NEVER, rng)
        elif larger and number < solution.counts[USED]:
            cost, one = place_in_larger(problem, solution, customer, route, limit, NEVER, rng)
        if cost < limit:
            least = cost - problem.unserved[customer] if group else cost
            chosen, place, place_too = customer, one, other
    if chosen:
        serve(problem, solution, chosen, number, place, place_too)
    return chosen != END


# --- Whole routes ---------------------------------------------------------------------------------------------------


@kernel
def place_given_routes(problem, solution, visits, sizes, kinds):
    """Serve waiting customers by new routes, one after the other in ``visits``, as far as that is feasible.

    ``sizes`` says how many stand on each route, ``kinds`` which vehicle type it has. Whoever breaks a limit waits.
    """
    begin = 0
    for k in range(len(sizes)):
        end = begin + sizes[k]
        kind = kinds[k]
        route, last = -1, END
        if 0 <= kind < len(problem.ends) and has_vehicle(problem, solution, kind):
            depot = NOWHERE
            for place in range(begin, end):
                customer = visits[place]
                if customer >= len(solution.route):
                    depot = customer
                    continue
                group = problem.group[customer]
                if not problem.may_serve[kind, customer] or (group and solution.visited[group]):
                    continue
                first = problem.mate[customer] if problem.second[customer] else END
                if first and (depot != NOWHERE or route < 0 or solution.route[first] != route):
                    continue  # it must stand before it on the same trip
                number = solution.counts[USED] + kind if route < 0 else route
                if depot != NOWHERE and route >= 0:
                    rank = rank_of(problem, kind, depot)
                    if rank < 0 or not may_load_again(problem, solution, route, 0, rank):
                        break
                    number, last = trip_number(problem, solution, route, 0, rank), END
                depot = NOWHERE
                link(problem, solution, customer, number, last)
                if solution.route[customer] != route and route >= 0:
                    solution.dirty[route] = 1
                route, last = solution.route[customer], customer
        if route >= 0:
            solution.dirty[route] = 1
            for place in range(begin, end):
                customer = visits[place]
                mate = problem.mate[customer] if customer < len(solution.route) else END
                if mate and solution.route[customer] >= 0 and solution.route[mate] != solution.route[customer]:
                    remove(problem, solution, customer)
            settle(problem, solution)
        begin = end


# How many times their prizes customers may cost while a first solution is built, round after round, in each of the ways
# that are tried: a route is worth its while only when many are on it, so that none would be opened at first.
BOLD_ROUNDS = np.array([[5.0, 3.0, 1.7, 1.0], [20.0, 7.0, 2.5, 1.0]])


@kernel
def complete(problem, solution, candidate, rounds, rng):
    """Serve the waiting customers by regret insertion, in the best of some ways; leave it if none costs less."""
    ways = len(BOLD_ROUNDS) if problem.elective else 1
    vehicles = 2 if len(problem.ends) > 1 else 1
    chosen = 0
    if ways * vehicles > 1:
        # Where customers may be left out, routes that were given may be better as they are.
        chosen, least = -1, objective(problem, solution)
        for way in range(ways * vehicles):
            copy_into(candidate, solution)
            _complete_in_a_way(problem, candidate, way, ways, rng)
            cost = objective(problem, candidate)
            if cost < least:
                chosen, least = way, cost
    if chosen >= 0:
        _complete_in_a_way(problem, solution, chosen, ways, rng)


@kernel
def _complete_in_a_way(problem, solution, way, ways, rng):
    for k in range(BOLD_ROUNDS.shape[1] if problem.elective else 1):
        larger, boldness = np.int64(way // ways == 1), BOLD_ROUNDS[way % ways, k]
        fill_from_bank(problem, solution, np.int64(2), 0.0, np.int64(0), larger, boldness, rng)
        drop_dear(problem, solution)
        settle(problem, solution)
    if problem.elective:
        if problem.timed:
            for kind in range(len(problem.ends)):
                while open_best_route(problem, solution, np.int64(kind), NEVER, rng):
                    pass
            drop_dear(problem, solution)
            settle(problem, solution)
        for customer in range(1, len(solution.route)):
            if solution.route[customer] < 0:
                open_route(problem, solution, np.int64(customer), np.int64(customer % len(problem.ends)), rng)
                drop_dear(problem, solution)
                settle(problem, solution)
    suit_vehicles(problem, solution)
