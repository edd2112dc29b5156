"""A smaller instance drawn from a larger one."""

from typing import Any

import numpy as np

from dacalns.instances.distance_matrix import FloatArray
from dacalns.instances.fields import Meaning, fields_with
from dacalns.instances.instance import Instance
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import VALUE, shortened
from dacalns.util.values import whole_number


def sample(instance: Instance, customers: int, seed: int) -> Instance:
    """Draw customers without replacement; depot, capacity, fleet, windows and the order stay as they are.

    Parameters
    ----------
    instance
        Where to draw from.
    customers
        How many to keep.
    seed
        The same seed gives the same customers, on every machine.

    Returns
    -------
    Instance
        Named ``{name}-n{customers}-s{seed}``, without a best-known value or reference.

    Raises
    ------
    InputError
        When there are not that many customers.

    Examples
    --------
    >>> from dacalns.instances import read
    >>> sample(read("R105"), customers=67, seed=3)
    Instance('R105-n67-s3': vrptw, 67 customers, capacity 200, fleet 25, rounding dimacs)
    """
    count = whole_number("customers", customers, minimum=1)
    seed = whole_number("seed", seed, minimum=0)
    if count > instance.customers:
        raise InputError(
            f"customers is {count}; expected at most the {instance.customers} that {shortened(instance.name, VALUE)} "
            "has; ask for fewer."
        )
    stream = Stream("sample", instance.name, count, seed)
    kept = [0, *sorted(stream.choose(range(1, instance.customers + 1), count))]
    return instance.with_(
        name=f"{instance.name}-n{count}-s{seed}",
        comment=f"{count} customers of {instance.name}",
        **{name: _rows(values, kept) for name, values in _given(instance, Meaning.NODE).items()},
        **{name: values[kept][:, kept] for name, values in _given(instance, Meaning.ARC).items()},
    )


def _rows(values: FloatArray, kept: list[int]) -> FloatArray:
    """Return rows of an array, read-only as those of the instance are, so that no check warns of them again."""
    rows = np.take(values, kept, axis=0)
    rows.setflags(write=False)
    return rows


def _given(instance: Instance, meaning: Meaning) -> dict[str, Any]:
    """Return the arrays of an instance that have a meaning; fields that are left out have none."""
    values = {name: getattr(instance, name) for name in fields_with(instance, meaning)}
    return {name: value for name, value in values.items() if value is not None}
