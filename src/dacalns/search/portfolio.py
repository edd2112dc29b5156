"""Portfolios: which destroy and repair operators a search may choose from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dacalns.core import (
    blinks,
    cluster_removal,
    historical_removal,
    noisy_repair,
    polished_repair,
    random_worst_removal,
    related_removal,
    route_removal,
    string_removal,
    tail_exchange,
    time_oriented_removal,
)
from dacalns.core import destroy as destroy_kernels
from dacalns.core import repair as repair_kernels
from dacalns.core.stepper import SLOTS
from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.search.acceptance import AcceptanceCriterion, LocalAnnealing, SimulatedAnnealing
from dacalns.search.operators import DestroyOperator, Operator, RepairOperator, Scale
from dacalns.search.start import CONSTRUCTIONS
from dacalns.search.user_file import load_file, split_file

random_removal = DestroyOperator("random_removal", destroy_kernels.random_removal, scale=Scale(0.1, 0.4, fraction=True))
worst_removal = DestroyOperator("worst_removal", destroy_kernels.worst_removal, scale=Scale(5, 20))
random_repair = RepairOperator("random_repair", repair_kernels.random_repair)
greedy_repair = RepairOperator("greedy_repair", repair_kernels.greedy_repair)
regret_repair = RepairOperator("regret_repair", repair_kernels.regret_repair)


_string_removal = DestroyOperator("string_removal", string_removal.string_removal, scale=Scale(10, 10))
_tail_exchange = DestroyOperator("tail_exchange", tail_exchange.tail_exchange, ("vrptw",), Scale(10, 10))

# The registry: operators that a portfolio can name, each with its scale.
DESTROY_OPERATORS = {
    operator.name: operator
    for operator in (
        random_removal,
        worst_removal,
        _string_removal,
        DestroyOperator("long_string_removal", string_removal.long_string_removal, scale=Scale(15, 15)),
        _tail_exchange,
        DestroyOperator("related_removal", related_removal.related_removal, scale=Scale(5, 20)),
        DestroyOperator("route_removal", route_removal.route_removal, scale=Scale(1, 20)),
        DestroyOperator("cluster_removal", cluster_removal.cluster_removal, scale=Scale(5, 20)),
        DestroyOperator(
            "time_oriented_removal", time_oriented_removal.time_oriented_removal, ("vrptw",), scale=Scale(5, 20)
        ),
        DestroyOperator("random_worst_removal", random_worst_removal.random_worst_removal, scale=Scale(5, 20)),
        DestroyOperator("historical_removal", historical_removal.historical_removal, scale=Scale(5, 20)),
    )
}
REPAIR_OPERATORS = {
    operator.name: operator
    for operator in (
        random_repair,
        greedy_repair,
        regret_repair,
        RepairOperator("regret_3_repair", repair_kernels.regret_3_repair),
        RepairOperator("regret_4_repair", repair_kernels.regret_4_repair),
        RepairOperator("noisy_regret_repair", noisy_repair.noisy_regret_repair),
        RepairOperator("polished_regret_repair", polished_repair.polished_regret_repair),
        RepairOperator("blink_repair", blinks.blink_repair),
        RepairOperator("polished_blink_repair", polished_repair.polished_blink_repair),
        RepairOperator("blink_random_repair", blinks.blink_random_repair),
        RepairOperator("blink_demand_repair", blinks.blink_demand_repair),
        RepairOperator("blink_far_repair", blinks.blink_far_repair),
        RepairOperator("blink_close_repair", blinks.blink_close_repair),
        RepairOperator("blink_narrow_repair", blinks.blink_narrow_repair, ("vrptw",)),
        RepairOperator("blink_early_repair", blinks.blink_early_repair, ("vrptw",)),
        RepairOperator("blink_late_repair", blinks.blink_late_repair, ("vrptw",)),
    )
}


@dataclass(frozen=True, init=False)
class Portfolio:
    """The operators of a search.

    Parameters
    ----------
    destroy, repair
        At least one and at most 32 of each, with names that differ: operators, or names of registered ones.
    name
        What to call it in results.
    acceptance
        The criterion for searches that are given no other.
    construction
        How searches build a start that are given none: ``"regret"`` insertion, or by ``"savings"``, which opens more
        routes where vehicles are many. Beyond 4,000 customers it is always by savings.

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

    def __init__(
        self,
        destroy: Sequence[DestroyOperator | str],
        repair: Sequence[RepairOperator | str],
        name: str = "custom",
        acceptance: AcceptanceCriterion | None = None,
        construction: str = "regret",
    ) -> None:
        object.__setattr__(self, "destroy", _resolved("destroy operator", destroy, DESTROY_OPERATORS))
        object.__setattr__(self, "repair", _resolved("repair operator", repair, REPAIR_OPERATORS))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "acceptance", SimulatedAnnealing() if acceptance is None else acceptance)
        object.__setattr__(self, "construction", require_choice("construction", construction, CONSTRUCTIONS))
        for kind, operators, of_type in (
            ("destroy", self.destroy, DestroyOperator),
            ("repair", self.repair, RepairOperator),
        ):
            if not 1 <= len(operators) <= SLOTS:
                raise InputError(
                    f"portfolio {self.name!r} has {len(operators)} {kind} operators; expected 1 to {SLOTS}."
                )
            for operator in operators:
                if not isinstance(operator, of_type):
                    raise InputError(
                        f"portfolio {self.name!r} has {operator!r} among its {kind} operators; expected one made "
                        f"with @{kind}_operator."
                    )
            name, uses = Counter(operator.name for operator in operators).most_common(1)[0]
            if uses > 1:
                raise InputError(
                    f"portfolio {self.name!r} has {uses} {kind} operators named {name!r}; expected names that differ."
                )

    def for_problem(self, problem: str) -> "Portfolio":
        """The operators that declare themselves fit for ``problem``."""

        def fit(operators: Sequence[Operator]) -> list[Operator]:
            return [operator for operator in operators if problem in operator.problems]

        destroy, repair = fit(self.destroy), fit(self.repair)
        if not destroy or not repair:
            missing = "repair" if destroy else "destroy"
            raise InputError(f"portfolio {self.name!r} has no {missing} operator for {problem}; add one.")
        return Portfolio(destroy, repair, self.name, self.acceptance, self.construction)  # type: ignore[arg-type]


