"""The terms of a routing problem: what a leg costs, who fits where, what a route adds up to.

This is the one module of the search that knows capacity, windows, the fleet and the depots. Every kernel that inserts,
removes, exchanges or counts asks these functions, which are inlined, and decides nothing of that kind itself; a test
reads the source of the other modules to keep it so. The checker of answers shares nothing with them.

A function gets the ``route`` it is asked about even where the plain problem has no use for it: with vehicle types or
several depots the answer depends on it. Only those who ask before a route is chosen do without, such as savings: they
learn what holds whoever drives. ``END`` (0) in place of a customer stands for the end of the route on that
side: as ``tail`` for the place where it starts, as ``head`` for the place where it ends. Only here that is a depot.

Distances and durations are two questions. In the plain problem one matrix answers both, so where a distance is known
already it is passed on, and counts as the duration, too.
"""

import math
from typing import NamedTuple

import numpy as np

from dacalns.core import rich_fleet, rich_soundness, rich_terms, rich_view
from dacalns.core.distances import between, pairs_between
from dacalns.core.flaws import OF_PENALTY, RELATIVE, WRONG_SUM
from dacalns.core.jit import by_kind, inlined, kernel, shared
from dacalns.core.lanes import any_at_most, higher, lanes_of, spread, within
from dacalns.core.model import BANKED, END, USED, Problem, Solution
from dacalns.core.records import numbered

# --- Depots ---------------------------------------------------------------------------------------------------------


@shared
def is_depot(node):
    """True if a node, or for Python each of an array, is a depot and no customer."""
    return node == END


@inlined
def starts_at(problem, solution, route):
    """The node at which a route starts."""
    return END


@inlined
def ends_at(problem, solution, route):
    """The node at which a route ends."""
    return END


def seen_from(problem: Problem) -> int:
    """The node from which networks see where the others are; for Python, not compiled."""
    return END


# --- Legs -----------------------------------------------------------------------------------------------------------


@inlined
def distance(problem, solution, route, tail, head):
    """The distance from ``tail`` to ``head`` for the vehicle of ``route``; END is where that starts or ends."""
    return between(problem, tail, head)


@inlined
def distance_to(problem, solution, route, customer, place):
    """The distance from ``customer`` to a place of the route.

    Many customers are tried at one place in turn, so the row of the place is the one that is in the cache.
    """
    if problem.symmetric:
        return between(problem, place, customer)
    return between(problem, customer, place)


@inlined
def distance_back(problem, solution, route, place, customer, thither):
    """The distance from a place of the route to ``customer``, given that it is ``thither`` in the other direction."""
    return thither if problem.symmetric else between(problem, place, customer)


@inlined
def edge(problem, solution, route, one, other):
    """The distance of two places that stand side by side on ``route`` in either order, where both ways are alike."""
    return between(problem, one, other)


@inlined
def leg_now(problem, solution, route, tail, head):
    """The distance of a leg that the route has now, from ``tail`` to the ``head`` behind it."""
    return solution.leg[head] if head else between(problem, tail, END)


@inlined
def apart(problem, one, other):
    """How far it is from one customer to another, whoever drives: for those who look for what lies close together."""
    return between(problem, one, other)


@inlined
def from_start(problem, customer):
    """How far ``customer`` is from where vehicles start, whoever drives."""
    return between(problem, END, customer)


@inlined
def to_end(problem, customer):
    """How far ``customer`` is from where vehicles end, whoever drives."""
    return between(problem, customer, END)


@inlined
def duration(problem, solution, route, tail, head):
    """How long it takes the vehicle of ``route`` from ``tail`` to ``head``; in the plain problem, the distance."""
    return between(problem, tail, head)


@inlined
def duration_of(problem, solution, route, tail, head, distance):
    """How long that takes, given the distance; in the plain problem they are one."""
    return distance


@inlined
def durations_of8(problem, solution, route, distances):
    """How long eight legs take the vehicle of ``route``, given their distances; in the plain problem they are one."""
    return distances


@inlined
def duration_apart(problem, one, other, distance):
    """How long it takes from one customer to another, whoever drives, given the distance; they are one, too."""
    return distance


@shared
def reversible(problem):
    """True if a route may be driven in the other direction at the same cost."""
    return problem.symmetric and not problem.timed


# --- Loads ----------------------------------------------------------------------------------------------------------


