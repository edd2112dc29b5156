"""Where a training begins, if not from nothing: policies that were trained before."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.errors import InputError
from dacalns.learning.rounds import Plan, Vector
from dacalns.learning.sources import Source, as_source
from dacalns.learning.teaching import taught
from dacalns.selectors.actor_critic import LearningState, parameters_of
from dacalns.selectors.card import Card, require_match
from dacalns.selectors.checkpoint import Tensors, load_checkpoint
from dacalns.selectors.frozen_policy import from_tensors, tensor_shapes
from dacalns.selectors.prior import Outputs, begin_with_table, table_outputs
from dacalns.shown import shown


@dataclass(frozen=True)
class Start:
    """A policy to begin with.

    Parameters
    ----------
    name
        Of its file, without the folder.
    digest
        Of the file's bytes, SHA-256: another file of the same name is another start.
    tensors, card
        What is in it.
    """

    name: str
    digest: str
    tensors: Tensors
    card: Card

    @classmethod
    def read(cls, path: str | os.PathLike[str], kind: str, plan: Plan) -> "Start":
        """The policy in a file, from which a plan for such a kind of policy can begin.

        Raises
        ------
        InputError
            If there is no policy in it, or one for another problem, portfolio, kind or network.
        """
        tensors, card = load_checkpoint(path, tensor_shapes)
        try:
            require_match(card, plan.source.problem, plan.portfolio)
        except InputError as error:
            raise InputError(f"{os.fspath(path)}: {error}") from None
        if card.kind not in (kind, "wheel"):
            raise InputError(
                f"{os.fspath(path)}: this policy is of kind {card.kind}; expected {kind} or wheel to start a {kind} "
                "from; choose another file or kind."
            )
        if plan.learner is not None and card.kind == kind:
            for field, known in vars(card.network).items():
                asked = getattr(plan.learner.network, field)
                if known != asked:
                    raise InputError(
                        f"{os.fspath(path)}: the network of this policy has {field} {known!r}; expected {asked!r}, as "
                        "is to be trained; give the preset or settings that it was trained with."
                    )
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return cls(Path(path).name, digest, tensors, card)

    def described(self) -> dict[str, Any]:
        """What a card or a state file tells of it."""
        return {"name": self.name, "sha256": self.digest, "command": self.card.training.get("command")}

    def outputs(self) -> Outputs:
        """Of a wheel, those that have its probabilities."""
        return table_outputs(self.tensors["pairs"])

    def source(self, plan: Plan) -> Source:
        """The instances that it was trained on."""
        return as_source(self.card.problem, self.card.training["instances"], plan.seed)


def read_starts(text: str | os.PathLike[str], kind: str, plan: Plan) -> tuple[Start, ...]:
    """The policy in a file, or the wheels in several with commas between, to begin a plan with.

    Raises
    ------
    InputError
        If one of them cannot be begun with, or several are not all wheels for a network.
    """
    paths = [part.strip() for part in os.fspath(text).split(",") if part.strip()]
    if not paths:
        raise InputError(f"start_from is {shown(os.fspath(text))}; expected a policy, or wheels with commas between.")
    starts = tuple(Start.read(path, kind, plan) for path in paths)
    if len(starts) > 1 and (plan.learner is None or any(start.card.kind != "wheel" for start in starts)):
        raise InputError(
            f"start_from has {len(starts)} files for kind {kind}; expected one, or several wheels for a network; give "
            "one."
        )
    return starts


def started(plan: Plan, nothing_learned: LearningState, starts: Sequence[Start]) -> LearningState:
    """The parameters before the first round; ``nothing_learned`` are those of a training from nothing."""
    first = starts[0]
    if len(starts) > 1:
        tables = [(start.source(plan), start.outputs()) for start in starts]
        parameters = taught(plan, nothing_learned.parameters, tables)
    elif first.card.kind != "wheel":
        parameters = from_tensors(first.card, first.tensors)
    elif plan.learner is None:
        parameters = np.concatenate([part.ravel() for part in first.outputs()])
    else:
        parameters = with_table(plan, nothing_learned.parameters, first.tensors["pairs"])
    zeros = np.zeros_like(nothing_learned.parameters)
    return LearningState(parameters.astype(np.float32), zeros, zeros.copy(), 0.0, 1.0)


def with_table(plan: Plan, parameters: Vector, pairs: npt.NDArray[np.floating]) -> Vector:
    """The parameters with the output biases of a table."""
    assert plan.learner is not None
    memory = plan.learner.blank_memory(plan.source.instance(0), plan.portfolio)
    parameters_of(memory)[:] = parameters
    begin_with_table(memory, pairs)
    return parameters_of(memory).copy()
