"""All that a comparison has found."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dacalns.bench.quality.alarms import alarms
from dacalns.bench.quality.reference import Reference, reference_of
from dacalns.bench.quality.run import Run
from dacalns.bench.quality.standings import Standing, standings
from dacalns.bench.quality.subset import Subset
from dacalns.version import __version__


@dataclass(frozen=True)
class Contestant:
    """A solver that took part: the word for it, its name and its version."""

    key: str
    name: str
    version: str


@dataclass
class SubsetResult:
    """A subset and the runs so far."""

    subset: Subset
    runs: list[Run] = field(default_factory=list)

    @property
    def references(self) -> dict[str, Reference]:
        """By instance."""
        return {instance.name: reference_of(instance, self.runs) for instance in self.subset.instances}

    @property
    def standings(self) -> list[Standing]:
        """How the solvers stand."""
        return standings(self.runs, self.references)

    @property
    def alarms(self) -> list[str]:
        """What should make a reader doubt, in sentences."""
        return [*self.subset.notes, *alarms(self.runs, self.references)]


@dataclass
class Comparison:
    """A comparison.

    Parameters
    ----------
    command
        What repeats it.
    machine
        What it ran on.
    solvers
        Who took part.
    missing
        A sentence for each solver that could not take part.
    results
        By subset.
    interrupted
        Whether it was ended before all runs were done.
    """

    command: str
    machine: Mapping[str, Any]
    solvers: Sequence[Contestant]
    missing: Sequence[str]
    results: list[SubsetResult] = field(default_factory=list)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dictionaries and numbers, every run among them."""
        return {
            "version": __version__,
            "command": self.command,
            "machine": dict(self.machine),
            "solvers": [asdict(solver) for solver in self.solvers],
            "missing": list(self.missing),
            "interrupted": self.interrupted,
            "subsets": [
                {
                    "name": result.subset.name,
                    "title": result.subset.title,
                    "seconds": result.subset.seconds,
                    "seeds": result.subset.seeds,
                    "customers": {each.name: each.customers for each in result.subset.instances},
                    "references": {name: asdict(reference) for name, reference in result.references.items()},
                    "standings": [asdict(standing) for standing in result.standings],
                    "alarms": result.alarms,
                    "runs": [asdict(run) for run in result.runs],
                }
                for result in self.results
            ],
        }
