"""A checkpoint is a trained policy in a file: named tensors and a card. Some come with the package."""

import json
import os
from collections.abc import Callable, Mapping, Set
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize
from safetensors.numpy import load, save

from dacalns.instances.features import PROBLEMS, problem_called
from dacalns.selectors.card import Card, require_match
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import LIST, listed, shortened, shown, shown_path

# The policies that come with the package.

# For the paper's portfolio there are also policies for searches that are limited by time.
TIMED = "timed"


def policy_file(given: str | os.PathLike[str] | None, features: Set[str], kind: str, portfolio: str) -> Path:
    """Return the file of a policy: the given one, or the usual bundled one (None), or the one trained by time."""
    if given is None or given == TIMED:
        return bundled_policy(problem_called(features), kind if given is None else TIMED, portfolio)
    return Path(given)


def bundled_policy(problem: str, kind: str = "dac", portfolio: str = "paper") -> Path:
    """Return the file of a policy that comes with the package.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    kind
        ``"dac"`` for the network, ``"wheel"`` for the table that never changes, or ``"timed"``, for the paper's
        portfolio only: a network that was trained by searches of equal time instead of equal iterations.
    portfolio
        The name of the operators that it chooses from, ``"paper"`` or ``"full"``.

    Raises
    ------
    InputError
        If there is no such problem, or no policy for it.
    """
    if problem not in PROBLEMS:
        raise InputError(
            f"there is no bundled {kind} policy for a {shortened(problem, LIST)}; expected one of "
            f"{listed(sorted(PROBLEMS))}; leave the selector out, or choose one that needs no policy, such as roulette."
        )
    folder = Path(os.fspath(files("dacalns.selectors") / "policies"))  # type: ignore[call-overload]
    path = folder / ("" if portfolio == "paper" else portfolio) / f"{kind}-{problem}.safetensors"
    if not path.is_file():
        found = sorted(entry.relative_to(folder).with_suffix("").as_posix() for entry in folder.rglob("*.safetensors"))
        raise InputError(
            f"there is no bundled {kind} policy for {problem} and portfolio {shown(portfolio)}; expected one of those "
            f"bundled, {', '.join(found) or 'no policy'}; train one and give its file."
        )
    return path


# The files are in the format `safetensors`, which holds numbers and text, and nothing that is run when it is read.

__all__ = ["Card", "load_checkpoint", "require_match", "save_checkpoint"]

Tensors = dict[str, npt.NDArray[np.float32]]
Shapes = Mapping[str, tuple[int, ...]]

KEY = "dac-alns"
"""The key of the card in the metadata. There is only one: the order of several would change from run to run."""


def save_checkpoint(path: str | os.PathLike[str], tensors: Mapping[str, npt.NDArray[np.float32]], card: Card) -> None:
    """Write a policy to a file, whole or not at all.

    The same tensors and card give the same bytes.

    Parameters
    ----------
    path
        The path of the file; an existing file is replaced.
    tensors
        The arrays by name, of finite 32-bit floats.
    card
        The card, which says what the policy is.

    Raises
    ------
    InputError
        If the tensors are of another type or not finite, or the file cannot be written.
    """
    if not isinstance(card, Card):
        raise InputError(f"{shown_path(path)}: card is {shown(card)}; expected a Card.")
    if not tensors:
        raise InputError(f"{shown_path(path)}: there is no tensor to save; expected at least one.")
    for name, tensor in tensors.items():
        if not isinstance(tensor, np.ndarray) or tensor.dtype != np.float32:
            kind = tensor.dtype if isinstance(tensor, np.ndarray) else type(tensor).__name__
            raise InputError(
                f"{shown_path(path)}: tensor {shown(name)} is of type {kind}; expected an array of float32."
            )
    save_tensors(path, tensors, KEY, card.to_json())


def save_tensors(
    path: str | os.PathLike[str], tensors: Mapping[str, npt.NDArray[np.float32]], key: str, text: str
) -> None:
    """Write tensors of 32-bit floats, and a text under a key of the metadata, to a file, whole or not at all."""
    _require_finite(os.fspath(path), tensors)
    # Saving takes the memory as it lies, so a transposed view would be saved in the wrong order.
    packed = {name: np.ascontiguousarray(tensor).reshape(tensor.shape) for name, tensor in tensors.items()}
    write_atomically(path, save(packed, metadata={key: text}))


