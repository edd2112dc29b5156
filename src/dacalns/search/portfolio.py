"""Portfolios: which destroy and repair operators a search may choose from."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from dacalns.core import blinks, related_removals, removals, repairs, rich_removals, string_removals
from dacalns.instances.features import PAIRS, PLAIN, PRIZES, VEHICLE_TYPES, WINDOWS, problem_called
from dacalns.search.acceptance import (
    CALIBRATED,
    AcceptanceCriterion,
    Accepts,
    LocalAnnealing,
    SimulatedAnnealing,
    as_acceptance,
)
from dacalns.search.draft import Draft
from dacalns.search.operators import (
    ALL,
    DestroyOperator,
    Operator,
    PythonDestroy,
    PythonRepair,
    RepairOperator,
    Scale,
    as_operator,
    in_another_search,
    scale_called,
)
from dacalns.search.start import CONSTRUCTIONS
from dacalns.search.user_code import load_file, split_file
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown, text_of
from dacalns.util.values import require_choice

NEEDS_WINDOWS = frozenset({WINDOWS})
# Operators for `ALL` ask the terms, and hold for all problems: also for a feature that is new, as the terms decide what
# it means. The sets of other solvers and of file formats name every feature, as those would leave out a new one in
# silence.
Plain = Callable[[Draft, np.random.Generator], None]
DestroyOperators = Sequence[DestroyOperator | Plain | str] | DestroyOperator | Plain
RepairOperators = Sequence[RepairOperator | Plain | str] | RepairOperator | Plain

random_removal = DestroyOperator("random_removal", removals.random_removal, ALL, scale=Scale(0.1, 0.4, fraction=True))
worst_removal = DestroyOperator("worst_removal", removals.worst_removal, ALL, scale=Scale(5, 20))
random_repair = RepairOperator("random_repair", repairs.random_repair)
greedy_repair = RepairOperator("greedy_repair", repairs.greedy_repair, ALL)
regret_repair = RepairOperator("regret_repair", repairs.regret_repair, ALL)
_random_place_repair = RepairOperator("random_place_repair", repairs.random_place_repair)

_string_removal = DestroyOperator("string_removal", string_removals.string_removal, ALL, scale=Scale(10, 10))
_tail_exchange = DestroyOperator(
    "tail_exchange", string_removals.tail_exchange, ALL, needs=NEEDS_WINDOWS, scale=Scale(10, 10)
)
# In `full` it is for VRPTW alone: one policy for several kinds of richer problems needs the same operators for all.
_tails_of_vrptw = replace(_tail_exchange, features=PLAIN)

# The registry: operators that a portfolio can name, each with its scale.
DESTROY_OPERATORS = {
    operator.name: operator
    for operator in (
        random_removal,
        worst_removal,
        _string_removal,
        DestroyOperator("long_string_removal", string_removals.long_string_removal, ALL, scale=Scale(15, 15)),
        _tail_exchange,
        DestroyOperator("related_removal", related_removals.related_removal, ALL, scale=Scale(5, 20)),
        DestroyOperator("route_removal", removals.route_removal, ALL, scale=Scale(1, 20)),
        DestroyOperator("cluster_removal", related_removals.cluster_removal, ALL, scale=Scale(5, 20)),
        DestroyOperator(
            "time_oriented_removal",
            related_removals.time_oriented_removal,
            ALL,
            needs=NEEDS_WINDOWS,
            scale=Scale(5, 20),
        ),
        DestroyOperator("random_worst_removal", removals.random_worst_removal, ALL, scale=Scale(5, 20)),
        DestroyOperator("historical_removal", removals.historical_removal, scale=Scale(5, 20)),
        DestroyOperator("pair_removal", rich_removals.pair_removal, ALL, frozenset({PAIRS}), Scale(5, 20)),
        DestroyOperator(
            "vehicle_exchange", rich_removals.vehicle_exchange, ALL, frozenset({VEHICLE_TYPES}), Scale(10, 10)
        ),
        DestroyOperator("prize_removal", rich_removals.prize_removal, ALL, frozenset({PRIZES}), Scale(5, 20)),
    )
}
REPAIR_OPERATORS = {
    operator.name: operator
    for operator in (
        random_repair,
        greedy_repair,
        regret_repair,
        _random_place_repair,
        RepairOperator("regret_3_repair", repairs.regret_3_repair, ALL),
        RepairOperator("regret_4_repair", repairs.regret_4_repair),
        RepairOperator("noisy_regret_repair", repairs.noisy_regret_repair, ALL),
        RepairOperator("polished_regret_repair", repairs.polished_regret_repair, ALL),
        RepairOperator("blink_repair", blinks.blink_repair, ALL),
        RepairOperator("polished_blink_repair", repairs.polished_blink_repair, ALL),
        RepairOperator("blink_random_repair", blinks.blink_random_repair, ALL),
        RepairOperator("blink_demand_repair", blinks.blink_demand_repair, ALL),
        RepairOperator("blink_far_repair", blinks.blink_far_repair, ALL),
        RepairOperator("blink_close_repair", blinks.blink_close_repair, ALL),
        RepairOperator("blink_narrow_repair", blinks.blink_narrow_repair, ALL, needs=NEEDS_WINDOWS),
        RepairOperator("blink_early_repair", blinks.blink_early_repair, ALL, needs=NEEDS_WINDOWS),
        RepairOperator("blink_late_repair", blinks.blink_late_repair, ALL, needs=NEEDS_WINDOWS),
    )
}

FIXED_MIXTURE = "fixed mixture: no trained policy for this problem"
"""What a result says of a selector that stands in for the portfolio's own, see `Portfolio.mixture`."""

