"""Whether an instance can be told to a solver that knows whole numbers only."""

import numpy as np

from dacalns.instances import Instance


def not_whole(instance: Instance) -> str | None:
    """Return what is not whole in an instance, in its scaled units; None if everything is."""
    if instance.rounding in ("exact", "none") and (
        instance.matrix is None or np.any(instance.matrix != np.floor(instance.matrix))
    ):
        return "distances are not whole numbers"
    parts = {
        "demands": instance.demands,
        "windows": instance.scaled_windows,
        "service times": instance.scaled_service,
    }
    for what, values in parts.items():
        if values is not None and np.any(values != np.floor(values)):
            return f"{what} are not whole numbers"
    return None
