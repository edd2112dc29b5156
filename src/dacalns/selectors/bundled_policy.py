"""The policies that come with the package."""

import os
from importlib.resources import files
from pathlib import Path

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.search.operators import PROBLEMS
from dacalns.shown import shown

# Bundled beside the usual policies for the paper's portfolio, for searches that are limited by time.
TIMED = "timed"


def policy_file(given: str | os.PathLike[str] | None, problem: str, kind: str, portfolio: str) -> Path:
    """The file of a policy: the one given, or, of those bundled, the usual one (None) or the one trained by time."""
    if given is None or given == TIMED:
        return bundled_policy(problem, kind if given is None else TIMED, portfolio)
    return Path(given)


def bundled_policy(problem: str, kind: str = "dac", portfolio: str = "paper") -> Path:
    """The file of the policy that comes with the package.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    kind
        ``"dac"`` for the network, ``"wheel"`` for the static table; ``"timed"`` for a network that was trained by
        searches of equal time where ``"dac"`` was by equal iterations, as it was for the paper's portfolio.
    portfolio
        The name of the operators that it chooses from, ``"paper"`` or ``"full"``.

    Raises
    ------
    InputError
        If there is no such problem, or no policy for it.
    """
    require_choice("problem", problem, PROBLEMS)
    folder = Path(os.fspath(files("dacalns.selectors") / "policies"))  # type: ignore[call-overload]
    path = folder / ("" if portfolio == "paper" else portfolio) / f"{kind}-{problem}.safetensors"
    if not path.is_file():
        found = sorted(entry.relative_to(folder).with_suffix("").as_posix() for entry in folder.rglob("*.safetensors"))
        raise InputError(
            f"there is no bundled {kind} policy for {problem} and portfolio {shown(portfolio)}; expected one of those "
            f"bundled, {', '.join(found) or 'no policy'}; train one and give its file."
        )
    return path
