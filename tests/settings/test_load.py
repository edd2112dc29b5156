"""Settings files: what they say, what is wrong with them, and on which line."""

from pathlib import Path

import pytest

import dacalns
from dacalns import InputError, LearningSettings, NetworkSettings, Rewards, load_settings

FULL = """\
# all tables
[search]
portfolio = "paper"
seed = 7

[stop]
time = 1.5
iterations = 300
no_improvement = 100
target = 784

[acceptance]
type = "RecordToRecord"
start = 0.02

[selector]
name = "learner"
preset = "improved"
every = 3

[rewards]
alpha1 = 3

[network]
hidden = 32

[learning]
rate = 2e-3
"""


def test_every_table(write):
    settings = load_settings(write(FULL))
    assert settings.search == dacalns.SearchSettings("paper", 7)
    assert settings.stop == dacalns.StopSettings(1.5, 300, 100, 784)
    assert settings.acceptance == dacalns.RecordToRecord(start=0.02)
    assert settings.selector == dacalns.SelectorSettings("learner", "improved", {"every": 3})
    assert settings.rewards == Rewards(alpha1=3, beta=2)
    assert settings.network == NetworkSettings(hidden=32, context="search")
    assert settings.learning == LearningSettings(rate=2e-3, reward_scale=0.5)


def test_what_is_left_out_stays_none(write):
    assert load_settings(write("# nothing\n")) == dacalns.Settings()
    assert load_settings(write("[learning]\nrate = 0.5\n")) == dacalns.Settings(learning=LearningSettings(rate=0.5))


def test_defaults_of_tables_without_their_kind(write):
    settings = load_settings(write("[acceptance]\nstart = 0.02\n[selector]\nsegment = 50\nscores = [4, 3, 2, 1]\n"))
    assert settings.acceptance == dacalns.SimulatedAnnealing(start=0.02)
    assert settings.options()["selector"] == dacalns.Roulette(segment=50, scores=(4, 3, 2, 1))


def test_dotted_keys_inline_tables_and_a_byte_order_mark_are_toml_too(write):
    settings = load_settings(write("\ufefflearning.rate = 0.5\nsearch = {seed = 3}\n"))
    assert (settings.learning.rate, settings.search.seed) == (0.5, 3)


def test_weights_are_a_selector_without_fields(write):
    settings = load_settings(write('[selector]\nname = "weights:1,0/0,1,2"\n'))
    assert settings.options()["selector"].pairs == [[0, 1, 2], [0, 0, 0]]


@pytest.mark.parametrize("text", ['[acceptance]\npreset = "threshold"\n', 'acceptance = "threshold"\n'])
def test_acceptance_criteria_have_names(write, text):
    settings = load_settings(write(text))
    assert settings.acceptance is dacalns.ACCEPTANCES["threshold"]
    assert load_settings(write(settings.to_toml())) == settings


def test_readings_of_the_papers_portfolio(write):
    assert load_settings(write('[search]\nportfolio = "paper:ratio,scales"\n')).search.portfolio == "paper:ratio,scales"


