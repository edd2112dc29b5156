"""What the readings show: which claims hold under which readings, and what effect each choice has.

A choice is something that the paper leaves open, a level is one way to decide it, and a reading decides all choices. A
claim is something that the paper says about two methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import median

import numpy as np
import numpy.typing as npt

from dacalns.study.cases import Case
from dacalns.study.comparisons import NO_DATA, SIGNIFICANT, Versus, cases_at, versus
from dacalns.study.paper_tables import Claim
from dacalns.study.readings import Reading, ReadingMap
from dacalns.study.statistics import gap, holm

# Effects: what each choice does to the gap between two methods, estimated from the readings, tested over the instances.

Numbers = npt.NDArray[np.float64]

BASELINE = "baseline"
"""The choice of the method that a learner is compared with: the paper does not leave it open, but it is treated so."""

# Up to this many instances, all ways to turn their signs are tried; for more, this many random ones.
EXACT_UP_TO, DRAWN = 13, 10_000
# Values that differ by less than this are equal on paper.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Effect:
    """The effect of the levels of a choice on the gap, or the interaction of two choices (beyond what each one does).

    Parameters
    ----------
    name
        The name of the choice, or of two choices, such as ``"target x acceptance"``.
    means
        The mean gap at each level, in percent; empty for two choices.
    differences
        For each level but the first, the difference from the mean gap at the first level, and its standard error over
        the instances (None if there is only one); empty for two choices.
    pattern
        How far each level, or combination of levels, is from the mean.
    p_value
        The p-value of the test over the instances that the levels do not matter.
    corrected
        The p-value after Holm's correction over all effects of an analysis.
    """

    name: str
    means: dict[str, float]
    differences: dict[str, tuple[float, float | None]]
    pattern: tuple[float, ...]
    p_value: float
    corrected: float | None = None

    @property
    def size(self) -> float:
        """The distance from the lowest to the highest value."""
        return max(self.pattern) - min(self.pattern)

    def points_like(self, other: "Effect") -> bool:
        """Return True if two analyses see the effect in the same direction, so that the patterns correlate."""
        return float(np.dot(self.pattern, other.pattern)) > 0


def effects_of(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    """Return the effects of every choice, of the crossed choices together, and of the baselines.

    An effect is estimated on each instance by itself, and tested over the instances, as the gaps of two methods are:
    the readings are given, while the instances are a sample.

    The crossed choices are compared between the readings with all else as we choose, which differ in nothing else. The
    balanced fraction does not suit them: the two readings of a combination are opposite in all other choices, so that
    an interaction of any two of these looks like a difference between combinations. The other choices are compared in
    the balanced fraction, by least squares with all choices and all combinations of the crossed ones.

    Parameters
    ----------
    found
        The choices.
    readings
        All readings.
    gaps
        (instances, readings, baselines) gaps in percent; with a single rival there is one baseline.
    """
    if not gaps.size:
        return []
    values = gaps.mean(axis=2)
    effects = [*_crossed_effects(found, readings, values), *_varied_effects(found, readings, values)]
    if gaps.shape[2] > 1:
        effects += _baseline_effects(found, readings, gaps)
    corrected = holm([effect.p_value for effect in effects])
    return [replace(effect, corrected=p_value) for effect, p_value in zip(effects, corrected, strict=True)]


def turned_p_value(values: Numbers) -> float:
    """Return how often the mean of rows with randomly turned signs is as far from zero as the mean of the given rows.

    Rows are instances, columns are what was estimated on each. All signs of a row are turned together. If there are few
    rows, every possible way is tried, else 10,000 random ones with seed 0; if none of these is as far, the answer is 1
    in 10,001.
    """
    rows = len(values)
    if rows <= EXACT_UP_TO:
        signs = np.array([*product((1.0, -1.0), repeat=rows)])
    else:
        signs = np.random.default_rng(0).choice([1.0, -1.0], size=(DRAWN, rows))
        signs = np.vstack([np.ones(rows), signs])
    far = np.square(signs @ values).sum(axis=1)
    return float(np.mean(far >= far[0] * (1 - ROUNDING) - ROUNDING))


def _effect(name: str, levels: Sequence[str], by_level: Numbers) -> Effect:
    """Return the effect of a choice, from the gap at each level on each instance."""
    means = by_level.mean(axis=0)
    away = by_level - by_level[:, :1]
    errors = away.std(axis=0, ddof=1) / np.sqrt(len(away)) if len(away) > 1 else None
    return Effect(
        name,
        dict(zip(levels, map(float, means), strict=True)),
        {
            level: (float(away[:, place].mean()), None if errors is None else float(errors[place]))
            for place, level in enumerate(levels)
            if place
        },
        tuple(map(float, means - means.mean())),
        turned_p_value(by_level - by_level.mean(axis=1, keepdims=True)),
    )


def _together(name: str, table: Numbers) -> Effect:
    """Return the interaction of two choices, from the gap at (instance, level, level)."""
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=2, keepdims=True)
    rest = (rest + table.mean(axis=(1, 2), keepdims=True)).reshape(len(table), -1)
    return Effect(name, {}, {}, tuple(map(float, rest.mean(axis=0))), turned_p_value(rest))


def _crossed_effects(found: ReadingMap, readings: Sequence[Reading], values: Numbers) -> list[Effect]:
    ours = {name: next(iter(found.choices[name])) for name in found.varied}
    first, second = ([*found.choices[name]] for name in found.crossed)
    places = {
        (each.levels[found.crossed[0]], each.levels[found.crossed[1]]): place
        for place, each in enumerate(readings)
        if ours.items() <= each.levels.items()
    }
    table = values[:, [places[one, other] for one in first for other in second]]
    table = table.reshape(len(values), len(first), len(second))
    return [
        _effect(found.crossed[0], first, table.mean(axis=2)),
        _effect(found.crossed[1], second, table.mean(axis=1)),
        _together(" x ".join(found.crossed), table),
    ]


def _varied_effects(found: ReadingMap, readings: Sequence[Reading], values: Numbers) -> list[Effect]:
    fraction = [place for place, each in enumerate(readings) if each.designed]
    combinations = [tuple(readings[place].levels[name] for name in found.crossed) for place in fraction]
    known = sorted(set(combinations))
    columns = [[float(each == one) for one in known] for each in combinations]
    first = {name: next(iter(found.choices[name])) for name in found.varied}
    for row, place in zip(columns, fraction, strict=True):
        row += [0.5 if readings[place].levels[name] == level else -0.5 for name, level in first.items()]
    fitted, *_ = np.linalg.lstsq(np.array(columns), values[:, fraction].T, rcond=None)
    middle = fitted[: len(known)].mean(axis=0)
    return [
        _effect(name, [*found.choices[name]], np.stack([middle + half, middle - half], axis=1))
        for name, half in zip(found.varied, 0.5 * fitted[len(known) :], strict=True)
    ]


def _baseline_effects(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    """Return the effect of the baseline that readings are compared with, and its interactions with crossed choices.

    Only crossed choices that change the baselines count: the target, for example, does not.
    """
    effects = [_effect(BASELINE, found.baselines, gaps.mean(axis=1))]
    for name in found.crossed:
        if name in found.baseline_choices:
            table = np.stack(
                [
                    gaps[:, [each.levels[name] == level for each in readings]].mean(axis=1)
                    for level in found.choices[name]
                ],
                axis=2,
            )
            effects.append(_together(f"{BASELINE} x {name}", table))
    return effects


# Claims: under which readings they hold, and on which choices that depends.

SHUFFLES = 10_000
TOO_FEW = "too few instances to tell"
CHANCE = "chance or combinations"
"""The words for what a claim depends on if no single choice decides it."""


@dataclass(frozen=True)
class Compared:
    """A comparison of a learner with a rival under one reading.

    Parameters
    ----------
    reading
        The reading under which both ran.
    baseline
        The rival if it is one of the baselines, else None; a reading counts once with each baseline.
    found
        The comparison.
    corrected, corrected_worse
        The exact p-values that the learner is better, and worse, by Holm's correction over all readings of a family.
    """

    reading: Reading
    baseline: str | None
    found: Versus
    corrected: float | None
    corrected_worse: float | None

    @property
    def name(self) -> str:
        """The name of the reading, with the baseline if there is one."""
        return self.reading.name if self.baseline is None else f"{self.reading.name}, {self.baseline}"

    @property
    def order(self) -> tuple[float, float]:
        """The key for sorting, which is lower the better it is for the learner: the p-value, then the gap."""
        p_value, mean = self.found.p_exact, self.found.gap_of_averages
        return (1.0 if p_value is None else p_value, 0.0 if mean is None else mean)

    def level(self, choice: str) -> str:
        """Return the level of a choice; the baseline counts as a choice, too."""
        return (self.baseline or "") if choice == BASELINE else self.reading.levels[choice]


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict over all readings.

    Parameters
    ----------
    claim
        The claim of the paper.
    expected
        The number of readings.
    tried
        The readings that have runs.
    holding
        The tried readings under which the claim holds. That a method is better holds if the exact p is below 0.05 after
        Holm's correction over all readings of the claim. That two methods cannot be told apart holds if the exact p is
        at least 0.05 in both directions.
    uncorrected
        The number of readings under which it holds without the correction.
    depends
        The choices that decide, the one with the largest effect first.
    """

    claim: Claim
    expected: int
    tried: list[Compared]
    holding: list[Compared]
    uncorrected: int
    depends: list[str]

    @property
    def words(self) -> str:
        """The verdict in words."""
        count = len(self.tried)
        if not count:
            return NO_DATA
        if not self.telling:
            return TOO_FEW
        if len(self.holding) == count:
            return f"holds under every reading tried ({count})"
        if not self.holding:
            return f"contradicted: holds under none of {count} readings tried"
        return f"depends on {', '.join(self.depends or [CHANCE])}: holds under {len(self.holding)} of {count}"

    @property
    def telling(self) -> bool:
        """True if there are enough instances for some reading to pass, or fail, the test."""
        tests = 1 if self.claim.kind == "equal" else len(self.tried)
        return any(tests * 0.5**each.found.used < SIGNIFICANT for each in self.tried)

    @property
    def best(self) -> Compared:
        """The reading that favours the learner most; there must be one that was tried."""
        return min(self.tried, key=lambda each: each.order)

    @property
    def worst(self) -> Compared:
        """The reading that favours the learner least; there must be one that was tried."""
        return max(self.tried, key=lambda each: each.order)

    @property
    def gaps(self) -> list[float]:
        """The mean gaps of the averages, in percent."""
        return [each.found.gap_of_averages for each in self.tried if each.found.gap_of_averages is not None]

    @property
    def median_effect(self) -> float | None:
        """The median rank-biserial correlation."""
        effects = [each.found.effect for each in self.tried if each.found.effect is not None]
        return median(effects) if effects else None

    def counts(self, choice: str) -> dict[str, tuple[int, int]]:
        """Return, for each level of a choice, under how many readings the claim holds, and how many were tried."""
        levels = dict.fromkeys(each.level(choice) for each in self.tried)
        return {
            level: (
                sum(each.level(choice) == level for each in self.holding),
                sum(each.level(choice) == level for each in self.tried),
            )
            for level in levels
        }


