"""The benchmark instances that come with the package."""

from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@cache
def _paths() -> dict[str, Path]:
    files = sorted(path for path in DATA.iterdir() if path.suffix in (".vrp", ".txt"))
    return {path.stem: path for path in files}


def bundled_names() -> list[str]:
    """Return the names of all bundled instances, sorted."""
    return list(_paths())


def bundled_path(name: str) -> str:
    """Return the file of a bundled instance."""
    return str(_paths()[name])


def find_bundled(given: str) -> str | None:
    """Return the bundled name that was meant, whatever its case, or ``None``."""
    folded = given.casefold()
    return next((name for name in _paths() if name.casefold() == folded), None)
