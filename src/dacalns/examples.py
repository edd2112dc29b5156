"""The examples that come with the package: programs and protocols, from the folder `examples` of the repository."""

import ast
import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown

PACKAGE = Path(__file__).parent
# Where a wheel has them, and where a checkout has them.
FOLDERS = (PACKAGE / "_examples", PACKAGE.parent.parent / "examples")

# What examples are about that cannot say so themselves.
DATA = {
    "customers.csv": "Twenty customers with places on a map, times of the day and demands.",
    "most_colours.patch": "A variant as a change of the package: at most so many colours on a route.",
    "osrm_table.json": "Distances and driving times between the depot and these customers, as OSRM answers.",
    "vehicles.csv": "Two kinds of vehicles for these customers.",
    "vroom_day.json": "A problem in VROOM's JSON, with jobs and a shipment.",
}


@dataclass(frozen=True)
class Example:
    """A file of the examples.

    Parameters
    ----------
    name
        Its path below the folder of the examples, with slashes.
    path
        Where it is.
    about
        What it says of itself, in one line; empty if it does not.
    """

    name: str
    path: Path
    about: str


def all_examples() -> list[Example]:
    """Return all examples, by name; none where a package was put together without them."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    if folder is None:
        return []
    files = sorted(
        file for file in folder.rglob("*") if file.is_file() and not _is_by_the_way(file.relative_to(folder))
    )
    return [Example(file.relative_to(folder).as_posix(), file, _about(file)) for file in files]


def chosen_examples(names: Sequence[str]) -> list[Example]:
    """Return the examples of these names, or all if there is no name.

    Raises
    ------
    InputError
        If there is no such example.
    """
    known = {example.name: example for example in all_examples()}
    for name in names:
        if name not in known:
            raise InputError(f"there is no example {shown(name)}; expected some of {listed(list(known)) or 'none'}.")
    return [known[name] for name in dict.fromkeys(names or known)]


def copy_examples(examples: Iterable[Example], folder: Path) -> list[Path]:
    """Copy examples to a folder, which is made if need be; return the files that were written.

    Raises
    ------
    InputError
        If one of the files is there already, in which case none is written, or if it cannot be written.
    """
    pairs = [(example, folder / example.name) for example in examples]
    for _, target in pairs:
        if target.exists() or target.is_symlink():
            raise InputError(f"{target}: this file is there already; expected none, as it would be lost; move it away.")
    try:
        for example, target in pairs:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:  # somebody may have been quicker
                stream.write(example.path.read_bytes())
            with suppress(OSError):
                shutil.copymode(example.path, target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"{target}: cannot be written ({reason}); expected a folder open for writing.") from None
    return [target for _, target in pairs]


def _is_by_the_way(path: Path) -> bool:
    return any(part.startswith((".", "__pycache__")) for part in path.parts)


def _about(path: Path) -> str:
    """What a file says of itself: the first sentence of a program, the first comment of a protocol."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    with suppress(Exception):
        if path.suffix == ".py":
            return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        if path.suffix == ".ipynb":
            cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
            return "".join(next(cells)["source"]).strip().partition("\n")[0].lstrip("# ")
    if path.name in DATA:
        return DATA[path.name]
    first = text.partition("\n")[0]
    return first.lstrip("# ") if first.startswith("# ") and path.suffix in (".toml", ".md", ".sh", ".yaml") else ""
