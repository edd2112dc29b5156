"""The instances of a folder, with the solutions that lie beside them as references."""

from pathlib import Path

from dacalns.bench.quality.subset import Subset
from dacalns.instances import Instance, read
from dacalns.study.task import with_solution_beside
from dacalns.util.errors import InputError

SUFFIXES = (".vrp", ".txt")
SECONDS, SEEDS = 10.0, 1


def folder_subset(folder: Path) -> Subset:
    """Read all instances of a folder.

    A file ``NAME.sol`` beside ``NAME.vrp`` is the reference of that instance, at the cost that our checker measures;
    one that the checker finds infeasible is not believed, and a note says so.

    Raises
    ------
    InputError
        If there is no such folder, no instance in it, or a file that cannot be read.
    """
    if not folder.is_dir():
        raise InputError(f"folder is {str(folder)!r}; expected a folder with .vrp or .txt files; check the path.")
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
    if not files:
        raise InputError(f"{folder}: there is no instance in it; expected .vrp or .txt files; check the path.")
    notes: list[str] = []
    instances = [_with_reference(path, notes) for path in files]
    instances.sort(key=lambda instance: instance.customers)
    name = folder.resolve().name
    return Subset(name, f"the files of {name}", instances, SECONDS, SEEDS, notes)


def _with_reference(path: Path, notes: list[str]) -> Instance:
    instance, note = with_solution_beside(read(path), path)
    notes += [note] if note else []
    return instance
