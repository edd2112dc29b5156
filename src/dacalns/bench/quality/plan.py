"""What is to be run: subsets by name or folder, with the budgets that were asked for."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dacalns.bench.peers import Peer
from dacalns.bench.quality.folder_subset import folder_subset
from dacalns.bench.quality.named_subsets import named_subset, subset_names
from dacalns.bench.quality.subset import Subset
from dacalns.util.errors import InputError
from dacalns.util.values import whole_number


def planned_subsets(
    names: Sequence[str] = (),
    folders: Sequence[Path] = (),
    *,
    seconds: float | None = None,
    seeds: int | None = None,
    customers: str | None = None,
) -> list[Subset]:
    """Return the subsets to run.

    Parameters
    ----------
    names
        Of subsets; all that come with the package if neither names nor folders are given.
    folders
        With instances of your own, and ``.sol`` files beside them.
    seconds, seeds
        Instead of each subset's own.
    customers
        Keep the instances with so many: ``"100"`` or ``"100-400"``.

    Raises
    ------
    InputError
        If one of these cannot be used, or nothing is left.
    """
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds is {seconds!r}; expected more than 0; 3 is enough for 100 customers.")
    if seeds is not None:
        seeds = whole_number("seeds", seeds, minimum=1)
    least, most = (0, math.inf) if customers is None else _range(customers)
    wanted = names or ([] if folders else subset_names())
    found = [*map(named_subset, wanted), *map(folder_subset, folders)]
    kept = []
    for subset in found:
        instances = [instance for instance in subset.instances if least <= instance.customers <= most]
        if instances:
            kept.append(
                replace(
                    subset,
                    instances=instances,
                    seconds=subset.seconds if seconds is None else seconds,
                    seeds=subset.seeds if seeds is None else seeds,
                )
            )
    if not kept:
        raise InputError(f"customers is {customers!r}; no instance has so many; give a wider range.")
    return kept


def expected_seconds(subsets: Sequence[Subset], contestants: Sequence[Peer]) -> float:
    """Return what all runs will take, but for starting and loading."""
    return sum(
        subset.seconds * runs_of(peer, subset)
        for subset in subsets
        for peer in contestants
        for instance in subset.instances
        if peer.refuses(instance) is None
    )


def runs_of(peer: Peer, subset: Subset) -> int:
    """Return how often a solver runs on each instance of a subset."""
    return subset.seeds if peer.seeded else 1


def _range(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", given)
    least, most = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
    if least > most:
        raise InputError(f"customers is {given!r}; expected a number or a range such as 100-400; correct it.")
    return least, most