# Selectors that choose by a policy for just the operators that it was trained with, and what stands in for them.
TRAINED, INSTEAD = ("dac-t", "wheel"), "roulette"
# The selector of portfolios whose mixture chooses for all problems.
BY_MIXTURE = "mixture"
NOT_TRAINED = "the policy of {} was trained without the operators added"
"""What a result says of that."""

# Of a kind. Selectors keep a table of all pairs, and learn nothing of a pair that hardly ever has its turn.
MOST_OPERATORS = 32


@dataclass(frozen=True, init=False)
class Portfolio:
    """The operators of a search.

    Parameters
    ----------
    destroy, repair
        At least one and at most 32 of each, with names that differ: operators, names of registered ones, as
        ``"random_removal@10%-40%"`` or ``"worst_removal@5-20"`` at another scale, or any callables ``(draft, rng)`` in
        plain Python, see `Draft`.
    name
        What to call it in results.
    acceptance
        The criterion for searches that are given no other: an object, a name of `dacalns.ACCEPTANCES`, or a callable.
    construction
        How searches build a start that are given none: ``"regret"`` insertion, or by ``"savings"``, which opens more
        routes where vehicles are many. Beyond 4,000 customers it is always by savings.
    selector
        The name of the selector for searches that are given no other; ``"mixture"`` draws operators as that says.
    mixture
        How often operators are drawn for problems beyond CVRP and VRPTW in searches that are given no selector: pairs
        of a name and a weight, 1 for those that are not named. If left out, ``selector`` serves all problems.

    Raises
    ------
    InputError
        If there are none or too many, or names repeat.
    """

    destroy: tuple[DestroyOperator, ...]
    repair: tuple[RepairOperator, ...]
    name: str
    acceptance: AcceptanceCriterion
    construction: str
    selector: str
    mixture: tuple[tuple[str, float], ...]
    selector_note: str  #: why the selector is another one than that of the portfolio which this one was made of

    def __init__(
        self,
        destroy: DestroyOperators,
        repair: RepairOperators,
        name: str = "custom",
        acceptance: str | AcceptanceCriterion | Accepts | None = None,
        construction: str = "regret",
        selector: str = "roulette",
        mixture: Sequence[tuple[str, float]] = (),
    ) -> None:
        object.__setattr__(self, "destroy", _resolved("destroy", destroy, DESTROY_OPERATORS))
        object.__setattr__(self, "repair", _resolved("repair", repair, REPAIR_OPERATORS))
        object.__setattr__(self, "name", name)
        criterion = SimulatedAnnealing() if acceptance is None else as_acceptance(acceptance)
        object.__setattr__(self, "acceptance", criterion)
        object.__setattr__(self, "construction", require_choice("construction", construction, CONSTRUCTIONS))
        object.__setattr__(self, "selector", selector)
        object.__setattr__(self, "mixture", tuple(mixture))
        object.__setattr__(self, "selector_note", "")
        for kind, operators, of_type in (
            ("destroy", self.destroy, DestroyOperator),
            ("repair", self.repair, RepairOperator),
        ):
            if not 1 <= len(operators) <= MOST_OPERATORS:
                raise InputError(
                    f"portfolio {shown(self.name)} has {len(operators)} {kind} operators; expected 1 to "
                    f"{MOST_OPERATORS}."
                )
            for operator in operators:
                if not isinstance(operator, of_type):
                    raise InputError(
                        f"portfolio {shown(self.name)} has {shown(operator)} among its {kind} operators; expected one "
                        f"made with @{kind}_operator, or something that is called with (draft, rng)."
                    )
            name, uses = Counter(operator.name for operator in operators).most_common(1)[0]
            if uses > 1:
                raise InputError(
                    f"portfolio {shown(self.name)} has {uses} {kind} operators named {shown(name)}; expected names "
                    "that differ."
                )

    def with_(
        self,
        *,
        destroy: DestroyOperators = (),
        repair: RepairOperators = (),
        name: str | None = None,
        acceptance: str | AcceptanceCriterion | Accepts | None = None,
        construction: str | None = None,
        selector: str | None = None,
        mixture: Mapping[str, float] | Sequence[tuple[str, float]] = (),
    ) -> "Portfolio":
        """Return the portfolio with more operators, and with other settings where these are given.

        Parameters
        ----------
        destroy, repair
            Operators besides those there are: objects, names of registered ones, or any callables in plain Python.
        name
            What to call it; if left out, the name there is and those of the new operators.
        acceptance, construction
            In place of what there is.
        selector
            The name of the selector for searches that are given no other. If left out, it is the one there is; but in
            place of a trained policy, which knows no other operators than those it was trained with, it is the roulette
            wheel, and results say so.
        mixture
            How often operators are drawn, by name; 1 for those that are named nowhere. If given, these weights choose
            for all problems unless a selector is given: for an operator that takes a thousand times as long as others.

        Raises
        ------
        InputError
            As for a portfolio made from scratch.

        Examples
        --------
        >>> wider = PORTFOLIOS["full"].with_(destroy=["worst_removal"])
        >>> wider.name, wider.selector
        ('full + worst_removal', 'roulette')
        >>> wider.with_(mixture={"worst_removal": 0.1}).for_features(set()).selector
        'weights:1,1,1,1,0.1/1,1,0.5'
        """
        more = _resolved("destroy", destroy, DESTROY_OPERATORS)
        others = _resolved("repair", repair, REPAIR_OPERATORS)
        names = [str(getattr(entry, "name", entry)) for entry in (*more, *others)]
        made = Portfolio(
            (*self.destroy, *more),
            (*self.repair, *others),
            " + ".join([self.name, *names]) if name is None else name,
            self.acceptance if acceptance is None else acceptance,
            self.construction if construction is None else construction,
            self.selector if selector is None else selector,
            tuple((dict(self.mixture) | dict(mixture)).items()),
        )
        if selector is None and mixture:
            object.__setattr__(made, "selector", BY_MIXTURE)
        elif selector is None and names and self.selector in TRAINED:
            object.__setattr__(made, "selector", INSTEAD)
            object.__setattr__(made, "selector_note", NOT_TRAINED.format(self.selector))
        elif selector is None:
            object.__setattr__(made, "selector_note", self.selector_note)
        return made

    def in_another_search(self) -> "Portfolio":
        """Return the portfolio for a search beside the first one: operators in plain Python are copied."""
        if not any(isinstance(entry, PythonDestroy | PythonRepair) for entry in (*self.destroy, *self.repair)):
            return self
        return self._with_operators(map(in_another_search, self.destroy), map(in_another_search, self.repair))

    def _with_operators(self, destroy: Iterable[DestroyOperator], repair: Iterable[RepairOperator]) -> "Portfolio":
        """Return the portfolio with these operators instead, unchecked."""
        made = object.__new__(type(self))
        # All fields, those of a subclass too, but not what is cached beside them.
        for entry in fields(self):
            object.__setattr__(made, entry.name, getattr(self, entry.name))
        object.__setattr__(made, "destroy", tuple(destroy))
        object.__setattr__(made, "repair", tuple(repair))
        return made

    def for_features(self, features: Set[str]) -> "Portfolio":
        """Return the portfolio with those operators that fit an instance with these features.

        Raises
        ------
        InputError
            If no destroy or no repair operator is left.
        """
        wanted = frozenset(features)
        if wanted not in self._fit:
            self._fit[wanted] = self._fit_for(wanted)
        return self._fit[wanted]

    @cached_property
    def _fit(self) -> dict[frozenset[str], "Portfolio"]:
        return {}

    def _fit_for(self, features: frozenset[str]) -> "Portfolio":
        destroy = [operator for operator in self.destroy if operator.fits(features)]
        repair = [operator for operator in self.repair if operator.fits(features)]
        if not destroy or not repair:
            missing = "repair" if destroy else "destroy"
            raise InputError(
                f"portfolio {shown(self.name)} has no {missing} operator for {problem_called(features)}; expected one "
                f"that supports {listed(sorted(features)) or 'instances without time windows'}; add one."
            )
        made = self._with_operators(destroy, repair)
        by_mixture = self.selector == BY_MIXTURE
        if by_mixture or (self.mixture and not features <= PLAIN):
            object.__setattr__(made, "selector_note", "" if by_mixture else FIXED_MIXTURE)
            object.__setattr__(made, "selector", _weights(dict(self.mixture), destroy, repair))
        return made


