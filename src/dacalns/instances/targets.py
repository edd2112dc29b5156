"""Files to write that must be no files to read, nor one another."""

import os
from collections.abc import Iterable, Mapping

from dacalns.errors import InputError
from dacalns.instances.atomic import STANDARD_OUTPUT, is_plain

Path = str | os.PathLike[str]


def require_apart(targets: Mapping[str, Path | None], sources: Mapping[str, Path | None]) -> None:
    """Check, before a long run, that none of its files would be written over another one of them.

    Parameters
    ----------
    targets
        What will be written, by the name of its option; None where it is not wanted.
    sources
        What is read, likewise. What is no file, such as the name of a bundled instance, counts for nothing.

    Raises
    ------
    InputError
        If two of them are one file, also by way of a link.
    """
    # Devices and pipes may take several: they lose nothing by it.
    wanted = [(name, path) for name, path in targets.items() if path is not None and _keeps(path)]
    for place, (name, path) in enumerate(wanted):
        for other, source in sources.items():
            if source is not None and os.path.isfile(source) and _same(path, source):
                raise InputError(
                    f"{name} {os.fsdecode(path)} is the file that {other} reads; expected another one, or it would be "
                    "lost; choose another name."
                )
        for other, earlier in wanted[:place]:
            if _same(path, earlier):
                raise InputError(
                    f"{name} {os.fsdecode(path)} is the file that {other} writes; expected a file for each; choose "
                    "another name."
                )


def files_in(words: str | None) -> Iterable[str]:
    """The files that a selector or portfolio such as ``"dac-t:policy.safetensors,hold=50"`` names."""
    if words is None:
        return []
    behind = words.partition(":")[2]
    parts = (words, words.rpartition(":")[0], behind, *words.split(","), *behind.split(","))
    return [part for part in dict.fromkeys(parts) if part and os.path.isfile(part)]


def _keeps(path: Path) -> bool:
    return os.fsdecode(path) == STANDARD_OUTPUT or is_plain(path)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # at least one is not there yet
        return os.path.realpath(one) == os.path.realpath(other)
