"""Get an instance from a file or by name."""

import os
from functools import lru_cache
from typing import Unpack

from dacalns.instances.best_known import with_best_known
from dacalns.instances.distance_matrix import ROUNDINGS
from dacalns.instances.generate import GENERATED
from dacalns.instances.instance import Instance
from dacalns.instances.instance_file import SAMPLED, bundled_names, named_instance, read_instance_file, read_tables
from dacalns.instances.table_problem import TableOptions
from dacalns.instances.tables import is_frame, is_table
from dacalns.instances.vroom_problem import is_vroom_file, read_vroom
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import did_you_mean, require_choice


def read(
    path_or_name: str | os.PathLike[str],
    rounding: str = "auto",
    fleet: int | str = "auto",
    **table: Unpack[TableOptions],
) -> Instance:
    """Read an instance.

    Parameters
    ----------
    path_or_name
        A file in VRPLIB's format, with the sections for richer problems that PyVRP reads, in JSON as `write_instance`
        writes it, or in the format of Solomon, of Li and Lim or of Cordeau, recognised by its content; or a bundled
        name such as ``"A-n32-k5"`` or ``"R101"``; or a sample of a bundled one, as ``"R105-n67-s3"``: 67 customers of
        R105, drawn with seed 3; or a generated one, as ``"generated-cvrp-n60-s7"`` or ``"generated-vrptw-n60-s7"``:
        60 customers, everything else drawn with seed 7. A file that exists goes before a name. A CSV or Excel file is a
        table of customers.
    rounding
        How distances are rounded: ``round``, ``trunc``, ``dimacs``, ``milli``, ``exact`` or ``none``. ``auto`` takes
        what the file says, as JSON may; else ``round`` for a CVRP, ``dimacs`` for time windows, ``none`` for an
        explicit matrix.
    fleet
        The most routes allowed: a number, ``"free"``, or ``"auto"``: what the file says, else the k in the
        name of an Augerat instance, else free.
    table
        For a table of customers, what `dacalns.Instance.from_frame` takes: ``vehicles``, ``depot``, ``columns`` and
        others.

    Returns
    -------
    Instance
        With its best-known value, or a reference of ours, where one is listed for this rounding and this fleet.

    Raises
    ------
    InputError
        When there is no such file or name, or the file is malformed; the message names the line.

    Examples
    --------
    >>> read("A-n32-k5")
    Instance('A-n32-k5': cvrp, 31 customers, capacity 100, fleet 5, rounding round)
    """
    if rounding != "auto":
        require_choice("rounding", rounding, ("auto", *ROUNDINGS))
    if is_frame(path_or_name) or isinstance(path_or_name, list | dict):
        kind = "a table" if isinstance(path_or_name, list | dict) else f"a {type(path_or_name).__name__}"
        raise InputError(
            f"instance is {kind}; expected an Instance, a path or a name; call dacalns.Instance.from_frame(…) with it, "
            "and give what that returns."
        )
    if not isinstance(path_or_name, str | os.PathLike):
        raise InputError(f"instance is {shown(path_or_name)}; expected a path or a name; give it as text.")
    given = os.fspath(path_or_name)
    if is_table(given):
        return read_tables(given, rounding, fleet, table)
    said = {key: value for key, value in table.items() if value is not None}
    if said and said.keys() <= {"speed", "detour"} and is_vroom_file(given):
        return read_vroom(given, **said).instance  # type: ignore[arg-type]
    if (option := next(iter(said), None)) is not None:
        raise InputError(
            f"{option} is given, and {shown(given)} is no table of customers (.csv or .xlsx); expected one; leave "
            f"{option} out."
        )
    instance = None if os.path.isfile(given) else named_instance(given, rounding, fleet)
    if instance is None:
        if not os.path.exists(given):
            raise _unknown(given)
        instance = read_instance_file(given, rounding, fleet)
    return with_best_known(instance)


def read_once(path_or_name: str) -> Instance:
    """Return what `read` returns; a file that has not changed since is parsed once in a process."""
    try:
        status = os.stat(path_or_name)
    except (OSError, ValueError):
        return _read_unchanged(path_or_name)
    return _read_unchanged(path_or_name, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=1024)
def _read_unchanged(path_or_name: str, *_: int) -> Instance:
    return read(path_or_name)


def _unknown(given: str) -> InputError:
    sampled = SAMPLED.fullmatch(given)
    name = sampled["base"] if sampled else os.path.basename(given)
    hint = did_you_mean(name, bundled_names())
    if name.casefold().startswith(GENERATED) or did_you_mean(name, GENERATED):
        hint = "generated ones are named as generated-cvrp-n60-s7."
    return InputError(
        f"{shown(given)} is neither a file nor a bundled instance; expected a path or a name such as 'A-n32-k5'; "
        f"{hint or 'check the path.'}"
    )
