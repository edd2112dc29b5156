"""Under which readings of the paper its claims hold, and on which choices that depends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import numpy.typing as npt

from dacalns.study.cases import Case
from dacalns.study.gaps import gap
from dacalns.study.holm import holm
from dacalns.study.paper_tables import Claim
from dacalns.study.reading_effects import BASELINE, Effect, effects_of
from dacalns.study.readings import Reading, ReadingMap
from dacalns.study.verdicts import NO_DATA, SIGNIFICANT, cases_at
from dacalns.study.versus import Versus, versus

SHUFFLES = 10_000
TOO_FEW = "too few instances to tell"
CHANCE = "chance or combinations"
"""What a claim depends on where no choice by itself decides it."""


@dataclass(frozen=True)
class Compared:
    """A learner against a rival under one reading.

    Parameters
    ----------
    reading
        Under which both ran.
    baseline
        The rival, where it is one of the baselines; a reading with each of these is a reading of its own.
    found
        What came of it.
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
        """Of the reading, with the baseline where there is one."""
        return self.reading.name if self.baseline is None else f"{self.reading.name}, {self.baseline}"

    @property
    def order(self) -> tuple[float, float]:
        """The lower, the better for the learner: the p-value, then the gap."""
        p_value, mean = self.found.p_exact, self.found.gap_of_averages
        return (1.0 if p_value is None else p_value, 0.0 if mean is None else mean)

    def level(self, choice: str) -> str:
        """The level of a choice, the baseline among them."""
        return (self.baseline or "") if choice == BASELINE else self.reading.levels[choice]


@dataclass(frozen=True)
class Judged:
    """A claim over all readings.

    Parameters
    ----------
    claim
        Of the paper.
    expected
        The number of readings.
    tried
        Those of them that have runs.
    holding
        Those of these under which the claim holds. That a method is better: Holm-corrected exact p < 0.05 over all
        readings of the claim. That two cannot be told apart: exact p >= 0.05 in both directions.
    uncorrected
        Under how many it holds without the correction.
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
        """The verdict."""
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
        """Whether there are instances enough for any reading to pass, or fail, the test."""
        tests = 1 if self.claim.kind == "equal" else len(self.tried)
        return any(tests * 0.5**each.found.used < SIGNIFICANT for each in self.tried)

    @property
    def best(self) -> Compared:
        """The reading that favours the learner most; only where any was tried."""
        return min(self.tried, key=lambda each: each.order)

    @property
    def worst(self) -> Compared:
        """The one that favours it least."""
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
        """By level of a choice: under how many readings the claim holds, of how many tried."""
        levels = dict.fromkeys(each.level(choice) for each in self.tried)
        return {
            level: (
                sum(each.level(choice) == level for each in self.holding),
                sum(each.level(choice) == level for each in self.tried),
            )
            for level in levels
        }


class Findings:
    """What a study found about the readings with one budget; each comparison is made once.

    Parameters
    ----------
    readings
        What was tried.
    cases
        Of all groups.
    """

    def __init__(self, readings: ReadingMap, cases: Sequence[Case]) -> None:
        self.map = readings
        self.screening = [case for case in cases if case.group in readings.screening]
        self.confirmation = [case for case in cases if case.group not in readings.screening]
        self._compared: dict[tuple[str, str | None, str, str], list[Compared]] = {}
        self._effects: dict[tuple[str, str | None, str, str, bool], list[Effect]] = {}

    @property
    def datasets(self) -> list[str]:
        """Those of the groups for claims."""
        return [*dict.fromkeys(case.dataset for case in self.confirmation)]

    def rival(self, method: str) -> str | None:
        """Whom a claim compares with: another learner, or None for the baselines."""
        return method if method in self.map.learners else None

    def compared(self, first: str, rival: str | None, dataset: str, scale: str) -> list[Compared]:
        """A learner against a rival under every reading; one family of tests.

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
        """A verdict on a claim that a learner is better than its rival, or that the two cannot be told apart.

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
        """The choices on which it depends whether a claim holds, the one that tells most first.

        At their levels the claim holds unlike often, by more than a chance of 0.05 after Holm's correction over the
        choices (`uneven_p_value`), and what they do to the gap goes the same way on the screening instances.
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
        """The effects of the choices on the gap, over the instances on which all readings have all runs."""
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
        """The instances on which a learner and its rivals have all runs, all feasible, under every reading."""
        readings = self.map.readings
        methods = {reading.learners[first] for reading in readings}
        methods |= {other for reading in readings for _, other in self._rivals(reading, rival)}
        cases = cases_at(self.screening if screening else self.confirmation, dataset, scale)
        return [case for case in cases if case.settled(*methods)]

    @staticmethod
    def _rivals(reading: Reading, rival: str | None) -> list[tuple[str | None, str]]:
        """The rivals under a reading: by baseline, or under None the other learner."""
        return [*reading.baselines.items()] if rival is None else [(None, reading.learners[rival])]


@dataclass(frozen=True)
class Challenge:
    """All readings of a learner against a method that no reading changes, on one dataset.

    Parameters
    ----------
    reference, dataset
        Against what, and where.
    compared
        Each reading; corrected over all readings, datasets and references of the budget.
    """

    reference: str
    dataset: str
    compared: list[Compared]

    @property
    def tried(self) -> list[Compared]:
        """Those with runs."""
        return [each for each in self.compared if each.found.used]

    @property
    def better(self) -> int:
        """How many readings beat it."""
        return sum(_below(each.corrected) for each in self.tried)

    @property
    def worse(self) -> int:
        """How many it beats."""
        return sum(_below(each.corrected_worse) for each in self.tried)


def challenges(findings: Findings) -> list[Challenge]:
    """Whether any reading of the first learner beats any reference.

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
    """How often a claim would hold as unlike often at the levels of a choice if readings were shuffled.

    Parameters
    ----------
    counts
        For each level under how many readings it holds, of how many; 10,000 shuffles with seed 0.
    """
    table = np.array(counts, dtype=np.float64)
    held = np.repeat([1.0, 0.0], [int(table[:, 0].sum()), int((table[:, 1] - table[:, 0]).sum())])
    rng, ends = np.random.default_rng(0), np.cumsum(table[:, 1]).astype(int)
    shuffled = rng.permuted(np.tile(held, (SHUFFLES, 1)), axis=1)
    sums = np.diff(np.cumsum(shuffled, axis=1)[:, ends - 1], axis=1, prepend=0.0)
    far = np.square(sums / table[:, 1] - held.mean()) @ table[:, 1]
    return float((1 + np.sum(far >= _unevenness(table) * (1 - 1e-12))) / (1 + SHUFFLES))


def _unevenness(counts: npt.NDArray[np.float64]) -> float:
    """How far the shares of levels are from the share of all, squared, and weighted by how many readings there are."""
    held, tried = counts.T
    return float(np.square(held / tried - held.sum() / tried.sum()) @ tried)


def _below(p_value: float | None) -> bool:
    return p_value is not None and p_value < SIGNIFICANT
