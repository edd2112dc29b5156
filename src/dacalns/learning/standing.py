"""The files of a training, one of which holds all that is needed to resume it."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dacalns.learning.validation import Validation
from dacalns.selectors.actor_critic import LearningState
from dacalns.util.errors import InputError
from dacalns.util.files import is_plain, require_apart, require_writable, write_atomically
from dacalns.util.shown import VALUE, listed, reason_of, shortened, shown, shown_path
from dacalns.util.typed_data import from_plain

# The files of a training.


@dataclass(frozen=True)
class Files:
    """The files that a training writes."""

    policy: Path
    state: Path
    metrics: Path

    @classmethod
    def beside(cls, policy: Path) -> "Files":
        """Return the files of a training: the policy, and two more beside it."""
        return cls(policy, policy.with_name(policy.name + ".state"), policy.with_name(policy.name + ".csv"))

    def require_apart(self, sources: Iterable[str]) -> None:
        """Raise an `InputError` if one of the files is also one that the training reads."""
        require_apart(
            {f"training: {what}": path for what, path in zip(("out", "state", "metrics"), self.all, strict=True)},
            {f"the training ({file})": file for file in sources},
        )

    @property
    def all(self) -> tuple[Path, ...]:
        """All files, as a tuple."""
        return self.policy, self.state, self.metrics

    def make_way(self, force: bool) -> None:
        """Raise an `InputError` if there are files already, or remove them if ``force`` is true."""
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
            path.resolve().unlink()  # a symbolic link stays, its target goes


# The standing of a training after a round: all that it needs to go on as if it had never stopped.

KEY = "dac-alns-training"
FORMAT = 1
VECTORS, AVERAGE = ("parameters", "mean", "square"), "average"


@dataclass(frozen=True)
class Standing:
    """The state of a training after a round.

    Parameters
    ----------
    learner
        The parameters, and where their optimiser stands.
    average
        The running mean of the parameters.
    round
        The number of rounds so far.
    steps
        The number of iterations of search so far.
    seconds
        The time so far, over all times that the training was resumed.
    rows
        The metrics of each round.
    validations
        The regular validations, after every so many rounds.
    latest
        The latest validation, which may be the one at the end of an earlier run.
    reference
        The costs of roulette on the validation instances.
    finished
        True if the policy of this round has been finished and saved.
    """

    learner: LearningState
    average: npt.NDArray[np.float64]
    round: int = 0
    steps: int = 0
    seconds: float = 0.0
    rows: tuple[tuple[float | None, ...], ...] = ()
    validations: tuple[Validation, ...] = ()
    latest: Validation | None = None
    reference: tuple[float, ...] = field(default=())
    finished: bool = False


@dataclass(frozen=True)
class _Told:
    """The words and numbers in a file; the fields are those of `Standing` and its learner without the vectors."""

    format: int
    plan: dict[str, Any]
    step: float
    spread: float
    round: int
    steps: int
    seconds: float
    rows: tuple[tuple[float | None, ...], ...]
    validations: tuple[Validation, ...]
    latest: Validation | None
    reference: tuple[float, ...]
    finished: bool


def save_standing(path: Path, standing: Standing, plan: dict[str, Any]) -> None:
    """Write a standing to a file, whole or not at all.

    Parameters
    ----------
    path
        The path of the file.
    standing
        The standing to write.
    plan
        The plan that the training follows, as plain data.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    told = {
        "format": FORMAT,
        "plan": plan,
        "step": standing.learner.step,
        "spread": standing.learner.spread,
        "round": standing.round,
        "steps": standing.steps,
        "seconds": standing.seconds,
        "rows": standing.rows,
        "validations": [validation.to_dict() for validation in standing.validations],
        "latest": standing.latest and standing.latest.to_dict(),
        "reference": standing.reference,
        "finished": standing.finished,
    }
    tensors: dict[str, np.ndarray] = {name: getattr(standing.learner, name) for name in VECTORS}
    tensors[AVERAGE] = standing.average
    packed = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    write_atomically(path, save(packed, metadata={KEY: json.dumps(told, sort_keys=True)}))


