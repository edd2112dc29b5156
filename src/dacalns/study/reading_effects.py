"""What each choice does to the gap between two methods, estimated from the readings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dacalns.study.holm import holm
from dacalns.study.readings import Reading, ReadingMap
from dacalns.study.signed_rank import scipy_stats

Numbers = npt.NDArray[np.float64]

BASELINE = "baseline"
"""The choice of what a learner is compared with: not one of the paper's readings, but treated as one."""

# What is left over is nothing but rounding if it is less than this part of all squares.
ROUNDING = 1e-18


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
        Of each level but the first: to the mean gap at the first one, and its standard error, where one is known.
    pattern
        How far each level, or combination of levels, is from the mean.
    p_value
        Of the F-test that the levels do not matter; None where nothing is left to test with.
    corrected
        The same, by Holm's correction over all effects of an analysis.
    """

    name: str
    means: dict[str, float]
    differences: dict[str, tuple[float, float | None]]
    pattern: tuple[float, ...]
    p_value: float | None
    corrected: float | None = None

    @property
    def size(self) -> float:
        """From the lowest to the highest."""
        return max(self.pattern) - min(self.pattern)

    def points_like(self, other: "Effect") -> bool:
        """Whether two analyses see the effect in the same direction: the patterns correlate."""
        return float(np.dot(self.pattern, other.pattern)) > 0


def effects_of(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    """Least squares with every choice and the interaction of the crossed ones, F-tests, and Holm's correction.

    The choices that are not crossed, and what is left over by chance, are estimated from the balanced fraction. In it
    two readings of a combination are opposite in all of these, so that an interaction of any two of them looks like a
    difference between combinations. So the crossed choices and their interaction are estimated from the readings with
    all else as we choose, which differ in nothing else, and tested against the same chance.

    Where there are several baselines, the gaps of a reading share its runs. So choices are tested on the means over the
    baselines, and the baselines, with their interactions, on the differences between these: once for each setting in
    which the baselines were run. No baseline has a target, so there can be no interaction with it.

    Parameters
    ----------
    found
        The choices.
    readings
        All of them.
    gaps
        For each of these the mean gap to each baseline, in percent; one column where there is one rival only.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    if not len(readings):
        return []
    effects = _between_readings(found, readings, gaps.mean(axis=1))
    if gaps.shape[1] > 1:
        fraction = [place for place, reading in enumerate(readings) if reading.designed]
        effects += _between_baselines(found, [readings[place] for place in fraction], gaps[fraction])
    corrected = holm([effect.p_value for effect in effects])
    return [replace(effect, corrected=p_value) for effect, p_value in zip(effects, corrected, strict=True)]


def _between_readings(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    varied = _fitted(found, [(each, value) for each, value in zip(readings, gaps, strict=True) if each.designed])
    ours = {name: next(iter(found.choices[name])) for name in found.varied}
    plain = [
        (each, value)
        for each, value in zip(readings, gaps, strict=True)
        if all(each.levels[name] == level for name, level in ours.items())
    ]
    crossed = _fitted(found, plain, found.crossed)
    if varied is None or crossed is None:
        return []
    fit, coded = crossed[0].with_chance_of(varied[0]), crossed[1]
    first, second = found.crossed
    together = _together(found)
    back = np.kron(coded[first].back, coded[second].back)
    pattern = tuple(map(float, back @ fit.coefficients(together)[:, 0]))
    return [
        *(_main_effect(name, [*found.choices[name]], coded[name], fit) for name in found.crossed),
        Effect(together, {}, {}, pattern, fit.p_value(together)),
        *(_main_effect(name, [*found.choices[name]], varied[1][name], varied[0]) for name in found.varied),
    ]


def _together(found: ReadingMap) -> str:
    """What the interaction of the crossed choices is called."""
    return " x ".join(found.crossed)


def _fitted(
    found: ReadingMap, seen: Sequence[tuple[Reading, float]], names: Sequence[str] | None = None
) -> "tuple[_Fit, dict[str, _Coded]] | None":
    """Some choices, or all, with the interaction of the crossed ones, fitted to gaps; None where that cannot be."""
    coded = {
        name: _Coded.of([*found.choices[name]], [each.levels[name] for each, _ in seen])
        for name in names or found.choices
    }
    first, second = found.crossed
    blocks = {name: each.columns for name, each in coded.items()}
    blocks[_together(found)] = _products(coded[first].columns, coded[second].columns)
    fit = _Fit.of(blocks, np.array([[value] for _, value in seen]).reshape(-1, 1))
    return None if fit is None else (fit, coded)


def _main_effect(name: str, levels: Sequence[str], coded: "_Coded", fit: "_Fit") -> Effect:
    own = coded.back @ fit.coefficients(name)[:, 0]
    away = (coded.back - coded.back[0])[1:]
    differences = zip(map(float, own[1:] - own[0]), fit.errors(name, away), strict=True)
    return Effect(
        name,
        dict(zip(levels, map(float, fit.intercept[0] + own), strict=True)),
        dict(zip(levels[1:], differences, strict=True)),
        tuple(map(float, own)),
        fit.p_value(name),
    )


def _between_baselines(found: ReadingMap, readings: Sequence[Reading], gaps: Numbers) -> list[Effect]:
    """The effects of what readings are compared with, from the settings in which the baselines were run."""
    settings: dict[tuple[str, ...], list[int]] = {}
    for place, reading in enumerate(readings):
        settings.setdefault(tuple(reading.baselines.values()), []).append(place)
    means = np.array([gaps[places].mean(axis=0) for places in settings.values()])
    one_each = [readings[places[0]] for places in settings.values()]
    contrasts = _contrasts(means.shape[1])
    coded = {
        name: _Coded.of([*found.choices[name]], [each.levels[name] for each in one_each])
        for name in found.baseline_choices
    }
    blocks = {name: each.columns for name, each in coded.items()}
    fit = _Fit.of(blocks, means @ contrasts.T)
    if fit is None:
        return []
    own = fit.intercept @ contrasts  # of each baseline, away from their mean
    error = fit.intercept_error
    levels = gaps.mean() + own
    effects = [
        Effect(
            BASELINE,
            dict(zip(found.baselines, map(float, levels), strict=True)),
            {name: (float(value - own[0]), None if error is None else float(np.sqrt(2) * error))
             for name, value in zip(found.baselines[1:], own[1:], strict=True)},
            tuple(map(float, own)),
            fit.p_value(None),
        )
    ]  # fmt: skip
    for name in found.crossed:
        if name in coded:
            pattern = (coded[name].back @ fit.coefficients(name)) @ contrasts
            p_value = fit.p_value(name)
            effects.append(Effect(f"{BASELINE} x {name}", {}, {}, tuple(map(float, pattern.ravel())), p_value))
    return effects


@dataclass(frozen=True)
class _Coded:
    """The levels of a choice as columns that sum to nothing; ``back`` leads from their coefficients to the levels."""

    columns: Numbers
    back: Numbers

    @classmethod
    def of(cls, levels: Sequence[str], seen: Sequence[str]) -> "_Coded":
        back = np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])
        return cls(back[[levels.index(level) for level in seen]], back)


