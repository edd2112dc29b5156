"""What a method is: policies by what is in them, wherever they lie."""

import shutil
from pathlib import Path

from dacalns import bundled_policy
from dacalns.settings import SelectorSettings, Settings
from dacalns.study.content_key import method_content


def policy_of(selector: str) -> object:
    return method_content(Settings(selector=SelectorSettings(selector)), "cvrp")["selector"]["policy"]


def test_policies_count_by_their_content(tmp_path: Path) -> None:
    for kind, bundled in (("dac", "dac-t"), ("timed", "dac-t:timed")):
        copied = shutil.copy(bundled_policy("cvrp", kind), tmp_path / "copy.safetensors")
        assert policy_of(bundled) == policy_of(f"dac-t:{copied}")
    assert policy_of("dac-t") != policy_of("dac-t:timed")