@inlined
def amount(problem, customer):
    """How much of a vehicle ``customer`` takes up."""
    return problem.demand[customer]


@inlined
def load_of(solution, route):
    """How much of its vehicle the customers of ``route`` take up."""
    return solution.load[route]


def loads_of(solution: Solution, routes: np.ndarray) -> np.ndarray:
    """How much of their vehicles the customers of some routes take up; for Python, not compiled."""
    return solution.load[routes]


@inlined
def load_along(problem, links, node):
    """How much of a vehicle a customer takes up, together with all that the links lead to from there."""
    load = 0.0
    while node:
        load += problem.demand[node]
        node = links[node]
    return load


@inlined
def may_carry(problem, solution, route, load):
    """True if the vehicle of ``route`` may carry so much."""
    return load <= problem.capacity


@inlined
def has_room(problem, solution, route, customer):
    """True if ``route`` may take ``customer`` as far as loads go."""
    return solution.load[route] + problem.demand[customer] <= problem.capacity


@inlined
def has_room_for_both(problem, solution, route, one, other):
    """True if ``route`` may take two customers (or one, if ``other`` is END) as far as loads go."""
    return solution.load[route] + (problem.demand[one] + problem.demand[other]) <= problem.capacity


@inlined
def may_swap_loads(problem, solution, one, other):
    """True if two customers of different routes may change places as far as loads go."""
    more = problem.demand[other] - problem.demand[one]
    here, there = solution.route[one], solution.route[other]
    return solution.load[here] + more <= problem.capacity and solution.load[there] - more <= problem.capacity


@inlined
def count_in(problem, solution, route, customer, more):
    """Add ``customer`` to what its new route carries, and ``more`` to what that costs."""
    solution.load[route] += problem.demand[customer]
    solution.length[route] += more


@inlined
def count_out(problem, solution, route, customer, saved):
    """Take ``customer`` off what its route carries, and ``saved`` off what that costs."""
    solution.load[route] -= problem.demand[customer]
    solution.length[route] -= saved


@inlined
def partner(problem, customer):
    """The customer that comes and goes with ``customer``; END for none."""
    return END


# --- Times ----------------------------------------------------------------------------------------------------------


@inlined
def if_windows(problem, some, none):
    """``some`` if service must begin within windows, else ``none``: two counts or weights of what windows add to."""
    return some if problem.timed else none


@inlined
def opening(problem, customer):
    """The earliest start of service."""
    return problem.opens[customer]


@inlined
def closing(problem, customer):
    """The latest start of service."""
    return problem.closes[customer]


@inlined
def service_start(problem, solution, customer):
    """When service of a customer on a route begins; the same for all without windows."""
    return solution.depart[customer] - problem.service[customer] if problem.timed else 0.0


@inlined
def arrival(problem, solution, customer):
    """When the vehicle arrives at a customer on a route; only with windows."""
    route, before = solution.route[customer], solution.pred[customer]
    return solution.depart[before] + duration_of(problem, solution, route, before, customer, solution.leg[customer])


@inlined
def left_too_late(problem, solution, route, before, customer):
    """True if the vehicle leaves ``before`` after the customer's window has closed.

    Departures only grow along a route, so nothing behind that place is in time, either.
    """
    return problem.timed and solution.depart[before] > problem.closes[customer]


@inlined
def in_time(problem, solution, route, before, customer, after, hither, to):
    """True if ``customer`` may be served between two that follow one another, ``hither`` and ``to`` away from them."""
    if not problem.timed:
        return True
    start = max(
        problem.opens[customer],
        solution.depart[before] + duration_of(problem, solution, route, before, customer, hither),
    )
    if start > problem.closes[customer]:
        return False
    return (
        start + problem.service[customer] + duration_of(problem, solution, route, customer, after, to)
        <= solution.latest[after]
    )


@inlined
def may_stand(problem, solution, route, before, customer, after):
    """True if ``customer`` may be served in time between two that follow one another on ``route``."""
    if not problem.timed:
        return True
    start = max(problem.opens[customer], solution.depart[before] + duration(problem, solution, route, before, customer))
    if start > problem.closes[customer]:
        return False
    onward = distance_to(problem, solution, route, customer, after)
    return (
        start + problem.service[customer] + duration_of(problem, solution, route, customer, after, onward)
        <= solution.latest[after]
    )


