"""A problem out of VROOM's JSON together with what its answer needs: ids, vehicles, driving times."""

import os
from dataclasses import dataclass
from pathlib import Path

from dacalns.instances.instance import Instance
from dacalns.instances.json_problem import is_problem_file, load_json
from dacalns.instances.source_text import SourceText
from dacalns.instances.vroom import VroomFile, is_vroom, parse_vroom
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, shown_path


@dataclass(frozen=True, eq=False)
class VroomProblem:
    """A problem out of VROOM's JSON.

    Parameters
    ----------
    instance
        The problem. Every task may be left out: by priority first, then by number.
    file
        What the file says of tasks and vehicles, for the answer.
    """

    instance: Instance
    file: VroomFile


def read_vroom(
    path: str | os.PathLike[str], *, speed: float | None = None, detour: float | None = None
) -> VroomProblem:
    """Read a problem in VROOM's JSON.

    Parameters
    ----------
    path
        The file.
    speed, detour
        Kilometres an hour, 50 if left out, and how many times longer than the great circle ways are, 1.3 if left out,
        where the file has no matrices.

    Returns
    -------
    VroomProblem
        Solve its ``instance``, and give both to `dacalns.to_vroom`, which returns the answer.

    Raises
    ------
    InputError
        When the file is no problem of VROOM's, or says what an instance cannot; the message has the path.
    """
    for what, value in (("speed", speed), ("detour", detour)):
        usable = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        if not usable or (value is not None and not 1e-6 <= value <= 1e6):
            raise InputError(f"{what} is {shown(value)}; expected a number over 0; correct the value.")
    source = SourceText.load(path)
    data = load_json(source)
    if not is_vroom(data):
        raise InputError(
            f"{shown_path(source.name)}: is no problem of VROOM's; expected an object with vehicles, and jobs or "
            "shipments; check the file."
        )
    file = parse_vroom(data, shown_path(source.name), source.stem, speed=speed, detour=detour)
    try:
        return VroomProblem(Instance(**file.fields), file)
    except InputError as error:
        raise InputError(f"{shown_path(source.name)}: {error}") from None


def is_vroom_file(path: str | os.PathLike[str]) -> bool:
    """Return True if a file holds a problem of VROOM's; who reads another one is told what is wrong with it."""
    if os.path.splitext(os.fspath(path))[1].casefold() != ".json" or not os.path.isfile(path):
        return False
    if is_problem_file(Path(path)):  # ours, which may be long: it is read but once
        return False
    try:
        return is_vroom(load_json(SourceText.load(path)))
    except InputError:
        return False
