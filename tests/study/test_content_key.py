"""What a method is: policies by what is in them, wherever they lie."""

import ast
import shutil
from pathlib import Path

import pytest

import dacalns
from dacalns import InputError, bundled_policy
from dacalns.search.acceptance import ACCEPTANCES
from dacalns.settings import SearchSettings, SelectorSettings, Settings
from dacalns.study.content_key import ROOMS, method_content


def policy_of(selector: str) -> object:
    return method_content(Settings(selector=SelectorSettings(selector)), frozenset())["selector"]["policy"]


def test_policies_count_by_their_content(tmp_path: Path) -> None:
    for kind, bundled in (("dac", "dac-t"), ("timed", "dac-t:timed")):
        copied = shutil.copy(bundled_policy("cvrp", kind), tmp_path / "copy.safetensors")
        assert policy_of(bundled) == policy_of(f"dac-t:{copied}")
    assert policy_of("dac-t") != policy_of("dac-t:timed")


def test_the_policy_for_budgets_of_time_counts_too() -> None:
    def by_time(**search: str) -> object:
        given = Settings(selector=SelectorSettings("dac-t"), search=SearchSettings(**search))
        return method_content(given, frozenset())["selector"].get("policy_by_time")

    assert by_time() == policy_of("dac-t:timed")
    assert by_time(portfolio="full") is None


def test_a_policy_that_is_not_there_is_said_in_a_sentence() -> None:
    settings = Settings(selector=SelectorSettings("dac-t:nowhere.safetensors"))
    with pytest.raises(InputError, match=r"nowhere\.safetensors: cannot be read \(No such file .*check the path"):
        method_content(settings, frozenset())


def test_a_default_acceptance_is_the_same_method_as_one_that_is_named() -> None:
    default = method_content(Settings(), frozenset())
    assert default == method_content(Settings(acceptance=ACCEPTANCES["calibrated"]), frozenset())
    assert default != method_content(Settings(acceptance=ACCEPTANCES["threshold"]), frozenset())


def modules_behind(path: Path, package: Path, seen: set[Path]) -> set[Path]:
    """The modules of the package that a module imports, directly or not."""
    if path in seen or not path.is_file():
        return seen
    seen.add(path)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dacalns."):
            module = package.joinpath(*node.module.split(".")[1:])  # type: ignore[union-attr]
            for found in (
                module.with_suffix(".py"),
                module / "__init__.py",
                *(module / f"{n.name}.py" for n in node.names),
            ):
                modules_behind(found, package, seen)
    return seen


def test_the_key_covers_all_rooms_that_a_solve_needs() -> None:
    package = Path(dacalns.__file__).parent
    needed = {path.relative_to(package).parts[0] for path in modules_behind(package / "solve.py", package, set())}
    assert "core" in needed
    assert needed - set(ROOMS) == {"version.py"}  # the version is in the key itself