class _Fit:
    """Least squares of one or several responses on blocks of columns; what is left over is pooled."""

    def __init__(self, slices: dict[str, slice], inverse: Numbers, beta: Numbers, left: float, free: int, whole: float):
        self._slices, self._inverse, self._beta = slices, inverse, beta
        self._left, self._free, self._whole = left, free, whole

    @classmethod
    def of(cls, blocks: dict[str, Numbers], responses: Numbers) -> "_Fit | None":
        """None where the columns cannot be told apart."""
        columns = np.hstack([np.ones((len(responses), 1)), *blocks.values()])
        if np.linalg.matrix_rank(columns) < columns.shape[1]:
            return None
        slices = dict(zip(blocks, _slices(block.shape[1] for block in blocks.values()), strict=True))
        inverse = np.linalg.inv(columns.T @ columns)
        beta = inverse @ columns.T @ responses
        left = float(np.square(responses - columns @ beta).sum())
        free = (len(responses) - columns.shape[1]) * responses.shape[1]
        return cls(slices, inverse, beta, left, free, float(np.square(responses).sum()))

    def with_chance_of(self, other: "_Fit") -> "_Fit":
        """The same, with what another fit leaves over as the measure of chance."""
        return _Fit(self._slices, self._inverse, self._beta, other._left, other._free, self._whole)

    @property
    def intercept(self) -> Numbers:
        """Of each response."""
        found: Numbers = self._beta[0]
        return found

    @property
    def intercept_error(self) -> float | None:
        """Its standard error."""
        return float(np.sqrt(self._left / self._free * self._inverse[0, 0])) if self._free else None

    def coefficients(self, name: str) -> Numbers:
        """Of a block, a column for each response."""
        found: Numbers = self._beta[self._slices[name]]
        return found

    def errors(self, name: str, contrasts: Numbers) -> list[float | None]:
        """The standard errors of contrasts of a block's coefficients."""
        part = self._slices[name]
        shares = np.einsum("ij,jk,ik->i", contrasts, self._inverse[part, part], contrasts)
        if not self._free:
            return [None] * len(shares)
        return [float(error) for error in np.sqrt(shares * self._left / self._free)]

    def p_value(self, name: str | None) -> float | None:
        """Of the F-test that the coefficients of a block are nothing; of the intercepts, if there is no name."""
        part = slice(0, 1) if name is None else self._slices[name]
        beta, inverse = self._beta[part], self._inverse[part, part]
        explained, degrees = float(np.sum(beta * np.linalg.solve(inverse, beta))), beta.size
        if not self._free:
            return None
        if self._left <= ROUNDING * self._whole:
            return 0.0 if explained > ROUNDING * self._whole else 1.0
        return float(scipy_stats().f.sf(explained / degrees / (self._left / self._free), degrees, self._free))


def _slices(widths: Iterator[int]) -> Iterator[slice]:
    begin = 1
    for width in widths:
        yield slice(begin, begin + width)
        begin += width


def _products(first: Numbers, second: Numbers) -> Numbers:
    """A column for each pair of columns."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def _contrasts(count: int) -> Numbers:
    """Rows of length 1, orthogonal to one another and to the mean."""
    rows = np.zeros((count - 1, count))
    for place in range(count - 1):
        rows[place, : place + 1], rows[place, place + 1] = 1.0, -(place + 1.0)
    lengths: Numbers = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths
