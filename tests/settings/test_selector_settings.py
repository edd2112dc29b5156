"""A selector by name, checked before a search begins."""

import pytest

from dacalns import FixedWeights, InputError, Roulette, SelectorSettings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("roulete",), "did you mean 'roulette'"),
        (("roulette", None, {"segmnt": 1}), "no field 'segmnt'; .* did you mean 'segment'"),
        (("random", None, {"segment": 1}), "no field 'segment'; expected one of: none; leave it out"),
        (("weights:1/1", None, {"pairs": 1}), "no field 'pairs'"),
        (("roulette", None, {"segment": 0}), "segment is 0"),
        (("roulette", "paper"), "preset is 'paper'; expected none for selector roulette"),
        (("learner", "papper"), "did you mean 'paper'"),
        (("learner", None, {"rewards": 1}), "no field 'rewards'"),
    ],
)
def test_settings_that_make_no_sense(arguments, message):
    with pytest.raises(InputError, match=message):
        SelectorSettings(*arguments)


def test_build():
    assert SelectorSettings().build() == Roulette()
    assert SelectorSettings("roulette", values={"segment": 3}).build() == Roulette(segment=3)
    assert SelectorSettings("weights:1/1,2").build() == FixedWeights([[1, 2]])


def test_a_file_is_not_run_before_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = SelectorSettings("missing.py:Mine")
    with pytest.raises(InputError, match=r"missing\.py"):
        settings.build()


def test_the_values_are_a_copy():
    values = {"segment": 3}
    settings = SelectorSettings("roulette", values=values)
    values["segment"] = 0
    assert settings.values == {"segment": 3}
