"""The files of a training."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dacalns.errors import InputError
from dacalns.instances.atomic import is_plain, require_writable
from dacalns.instances.targets import require_apart


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

    def require_apart(self, sources: Iterable[str]) -> None:
        """Raise an `InputError` if one of them is a file that the training reads."""
        require_apart(
            {f"training: {what}": path for what, path in zip(("out", "state", "metrics"), self.all, strict=True)},
            {f"the training ({file})": file for file in sources},
        )

    @property
    def all(self) -> tuple[Path, ...]:
        """All of them."""
        return self.policy, self.state, self.metrics

    def make_way(self, force: bool) -> None:
        """Raise an `InputError` if there are files already; remove them if that is wanted."""
        require_writable(self.policy)
        for path in self.all:
            if not is_plain(path):
                raise InputError(f"{path}: this is a device or a pipe; expected a file; choose another name.")
        there = [path for path in self.all if path.exists()]
        if there and not force:
            raise InputError(
                f"{there[0]}: this file is there already; expected a new one; resume that training, choose another "
                "name, or force it to be replaced."
            )
        for path in there:
            path.resolve().unlink()  # a link stays