def _weights(mixture: dict[str, float], destroy: Sequence[DestroyOperator], repair: Sequence[RepairOperator]) -> str:
    """The selector that draws operators as a mixture says."""
    sides = (",".join(f"{mixture.get(operator.name, 1.0):g}" for operator in side) for side in (destroy, repair))
    return f"weights:{'/'.join(sides)}"


def _resolved(kind: str, given: Any, registry: dict[str, Any]) -> tuple[Any, ...]:
    """Registered operators in place of their names, and operators in plain Python in place of callables."""
    named = (given,) if isinstance(given, str | Operator) or callable(given) else given
    if not isinstance(named, Sequence):
        raise InputError(
            f"{kind} operators are {shown(given)}; expected a list of operators, or of names of registered ones."
        )
    return tuple(
        _registered(f"{kind} operator", entry, registry) if isinstance(entry, str) else as_operator(kind, entry)
        for entry in named
    )


def _registered(kind: str, name: str, registry: dict[str, Any]) -> Any:
    """The operator of a name; behind that of a destroy operator, ``@`` and another scale may follow."""
    name, at, scale = name.partition("@")
    operator = registry[require_choice(kind, name, tuple(registry))]
    if not at:
        return operator
    if not isinstance(operator, DestroyOperator):
        raise InputError(
            f"{kind} is {shown(name + at + scale)}; expected a name alone, as it has no scale; write {name}."
        )
    chosen = scale_called(scale)
    ends = (chosen.low, chosen.high)
    return operator.at(fraction=ends) if chosen.fraction else operator.at(count=ends)