@inlined
def may_join(problem, solution, route, before, after, gap):
    """True if what begins with ``after`` is served in time right behind ``before``, which is ``gap`` away."""
    return (
        not problem.timed
        or solution.depart[before] + duration_of(problem, solution, route, before, after, gap) <= solution.latest[after]
    )


@inlined
def tails_may_change(problem, solution, customer, head):
    """True if ``head`` may follow ``customer`` in time, and what follows that the one before ``head``."""
    if not problem.timed:
        return True
    before, following = solution.pred[head], solution.succ[customer]
    here, there = solution.route[customer], solution.route[head]
    return reaches(problem, solution, here, solution.depart[customer], customer, head) and reaches(
        problem, solution, there, solution.depart[before], before, following
    )


@inlined
def departure(problem, solution, route, node):
    """When the vehicle leaves a customer of ``route`` at the earliest, or its start (END)."""
    return solution.depart[node]


@inlined
def served(problem, solution, route, clock, before, node):
    """When service at ``node`` is over, if one leaves ``before`` at ``clock``; never if it is too late for it."""
    start = max(problem.opens[node], clock + duration(problem, solution, route, before, node))
    return start + problem.service[node] if start <= problem.closes[node] else np.inf


@inlined
def reaches(problem, solution, route, clock, before, after):
    """True if one who leaves ``before`` at ``clock`` is in time for ``after`` and all behind it on ``route``."""
    return clock + duration(problem, solution, route, before, after) <= solution.latest[after]


@inlined
def follows(solution, other, node):
    """True if ``other`` is ``node``, or comes after it on its route."""
    while node and node != other:
        node = solution.succ[node]
    return node != END


@inlined
def may_turn(problem, solution, first, last):
    """True if the stretch from ``first`` to ``last`` of a route may be served in time in the other direction."""
    if not problem.timed:
        return True
    route, before, after = solution.route[first], solution.pred[first], solution.succ[last]
    clock = _passed(
        problem, solution, route, solution.pred, departure(problem, solution, route, before), before, last, first
    )
    return reaches(problem, solution, route, clock, first, after)


@inlined
def _passed(problem, solution, route, links, clock, before, node, end):
    """When service at ``end`` is over, if one leaves ``before`` at ``clock`` and follows the links from ``node`` on."""
    while clock < np.inf:
        clock = served(problem, solution, route, clock, before, node)
        if node == end:
            break
        before = node
        node = links[node]
    return clock


@inlined
def may_move(problem, solution, one, partner, other, behind):
    """True if a customer, and the one beside it that comes along (0: none), may be moved next to ``other`` in time.

    It goes ``behind`` the other or before it, its ``partner`` on its far side.
    """
    if not problem.timed:
        return True
    pred, succ = solution.pred, solution.succ
    here, there = solution.route[one], solution.route[other]
    left, right = (partner, one) if partner and partner == pred[one] else (one, partner if partner else one)
    ahead, following = pred[left], succ[right]  # between whom they are, and between whom they go
    before, after = (other, succ[other]) if behind else (pred[other], other)
    far = partner if partner else one
    first, last = (one, far) if behind else (far, one)
    same = here == there
    later = same and before != END and follows(solution, before, following)
    clock = departure(problem, solution, there, before)
    if later:
        clock = departure(problem, solution, here, ahead)
        clock = _passed(problem, solution, here, succ, clock, ahead, following, before)
    clock = served(problem, solution, there, clock, before, first)
    if first != last:
        clock = served(problem, solution, there, clock, first, last)
    if same and not later:
        clock = _passed(problem, solution, here, succ, clock, last, after, ahead)
        return reaches(problem, solution, here, clock, ahead, following)
    if not same and not reaches(problem, solution, here, departure(problem, solution, here, ahead), ahead, following):
        return False  # without the triangle inequality
    return reaches(problem, solution, there, clock, last, after)


@inlined
def unavoidable_wait(problem, tail, head, gap):
    """How long one waits at ``head`` even if ``tail``, which is ``gap`` away, is served as late as it may be."""
    if not problem.timed:
        return 0.0
    onward = duration_apart(problem, tail, head, gap)
    return max(0.0, problem.opens[head] - problem.closes[tail] - problem.service[tail] - onward)


# --- What a route adds up to ----------------------------------------------------------------------------------------


@inlined
def refresh_from(problem, solution, route, node):
    """Bring the times of ``route`` up to date after ``node`` was put into it, as far as they change."""
    if problem.timed:
        push_departures(problem, solution, route, node)
        pull_latest(problem, solution, route, node)


