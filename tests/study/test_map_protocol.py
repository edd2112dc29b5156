"""Protocols with a map."""

import re

import pytest

import dacalns
from dacalns.study.load_protocol import load_protocol
from dacalns.study.plan import planned_runs
from dacalns.study.readings import ReadingMap

from .map_study import MAP, loaded


def test_the_map_of_the_package():
    protocol = load_protocol("map")
    found = protocol.map
    assert len(found.readings) == 60
    assert sum(reading.designed for reading in found.readings) == 40
    assert [len(found.choices[name]) for name in found.crossed] == [4, 5]
    assert found.words(found.readings[0]) == "everything as we choose"
    # 60 readings of two learners, 5 acceptances x 4 sets of operators of two baselines, one more reference.
    assert len(protocol.methods) == 2 * 60 + 2 * 20 + 1
    per_instance = {"iterations": 2 * 60 + 2 * 20 + 1, "time": 60 + 3}
    assert protocol.runs == sum(per_instance.values()) * (24 * 2 + 108 * 3)
    confirmed = [group for group in protocol.groups.values() if group.name not in found.screening]
    assert [group.instances for group in confirmed] == [
        group.instances for group in load_protocol("comparative").groups.values()
    ]
    seeds = {name: {*protocol.seeds_of(protocol.groups[name])} for name in protocol.groups}
    # Neither screening nor confirmation uses a seed of the other, nor of the studies that decided anything.
    assert seeds["CVRP screening"] == seeds["VRPTW screening"] == {10, 20}
    assert not set.union(*seeds.values()) & {*load_protocol("comparative").seeds}
    assert not seeds["CVRP screening"] & seeds["CVRP Large"]


def test_levels_become_settings(tmp_path):
    protocol = loaded(tmp_path)
    found = protocol.map
    by_words = {found.words(reading): reading for reading in found.readings}
    usual, climbing = by_words["everything as we choose"], by_words["target joint, acceptance climbing"]
    options = protocol.methods[climbing.learners["DAC"]].settings.options()
    assert options["selector"].learning.target == "joint"
    assert isinstance(options["acceptance"], dacalns.HillClimbing)
    assert "acceptance" not in protocol.methods[usual.learners["AC"]].settings.options()
    for reading in found.readings:
        options = protocol.methods[reading.learners["DAC"]].settings.options()
        assert options["selector"].network.neighbours == (5 if reading.levels["neighbours"] == "five" else 10)
        words = [word for choice, word in (("worst", "ratio"), ("scale", "scales")) if reading.levels[choice] != "count"
                 and reading.levels[choice] != "drawn"]  # fmt: skip
        assert options.get("portfolio", "paper") == ("paper:" + ",".join(words) if words else "paper")
        baseline = protocol.methods[reading.baselines["ALNS"]].settings.options()
        assert baseline.get("portfolio", "paper") == ("paper:ratio" if "ratio" in words else "paper")
        assert ("acceptance" in baseline) == (reading.levels["acceptance"] == "climbing")


def test_equal_baselines_are_one_method(tmp_path):
    protocol = loaded(tmp_path)
    assert [name for name in protocol.methods if name.startswith("ALNS")] == [
        "ALNS", "ALNS [climbing]", "ALNS [ratio]", "ALNS [climbing, ratio]"
    ]  # fmt: skip
    keys = [run.member.key for run in planned_runs(protocol, {})]
    assert len(set(keys)) == len(keys) == protocol.runs


def test_only_learners_and_references_run_in_equal_time(tmp_path):
    protocol = loaded(tmp_path)
    timed = {run.member.method for run in planned_runs(protocol, {}) if run.member.budget == "time"}
    assert timed == {"ALNS", "Always", *(reading.learners["DAC"] for reading in protocol.map.readings)}


def test_groups_have_seeds_of_their_own(tmp_path):
    protocol = loaded(tmp_path)
    seeds = {}
    for run in planned_runs(protocol, {}):
        seeds.setdefault(run.member.group, set()).add(run.member.seed)
        if run.member.budget == "time":
            assert len(run.references) == len(protocol.seeds_of(protocol.groups[run.member.group]))
    assert seeds == {name: {7} if "screening" in name else {0, 100} for name in protocol.groups}
    assert protocol.outline().seeds == [7, 0, 100]


def test_the_same_every_time_and_after_a_file(tmp_path):
    one, two = loaded(tmp_path), loaded(tmp_path)
    assert one.map == two.map
    assert [run.member for run in planned_runs(one, {})] == [run.member for run in planned_runs(two, {})]
    assert ReadingMap.of(one.outline().map) == one.map


def test_it_is_shown_legibly(tmp_path):
    text = loaded(tmp_path).in_words()
    assert "choice target (crossed): two-step; one-step (learning.target = one-step); joint" in text
    assert "22 readings:\n  R01: everything as we choose\n  R02: acceptance climbing\n" in text
    assert "methods DAC R01 to DAC R22: selector dac" in text
    assert "methods ALNS under the readings, 4: selector roulette, with budget iterations only" in text
    assert "group CVRP screening: CVRP, Generated, 1 instances, seeds 7" in text
    assert len(text.splitlines()) < 80


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


