"""An instance with something to compare with."""

import os
from dataclasses import replace
from pathlib import Path

from dacalns.instances import Instance, read, read_solution
from dacalns.search.checker import check


def known_instance(name: str) -> Instance:
    """An instance; where nothing is known of it, with the cost of a feasible solution in a ``.sol`` file beside it."""
    instance = read(name)
    beside = Path(name).with_suffix(".sol")
    if instance.best_known is not None or not (os.path.isfile(name) and beside.is_file()):
        return instance
    verdict = check(instance, read_solution(beside)[0])
    if not verdict.feasible:
        return instance
    return replace(instance, best_known=round(verdict.cost, 9), best_known_origin=beside.name)