def load_standing(path: Path, plan: dict[str, Any], without_effect: Collection[str] = ()) -> Standing:
    """Return the standing that `save_standing` wrote to a file.

    Parameters
    ----------
    path
        The file.
    plan
        The plan that the training must follow, as plain data.
    without_effect
        The keys that files of earlier versions contain although they change nothing.

    Raises
    ------
    InputError
        If the file is missing or damaged, or it is the standing of another plan.
    """
    name = shown_path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{name}: there is no such file; expected where the training stopped; leave resume out to begin."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: cannot be read ({reason}); expected where the training stopped; check it.") from None
    try:
        tensors = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        told = json.loads(header["__metadata__"][KEY])
        newer = type(told["format"]) is int and told["format"] > FORMAT
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _damaged(name, reason_of(error)) from None
    if newer:
        raise InputError(
            f"{name}: it has format {shown(told['format'])}; expected at most {FORMAT}; install a newer dac-alns."
        )
    found = _told(name, told)
    ignored = {*without_effect} - {*plan}
    _require_same(name, {key: value for key, value in found.plan.items() if key not in ignored}, plan)
    _require_vectors(name, tensors, found)
    parameters, mean, square = (tensors[vector].copy() for vector in VECTORS)
    return Standing(
        LearningState(parameters, mean, square, found.step, found.spread),
        tensors[AVERAGE].copy(),
        found.round,
        found.steps,
        found.seconds,
        found.rows,
        found.validations,
        found.latest,
        found.reference,
        found.finished,
    )


def _told(name: str, data: Any) -> _Told:
    """Return what the file says beside its vectors, after checking that it makes sense."""
    try:
        found = from_plain(_Told, data, "it")
        for count in ("step", "spread", "round", "steps", "seconds"):
            if getattr(found, count) < 0:
                raise InputError(f"it: {count} is {shown(getattr(found, count))}; expected 0 or more")
    except InputError as error:
        raise _damaged(name, str(error).removeprefix("it: ").rstrip(".")) from None
    return found


def _require_vectors(name: str, tensors: dict[str, npt.NDArray[Any]], told: _Told) -> None:
    """Raise an error unless the vectors of a learner are there, finite and as long as they must be."""
    types = dict.fromkeys(VECTORS, np.dtype(np.float32)) | {AVERAGE: np.dtype(np.float64)}
    if tensors.keys() != types.keys():
        raise _damaged(name, f"it has tensors {listed(sorted(tensors))}, not {listed(types)}")
    lengths = dict.fromkeys(types, tensors[AVERAGE].size)
    if told.plan.get("method") == "surface" and told.step:  # they hold other things then: see `Surface.state`
        terms = 2 * len(told.plan["portfolio"]["destroy"]) * len(told.plan["portfolio"]["repair"])
        lengths |= {"mean": 2 * terms, "square": terms**2}
    for vector, kind in types.items():
        found = tensors[vector]
        if found.dtype != kind or found.shape != (lengths[vector],):
            raise _damaged(name, f"{vector} is of shape {shown(found.shape)} and type {found.dtype}")
        if not np.isfinite(found).all():
            raise _damaged(name, f"{vector} holds NaN or infinity")


def _damaged(name: str, reason: str) -> InputError:
    return InputError(
        f"{name}: this does not say where a training stopped ({shortened(reason, 140)}); expected the file that a "
        "training wrote; copy it again, or begin anew."
    )


def _require_same(name: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise an error that names the first difference between two plans."""
    old, new = _flat(before), _flat(json.loads(json.dumps(now)))
    for key in [*new, *(key for key in old if key not in new)]:
        if old.get(key) != new.get(key):
            raise InputError(
                f"{name}: this training has {shortened(key, VALUE)} {_value(old, key)}, not {_value(new, key)}; "
                "expected the same plan to go on with; give what it began with, or train to another file."
            )


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        inner = _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
        found.update(inner)
    return found


def _value(data: dict[str, Any], key: str) -> str:
    return shown(data[key]) if key in data else "none"
