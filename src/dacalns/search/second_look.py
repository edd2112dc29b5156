"""What the independent checker says of an answer before it is returned."""

import math

import numpy as np

from dacalns.instances import Instance
from dacalns.search.checker import Violation, check
from dacalns.tolerance import time_tolerance, tolerance

# A violation of so many tolerances, or a cost that is off by that part, is an error of rounding and not of a search.
ROUNDING = 100
COST = 1e-9


def second_look(instance: Instance, routes: list[list[int]], cost: float) -> tuple[float, bool, list[str]]:
    """The cost, whether all limits hold, and sentences on what does not or is not as the search says.

    An answer that is beyond a limit by rounding alone is as good as any; a sentence says so. Unserved customers are
    none of its business.
    """
    verdict = check(instance, routes)
    broken = [violation for violation in verdict.violations if violation.kind != "missing"]
    grave = [violation for violation in broken if not _by_rounding(instance, violation)]
    warnings = []
    if grave:
        warnings.append(f"the search broke a limit, which is a mistake in an operator or in dac-alns: {grave[0]}")
    elif broken:
        warnings.append(f"the solution is beyond a limit by the rounding of sums: {broken[0]}")
    # The search adds and subtracts distances, so that its costs err by a part of the longest.
    difference = abs(verdict.cost - cost)
    if difference > COST * verdict.cost and difference > COST * _longest(instance):
        warnings.append(
            f"the routes cost {verdict.cost:.10g}, not the {cost:.10g} that the search says, which is a mistake in an "
            "operator or in dac-alns."
        )
    return without_noise(verdict.cost), not grave, warnings


def _by_rounding(instance: Instance, violation: Violation) -> bool:
    if violation.kind == "capacity":
        return violation.amount <= ROUNDING * float(tolerance(instance.capacity))
    if instance.windows is None or violation.kind not in ("window", "depot"):
        return False
    scale = instance.scale
    opens, closes = scale * instance.windows[0, 0], scale * instance.windows[violation.customer or 0, 1]
    return violation.amount * scale <= ROUNDING * float(time_tolerance(opens, closes))


def _longest(instance: Instance) -> float:
    """A distance that none exceeds, but for rounding."""
    if instance.matrix is not None:
        return float(instance.matrix.max())
    assert instance.coordinates is not None, "an instance has coordinates or a matrix"
    return float(np.hypot(*np.ptp(instance.coordinates, axis=0)))


def without_noise(cost: float) -> float:
    """The cost without the last bits of a sum of doubles: 827.3 rather than 827.3000000000001.

    Nine decimals where the cost is over 1, and never more than 15 digits; ten digits where it is less.
    """
    if cost == 0 or not math.isfinite(cost):
        return cost
    power = math.floor(math.log10(abs(cost)))
    return round(cost, 9 - power if power < 0 else max(0, min(9, 14 - power)))
