"""Runs in which code of the user's does not return are failed runs."""

import pytest

import dacalns
from dacalns import SearchSettings, SelectorSettings, Settings
from dacalns.study import load_protocol
from dacalns.study.rows import FAILED
from dacalns.study.task import SearchTask

SLEEPY = """
import time

class Sleepy:
    def select_destroy(self, state):
        while state.iteration == 5:
            time.sleep(0.001)
        return 0
    def select_repair(self, destroyed, destroy):
        return 0
    def update(self, outcome):
        pass
"""


@pytest.mark.parametrize(
    ("call_limit", "iterations", "seconds", "sentence"),
    [
        (0.2, 100, None, "in select_destroy, had not returned after 0.2 s (call_limit) in iteration 6"),
        (100, None, 0.1, "in select_destroy, had not returned 1 s after the end of the budget in iteration 6"),
    ],
)
def test_a_run_that_hangs_has_failed(tmp_path, call_limit, iterations, seconds, sentence):
    path = tmp_path / "sleepy.py"
    path.write_text(SLEEPY)
    settings = Settings(
        search=SearchSettings("paper", call_limit=call_limit), selector=SelectorSettings(f"{path}:Sleepy")
    )
    row = SearchTask("key", dacalns.read("P-n16-k8"), settings, 0, iterations, seconds).row()
    assert row.status == FAILED
    assert f"selector 'Sleepy', {sentence}" in row.error


def test_a_protocol_has_a_limit(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text('call_limit = 3\n[groups.g]\ninstances = ["P-n16-k8"]\n[methods.a]\n[methods.b]\ncall_limit = 4\n')
    methods = load_protocol(path).methods
    assert [methods[name].settings.search.call_limit for name in "ab"] == [3, 4]
    path.write_text('[groups.g]\ninstances = ["P-n16-k8"]\n[methods.a]\ncall_limit = 0\n')
    with pytest.raises(dacalns.InputError, match=r"p.toml:4: .*call_limit is 0; expected seconds, more than 0"):
        load_protocol(path)