LEARNERS, CROSSED = 'learners = ["DAC", "AC"]', 'crossed = ["target", "acceptance"]'
SCREENING = 'screening = ["CVRP screening", "VRPTW screening"]'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (CROSSED, "crossed = 3", "crossed is 3; expected a list of different names out of target, acceptance"),
        (CROSSED, 'crossed = ["target"]', "crossed is ['target']; expected two choices"),
        (CROSSED, 'crossed = ["target", "target"]', "expected a list of different names"),
        (CROSSED, 'crossed = ["target", "aceptance"]', "did you mean 'acceptance'?"),
        (LEARNERS, 'learners = ["DAC", "ALNS"]', "learners has 'ALNS', whose selector is roulette"),
        (LEARNERS, 'learners = ["DCA"]', "did you mean 'DAC'?"),
        ('baselines = ["ALNS"]', 'baselines = ["AC"]', "baselines is 'AC'; expected one of ALNS, Always"),
        ('baselines = ["ALNS"]', "baselines = []", "expected a list of different names"),
        ('references = ["ALNS", "Always"]', 'references = ["DAC"]', "references is 'DAC'"),
        ('references = ["ALNS", "Always"]', 'reference = ["ALNS"]', "did you mean 'references'?"),
        (SCREENING, 'screening = ["CVRP"]', "screening is 'CVRP'"),
        (SCREENING, "", "screening is None"),
        ('one-step.learning.target = "one-step"', 'one-step.learning.target = "onestep"', "target is 'onestep'"),
        ('one-step.learning.target = "one-step"', "one-step.learning.goal = 1", "[learning] has no key 'goal'"),
        ('one-step.learning.target = "one-step"', "one-step.learning = 3", "learning is 3; expected a table"),
        ('one-step.learning.target = "one-step"', 'one-step.selector = "ac"', "key of a level is 'selector'"),
        ('one-step.learning.target = "one-step"', "one-step = 3", "level 'one-step' is 3"),
        ('climbing.acceptance = "hill-climbing"', 'climbing.acceptance = "climbing"', "expected one of calibrated"),
        ('ratio.portfolio = "ratio"', 'ratio.portfolio = "rate"', "portfolio is 'rate'; expected one of ratio"),
        ('ratio.portfolio = "ratio"', "ratio.portfolio = 3", "portfolio is 3; expected one or more of ratio"),
        ("five.network.neighbours = 5", "five.network.neighbours = 0", "neighbours is 0"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(tmp_path, old, new, message):
    text = MAP.replace(old, new, 1)
    assert text != MAP
    with pytest.raises(dacalns.InputError) as caught:
        loaded(tmp_path, text)
    told = str(caught.value)
    line = line_of(text, new) if new else line_of(text, "[map]")
    assert told.startswith(f"{tmp_path / 'map.toml'}:{line}: "), told
    assert message in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("change", "at", "message"),
    [
        (lambda text: text.replace("drawn = {}", "drawn = {}\nlarge.portfolio = \"ratio\"\n"), "[map.choices.scale]",
         "choice 'scale' has 3 levels; expected two of a choice that is not crossed"),
        (lambda text: text.replace('chosen.portfolio = "scales"\n', ""), "[map.choices.scale]",
         "choice 'scale' has 1 levels; expected two or more"),
        (lambda text: text.replace('chosen.portfolio = "scales"', "chosen.network.neighbours = 4"),
         "[map.choices.scale]", "choices 'neighbours' and 'scale' both set network.neighbours"),
        (lambda text: text.replace('chosen.portfolio = "scales"', 'ratio.portfolio = "anywhere"'),
         'ratio.portfolio = "anywhere"',
         "choices 'worst' and 'scale' both have a level 'ratio' that changes the baselines"),
        (lambda text: re.sub(r"\[map.choices(.|\n)*(?=\[budgets.iterations\])", "", text), "[map]",
         "choices is {}; expected tables; write [map.choices.NAME]"),
        (lambda text: re.sub(r"one-step.learning(.|\n)*?independent\"\n", 'joint.learning.target = "joint"\n', text)
         .replace("[budgets.it", "[map.choices.more]\na = {}\nb.rewards.delta = 1\n[budgets.it", 1),
         "[map.choices.target]",
         "there are 4 choices beside 2 x 2 combinations of target and acceptance; expected fewer choices"),
        (lambda text: text.replace("seeds = [7]", "seeds = [7, 7]", 1), "seeds = [7, 7]", "seeds is [7, 7]"),
        (lambda text: 'portfolio = "full"\n' + text, 'ratio.portfolio = "ratio"',
         "portfolio is 'ratio', but method 'DAC' has 'full'; expected 'paper' there"),
        (lambda text: text.replace("seeds = [0, 100]", 'comparisons = [["ALNS", "Always"]]', 1), "comparisons",
         "comparisons stands beside [map]"),
        (lambda text: text + '[methods."DAC R01"]\nselector = "ucb"\n', '[methods."DAC R01"]',
         "method 'DAC R01' has the name of a reading"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_told(tmp_path, change, at, message):
    text = change(MAP)
    with pytest.raises(dacalns.InputError) as caught:
        loaded(tmp_path, text)
    told = str(caught.value)
    assert told.startswith(f"{tmp_path / 'map.toml'}:{line_of(text, at)}: "), told
    assert message in told
