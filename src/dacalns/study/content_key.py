"""The key of a run is a digest of all that determines it: two runs with the same key are the same run."""

import hashlib
import json
from collections.abc import Set
from functools import cache
from pathlib import Path
from typing import Any

from dacalns import version
from dacalns.instances import Instance
from dacalns.instances.features import problem_called
from dacalns.instances.fields import plain_data
from dacalns.search.portfolio import as_portfolio
from dacalns.search.run import described
from dacalns.search.user_code import split_file
from dacalns.selectors.checkpoint import TIMED, bundled_policy, policy_file
from dacalns.selectors.prior import WHEEL
from dacalns.settings import Settings
from dacalns.util.errors import InputError
from dacalns.version import __version__

# The parts of the package on which the outcome of a search depends. Changes elsewhere leave finished runs valid.
ROOMS = ("core", "instances", "search", "selectors", "settings", "solve.py", "util")


# The selectors that have a policy in the package, and its kind.
BUNDLED = {"FrozenPolicy": "dac", "LearnedWheel": "wheel"}


def digest(content: Any) -> str:
    """Return a digest of plain data."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def code_version(*others: str) -> str:
    """Return the package's version and a fingerprint of the code that searches, and of other parts if any are given."""
    package = Path(version.__file__).parent
    seen = hashlib.sha256()
    for room in (*ROOMS, *others):
        files = [package / room] if room.endswith(".py") else sorted((package / room).rglob("*"))
        for file in files:
            if file.suffix == ".py":
                seen.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{__version__}+{seen.hexdigest()[:12]}"


def instance_digest(instance: Instance) -> str:
    """Return a digest of an instance's name, numbers and rules; comment and best-known value are left out."""
    content = {name: plain_data(value) for name, value in instance.content().items()}
    return digest({"name": instance.name, "features": sorted(instance.features), "content": content})


def method_content(settings: Settings, features: Set[str]) -> dict[str, Any]:
    """Return all that a method is on a problem; files are told by their content, not by where they lie."""
    name = settings.selector.name if settings.selector is not None else "roulette"
    of_user = file_content(name)
    options = settings.options() if of_user is None else {}
    portfolio = (settings.search and settings.search.portfolio) or "paper"
    of_file = file_content(portfolio)
    acceptance = settings.acceptance
    if acceptance is None and of_file is None:
        # The default is written out, because a protocol that names it asks for the same run.
        acceptance = as_portfolio(portfolio).acceptance
    search = settings.search
    changed = {side: list(names) for side in ("destroy", "repair") if (names := search and getattr(search, side))}
    return changed | {
        "selector": of_user or _with_files(described(options.get("selector", name)), features, portfolio),
        "portfolio": of_file or as_portfolio(portfolio).name,
        "acceptance": None if acceptance is None else described(acceptance),
    }


def file_content(text: str) -> dict[str, str | None] | None:
    """Return what ``FILE.py:NAME`` refers to, by the file's content; None if the text is something else."""
    in_file = split_file(text)
    if in_file is None:
        return None
    path, name = in_file
    return {"file": file_digest(path), "name": name}


def file_digest(path: str | Path) -> str:
    """Return a digest of a file's bytes.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{path}: cannot be read ({reason}); expected the policy or Python file of a method; check the path."
        ) from None


def _with_files(content: dict[str, Any], features: Set[str], portfolio: str) -> dict[str, Any]:
    """Return a selector's content with digests of the policies that it uses, including those of the package."""
    paths, problem = {}, problem_called(features)
    if content["type"] in BUNDLED:
        paths["policy"] = policy_file(content["policy"], features, BUNDLED[content["type"]], portfolio)
    if content["type"] == "FrozenPolicy" and content["policy"] is None and portfolio == "paper":
        paths["policy_by_time"] = bundled_policy(problem, TIMED)  # it is used instead if the budget is time
    if content.get("prior") is not None:
        paths["prior"] = bundled_policy(problem, WHEEL, portfolio) if content["prior"] == WHEEL else content["prior"]
    return content | {name: file_digest(path) for name, path in paths.items()}