def load_checkpoint(
    path: str | os.PathLike[str], shapes: Shapes | Callable[[Card], Shapes] | None = None
) -> tuple[Tensors, Card]:
    """Read a policy from a file.

    Parameters
    ----------
    path
        The file.
    shapes
        The names and shapes that the tensors must have, or a function that returns them for a card. If left out, any
        will do.

    Returns
    -------
    tuple
        The tensors by name, bit for bit as they were saved, and the card.

    Raises
    ------
    InputError
        When the file is missing, damaged or something else, its card is missing or of a newer format, or tensors are
        missing, too many, of another shape or not finite.
    """
    cards: list[Card] = []

    def expected(text: str) -> Shapes | None:
        cards.append(Card.from_json(text))
        return shapes(cards[0]) if callable(shapes) else shapes

    return load_tensors(path, KEY, expected), cards[0]


def load_tensors(path: str | os.PathLike[str], key: str, expected: Callable[[str], Shapes | None]) -> Tensors:
    """Read the tensors that `save_tensors` wrote.

    Parameters
    ----------
    path
        The file.
    key
        The key of the text in the metadata.
    expected
        A function that takes the text, and returns the names and shapes that the tensors must have, or None if any will
        do.

    Raises
    ------
    InputError
        When the file is missing, damaged or something else, has no such text, or tensors are not as expected.
    """
    name = shown_path(path)
    content = _read(path)
    header = _header(name, content)
    metadata = header.pop("__metadata__", None)
    text = metadata.get(key) if isinstance(metadata, dict) else None
    if text is None:
        raise InputError(f"{name}: the file has no card; expected a policy that dac-alns saved; choose another file.")
    try:
        shapes = expected(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    found = {tensor: tuple(entry["shape"]) for tensor, entry in header.items()}
    for tensor, entry in header.items():
        if entry["dtype"] != "F32":
            raise InputError(
                f"{name}: tensor {shown(tensor)} is of type {entry['dtype']}; expected F32; save it as float32."
            )
    if shapes is not None:
        _require_shapes(name, found, shapes)
    tensors = {tensor: array.copy() for tensor, array in sorted(load(content).items())}
    _require_finite(name, tensors)
    return tensors


def _read(path: str | os.PathLike[str]) -> bytes:
    name = shown_path(path)
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; expected a policy (.safetensors); check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a folder; expected a policy (.safetensors); name a file in it.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: cannot be read ({reason}); expected a policy (.safetensors); check it.") from None


def _header(name: str, content: bytes) -> dict[str, Any]:
    """Return what the file says about its tensors; if this returns, the file is whole."""
    length = int.from_bytes(content[:8], "little")
    # All files of the format begin like this: eight bytes of length, then an object in JSON.
    if content[8:9] != b"{" or length > 100_000_000:
        raise InputError(f"{name}: this is not a safetensors file; expected a policy of dac-alns; check the path.")
    try:
        deserialize(content)
        return dict(json.loads(content[8 : 8 + length]))
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        if _is_cut(content, length):
            raise InputError(
                f"{name}: the file is truncated after {len(content)} bytes; expected all of it; copy it again."
            ) from None
        raise InputError(
            f"{name}: the file is damaged ({shortened(str(error), LIST)}); expected a policy; copy it again."
        ) from None


def _is_cut(content: bytes, length: int) -> bool:
    if len(content) < 8 + length:
        return True
    try:
        entries = json.loads(content[8 : 8 + length])
        ends = [entry["data_offsets"][1] for key, entry in entries.items() if key != "__metadata__"]
        return len(content) < 8 + length + max(ends, default=0)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        return False


def _require_shapes(name: str, found: Shapes, expected: Shapes) -> None:
    missing, extra = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    for what, tensors in (("lacks", missing), ("has an unknown", extra)):
        if tensors:
            raise InputError(
                f"{name}: the file {what} tensor {shown(tensors[0])}; expected {listed(expected)}; choose another file."
            )
    for tensor, shape in expected.items():
        if found[tensor] != tuple(shape):
            raise InputError(
                f"{name}: tensor {shown(tensor)} has shape {shown(found[tensor])}; expected {tuple(shape)}; train the "
                "policy again."
            )


def _require_finite(name: str, tensors: Mapping[str, npt.NDArray[np.float32]]) -> None:
    for tensor, array in tensors.items():
        if not np.isfinite(array).all():
            raise InputError(
                f"{name}: tensor {shown(tensor)} holds NaN or infinity; expected finite numbers; train with a lower "
                "rate."
            )
