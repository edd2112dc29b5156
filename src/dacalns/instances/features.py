"""Features: the names of everything that a problem can ask for.

Every problem has one depot, customers who all must be visited, vehicles of one capacity, perhaps a limit on their
number, and costs that are distances. A feature is what an instance asks for beyond that. Instances state their
features; operators, policies, other solvers and file formats list those that they support, and refuse others by name.
"""

from collections.abc import Set

WINDOWS = "windows"
VEHICLE_TYPES = "vehicle-types"
LOADS = "loads"
FIXED_COSTS = "fixed-costs"
DISTANCE_COSTS = "distance-costs"
DURATION_COSTS = "duration-costs"
SHIFTS = "shifts"
DURATION_LIMITS = "duration-limits"
OVERTIME = "overtime"
DISTANCE_LIMITS = "distance-limits"
STOP_LIMITS = "stop-limits"
DEPOTS = "depots"
DEPOT_SERVICE = "depot-service"
OPEN_ROUTES = "open-routes"
RESTRICTIONS = "restrictions"
PROFILES = "profiles"
DURATIONS = "durations"
INITIAL_LOADS = "initial-loads"
RELOADS = "reloads"
PICKUPS = "pickups"
SEVERAL_WINDOWS = "several-windows"
RELEASE_TIMES = "release-times"
PRIZES = "prizes"
PRIORITIES = "priorities"
GROUPS = "groups"
PAIRS = "pairs"
BACKHAULS_LAST = "backhauls-last"

FEATURE_WORDS = {
    WINDOWS: "time windows",
    VEHICLE_TYPES: "several vehicle types",
    LOADS: "several load dimensions",
    FIXED_COSTS: "a cost for each vehicle that is used",
    DISTANCE_COSTS: "a cost for each unit of distance other than 1",
    DURATION_COSTS: "a cost for each unit of time",
    SHIFTS: "vehicles with a window of their own",
    DURATION_LIMITS: "a limit on the duration of a route",
    OVERTIME: "overtime",
    DISTANCE_LIMITS: "a limit on the distance of a route",
    STOP_LIMITS: "a limit on the customers of a route",
    DEPOTS: "several depots",
    DEPOT_SERVICE: "loading time at the depot",
    OPEN_ROUTES: "routes that do not start or do not end at a depot",
    RESTRICTIONS: "vehicles that may serve only some customers",
    PROFILES: "vehicle types with distances or a speed of their own",
    DURATIONS: "durations other than the distances",
    INITIAL_LOADS: "vehicles that start with a load",
    RELOADS: "reloading at depots during a route",
    PICKUPS: "pickups",
    SEVERAL_WINDOWS: "several time windows of one customer",
    RELEASE_TIMES: "release times",
    PRIZES: "optional customers and prizes",
    PRIORITIES: "priorities",
    GROUPS: "groups of customers of which one is visited",
    PAIRS: "pairs of pickup and delivery",
    BACKHAULS_LAST: "deliveries before pickups on every route",
}
"""All features by name, each in words that complete "the instance has …"."""

FEATURES = tuple(FEATURE_WORDS)
"""All features: those that an instance can have, and an operator can name."""

PLAIN = frozenset({WINDOWS})
"""The features of plain problems, CVRP and VRPTW: what an operator supports that says nothing else."""

PROBLEMS: dict[str, frozenset[str]] = {"cvrp": frozenset(), "vrptw": frozenset({WINDOWS})}
"""The names that some sets of features have among people, on the command line, and in the cards of policies."""


TELLING = (PAIRS, DEPOTS, VEHICLE_TYPES, BACKHAULS_LAST, PICKUPS, PRIZES, GROUPS, RELOADS, OPEN_ROUTES, WINDOWS)
"""The features that say most about a problem, in the order in which people are told."""

MOST_NAMED = 4
"""The most features that a problem is called by; of more, one fewer is named, and the others are counted."""


def problem_called(features: Set[str]) -> str:
    """Return what people call a problem with these features; without a name of its own, the features in a row."""
    names = {known: name for name, known in PROBLEMS.items()}
    if (name := names.get(frozenset(features))) is not None:
        return name
    order = TELLING + FEATURES
    known = sorted(features, key=lambda each: (order.index(each) if each in order else len(order), each))
    if len(known) > MOST_NAMED:
        known[MOST_NAMED - 1 :] = [f"{len(known) - MOST_NAMED + 1} more"]
    return f"vrp with {' and '.join([', '.join(known[:-1])] * (len(known) > 1) + known[-1:])}"


def in_capitals(problem: str) -> str:
    """Return the name of a problem with the abbreviation that it begins with in capitals."""
    abbreviation, space, features = problem.partition(" ")
    return abbreviation.upper() + space + features
