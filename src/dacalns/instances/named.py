"""Instances that have a name: those in the package, samples of them, and generated ones."""

import re
from typing import Any

from dacalns.instances.bundled import bundled_path, find_bundled
from dacalns.instances.drawn import generated_instance
from dacalns.instances.instance import Instance
from dacalns.instances.instance_file import fleet_limit, read_instance_file
from dacalns.instances.sample import sample

SAMPLED = re.compile(r"(?P<base>.+)-n(?P<customers>[0-9]{1,18})-s(?P<seed>[0-9]{1,18})", re.DOTALL)


def named_instance(name: str, rounding: str, fleet: Any) -> Instance | None:
    """Return a bundled instance, a sample of one or a generated one, without a best-known value.

    ``None`` if there is none so named.
    """
    if bundled := find_bundled(name):
        return read_instance_file(bundled_path(bundled), rounding, fleet)
    if (sampled := SAMPLED.fullmatch(name)) and (bundled := find_bundled(sampled["base"])):
        base = read_instance_file(bundled_path(bundled), rounding, fleet)
        return sample(base, int(sampled["customers"]), int(sampled["seed"]))
    if (generated := generated_instance(name)) is not None:
        limit = fleet_limit(generated.name, fleet)
        return generated.with_(fleet=limit, rounding=generated.rounding if rounding == "auto" else rounding)
    return None