@inlined
def refresh_joint(problem, solution, route, tail, head):
    """Bring times up to date after ``head`` and all behind it were put behind ``tail``, the last of ``route``."""
    if problem.timed:
        push_departures(problem, solution, route, head)
        pull_latest(problem, solution, route, tail)


@inlined
def push_departures(problem, solution, route, node):
    """Recompute earliest departures from ``node`` onwards, as far as they change; ``node`` itself always."""
    opens, service = problem.opens, problem.service
    succ, leg, depart = solution.succ, solution.leg, solution.depart
    before = solution.pred[node]
    clock = depart[before]
    first = True
    while node:
        onward = duration_of(problem, solution, route, before, node, leg[node])
        clock = max(opens[node], clock + onward) + service[node]
        if clock == depart[node] and not first:
            return
        depart[node] = clock
        before = node
        node = succ[node]
        first = False


@inlined
def pull_latest(problem, solution, route, node):
    """Recompute latest starts from ``node`` back to the front, as far as they change; ``node`` itself always."""
    closes, service = problem.closes, problem.service
    pred, leg, latest = solution.pred, solution.leg, solution.latest
    following = solution.succ[node]
    late = latest[following]
    onward = duration(problem, solution, route, node, following)
    first = True
    while node:
        late = min(closes[node], late - onward - service[node])
        if late == latest[node] and not first:
            return
        latest[node] = late
        onward = duration_of(problem, solution, route, pred[node], node, leg[node])
        node = pred[node]
        first = False


@kernel
def recompute(problem, solution, route):
    """Compute length, load and times of a route from its links alone, so that no rounding error piles up.

    Returns the first customer that is served too late, or after which the depot is closed; END if all are in time.
    """
    demand, opens, service = problem.demand, problem.opens, problem.service
    succ, pred, leg, depart, latest = solution.succ, solution.pred, solution.leg, solution.depart, solution.latest
    load = 0.0
    length = 0.0
    node = solution.first[route]
    while node:
        load += demand[node]
        length += leg[node]
        node = succ[node]
    last = solution.last[route]
    home = between(problem, last, END)
    solution.load[route] = load
    solution.length[route] = length + home
    if not problem.timed or last == END:
        return END
    clock = depart[END]
    tardy = END
    node = solution.first[route]
    while node:
        clock = max(opens[node], clock + duration_of(problem, solution, route, pred[node], node, leg[node]))
        if clock > problem.closes[node] and tardy == END:
            tardy = node
        clock += service[node]
        depart[node] = clock
        node = succ[node]
    onward = duration_of(problem, solution, route, last, END, home)
    if clock + onward > latest[END] and tardy == END:
        tardy = last
    late = latest[END]
    node = last
    while node:
        late = min(problem.closes[node], late - onward - service[node])
        latest[node] = late
        onward = duration_of(problem, solution, route, pred[node], node, leg[node])
        node = pred[node]
    return tardy


@inlined
def recompute_and_check(problem, solution, route):
    """Recompute a route; return True if it keeps all limits."""
    return recompute(problem, solution, route) == END and solution.load[route] <= problem.capacity


@inlined
def stays_exact(problem):
    """True if removals leave what a route adds up to exact, so that nothing must be recomputed."""
    return problem.integral and not problem.timed


@inlined
def join_sums(solution, kept, gone):
    """Let route ``kept`` carry what route ``gone`` carries, which is driven no more; its length is not kept up."""
    solution.load[kept] += solution.load[gone]
    clear_sums(solution, gone)


@inlined
def move_sums(solution, source, target):
    """Give what route ``source`` adds up to, and its vehicle, to route ``target``."""
    solution.load[target] = solution.load[source]
    solution.length[target] = solution.length[source]


@inlined
def clear_sums(solution, route):
    """Let an emptied route add up to nothing."""
    solution.load[route] = 0.0
    solution.length[route] = 0.0


@inlined
def copy_sums(target, source, route):
    """Copy what a route adds up to from one solution to another."""
    target.load[route] = source.load[route]
    target.length[route] = source.length[route]


@inlined
def copy_times(target, source, node):
    """Copy the times of a customer from one solution to another."""
    target.depart[node] = source.depart[node]
    target.latest[node] = source.latest[node]


@inlined
def copy_counts(target, source):
    """Copy what is counted of a whole solution beyond `Count`."""


