"""Named sets of instances, among them the strata of the paper's study.

The strata count customers without the depot. Large CVRP is exactly what the Augerat sets hold between 60
and 79 customers; of the smaller ones there are more than 18, so a rule picks. VRPTW instances are samples
of Solomon's. What is screened before the strata are looked at is generated.
"""

import re
from functools import cache

from dacalns.instances.features import PROBLEMS
from dacalns.instances.instance_file import bundled_names
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import listed, shown
from dacalns.util.values import did_you_mean

STRATA = {"small": (20, 39), "medium": (40, 59), "large": (60, 79)}
# Half of the instances of a class are of type 1 (narrow horizon), half of type 2, as evenly as odd numbers
# allow.
VRPTW_CLASSES = {"R1": 4, "R2": 4, "C1": 3, "C2": 2, "RC1": 3, "RC2": 2}
VRPTW_SEED = 1
SMALLEST_LEFT_OUT = 5
MEDIUM_OF_EACH = 6
# Generated instances for screening: how many of each problem, from how few to how many customers.
SCREENED = 12
SCREENED_SIZES = (30, 79)
EVERYTHING = "all bundled"


def set_names() -> list[str]:
    """Return the names of all sets."""
    return list(_sets())


def instance_names(set_name: str = EVERYTHING) -> list[str]:
    """Return the names of the instances in a set; `read` takes each of them.

    Parameters
    ----------
    set_name
        One of `set_names`, whatever its case; by default, every bundled instance.

    Raises
    ------
    InputError
        When there is no such set.

    Examples
    --------
    >>> instance_names("C2")[:3]
    ['C201', 'C202', 'C203']
    """
    by_folded = {name.casefold(): members for name, members in _sets().items()}
    if not isinstance(set_name, str) or set_name.casefold() not in by_folded:
        hint = did_you_mean(str(set_name), _sets()) or "choose one of these."
        raise InputError(f"set {shown(set_name)} does not exist; expected one of {listed(_sets())}; {hint}")
    return list(by_folded[set_name.casefold()])


@cache
def _sets() -> dict[str, list[str]]:
    augerat = {family: _augerat(family) for family in "ABP"}
    solomon = {
        family: [name for name in bundled_names() if re.fullmatch(family + r"\d\d", name)]
        for family in sorted(VRPTW_CLASSES)
    }
    everything = [name for family in augerat.values() for name in family]
    cvrp = {
        "small": [name for name in _within(everything, 0, 39) if name not in augerat["P"][:SMALLEST_LEFT_OUT]],
        "medium": [name for family in augerat.values() for name in _spread(_within(family, 40, 59))],
        "large": _within(everything, 60, 79),
    }
    vrptw = {stratum: _solomon_samples(stratum, solomon) for stratum in STRATA}
    all_solomon = [name for family in solomon.values() for name in family]
    return {
        **augerat,
        "augerat": everything,
        **solomon,
        "solomon": all_solomon,
        **{f"cvrp-{stratum}": names for stratum, names in cvrp.items()},
        "cvrp": [name for names in cvrp.values() for name in names],
        **{f"vrptw-{stratum}": names for stratum, names in vrptw.items()},
        "vrptw": [name for names in vrptw.values() for name in names],
        **{f"screen-{problem}": _generated(problem) for problem in PROBLEMS},
        EVERYTHING: everything + all_solomon,
    }


def _customers(name: str) -> int:
    """Return the number of customers of an Augerat instance; its name counts the depot."""
    return int(name.split("-n")[1].split("-")[0]) - 1


def _augerat(family: str) -> list[str]:
    names = [name for name in bundled_names() if name.startswith(f"{family}-")]
    return sorted(names, key=lambda name: (_customers(name), name))


def _within(names: list[str], least: int, most: int) -> list[str]:
    return [name for name in names if least <= _customers(name) <= most]


def _spread(names: list[str]) -> list[str]:
    """Return names evenly spaced in a sorted list, the first and the last among them."""
    gaps = MEDIUM_OF_EACH - 1
    # Halves are rounded up, in integers.
    return [names[(2 * step * (len(names) - 1) + gaps) // (2 * gaps)] for step in range(MEDIUM_OF_EACH)]


def _solomon_samples(stratum: str, solomon: dict[str, list[str]]) -> list[str]:
    stream = Stream("vrptw stratum", stratum, VRPTW_SEED)
    bases = [base for family, count in VRPTW_CLASSES.items() for base in sorted(stream.choose(solomon[family], count))]
    return [f"{base}-n{stream.integer(*STRATA[stratum])}-s{VRPTW_SEED}" for base in bases]


def _generated(problem: str) -> list[str]:
    """Return the names of generated instances whose sizes are spread evenly; the seed is the place in the list."""
    least, most = SCREENED_SIZES
    gaps = SCREENED - 1
    sizes = [least + (2 * step * (most - least) + gaps) // (2 * gaps) for step in range(SCREENED)]
    return [f"generated-{problem}-n{size}-s{seed}" for seed, size in enumerate(sizes, start=1)]
