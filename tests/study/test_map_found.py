"""Verdicts over readings and the effects of choices, on studies in which both are known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dacalns.study.cases import cases_of
from dacalns.study.paper_tables import Claim
from dacalns.study.reading_effects import BASELINE, effects_of
from dacalns.study.readings_found import CHANCE, Findings, challenges

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


def test_effects_are_found_again(protocol):
    shifts = {"one-step": 1.5, "joint": -0.5, "climbing": -1.0, "five": 0.25, "ratio": 0.0, "chosen": -0.125}
    readings = designed(protocol)
    gaps = np.array([[3.0 + sum(shifts.get(level, 0.0) for level in each.levels.values())] for each in readings])
    effects = {effect.name: effect for effect in effects_of(protocol.map, readings, gaps)}
    assert [*effects] == ["target", "acceptance", "target x acceptance", "neighbours", "worst", "scale"]
    for name, levels in protocol.map.choices.items():
        for level in [*levels][1:]:
            difference, error = effects[name].differences[level]
            assert difference == pytest.approx(shifts.get(level, 0.0), abs=1e-12)
            assert error == pytest.approx(0.0, abs=1e-12)
        for level in levels:
            # Balanced: the mean at a level is the mean of the readings with that level.
            own = gaps[[each.levels[name] == level for each in readings]].mean()
            assert effects[name].means[level] == pytest.approx(own)
    assert max(map(abs, effects["target x acceptance"].pattern)) < 1e-12
    assert effects["target"].p_value == 0.0
    assert effects["worst"].p_value == 1.0


def test_tests_are_those_of_least_squares(protocol):
    """Against the sums of squares of models with and without each term, fitted by other code."""
    readings = designed(protocol)
    noise = np.random.default_rng(5)
    gaps = np.array([[(each.levels["acceptance"] == "climbing") * 1.0] for each in readings])
    gaps += noise.normal(0, 0.5, gaps.shape)
    found = protocol.map

    def dummies(*names):
        combined = [tuple(each.levels[name] for name in names) for each in readings]
        return np.array([[float(one == other) for other in sorted(set(combined))] for one in combined])

    def left(*terms):
        columns = np.hstack([np.ones((len(readings), 1)), *(dummies(*term) for term in terms)])
        beta, *_ = np.linalg.lstsq(columns, gaps[:, 0], rcond=None)
        return float(np.square(gaps[:, 0] - columns @ beta).sum()), np.linalg.matrix_rank(columns)

    every = [(name,) for name in found.choices] + [("target", "acceptance")]
    rest, rank = left(*every)
    effects = {effect.name: effect for effect in effects_of(found, readings, gaps)}
    for term in [("neighbours",), ("worst",), ("scale",), ("target", "acceptance")]:
        without, smaller = left(*(other for other in every if other != term))
        f_value = (without - rest) / (rank - smaller) / (rest / (len(readings) - rank))
        expected = stats.f.sf(f_value, rank - smaller, len(readings) - rank)
        assert effects[" x ".join(term)].p_value == pytest.approx(expected, rel=1e-9)
    difference, error = effects["acceptance"].differences["climbing"]
    by_hand = [gaps[[each.levels["acceptance"] == level for each in readings]].mean()
               for level in ("calibrated", "climbing")]  # fmt: skip
    assert difference == pytest.approx(by_hand[1] - by_hand[0])
    spread = np.sqrt(rest / (len(readings) - rank))
    assert error == pytest.approx(spread * np.sqrt(2 / 8))
    # Of one degree of freedom, F is the square of t.
    t_value = difference / error
    assert effects["acceptance"].p_value == pytest.approx(2 * stats.t.sf(abs(t_value), len(readings) - rank))


def test_baselines_have_a_stratum_of_their_own(tmp_path):
    protocol = loaded(tmp_path, TWO)
    readings = designed(protocol)
    noise = np.random.default_rng(1)
    own = noise.normal(0, 5.0, len(readings))  # of the learner's runs, which both baselines share
    gaps = np.array([[each, each + 1.0] for each in own])
    # Runs of a baseline are the same for all readings with its settings.
    shift = {name: noise.normal(0, 0.05) for reading in readings for name in reading.baselines.values()}
    gaps += [[shift[name] for name in reading.baselines.values()] for reading in readings]
    effects = {effect.name: effect for effect in effects_of(protocol.map, readings, gaps)}
    difference, error = effects[BASELINE].differences["Always"]
    assert difference == pytest.approx(1.0, abs=0.2)
    assert error < 0.2
    assert effects[BASELINE].p_value < 0.05
    assert effects["baseline x acceptance"].p_value > 0.05
    assert effects["target"].p_value > 0.05


def test_effects_without_anything(protocol):
    assert effects_of(protocol.map, [], np.zeros((0, 1))) == []