@inlined
def same_sums(one, other, route):
    """True if two solutions agree on what a route adds up to."""
    return one.load[route] == other.load[route] and one.length[route] == other.length[route]


@inlined
def same_times(problem, one, other, node):
    """True if two solutions agree on the times of a customer; without windows, nobody reads them."""
    return not problem.timed or (one.depart[node] == other.depart[node] and one.latest[node] == other.latest[node])


@inlined
def adds_up_to_nothing(solution, route):
    """True if an empty route carries nothing and goes nowhere."""
    return solution.load[route] == 0.0 and solution.length[route] == 0.0


@inlined
def ends_as_built(problem, solution):
    """True if nobody has changed when vehicles start and must be back."""
    return solution.depart[END] == problem.opens[END] and solution.latest[END] == problem.closes[END]


@inlined
def wrong_sum(problem, solution, route):
    """What is wrong with what a route adds up to, computed from its links: a kind (0: nothing) and two customers."""
    load = 0.0
    length = 0.0
    behind = END
    node = solution.first[route]
    while node:
        leg = between(problem, behind, node)
        if not _alike(solution.leg[node], leg, problem):
            return WRONG_SUM.leg, node, behind
        length += leg
        load += problem.demand[node]
        behind = node
        node = solution.succ[node]
    home = between(problem, behind, END)
    if not _alike(solution.length[route], length + home, problem):
        return WRONG_SUM.length, END, END
    if not abs(solution.load[route] - load) <= RELATIVE * max(load, problem.capacity):
        return WRONG_SUM.load, END, END
    if not load <= problem.capacity * (1.0 + RELATIVE):
        return WRONG_SUM.capacity, END, END
    if problem.timed:
        return _wrong_time(problem, solution, route)
    return 0, END, END


@inlined
def _wrong_time(problem, solution, route):
    clock = solution.depart[END]
    node = solution.first[route]
    while node:
        onward = duration_of(problem, solution, route, solution.pred[node], node, solution.leg[node])
        clock = max(problem.opens[node], clock + onward)
        if not (clock <= problem.closes[node] or _alike(clock, problem.closes[node], problem)):
            return WRONG_SUM.late, node, END
        clock += problem.service[node]
        if not _alike(solution.depart[node], clock, problem):
            return WRONG_SUM.times, node, END
        node = solution.succ[node]
    late = solution.latest[END]
    onward = duration(problem, solution, route, solution.last[route], END)
    if not (clock + onward <= late or _alike(clock + onward, late, problem)):
        return WRONG_SUM.late, END, END
    node = solution.last[route]
    while node:
        late = min(problem.closes[node], late - onward - problem.service[node])
        if not _alike(solution.latest[node], late, problem):
            return WRONG_SUM.times, node, END
        onward = duration_of(problem, solution, route, solution.pred[node], node, solution.leg[node])
        node = solution.pred[node]
    return 0, END, END


@inlined
def wrong_count(problem, solution):
    """What is wrong with what is counted of vehicles and customers: in the plain problem there is nothing."""
    return 0, 0


@inlined
def _alike(given, right, problem):
    """True if two sums are the same but for rounding; NaN is like nothing."""
    return given == right or abs(given - right) <= RELATIVE * abs(right) + OF_PENALTY * problem.penalty


# --- Costs ----------------------------------------------------------------------------------------------------------


@inlined
def added(problem, solution, route, hither, to, now):
    """What ``route`` costs more with one who stands ``hither`` and ``to`` away from two that are ``now`` apart.

    The same is what it costs less without one who stands there. Distances may be eight side by side.
    """
    return hither + to - now


@inlined
def added_beside(problem, solution, route, hither, to, now):
    """The same as `added`, summed up the other way round, which may differ in the last digit."""
    return hither + (to - now)


@inlined
def added_by_exchange(problem, solution, here, there, joint, other_joint, now, now_other):
    """What two routes cost more if they exchange their ends: two legs come, and two go."""
    return joint + other_joint - now - now_other


@shared
def route_cost(problem, solution, route):
    """What a route costs."""
    return solution.length[route]


@shared
def solution_cost(problem, solution):
    """What all routes cost, whoever waits in the bank."""
    total = 0.0
    for route in range(solution.counts[USED]):
        total += route_cost(problem, solution, route)
    return total


@shared
def unserved_cost(problem, customer):
    """What it costs to leave ``customer`` out."""
    return problem.unserved[customer]


