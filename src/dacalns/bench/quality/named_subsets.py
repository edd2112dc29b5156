"""The subsets that come with the package: all of them together take less than 20 minutes."""

from collections.abc import Callable, Sequence

from dacalns.bench.quality.subset import Subset
from dacalns.instances import Instance, generate_cvrp, instance_names, read
from dacalns.util.values import require_choice

SOLOMON_CLASSES = ("C1", "C2", "R1", "R2", "RC1", "RC2")


def subset_names() -> list[str]:
    """Return the names of the subsets."""
    return list(_SUBSETS)


def named_subset(name: str) -> Subset:
    """Return a subset.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    return _SUBSETS[require_choice("set", name, subset_names())]()


def _augerat_large() -> Subset:
    instances = [read(name) for name in instance_names("cvrp-large")]
    return Subset("augerat-large", "Augerat A, B and P with 60 to 79 customers", instances, seconds=1.0, seeds=3)


def _solomon() -> Subset:
    """Take the first and the last of each class, which have about the tightest and the widest windows."""
    classes = [instance_names(family) for family in SOLOMON_CLASSES]
    instances = [read(name) for names in classes for name in (names[0], names[-1])]
    title = "Solomon, 100 customers, first and last of each class"
    return Subset("solomon", title, instances, seconds=3.0, seeds=2)


def _x_like() -> Subset:
    """Generate instances in the manner of set X, each of another kind."""
    instances: Sequence[Instance] = (
        generate_cvrp(200, "central", "clustered", "quadrant", seed=11),
        generate_cvrp(240, "eccentric", "random", "unitary", seed=12),
        generate_cvrp(280, "random", "mixed", "1-100", seed=13),
        generate_cvrp(320, "central", "random", "50-100", seed=14),
        generate_cvrp(360, "eccentric", "mixed", "many-small", seed=15),
        generate_cvrp(400, "random", "clustered", "5-10", seed=16),
    )
    title = "generated in the manner of set X, 200 to 400 customers"
    return Subset("x-like", title, instances, seconds=6.0, seeds=2)


_SUBSETS: dict[str, Callable[[], Subset]] = {
    "augerat-large": _augerat_large,
    "solomon": _solomon,
    "x-like": _x_like,
}
