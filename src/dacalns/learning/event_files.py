"""Metrics in files that TensorBoard reads."""

import importlib
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dacalns.errors import InputError
from dacalns.learning.metrics import Row

INSTALL = 'pip install "dac-alns[train]"'


def require_event_files(folder: str | os.PathLike[str]) -> Path:
    """Check, before a long training, that event files can be written to a folder, which is made if need be.

    Raises
    ------
    InputError
        If they cannot, or tensorboardX is missing.
    """
    _tensorboardx()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{os.fspath(folder)}: cannot be made a folder ({error.strerror}); expected a folder for event files; "
            "choose another."
        ) from None
    return Path(folder)


class EventFiles:
    """An event file of one run of a training; those of all its runs share a folder.

    Parameters
    ----------
    folder
        Where to.
    names
        Of the columns of a row.
    rounds
        How many rounds there were before: TensorBoard forgets what a run that was killed had noted after these.
    """

    def __init__(self, folder: Path, names: Sequence[str], rounds: int) -> None:
        # Other letters TensorBoard does not take.
        self._names = [re.sub(r"[^-/.\w]", "_", name) for name in names]
        # Its file names tell whole seconds only: a run resumed within the second would write over the one before.
        self._writer = _tensorboardx().SummaryWriter(
            str(folder), purge_step=rounds + 1, filename_suffix=f".{time.time_ns()}"
        )

    def add(self, row: Row) -> None:
        """Write a row, at once; a round is a step of TensorBoard's."""
        values = dict(zip(self._names, row, strict=True))
        number = values.pop("round")
        for name, value in values.items():
            if value is not None:
                self._writer.add_scalar(name, value, number)
        self._writer.flush()

    def close(self) -> None:
        """End the file."""
        self._writer.close()


def _tensorboardx() -> Any:
    try:
        return importlib.import_module("tensorboardX")
    except ImportError as error:
        raise InputError(
            f"Event files for TensorBoard need tensorboardX, which cannot be imported ({error}); run: {INSTALL}"
        ) from None
