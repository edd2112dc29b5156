"""Features: the names of everything that a problem can ask for, and of what is supported today.

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
}
"""All features by name, each in words that complete "the instance has …"."""

FEATURES = (WINDOWS,)
"""The features that are supported today: those that an instance can have, and an operator can name."""

PROBLEMS: dict[str, frozenset[str]] = {"cvrp": frozenset(), "vrptw": frozenset({WINDOWS})}
"""The names that some sets of features have among people, on the command line, and in the cards of policies."""


def problem_called(features: Set[str]) -> str:
    """Return what people call a problem with these features; without a name of its own, the features in a row."""
    names = {known: name for name, known in PROBLEMS.items()}
    return names.get(frozenset(features)) or " with ".join(("vrp", " and ".join(sorted(features))))
