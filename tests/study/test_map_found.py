"""Verdicts over readings and the effects of choices, on studies in which both are known."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dacalns.study.cases import cases_of
from dacalns.study.paper_tables import Claim
from dacalns.study.readings_found import (
    BASELINE,
    CHANCE,
    Findings,
    challenges,
    effects_of,
    turned_p_value,
    uneven_p_value,
)

from .map_study import MAP, loaded, made_up


@pytest.fixture(scope="module")
def protocol(tmp_path_factory):
    return loaded(tmp_path_factory.mktemp("map"))


def planted(kind, levels, dataset):
    """On CVRP, DAC is always better than ALNS; on VRPTW only when climbing; it is never better than AC."""
    if kind == "AC":
        return planted("DAC", levels, dataset) - 0.5
    if kind == "DAC":
        return -1.0 if dataset == "CVRP" or levels["acceptance"] == "climbing" else 0.0
    return 0.5 if kind == "Always" else 0.0


@pytest.fixture(scope="module")
def findings(protocol):
    return Findings(protocol.map, cases_of(made_up(protocol, planted), "iterations"))


def better(second, dataset, scale="Global"):
    return Claim("better", "DAC", second, dataset, scale)


def test_a_claim_that_holds_everywhere(findings):
    judged = findings.judged(better("ALNS", "CVRP", "Large"))
    assert judged.words == "holds under every reading tried (22)"
    assert (len(judged.holding), judged.uncorrected, judged.expected) == (22, 22, 22)
    assert judged.median_effect == 1.0
    assert max(judged.gaps) < -0.8
    assert judged.best.corrected < 0.01


def test_a_claim_that_holds_nowhere(findings):
    judged = findings.judged(better("AC", "CVRP"))
    assert judged.words == "contradicted: holds under none of 22 readings tried"
    assert judged.uncorrected == 0
    assert judged.worst.found.gap_of_averages > 0


def test_a_claim_that_one_choice_decides(findings):
    judged = findings.judged(better("ALNS", "VRPTW", "Medium"))
    assert judged.words == "depends on acceptance: holds under 11 of 22"
    assert judged.depends == ["acceptance"]
    assert judged.counts("acceptance") == {"calibrated": (0, 11), "climbing": (11, 11)}
    assert {each.level("acceptance") for each in judged.holding} == {"climbing"}
    assert judged.best.level("acceptance") == "climbing"


def test_a_claim_of_no_difference(findings):
    # By chance, one or two readings that do not differ may seem to.
    judged = findings.judged(Claim("equal", "DAC", "ALNS", "VRPTW", "Medium"))
    assert judged.depends == ["acceptance"]
    assert {each.level("acceptance") for each in judged.holding} == {"calibrated"}
    assert len(judged.holding) >= 9
    assert findings.judged(Claim("equal", "DAC", "ALNS", "CVRP", "Small")).words.startswith("contradicted")


def test_a_choice_that_turns_round_decides_nothing(protocol):
    def turned(kind, levels, dataset):
        return 0.0 if kind != "DAC" else -1.0 if levels["acceptance"] == "climbing" else 0.0

    def opposite(kind, levels, dataset):
        return turned(kind, levels, dataset) if kind != "DAC" else -1.0 - turned(kind, levels, dataset)

    study, screened = made_up(protocol, turned), made_up(protocol, opposite)
    rows = {key: screened.rows[key] if "screening" in key else row for key, row in study.rows.items()}
    judged = Findings(protocol.map, cases_of(replace(study, rows=rows), "iterations")).judged(better("ALNS", "VRPTW"))
    assert judged.words == f"depends on {CHANCE}: holds under 11 of 22"


def test_without_runs_and_with_too_few(protocol):
    nothing = made_up(protocol, planted, left_out=lambda _: True)
    judged = Findings(protocol.map, cases_of(nothing, "iterations")).judged(better("ALNS", "CVRP"))
    assert (judged.words, judged.tried, judged.expected) == ("no data", [], 22)
    # Four instances cannot give a p-value below 0.05 / 22, whatever they say.
    few = Findings(protocol.map, cases_of(made_up(protocol, planted, instances=4), "iterations"))
    assert few.judged(better("ALNS", "CVRP", "Large")).words == "too few instances to tell"
    assert few.judged(better("AC", "CVRP", "Large")).words == "too few instances to tell"
    assert few.judged(Claim("equal", "DAC", "ALNS", "CVRP", "Small")).words == "too few instances to tell"


def test_readings_that_lack_runs_are_not_counted(protocol):
    study = made_up(protocol, planted, left_out=lambda member: member.method in ("DAC R03", "DAC R15"))
    judged = Findings(protocol.map, cases_of(study, "iterations")).judged(better("ALNS", "CVRP", "Large"))
    assert judged.words == "holds under every reading tried (20)"
    assert judged.expected == 22


def test_whether_any_reading_beats_a_reference(findings, protocol):
    found = {(each.reference, each.dataset): each for each in challenges(findings)}
    assert [*found] == [("ALNS", "CVRP"), ("ALNS", "VRPTW"), ("Always", "CVRP"), ("Always", "VRPTW")]
    assert (found["ALNS", "CVRP"].better, found["ALNS", "CVRP"].worse) == (22, 0)
    assert (found["ALNS", "VRPTW"].better, found["ALNS", "VRPTW"].worse) == (11, 0)
    assert found["Always", "VRPTW"].better == 22

    def slow(kind, levels, dataset):
        return 2.0 if kind == "DAC" else 0.0

    slowly = challenges(Findings(protocol.map, cases_of(made_up(protocol, slow), "time")))
    assert [(each.better, each.worse) for each in slowly] == [(0, 22)] * 4


def test_corrections_are_over_all_readings(findings):
    compared = findings.compared("DAC", None, "VRPTW", "Global")
    values = sorted(each.found.p_exact for each in compared)
    assert min(each.corrected for each in compared) == pytest.approx(22 * values[0])


TWO = MAP.replace('baselines = ["ALNS"]', 'baselines = ["ALNS", "Always"]')


def test_every_baseline_makes_a_reading_of_its_own(tmp_path):
    def gap(kind, levels, dataset):
        return {"DAC": 0.0, "AC": 0.0, "ALNS": 1.0, "Always": 0.0}[kind]

    protocol = loaded(tmp_path, TWO)
    found = Findings(protocol.map, cases_of(made_up(protocol, gap), "iterations"))
    judged = found.judged(better("ALNS", "CVRP"))
    assert judged.words == "depends on baseline: holds under 22 of 44"
    assert judged.counts(BASELINE) == {"ALNS": (22, 22), "Always": (0, 22)}
    assert judged.best.name.endswith(", ALNS")
    assert found.judged(better("AC", "CVRP")).expected == 22


def designed(protocol):
    return [reading for reading in protocol.map.readings if reading.designed]


def plain(protocol):
    """Those with all else as we choose."""
    first = {name: next(iter(protocol.map.choices[name])) for name in protocol.map.varied}
    return [each for each in protocol.map.readings if first.items() <= each.levels.items()]


def gaps_of(readings, gap, instances=8):
    """The same gap on every instance, to one rival."""
    return np.tile([[gap(each.levels)] for each in readings], (instances, 1, 1))


def effects_by_name(protocol, gaps):
    return {effect.name: effect for effect in effects_of(protocol.map, protocol.map.readings, gaps)}


def test_effects_are_found_again(protocol):
    shifts = {"one-step": 1.5, "joint": -0.5, "climbing": -1.0, "five": 0.25, "ratio": 0.0, "chosen": -0.125}

    def gap(levels):
        return 3.0 + sum(shifts.get(level, 0.0) for level in levels.values())

    effects = effects_by_name(protocol, gaps_of(protocol.map.readings, gap))
    assert [*effects] == ["target", "acceptance", "target x acceptance", "neighbours", "worst", "scale"]
    for name, levels in protocol.map.choices.items():
        for level in [*levels][1:]:
            difference, error = effects[name].differences[level]
            assert difference == pytest.approx(shifts.get(level, 0.0), abs=1e-12)
            assert error == pytest.approx(0.0, abs=1e-12)
        seen = plain(protocol) if name in protocol.map.crossed else designed(protocol)
        for level in levels:
            # Balanced: the mean at a level is the mean of the readings with that level.
            own = gaps_of([each for each in seen if each.levels[name] == level], gap).mean()
            assert effects[name].means[level] == pytest.approx(own)
    assert max(map(abs, effects["target x acceptance"].pattern)) < 1e-12
    # Two of the 256 ways to turn eight signs leave them all alike.
    assert effects["target"].p_value == pytest.approx(2 / 256)
    assert effects["worst"].p_value == 1.0


def test_an_interaction_of_other_choices_is_no_effect_of_the_crossed_ones(protocol):
    """In the balanced fraction, the product of two choices is one number for each combination of the crossed ones."""

    def gap(levels):
        return 2.0 * ((levels["neighbours"] == "five") != (levels["worst"] == "ratio"))

    effects = effects_by_name(protocol, gaps_of(protocol.map.readings, gap))
    for name in ("target", "acceptance", "target x acceptance", "neighbours", "worst", "scale"):
        assert max(map(abs, effects[name].pattern)) < 1e-12, name
        assert effects[name].p_value == 1.0


def test_interactions_of_the_crossed_choices(protocol):
    def gap(levels):
        return 1.0 * (levels["target"] == "joint" and levels["acceptance"] == "climbing")

    effect = effects_by_name(protocol, gaps_of(protocol.map.readings, gap))["target x acceptance"]
    # 1 less the share of its row, 1/2, less that of its column, 1/4, plus that of all, 1/8.
    assert max(effect.pattern) == pytest.approx(1 - 1 / 2 - 1 / 4 + 1 / 8)
    assert effect.p_value == pytest.approx(2 / 256)


def test_effects_are_as_certain_as_instances_agree(protocol):
    """By plain loops: differences on each instance, their standard error, and all ways to turn their signs."""
    noise, readings = np.random.default_rng(5), protocol.map.readings
    gaps = gaps_of(readings, lambda levels: 0.4 * (levels["acceptance"] == "climbing"), instances=7)
    gaps += noise.normal(0, 0.5, gaps.shape)
    effect = effects_by_name(protocol, gaps)["acceptance"]
    own = []
    for instance in gaps:
        by_level = {"calibrated": [], "climbing": []}
        for reading, (value,) in zip(readings, instance, strict=True):
            if reading in plain(protocol):
                by_level[reading.levels["acceptance"]].append(value)
        own.append(np.mean(by_level["climbing"]) - np.mean(by_level["calibrated"]))
    difference, error = effect.differences["climbing"]
    assert difference == pytest.approx(np.mean(own))
    assert error == pytest.approx(stats.sem(own))
    sums = [abs(np.dot(signs, own)) for signs in product((1, -1), repeat=7)]
    assert effect.p_value == pytest.approx(np.mean(np.array(sums) >= abs(sum(own)) - 1e-12))


def test_chance_is_rarely_taken_for_an_effect(protocol):
    noise, found = np.random.default_rng(3), []
    for _ in range(100):
        gaps = noise.normal(0, 1.0, (9, len(protocol.map.readings), 1))
        found.append([effect.p_value < 0.05 for effect in effects_of(protocol.map, protocol.map.readings, gaps)])
    # Three standard deviations of the mean of six hundred over one in twenty.
    assert np.mean(found) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)


def test_signs_of_many_instances_are_drawn():
    values = np.ones((20, 2))
    assert turned_p_value(values) == pytest.approx(1 / 10_001)
    assert turned_p_value(values) == turned_p_value(values)
    assert turned_p_value(np.zeros((20, 2))) == 1.0


def test_where_a_claim_holds_by_more_than_chance():
    # All eight of the first level: 16! 8! / 24! of all ways to choose eight of 24, and as much for the other two.
    assert uneven_p_value([(8, 8), (0, 8), (0, 8)]) < 0.001
    assert uneven_p_value([(3, 8), (3, 8), (2, 8)]) > 0.5
    # Of two that hold, both are at the same of two levels nearly half the time.
    assert uneven_p_value([(2, 10), (0, 10)]) == pytest.approx(2 * 45 / 190, abs=0.03)


def test_baselines_are_compared_on_the_same_runs(tmp_path):
    protocol = loaded(tmp_path, TWO)
    noise, readings = np.random.default_rng(1), protocol.map.readings
    own = noise.normal(0, 5.0, (8, len(readings), 1))  # of the learner's runs, which both baselines share
    gaps = own + np.array([0.0, 1.0]) + noise.normal(0, 0.05, (8, 1, 2))
    effects = effects_by_name(protocol, gaps)
    difference, error = effects[BASELINE].differences["Always"]
    assert difference == pytest.approx(1.0, abs=0.2)
    assert error < 0.1
    assert effects[BASELINE].p_value == pytest.approx(2 / 256)
    assert effects["baseline x acceptance"].p_value > 0.05


def test_effects_without_anything(protocol):
    assert effects_of(protocol.map, protocol.map.readings, np.zeros((0, 22, 1))) == []
