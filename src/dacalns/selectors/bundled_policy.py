"""The policies that come with the package."""

import os
from importlib.resources import files
from pathlib import Path

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.search.operators import PROBLEMS


def bundled_policy(problem: str, kind: str = "dac") -> Path:
    """The file of the policy that comes with the package.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    kind
        ``"dac"`` for the network, ``"wheel"`` for the static table.

    Raises
    ------
    InputError
        If there is no such problem, or no policy for it.
    """
    require_choice("problem", problem, PROBLEMS)
    folder = Path(os.fspath(files("dacalns.selectors") / "policies"))  # type: ignore[call-overload]
    path = folder / f"{kind}-{problem}.safetensors"
    if not path.is_file():
        found = ", ".join(sorted(entry.stem for entry in folder.glob("*.safetensors"))) or "no policy"
        raise InputError(
            f"there is no bundled {kind} policy for {problem}; expected one of those bundled, {found}; train one "
            "and give its file."
        )
    return path