@inlined
def least_penalty(problem):
    """What leaving out a customer costs at least; no saving outweighs it."""
    return problem.penalty


@shared
def objective(problem, solution):
    """What the search minimises: the costs of all routes, and of leaving out each customer in the bank."""
    total = solution_cost(problem, solution)
    for k in range(solution.counts[BANKED]):
        total += unserved_cost(problem, solution.bank[k])
    return total


@shared
def missing(problem, solution):
    """How many are not served who must be."""
    return solution.counts[BANKED]


@inlined
def suits(problem, solution, route, customer):
    """True if ``customer`` may be served by the vehicle of ``route`` as far as the two of them go."""
    return True


@inlined
def who_waits_for_room(problem, solution, rng):
    """Somebody near whom there should be more room; END for nobody in particular."""
    return END


@inlined
def waits(problem, solution, customer, rng):
    """True if one in the bank stands for what should be served: in the plain problem, everybody does."""
    return True


@inlined
def is_item(problem, solution, customer):
    """True if a customer stands for something that waits to be served: in the plain problem, for himself."""
    return solution.route[customer] < 0


@shared
def item_of(problem, customer):
    """The customer that stands for what ``customer`` is a part of: in the plain problem, himself."""
    return customer


# --- The fleet ------------------------------------------------------------------------------------------------------


@inlined
def empty_route(problem, solution):
    """The number of the next empty route; -1 if the fleet has no other vehicle."""
    used = solution.counts[USED]
    return used if used < problem.fleet else -1


@inlined
def candidate_routes(problem, solution):
    """How many routes a customer may go to: those in use and, while the fleet allows, one empty one."""
    used = solution.counts[USED]
    return used + 1 if used < problem.fleet else used


@inlined
def candidate_route(problem, solution, rank):
    """The number of one of these: routes in use come first, in their order, and the empty one is the last."""
    return rank


@inlined
def may_open(problem, solution, route):
    """True if ``route`` is in use, or is the empty one that may be opened next."""
    return 0 <= route < candidate_routes(problem, solution)


@inlined
def is_open(solution, route):
    """True if ``route`` is in use; the others are empty."""
    return route < solution.counts[USED]


@inlined
def opened(problem, solution, route):
    """Return the number of ``route``, which gets a vehicle if it is not in use."""
    return route


@inlined
def as_route(problem, solution, route):
    """Return the number of a route, empty perhaps, that has a vehicle and can be asked about."""
    return route


@inlined
def give_back(problem, solution, route):
    """Let the vehicle of an emptied route be free again; return whether others change with it."""
    return False


@inlined
def stamp(problem, solution, route):
    """Return a number that tells the vehicle of a route, for fingerprints; 0 if all are alike."""
    return np.uint64(0)


@inlined
def is_route(problem, route):
    """True if the fleet has a vehicle for ``route``."""
    return 0 <= route < problem.fleet


@inlined
def fleet_size(problem):
    """The most routes that a solution may have."""
    return problem.fleet


def vehicle_for_each(problem: Problem) -> Problem:
    """The problem with as many vehicles as customers, as savings begin with; for Python, not compiled."""
    return problem._replace(fleet=len(problem.demand) - 1)


@inlined
def joined_route(problem, solution, front, back):
    """The one of two routes that goes on if ``back`` is driven after ``front``.

    Vehicles of the plain problem are alike, so it is the larger one: nobody changes the route more often than sizes
    double then.
    """
    return front if solution.size[front] >= solution.size[back] else back


def cost_of_distance(problem: Problem) -> float:
    """What a unit of distance costs a usual vehicle; for Python, not compiled."""
    return 1.0


def rarity(problem: Problem) -> float:
    """How many customers there are for each that may change places with a usual one, as vehicles go; for Python."""
    return 1.0


def vehicles_needed(problem: Problem) -> int:
    """How many vehicles it takes to carry all; for Python, not compiled."""
    return math.ceil(problem.demand.sum() / problem.capacity)


def from_start_to_all(problem: Problem) -> np.ndarray:
    """How far every node is from where vehicles start; for Python, not compiled."""
    nodes = np.arange(len(problem.demand))
    return pairs_between(problem, np.full_like(nodes, END), nodes)


# --- What networks see of a problem ---------------------------------------------------------------------------------


