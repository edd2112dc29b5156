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


def plain(protocol):
    """Those with all else as we choose."""
    first = {name: next(iter(protocol.map.choices[name])) for name in protocol.map.varied}
    return [each for each in protocol.map.readings if first.items() <= each.levels.items()]


def gaps_of(readings, gap):
    return np.array([[gap(each.levels)] for each in readings])


def test_effects_are_found_again(protocol):
    shifts = {"one-step": 1.5, "joint": -0.5, "climbing": -1.0, "five": 0.25, "ratio": 0.0, "chosen": -0.125}

    def gap(levels):
        return 3.0 + sum(shifts.get(level, 0.0) for level in levels.values())

    readings = protocol.map.readings
    found = effects_of(protocol.map, readings, gaps_of(readings, gap))
    effects = {effect.name: effect for effect in found}
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
    assert effects["target"].p_value == 0.0
    assert effects["worst"].p_value == 1.0


def test_an_interaction_of_other_choices_is_no_effect_of_the_crossed_ones(protocol):
    """In the balanced fraction, the product of two choices is one number for each combination of the crossed ones."""
    noise, readings = np.random.default_rng(3), protocol.map.readings
    found = []
    for _ in range(200):
        gaps = gaps_of(
            readings, lambda levels: 2.0 * ((levels["neighbours"] == "five") != (levels["worst"] == "ratio"))
        )
        gaps += noise.normal(0, 1.0, gaps.shape)
        effects = {effect.name: effect.p_value for effect in effects_of(protocol.map, readings, gaps)}
        found.append([effects[name] < 0.05 for name in ("target", "acceptance", "target x acceptance")])
    # Three standard deviations over one in twenty.
    assert np.mean(found, axis=0).max() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_tests_are_those_of_least_squares(protocol):
    """Against the sums of squares of models with and without each term, fitted by other code."""
    found, readings, fraction = protocol.map, protocol.map.readings, designed(protocol)
    noise = np.random.default_rng(5)
    gaps = gaps_of(readings, lambda levels: (levels["acceptance"] == "climbing") * 1.0)
    gaps += noise.normal(0, 0.5, gaps.shape)

    def left(seen, *terms):
        values = gaps[[readings.index(each) for each in seen], 0]
        columns = [np.ones((len(seen), 1))]
        for names in terms:
            combined = [tuple(each.levels[name] for name in names) for each in seen]
            columns.append(np.array([[float(one == other) for other in sorted(set(combined))] for one in combined]))
        matrix = np.hstack(columns)
        beta, *_ = np.linalg.lstsq(matrix, values, rcond=None)
        return float(np.square(values - matrix @ beta).sum()), np.linalg.matrix_rank(matrix)

    every = [(name,) for name in found.choices] + [("target", "acceptance")]
    rest, rank = left(fraction, *every)
    free = len(fraction) - rank
    effects = {effect.name: effect for effect in effects_of(found, readings, gaps)}
    for term in [("neighbours",), ("worst",), ("scale",)]:
        without, smaller = left(fraction, *(other for other in every if other != term))
        f_value = (without - rest) / (rank - smaller) / (rest / free)
        assert effects[term[0]].p_value == pytest.approx(stats.f.sf(f_value, rank - smaller, free), rel=1e-9)
    # Of the crossed ones: what the plain readings leave unexplained without the interaction, against the same chance.
    together, degrees = left(plain(protocol), ("target",), ("acceptance",))
    degrees = len(plain(protocol)) - degrees
    expected = stats.f.sf(together / degrees / (rest / free), degrees, free)
    assert effects["target x acceptance"].p_value == pytest.approx(expected, rel=1e-9)
    difference, error = effects["acceptance"].differences["climbing"]
    by_hand = [gaps[[readings.index(each) for each in plain(protocol) if each.levels["acceptance"] == level]].mean()
               for level in ("calibrated", "climbing")]  # fmt: skip
    assert difference == pytest.approx(by_hand[1] - by_hand[0])
    assert error == pytest.approx(np.sqrt(rest / free) * np.sqrt(2 / 4))
    # Of one degree of freedom, F is the square of t.
    assert effects["acceptance"].p_value == pytest.approx(2 * stats.t.sf(abs(difference / error), free))


def test_baselines_have_a_stratum_of_their_own(tmp_path):
    protocol = loaded(tmp_path, TWO)
    readings = protocol.map.readings
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
