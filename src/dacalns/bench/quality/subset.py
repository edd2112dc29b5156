"""Instances that are run together, and for how long."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dacalns.instances import Instance


@dataclass(frozen=True)
class Subset:
    """Instances, and the budget of every run on them.

    Parameters
    ----------
    name, title
        A word for the command line, and what it is in words.
    instances
        The instances.
    seconds
        For each run.
    seeds
        How many runs for each instance and solver, of those that take a seed.
    notes
        What a reader should know about the references.
    """

    name: str
    title: str
    instances: Sequence[Instance]
    seconds: float
    seeds: int
    notes: Sequence[str] = field(default_factory=tuple)