class Findings:
    """The findings of a study about the readings with one budget; each comparison is made only once.

    Parameters
    ----------
    readings
        The readings that were tried.
    cases
        The cases of all groups.
    """

    def __init__(self, readings: ReadingMap, cases: Sequence[Case]) -> None:
        self.map = readings
        self.screening = [case for case in cases if case.group in readings.screening]
        self.confirmation = [case for case in cases if case.group not in readings.screening]
        self._compared: dict[tuple[str, str | None, str, str], list[Compared]] = {}
        self._effects: dict[tuple[str, str | None, str, str, bool], list[Effect]] = {}

    @property
    def datasets(self) -> list[str]:
        """The datasets of the groups for claims."""
        return [*dict.fromkeys(case.dataset for case in self.confirmation)]

    def rival(self, method: str) -> str | None:
        """Return the learner that a claim compares with, or None if it compares with the baselines."""
        return method if method in self.map.learners else None

    def compared(self, first: str, rival: str | None, dataset: str, scale: str) -> list[Compared]:
        """Return the comparisons of a learner with a rival under every reading, which are one family of tests.

        Raises
        ------
        InputError
            If SciPy is missing.
        """
        key = (first, rival, dataset, scale)
        if key not in self._compared:
            cases = cases_at(self.confirmation, dataset, scale)
            pairs = [
                (reading, baseline, versus(cases, reading.learners[first], other))
                for reading in self.map.readings
                for baseline, other in self._rivals(reading, rival)
            ]
            better = holm([found.p_exact for _, _, found in pairs])
            worse = holm([found.p_worse for _, _, found in pairs])
            self._compared[key] = [
                Compared(*pair, *values) for pair, values in zip(pairs, zip(better, worse, strict=True), strict=True)
            ]
        return self._compared[key]

    def judged(self, claim: Claim) -> Judged:
        """Return the verdict on a claim that a learner is better than its rival, or that the two cannot be told apart.

        Raises
        ------
        InputError
            If SciPy is missing.
        """
        rival = self.rival(claim.second)
        compared = self.compared(claim.first, rival, claim.dataset, claim.scale)
        tried = [each for each in compared if each.found.used]
        if claim.kind == "equal":
            holding = [each for each in tried if not _below(each.found.p_exact) and not _below(each.found.p_worse)]
            uncorrected = len(holding)
        else:
            holding = [each for each in tried if _below(each.corrected)]
            uncorrected = sum(_below(each.found.p_exact) for each in tried)
        judged = Judged(claim, len(compared), tried, holding, uncorrected, [])
        return replace(judged, depends=self.deciding(judged)) if 0 < len(holding) < len(tried) else judged

    def deciding(self, judged: Judged) -> list[str]:
        """Return the choices on which it depends whether a claim holds, the one that matters most first.

        The claim holds more often at some of their levels than at others, with p < 0.05 after Holm's correction over
        the choices (`uneven_p_value`), and their effect on the gap has the same direction on the screening instances.
        """
        claim = judged.claim
        where = (claim.first, self.rival(claim.second), claim.dataset)
        confirmed = {effect.name: effect for effect in self.effects(*where, claim.scale)}
        screened = {effect.name: effect for effect in self.effects(*where, screening=True)}
        names = [*self.map.choices, *([BASELINE] if where[1] is None and len(self.map.baselines) > 1 else [])]
        shares = {name: [*judged.counts(name).values()] for name in names}
        p_values = {name: uneven_p_value(counts) for name, counts in shares.items()}
        corrected = dict(zip(names, holm([p_values[name] for name in names]), strict=True))
        found = [
            name
            for name in names
            if _below(corrected[name])
            and name in confirmed
            and name in screened
            and confirmed[name].points_like(screened[name])
        ]
        return sorted(found, key=lambda name: -_unevenness(np.array(shares[name], dtype=np.float64)))

    def effects(
        self, first: str, rival: str | None, dataset: str, scale: str = "Global", *, screening: bool = False
    ) -> list[Effect]:
        """Return the effects of the choices on the gap, over the instances on which all readings have all runs."""
        key = (first, rival, dataset, scale, screening)
        if key not in self._effects:
            readings = self.map.readings
            cases = self.shared_cases(first, rival, dataset, scale, screening=screening)
            gaps = np.array(
                [
                    [
                        [gap(case.outcomes[reading.learners[first]].average, case.outcomes[other].average)
                         for _, other in self._rivals(reading, rival)]
                        for reading in readings
                    ]
                    for case in cases
                ]
            )  # fmt: skip
            self._effects[key] = effects_of(self.map, readings, gaps)
        return self._effects[key]

    def shared_cases(
        self, first: str, rival: str | None, dataset: str, scale: str = "Global", *, screening: bool = False
    ) -> list[Case]:
        """Return the instances on which a learner and its rivals have all runs, all feasible, under every reading."""
        readings = self.map.readings
        methods = {reading.learners[first] for reading in readings}
        methods |= {other for reading in readings for _, other in self._rivals(reading, rival)}
        cases = cases_at(self.screening if screening else self.confirmation, dataset, scale)
        return [case for case in cases if case.settled(*methods)]

    @staticmethod
    def _rivals(reading: Reading, rival: str | None) -> list[tuple[str | None, str]]:
        """Return the rivals under a reading: those of each baseline, or the other learner under None."""
        return [*reading.baselines.items()] if rival is None else [(None, reading.learners[rival])]


