"""A smaller instance drawn from a larger one."""

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
        coordinates=None if instance.coordinates is None else instance.coordinates[kept],
        matrix=None if instance.matrix is None else instance.matrix[kept][:, kept],
        demands=instance.demands[kept],
        windows=None if instance.windows is None else instance.windows[kept],
        service=instance.service[kept],
        comment=f"{count} customers of {instance.name}",
    )
