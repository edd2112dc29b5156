"""What each choice does to the gap between two methods, estimated from the readings and tested over the instances."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from dacalns.study.holm import holm
from dacalns.study.readings import Reading, ReadingMap

Numbers = npt.NDArray[np.float64]

BASELINE = "baseline"
"""The choice of what a learner is compared with: not one of the paper's readings, but treated as one."""

# Up to so many instances every way to turn their signs is tried, beyond that so many drawn ones.
EXACT_UP_TO, DRAWN = 13, 10_000
# Values that are equal on paper are equal here.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Effect:
    """What the levels of a choice do to the gap, or those of two choices together beyond what each does.

    Parameters
    ----------
    name
        Of the choice, or ``"target x acceptance"``.
    means
        The mean gap at each level, in percent; none of two choices together.
    differences
        Of each level but the first: to the mean gap at the first one, and its standard error over the instances; None
        of a single one.
    pattern
        How far each level, or combination of levels, is from the mean.
    p_value
        Of the test over the instances that the levels do not matter.
    corrected
        The same, by Holm's correction over all effects of an analysis.
    """

    name: str
    means: dict[str, float]
    differences: dict[str, tuple[float, float | None]]
    pattern: tuple[float, ...]
    p_value: float
    corrected: float | None = None

    @property
    def size(self) -> float:
        """From the lowest to the highest."""
        return max(self.pattern) - min(self.pattern)

    def points_like(self, other: "Effect") -> bool:
        """Whether two analyses see the effect in the same direction: the patterns correlate."""
        return float(np.dot(self.pattern, other.pattern)) > 0


def effects_of(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    """Every choice, the interaction of the crossed ones, and the baselines with theirs.

    An effect is estimated on each instance by itself, and tested over the instances, as the gaps of two methods are:
    readings are given, instances are what there could be more of.

    The crossed choices are compared between the readings with all else as we choose, which differ in nothing else. In
    the balanced fraction they would not do: two readings of a combination are opposite in all other choices, so that an
    interaction of any two of these looks like a difference between combinations. The other choices are compared in the
    balanced fraction, by least squares with all choices and all combinations of the crossed ones.

    Parameters
    ----------
    found
        The choices.
    readings
        All of them.
    gaps
        (instances, readings, baselines) in percent; one baseline where there is one rival only.
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
    """How often the mean of rows whose signs are turned at random is as far from zero as that of the rows as they are.

    Rows are instances, columns what was estimated on each. The signs of a row are turned together; with few rows, in
    every possible way, else in 10,000 drawn with seed 0, of which none as far gives 1 in 10,001.
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
    """From the gap at each level on each instance."""
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
    """What two choices do together beyond what each does: from the gap at (instance, level, level)."""
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
    """The effect of what readings are compared with, and what the crossed choices do to it.

    Only of those that change a baseline: no baseline has a target.
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