@dataclass(frozen=True)
class Challenge:
    """The comparisons of all readings of a learner with a method that no reading changes, on one dataset.

    Parameters
    ----------
    reference, dataset
        The method, and the dataset.
    compared
        The comparison of each reading; p-values are corrected over all readings, datasets and references of the budget.
    """

    reference: str
    dataset: str
    compared: list[Compared]

    @property
    def tried(self) -> list[Compared]:
        """The readings that have runs."""
        return [each for each in self.compared if each.found.used]

    @property
    def better(self) -> int:
        """The number of readings that beat the method."""
        return sum(_below(each.corrected) for each in self.tried)

    @property
    def worse(self) -> int:
        """The number of readings that the method beats."""
        return sum(_below(each.corrected_worse) for each in self.tried)


def challenges(findings: Findings) -> list[Challenge]:
    """Return the comparisons that show whether any reading of the first learner beats any reference.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    readings = findings.map
    learner = readings.learners[0]
    found = [
        (reference, dataset, reading, versus(cases, reading.learners[learner], reference))
        for reference in readings.references
        for dataset in findings.datasets
        for cases in [cases_at(findings.confirmation, dataset, "Global")]
        for reading in readings.readings
    ]
    better = holm([each.p_exact for *_, each in found])
    worse = holm([each.p_worse for *_, each in found])
    by_place: dict[tuple[str, str], list[Compared]] = {}
    for (reference, dataset, reading, each), above, below in zip(found, better, worse, strict=True):
        by_place.setdefault((reference, dataset), []).append(Compared(reading, None, each, above, below))
    return [Challenge(*place, compared) for place, compared in by_place.items()]


def uneven_p_value(counts: Sequence[tuple[int, int]]) -> float:
    """Return how often a claim would hold at least as unevenly over the levels of a choice if readings were shuffled.

    Parameters
    ----------
    counts
        For each level, under how many readings the claim holds, and how many there are; there are 10,000 shuffles with
        seed 0.
    """
    table = np.array(counts, dtype=np.float64)
    held = np.repeat([1.0, 0.0], [int(table[:, 0].sum()), int((table[:, 1] - table[:, 0]).sum())])
    rng, ends = np.random.default_rng(0), np.cumsum(table[:, 1]).astype(int)
    shuffled = rng.permuted(np.tile(held, (SHUFFLES, 1)), axis=1)
    sums = np.diff(np.cumsum(shuffled, axis=1)[:, ends - 1], axis=1, prepend=0.0)
    far = np.square(sums / table[:, 1] - held.mean()) @ table[:, 1]
    return float((1 + np.sum(far >= _unevenness(table) * (1 - 1e-12))) / (1 + SHUFFLES))


def _unevenness(counts: npt.NDArray[np.float64]) -> float:
    """Return the squared distances of the levels' shares from the share of all, weighted by numbers of readings."""
    held, tried = counts.T
    return float(np.square(held / tried - held.sum() / tried.sum()) @ tried)


def _below(p_value: float | None) -> bool:
    return p_value is not None and p_value < SIGNIFICANT
