"""A smaller instance drawn from a larger one."""

from typing import Any

import numpy as np

from dacalns.instances import kept_nodes
from dacalns.instances.fields import CONTENT, Meaning, fields_with, kept_part
from dacalns.instances.instance import Instance
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import VALUE, shortened
from dacalns.util.values import whole_number


def sample(instance: Instance, customers: int, seed: int) -> Instance:
    """Draw customers without replacement; depots, vehicles, windows and the order stay as they are.

    Parameters
    ----------
    instance
        Where to draw from.
    customers
        How many to keep; the two ends of a pair count two, and stay together.
    seed
        The same seed gives the same customers, on every machine.

    Returns
    -------
    Instance
        Named ``{name}-n{customers}-s{seed}``, without a best-known value or reference.

    Raises
    ------
    InputError
        When there are not that many customers, or only one end of a pair would be left.

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
    kept = [*range(instance.depots), *sorted(_drawn(instance, stream, count))]
    content = fields_with(instance, *CONTENT, Meaning.ANNOTATION).items()
    changes = {name: kept_part(field, getattr(instance, name), kept) for name, field in content}
    changed = {name: value for name, value in changes.items() if value is not getattr(instance, name)}
    if instance.vehicle_names:  # a type that may serve none of these customers is gone
        left = [bool(kept_nodes.vehicle_types((each,), kept)) for each in instance.types]
        changed["vehicle_names"] = [name for name, stays in zip(instance.vehicle_names, left, strict=True) if stays]
    return instance.with_(
        name=f"{instance.name}-n{count}-s{seed}",
        comment=f"{count} customers of {instance.name}",
        **changed | _of_last_members(instance, kept),
    )


def _drawn(instance: Instance, stream: Stream, count: int) -> list[int]:
    """Return the numbers of nodes that are kept; pairs stay together."""
    if instance.pairs is None:
        return stream.choose(instance.customer_nodes, count)
    partners = dict(instance.pairs.tolist())
    followers = set(partners.values())
    units = [
        (node, partners[node]) if node in partners else (node,)
        for node in instance.customer_nodes
        if node not in followers
    ]
    drawn: list[int] = []
    for unit in stream.choose(units, len(units)):
        if len(drawn) + len(unit) <= count:
            drawn.extend(unit)
    if len(drawn) < count:
        raise InputError(
            f"customers is {count}; expected an even number, as the pairs of {shortened(instance.name, VALUE)} stay "
            "together and count two; ask for one more."
        )
    return drawn


def _of_last_members(instance: Instance, kept: list[int]) -> dict[str, Any]:
    """Return changes for groups that shrink to a single customer: it is to be visited as the group was."""
    alone = kept_nodes.left_alone(instance.groups, kept)
    if not alone:
        return {}
    optional = np.zeros(len(kept), dtype=np.bool_) if instance.optional is None else instance.optional[kept]
    prizes = None if instance.prizes is None else instance.prizes[kept]
    for node, required in alone.items():
        optional[node] = not required
        if prizes is not None and required:
            prizes[node] = 0.0
    return {"optional": optional, "prizes": prizes}