PAPER = "paper"
RATIO, ANYWHERE, SCALES = "ratio", "anywhere", "scales"
READINGS = {
    RATIO: "worst removal takes 10 to 40 % of the customers (Appendix A), not 5 to 20 (Table 4)",
    ANYWHERE: "random repair inserts at any feasible place of a random route, not at the cheapest one",
    SCALES: "each destroy operator is three, one for each band of its scale: the selector chooses the scale, too",
}
"""Other readings of the paper's operators, as in ``"paper:ratio,scales"``."""

# Thirds of the ranges of the paper.
RATIO_BANDS, COUNT_BANDS = ((0.1, 0.2), (0.2, 0.3), (0.3, 0.4)), ((5, 10), (11, 15), (16, 20))


def paper_portfolio(*readings: str) -> Portfolio:
    """The paper's operators under other readings of it, see `READINGS`."""
    for word in readings:
        require_choice("reading of portfolio paper", word, tuple(READINGS))
    words = [word for word in READINGS if word in readings]
    by_ratio = RATIO in words
    destroy = [random_removal, worst_removal.at(fraction=(0.1, 0.4)) if by_ratio else worst_removal]
    if SCALES in words:
        random, worst = destroy
        destroy = [random.at(fraction=band) for band in RATIO_BANDS]
        destroy += (
            [worst_removal.at(fraction=band) for band in RATIO_BANDS]
            if by_ratio
            else [worst.at(count=band) for band in COUNT_BANDS]
        )
    repair = [_random_place_repair if ANYWHERE in words else random_repair, greedy_repair, regret_repair]
    return Portfolio(destroy, repair, f"{PAPER}:{','.join(words)}" if words else PAPER, CALIBRATED)


