"""Where a training stands after a round: all that it takes to go on as if it had never stopped."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dacalns.errors import InputError
from dacalns.instances.atomic import write_atomically
from dacalns.learning.validation import Validation
from dacalns.selectors.actor_critic import LearningState

KEY = "dac-alns-training"
FORMAT = 1
VECTORS = ("parameters", "mean", "square")


@dataclass(frozen=True)
class Standing:
    """After a round.

    Parameters
    ----------
    learner
        Parameters and where their optimiser stands.
    average
        The running mean of the parameters.
    round
        How many rounds there have been.
    steps
        How many iterations of search these took.
    seconds
        How long they took, over all runs.
    rows
        The metrics of each round.
    validations
        Those after every so many rounds.
    latest
        The latest validation, which may have been one at an earlier end.
    reference
        What roulette came to on the validation instances.
    finished
        Whether the policy of this round has been finished and saved.
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


def save_standing(path: Path, standing: Standing, plan: dict[str, Any]) -> None:
    """Write a standing to a file, whole or not at all.

    Parameters
    ----------
    path
        Where to.
    standing
        What to write.
    plan
        What it is the standing of.

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
    tensors["average"] = standing.average
    packed = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    write_atomically(path, save(packed, metadata={KEY: json.dumps(told, sort_keys=True)}))


def load_standing(path: Path, plan: dict[str, Any]) -> Standing:
    """Read what `save_standing` wrote.

    Raises
    ------
    InputError
        If the file is missing or damaged, or it is the standing of another plan.
    """
    name = os.fspath(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{name}: there is no such file; expected where the training stopped; leave resume out to begin."
        ) from None
    except OSError as error:
        raise InputError(
            f"{name}: cannot be read ({error.strerror}); expected where the training stopped; check it."
        ) from None
    try:
        tensors = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        told = json.loads(header["__metadata__"][KEY])
        newer = told["format"] > FORMAT
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{name}: this does not say where a training stopped ({type(error).__name__}: {reason}); expected the file "
            "that a training wrote; copy it again, or begin anew."
        ) from None
    if newer:
        raise InputError(
            f"{name}: it has format {told['format']}; expected at most {FORMAT}; install a newer dac-alns."
        )
    _require_same(name, told["plan"], plan)
    parameters, mean, square = (tensors[vector].copy() for vector in VECTORS)
    latest = told["latest"]
    return Standing(
        LearningState(parameters, mean, square, told["step"], told["spread"]),
        tensors["average"].copy(),
        told["round"],
        told["steps"],
        told["seconds"],
        tuple(map(tuple, told["rows"])),
        tuple(Validation(**entry) for entry in told["validations"]),
        None if latest is None else Validation(**latest),
        tuple(told["reference"]),
        told["finished"],
    )


def _require_same(name: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise an error that names the first difference between two plans."""
    old, new = _flat(before), _flat(json.loads(json.dumps(now)))
    for key in [*new, *(key for key in old if key not in new)]:
        if old.get(key) != new.get(key):
            raise InputError(
                f"{name}: this training has {key} {_told(old, key)}, not {_told(new, key)}; expected the same plan to "
                "go on with; give what it began with, or train to another file."
            )


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        inner = _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
        found.update(inner)
    return found


def _told(data: dict[str, Any], key: str) -> str:
    return repr(data[key]) if key in data else "none"
