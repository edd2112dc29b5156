"""Whether a package is installed."""

from importlib.metadata import PackageNotFoundError, version


def installed_version(distribution: str) -> str | None:
    """Return the version of a package as pip knows it; None if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