def _resolved(kind: str, given: Sequence[Any], registry: dict[str, Any]) -> tuple[Any, ...]:
    """Registered operators in place of their names."""
    named = (given,) if isinstance(given, str | Operator) else given
    if not isinstance(named, Sequence):
        raise InputError(f"{kind}s are {given!r}; expected a list of operators, or of names of registered ones.")
    return tuple(
        registry[require_choice(kind, entry, tuple(registry))] if isinstance(entry, str) else entry for entry in named
    )


PORTFOLIOS = {
    "paper": Portfolio((random_removal, worst_removal), (random_repair, greedy_repair, regret_repair), name="paper"),
    "full": Portfolio(
        (
            "string_removal",
            _string_removal.at(count=(15, 15)),
            "long_string_removal",
            "related_removal",
            _tail_exchange.at(count=(5, 5)),
            "tail_exchange",
            _tail_exchange.at(count=(15, 15)),
        ),
        ("blink_repair", "polished_blink_repair", "polished_regret_repair"),
        name="full",
        acceptance=LocalAnnealing(),
        construction="savings",
    ),
}


def as_portfolio(given: str | Portfolio) -> Portfolio:
    """A portfolio from its name, from ``FILE.py`` or ``FILE.py:VARIABLE``, or as it is."""
    if isinstance(given, Portfolio):
        return given
    if in_file := split_file(str(given)):
        return _load(*in_file)
    return PORTFOLIOS[require_choice("portfolio", given, tuple(PORTFOLIOS))]


def _load(path: Path, variable: str | None) -> Portfolio:
    module = load_file(path, "portfolio")
    found = {key: value for key, value in vars(module).items() if isinstance(value, Portfolio)}
    if variable:
        if variable not in found:
            raise InputError(
                f"{path} has no Portfolio {variable!r}; expected one of: {', '.join(found) or 'none there'}."
            )
        return found[variable]
    own = [portfolio for portfolio in found.values() if portfolio not in PORTFOLIOS.values()]
    if len(own) != 1:
        raise InputError(
            f"{path} defines {len(own)} portfolios; expected exactly one, or name it as {path.name}:VARIABLE."
        )
    return own[0]
