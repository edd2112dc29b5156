"""What a method is: policies by what is in them, wherever they lie."""

import shutil
from pathlib import Path

import pytest

from dacalns import InputError, bundled_policy
from dacalns.search.acceptance import ACCEPTANCES
from dacalns.settings import SearchSettings, SelectorSettings, Settings
from dacalns.study.content_key import method_content


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