def paper_readings() -> list[Portfolio]:
    """The paper's operators under every combination of other readings."""
    sizes = range(1, len(READINGS) + 1)
    return [paper_portfolio(*words) for size in sizes for words in combinations(READINGS, size)]


def is_of_paper(portfolio: str) -> bool:
    """Return True if a portfolio of this name has the paper's operators, under whatever reading."""
    return portfolio.partition(":")[0] == PAPER


PORTFOLIOS = {
    PAPER: paper_portfolio(),
    "full": Portfolio(
        (
            "string_removal",
            _string_removal.at(count=(15, 15)),
            "long_string_removal",
            "related_removal",
            _tails_of_vrptw.at(count=(5, 5)),
            _tails_of_vrptw,
            _tails_of_vrptw.at(count=(15, 15)),
        ),
        ("blink_repair", "polished_blink_repair", "polished_regret_repair"),
        name="full",
        acceptance=LocalAnnealing(),
        construction="savings",
        # At least as good as the best of the others on instances that no training used.
        selector="dac-t",
        # It takes several times as long as the others; see docs/lab/variants.md.
        mixture=(("polished_regret_repair", 0.5),),
    ),
}


def as_portfolio(given: str | Portfolio) -> Portfolio:
    """A portfolio from its name, from ``FILE.py`` or ``FILE.py:VARIABLE``, or as it is.

    Behind ``paper``, a colon and other readings of it: ``"paper:ratio"``, ``"paper:anywhere,scales"``.
    """
    if isinstance(given, Portfolio):
        return given
    if in_file := split_file(text_of(given)):
        return _load(*in_file)
    return named_portfolio(given)


def with_operators(base: Portfolio, destroy: Sequence[str] | None, repair: Sequence[str] | None) -> Portfolio:
    """Return a portfolio with other operators, by name, in place of its own; what is None stays.

    No trained policy is for these, so the roulette wheel is its selector.
    """
    chosen = base.destroy if destroy is None else destroy, base.repair if repair is None else repair
    return Portfolio(*chosen, "custom", base.acceptance, base.construction, "roulette", base.mixture)


def named_portfolio(given: str) -> Portfolio:
    """One of `PORTFOLIOS`, or another reading of the paper's.

    Raises
    ------
    InputError
        If there is no such portfolio or reading.
    """
    name, colon, readings = text_of(given).partition(":")
    if name == PAPER and colon:
        return paper_portfolio(*readings.split(","))
    return PORTFOLIOS[require_choice("portfolio", given, (*PORTFOLIOS, "paper:READINGS", "FILE.py"))]


def _load(path: Path, variable: str | None) -> Portfolio:
    module = load_file(path, "portfolio")
    found = {key: value for key, value in vars(module).items() if isinstance(value, Portfolio)}
    if variable:
        if variable not in found:
            raise InputError(
                f"{path} has no Portfolio {shown(variable)}; expected one of: {', '.join(found) or 'none there'}."
            )
        return found[variable]
    own = [portfolio for portfolio in found.values() if portfolio not in PORTFOLIOS.values()]
    if len(own) != 1:
        raise InputError(
            f"{path} defines {len(own)} portfolios; expected exactly one, or name it as {path.name}:VARIABLE."
        )
    return own[0]
