"""What a search minimises."""

from dacalns.instances.choices import require_choice

DISTANCE, VEHICLES_FIRST = "distance", "vehicles-then-distance"
OBJECTIVES = (DISTANCE, VEHICLES_FIRST)
"""``distance``: the total distance. ``vehicles-then-distance``: the number of routes, then their distance."""


def require_objective(given: object) -> str:
    """Return the objective given, or say which there are."""
    return require_choice("objective", given, OBJECTIVES)