WRONG = [
    ("[selector]\nname = 'dac:one-step'\n[learning]\nrate = 1\n", 3, "beside selector dac:one-step", 'name = "dac"'),
    ("acceptance = 3\n", 1, "acceptance is 3", "a table or a name"),
    ("[acceptance]\npreset = 'treshold'\n", 2, "preset is 'treshold'", "did you mean 'threshold'?"),
    ("\nacceptance = 'treshold'\n", 2, "acceptance is 'treshold'", "did you mean 'threshold'?"),
    ("[acceptance]\npreset = 'threshold'\nstart = 1\n", 3, "preset and 'start'", "leave one of them out"),
    ("[search]\nportfolio = 'paper:rato'\n", 2, "reading of portfolio paper is 'rato'", "did you mean 'ratio'?"),
    ("[learning]\ntarget = 'two'\n", 2, "target is 'two'", "two-step"),
    ("[network]\ncritic = 'action'\n", 2, "critic is 'action'", "state-action"),
    ("[lerning]\nrate = 1\n", 1, "there is no table [lerning]", "did you mean 'learning'?"),
    ("\n\n[weather]\n", 3, "there is no table [weather]", "expected one of [search], [stop]"),
    ("[search]\nseed = 1\n\n[[lerning]]\n", 4, "lerning", "did you mean 'learning'?"),
    ("# top\nrate = 1\n", 2, "rate stands outside of any table", "write it below [learning]."),
    ("colour = 1\n", 1, "colour stands outside", "leave it out."),
    ("[stop]\ntime = 1\n[search]\nlearning = 3\n", 4, "[search] has no key 'learning'", "portfolio, seed"),
    ("learning = 3\n", 1, "learning is 3", "write [learning]"),
    ("[selector]\nhold = 5\n", 2, "for selector roulette, which is meant where there is no name", "one of name, "),
    ("[learning]\n# rate\nrat = 1\n", 3, "[learning] has no key 'rat'", "did you mean 'rate'?"),
    ("[learning]\ndiscount = 0.5\nrate = -1\n", 3, "rate is -1", "over 0"),
    ("[learning]\nrate = '''\n0.1'''\n", 2, "rate is '0.1'", "number"),
    ("[learning]\nnormalise_advantage = 1\n", 2, "normalise_advantage is 1", "True or False"),
    ("[learning]\ndiscount = 0.5\nrate = true\n", 3, "rate is True", "number"),
    ("[learning]\nrate = 1979-05-27\n", 2, "rate is datetime", "number"),
    ("[learning]\nrate = {a = 1}\n", 2, "rate is {'a': 1}", "number"),
    ("[rewards]\nbeta = nan\n", 2, "beta is nan", "finite"),
    ("[network]\nneighbours = 5\nhidden = 65\n", 3, "hidden is 65", "multiple of 8"),
    ("[network]\ncontext = 'serch'\n", 2, "context is 'serch'", "did you mean 'search'?"),
    ("[acceptance]\ntype = 'SimulatedAnealing'\n", 2, "type is", "did you mean 'SimulatedAnnealing'?"),
    ("[acceptance]\nstart = 0.1\ntype = 3\n", 3, "type is 3", "HillClimbing"),
    ("[acceptance]\ntype = 'HillClimbing'\nstart = 1\n", 3, "no key 'start' for acceptance HillClimbing", "type"),
    ("[acceptance]\nstart = 0.5\nend = 0.6\n", 3, "start 0.5 and end 0.6", "end <= start"),
    ("[acceptance]\nstart = true\n", 2, "start True", "end <= start"),
    ("[acceptance]\ntype = 'LateAcceptance'\nlength = 0\n", 3, "length is 0", "from 1 to 1000000"),
    ("[stop]\ntime = -1\n", 2, "time is -1", "seconds"),
    ("[stop]\ntime = 1\niterations = 1.5\n", 3, "iterations is 1.5", "whole number"),
    ("[stop]\ntime = 1\nno_improvement = 0\n", 3, "iterations without improvement is 0", "1 or more"),
    ("[stop]\ntime = 1\ntarget = '784'\n", 3, "target is '784'", "a cost"),
    ("[stop]\nseconds = 1\n", 2, "no key 'seconds'", "time, iterations"),
    ("[selector]\nname = 'roulete'\n", 2, "selector is 'roulete'", "did you mean 'roulette'?"),
    ("[selector]\nname = 3\n", 2, "selector is 3", "expected one of"),
    ("[selector]\nname = ['ucb']\n", 2, "selector is ['ucb']", "expected one of"),
    ("[selector]\nname = 'weights:1'\n", 2, "weights are '1'", "a slash"),
    ("[selector]\nalpha = 0.1\nname = 'roulette'\n", 2, "no key 'alpha' for selector roulette", "scores, segment"),
    ("[selector]\nname = 'ucb'\nalpha = 2\n", 3, "alpha is 2", "0 to 1"),
    ("[selector]\nname = 'ucb'\nalpha = true\n", 3, "alpha is True", "0 to 1"),
    ("[selector]\nscores = [\n 1,\n 2,\n]\nsegment = 5\n", 2, "scores is (1, 2)", "four numbers"),
    ("[selector]\nscores = [\n 1,\n 2, 3, 4\n]\nsegment = 0\n", 6, "segment is 0", "1 or more"),
    ("[selector]\npreset = 'paper'\n", 2, "no key 'preset' for selector roulette", "name, scores"),
    ("[selector]\nname = 'learner'\npreset = 'papper'\n", 3, "preset is 'papper'", "did you mean 'paper'?"),
    ("[selector]\nname = 'learner'\nrewards = 1\n", 3, "no key 'rewards'", "name, preset, every"),
    ("[selector]\nname = 'ucb'\n[learning]\nrate = 1\n", 3, "[learning] is for selectors that learn", "selector ucb"),
    ("[search]\nportfolio = 'papper'\n", 2, "portfolio is 'papper'", "did you mean 'paper'?"),
    ("[search]\nportfolio = 3\n", 2, "portfolio is 3", "paper"),
    ("[search]\nseed = -1\n", 2, "seed is -1", "0 or more"),
    ("search = {\"sed\" = 1}\n", 1, "no key 'sed'", "did you mean 'seed'?"),
    ("[stop]\ntime = 1\n[search]\nseed = \n", 4, "", "expected TOML"),
    ("[stop]\ntime = 1\ntime = 2\n", 3, "", "expected TOML"),
    ("[stop\n", 1, "", "expected TOML"),
    ("[stop]\niterations = [1,\n", 2, "", "expected TOML"),
    (f"[search]\nseed = {'9' * 5000}\n", 2, "", "expected TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "what", "fix"), WRONG, ids=[what or text for text, _, what, _ in WRONG])
def test_errors_are_one_sentence_with_file_line_value_and_choices(write, text, line, what, fix):
    with pytest.raises(InputError) as caught:
        load_settings(write(text))
    message = str(caught.value)
    assert message.startswith(f"mine.toml:{line}: ")
    assert what in message
    assert fix in message
    assert len(message.splitlines()) == 1
    assert message.endswith((".", "?"))


@pytest.mark.parametrize(
    ("path", "message"), [("missing.toml", "there is no such file"), (".", "this is a folder"), ("l.toml", "UTF-8")]
)
def test_files_that_cannot_be_read(write, path, message):
    Path(write("", "l.toml")).write_bytes(b"# \xff\n")
    with pytest.raises(InputError, match=message) as caught:
        load_settings(path)
    assert str(caught.value).startswith(f"{path}: ")
