"""The files of a training."""

from dataclasses import dataclass
from pathlib import Path

from dacalns.errors import InputError
from dacalns.instances.atomic import require_writable


@dataclass(frozen=True)
class Files:
    """What a training writes."""

    policy: Path
    state: Path
    metrics: Path

    @classmethod
    def beside(cls, policy: Path) -> "Files":
        """The files of a policy."""
        return cls(policy, policy.with_name(policy.name + ".state"), policy.with_name(policy.name + ".csv"))

    def make_way(self, force: bool) -> None:
        """Raise an `InputError` if there are files already; remove them if that is wanted."""
        require_writable(self.policy)
        there = [path for path in (self.policy, self.state, self.metrics) if path.exists()]
        if there and not force:
            raise InputError(
                f"{there[0]}: this file is there already; expected a new one; resume that training, choose another "
                "name, or force it to be replaced."
            )
        for path in there:
            path.unlink()