@inlined
def day(problem):
    """When the day begins, and how long it is; both are of no use without windows."""
    if not problem.timed:
        return 0.0, 1.0
    return problem.opens[END], max(problem.closes[END] - problem.opens[END], 1e-9)


def amounts_in_vehicles(problem: Problem) -> np.ndarray:
    """How much of a vehicle each node takes up, as a part of a whole one; for Python, not compiled."""
    return problem.demand / (problem.capacity or 1.0)


def windows_in_horizons(problem: Problem) -> np.ndarray | None:
    """Opening and closing of each node as parts of the day, its width and service as parts of the largest ones.

    None without windows; for Python, not compiled.
    """
    if not problem.timed:
        return None
    begin, horizon = problem.opens[END], (problem.closes[END] - problem.opens[END]) or 1.0
    closes = np.where(np.isfinite(problem.closes), problem.closes, problem.closes[END])
    width = closes - problem.opens
    columns = (
        (problem.opens - begin) / horizon,
        (closes - begin) / horizon,
        width / (width.max() or 1.0),
        problem.service / (problem.service.max() or 1.0),
    )
    return np.column_stack(columns)


def columns_beyond(problem: Problem) -> np.ndarray | None:
    """What is told of each node that only rich problems ask for; None for others; for Python, not compiled."""
    return None


@inlined
def see_beyond(problem, solution, features, first):
    """Fill in what a solution says in those columns, from column ``first`` on."""


@inlined
def see_search(problem, solution, features, first, vector):
    """Put what is told of the search of a rich problem at the end of a vector."""


# --- Eight customers side by side -----------------------------------------------------------------------------------


class Need(NamedTuple):
    """What eight customers ask for, each in a row of a table; without windows, nobody reads the rows of times."""

    amount: int  #: how much of a vehicle they take up
    home: int  #: how far they are from the end of a route
    opens: int  #: the first of those that are about time
    closes: int
    service: int


NEED = numbered(Need)


@inlined
def needs_used(problem):
    """How many of the rows are in use."""
    return len(NEED) if problem.timed else NEED.opens


@inlined
def put_needs(problem, table, row, lane, customer):
    """Note in the rows from ``row`` on what a customer asks for."""
    table[row + NEED.amount, lane] = problem.demand[customer]
    table[row + NEED.home, lane] = between(problem, customer, END)
    if problem.timed:
        table[row + NEED.opens, lane] = problem.opens[customer]
        table[row + NEED.closes, lane] = problem.closes[customer]
        table[row + NEED.service, lane] = problem.service[customer]


@inlined
def put_nobody(table, row, lane):
    """Note that nobody stands in a lane: whoever that is asks for more than any vehicle holds."""
    table[row + NEED.amount, lane] = np.inf


@inlined
def any_has_room8(problem, solution, route, table, row):
    """True if ``route`` may take any of eight customers as far as loads go."""
    return any_at_most(spread(solution.load[route]) + lanes_of(table, row + NEED.amount), spread(problem.capacity))


@inlined
def where_room8(problem, solution, route, table, row, costs):
    """The costs of eight customers in ``route``; infinity for those whom it has no room for."""
    load = spread(solution.load[route]) + lanes_of(table, row + NEED.amount)
    return within(costs, load, spread(problem.capacity))


@inlined
def home8(problem, solution, route, table, row):
    """How far eight customers are from where ``route`` ends."""
    return lanes_of(table, row + NEED.home)


@inlined
def where_in_time8(problem, solution, route, table, row, before, after, hither, to, more):
    """What eight customers add between two that follow one another; infinity for those who are not in time there."""
    if not problem.timed:
        return more
    arrives = spread(solution.depart[before]) + durations_of8(problem, solution, route, hither)
    start = higher(lanes_of(table, row + NEED.opens), arrives)
    more = within(more, start, lanes_of(table, row + NEED.closes))
    onward = durations_of8(problem, solution, route, to)
    return within(more, start + lanes_of(table, row + NEED.service) + onward, spread(solution.latest[after]))


# --- Rich problems --------------------------------------------------------------------------------------------------


def _answer_for_rich_problems():
    """Let the modules of rich problems answer for these and their solutions, by names that stand here and there."""
    answers = vars(rich_view) | vars(rich_terms) | vars(rich_fleet) | vars(rich_soundness)
    for name, plain in list(globals().items()):
        if name in answers and getattr(plain, "__module__", None) == __name__:
            globals()[name] = by_kind(plain, answers[name])


_answer_for_rich_problems()
