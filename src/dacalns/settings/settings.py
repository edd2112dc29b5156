"""The settings of a search in small dataclasses: when it stops, its seed and objective, its selector, and the rest."""

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from dacalns.search.acceptance import (
    AcceptanceCriterion,
    HillClimbing,
    LateAcceptance,
    LocalAnnealing,
    RecordToRecord,
    SimulatedAnnealing,
    Threshold,
    as_acceptance,
)
from dacalns.search.parallel import MOST_JOBS
from dacalns.search.portfolio import PORTFOLIOS, Portfolio, as_portfolio, named_portfolio, with_operators
from dacalns.search.signals import require_call_limit
from dacalns.search.stopping import (
    MaxIterations,
    MaxTime,
    NoImprovement,
    StoppingCriterion,
    TargetCost,
    require_objective,
)
from dacalns.search.user_code import split_file
from dacalns.selectors.by_name import SELECTORS, as_selector
from dacalns.selectors.settings import PRESETS, LearningSettings, NetworkSettings, Rewards
from dacalns.settings.toml_file import toml_table
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import VALUE, shortened, shown, text_of
from dacalns.util.values import LARGEST_SEED, did_you_mean, require_choice, whole_number

# Budgets.

BUDGETS: dict[str, Callable[[Any], StoppingCriterion]] = {
    "time": MaxTime,
    "iterations": MaxIterations,
    "no_improvement": NoImprovement,
    "target": TargetCost,
}
"""The criterion that each field of `StopSettings` stands for."""


@dataclass(frozen=True)
class StopSettings:
    """The budgets of a search, which stops as soon as one of them is used up.

    Parameters
    ----------
    time
        A number of seconds.
    iterations
        A number of iterations.
    no_improvement
        A number of iterations without a new best solution.
    target
        A cost that is good enough.

    Raises
    ------
    InputError
        When a budget makes no sense.
    """

    time: float | None = None
    iterations: int | None = None
    no_improvement: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in BUDGETS}
        criteria = [BUDGETS[name](value) for name, value in given.items() if value is not None]
        object.__setattr__(self, "_criterion", reduce(or_, criteria) if criteria else None)

    def criterion(self) -> StoppingCriterion | None:
        """Return the criterion that combines the budgets, or None if there is none."""
        criterion: StoppingCriterion | None = self._criterion  # type: ignore[attr-defined]
        return criterion


# Operators, seed, jobs and objective.


@dataclass(frozen=True)
class SearchSettings:
    """The operators, seed, jobs and objective of a search, and the time limit for calls of your own code.

    Parameters
    ----------
    portfolio
        A name, or ``FILE.py`` or ``FILE.py:VARIABLE``, relative to the folder in which the search is started.
    seed
        The seed of all that is random.
    jobs
        The number of searches to run side by side.
    objective
        ``"distance"`` or ``"vehicles-then-distance"``.
    call_limit
        The seconds that one call of your own operator, selector or criterion may take.
    destroy, repair
        Names of operators in place of those of the portfolio, at another scale as ``"worst_removal@5-20"`` or
        ``"random_removal@10%-40%"``. The trained policies are for other operators, so the roulette wheel is the default
        selector then.

    Raises
    ------
    InputError
        When there is no such portfolio, operator or objective, the seed is not a whole number of 0 or more, jobs not
        one of 1 or more, or the limit not more than 0.
    """

    portfolio: str | None = None
    seed: int | None = None
    jobs: int | None = None
    objective: str | None = None
    call_limit: float | None = None
    destroy: tuple[str, ...] | None = None
    repair: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for side in ("destroy", "repair"):
            self._require_names(side)
        with_operators(PORTFOLIOS["full"], self.destroy, self.repair)
        # A file is code: it is run when a search needs it, not when settings are read.
        if self.portfolio is not None and not split_file(text_of(self.portfolio)):
            named_portfolio(self.portfolio)
        if self.seed is not None:
            object.__setattr__(self, "seed", whole_number("seed", self.seed, minimum=0, maximum=LARGEST_SEED))
        if self.jobs is not None:
            object.__setattr__(self, "jobs", whole_number("jobs", self.jobs, minimum=1, maximum=MOST_JOBS))
        if self.objective is not None:
            require_objective(self.objective)
        if self.call_limit is not None:
            object.__setattr__(self, "call_limit", require_call_limit(self.call_limit))

    def _require_names(self, side: str) -> None:
        given = getattr(self, side)
        if given is None:
            return
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            raise InputError(f"{side} is {shown(given)}; expected a list of names of operators; correct it.")
        object.__setattr__(self, side, tuple(given))

    @property
    def operators(self) -> str | Portfolio | None:
        """What `dacalns.solve` takes as its portfolio; a file is run if other operators take the place of its own."""
        if self.destroy is None and self.repair is None:
            return self.portfolio
        return with_operators(as_portfolio(self.portfolio or "full"), self.destroy, self.repair)


# The selector and its fields.

PARTS = ("rewards", "network", "learning")
"""The fields of a learned selector that have tables of their own."""


@dataclass(frozen=True)
class SelectorSettings:
    """A selector, given by its name and fields.

    Parameters
    ----------
    name
        A name that `dacalns.solve` takes: ``"roulette"``, ``"weights:1,0/0,1,2"`` and so on.
    preset
        For learned selectors, the preset that has the values which are not given: a name in `dacalns.PRESETS`.
    values
        The selector's other fields, such as ``{"segment": 50}`` for roulette.

    Raises
    ------
    InputError
        When there is no such selector or preset, or the selector has no such field.
    """

    name: str = "roulette"
    preset: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", dict(self.values))
        known = self.fields
        for key in self.values:
            if key not in known:
                listed = ", ".join(known) or "none"
                raise InputError(
                    f"selector {shortened(text_of(self.name), VALUE)} has no field {shown(key)}; expected one of: "
                    f"{listed}; " + (did_you_mean(key, known) or "leave it out.")
                )
        if self.preset is not None:
            require_choice("preset", self.preset, tuple(PRESETS))
            if not self.learned:
                raise InputError(
                    f"preset is {shown(self.preset)}; expected none for selector "
                    f"{shortened(text_of(self.name), VALUE)}, which does not learn; leave it out."
                )
        # A file is code: it is run when a search needs it, not when settings are read.
        if not isinstance(self.name, str) or not split_file(self.name):
            self.build()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the selector that may be in ``values``."""
        return tuple(name for name in _all_fields(self.name) if name not in PARTS)

    @property
    def learned(self) -> bool:
        """True if the selector has rewards, network or learning as settings."""
        return any(part in _all_fields(self.name) for part in PARTS)

    def build(self, **parts: Any) -> Any:
        """Return the selector itself.

        Parameters
        ----------
        parts
            ``rewards``, ``network`` and ``learning``; those that are None or left out are the preset's.
        """
        if not isinstance(self.name, str) or self.name not in SELECTORS:
            return as_selector(self.name)
        given = dict(self.values)
        preset = PRESETS[self.preset or "paper"]
        for part in PARTS:
            if part in _all_fields(self.name):
                given[part] = parts.get(part) or getattr(preset, part)
        if "prior" in _all_fields(self.name):
            given.setdefault("prior", preset.prior)
        make: Any = SELECTORS[self.name]
        return make(**given)


def _all_fields(name: str) -> tuple[str, ...]:
    kind = SELECTORS.get(name) if isinstance(name, str) else None
    if kind is None or not dataclasses.is_dataclass(kind):
        return ()
    return tuple(entry.name for entry in dataclasses.fields(kind) if entry.init)


# All settings of a search.

ACCEPTANCE: dict[str, type] = {
    kind.__name__: kind
    for kind in (SimulatedAnnealing, LocalAnnealing, RecordToRecord, Threshold, HillClimbing, LateAcceptance)
}


@dataclass(frozen=True)
class Settings:
    """All settings of a search, as a settings file has them; a part that is None has its defaults.

    Parameters
    ----------
    search
        The operators, seed, jobs and objective, and the time limit for calls of your own code.
    stop
        The budgets.
    acceptance
        The acceptance criterion.
    selector
        The selector and its fields.
    rewards, network, learning
        The parts of a learned selector.

    Raises
    ------
    InputError
        When a part is not of its kind.

    Examples
    --------
    >>> import dacalns
    >>> settings = dacalns.Settings(stop=dacalns.StopSettings(iterations=100))
    >>> dacalns.solve("P-n16-k8", **settings.options()).iterations
    100
    """

    search: SearchSettings | None = None
    stop: StopSettings | None = None
    acceptance: AcceptanceCriterion | None = None
    selector: SelectorSettings | None = None
    rewards: Rewards | None = None
    network: NetworkSettings | None = None
    learning: LearningSettings | None = None

    def __post_init__(self) -> None:
        for part, kind in PART_KINDS.items():
            given = getattr(self, part)
            if given is not None and not isinstance(given, kind):
                raise InputError(f"{part} is {shown(given)}; expected None or an object such as {kind.__name__}().")

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments for `dacalns.solve`.

        These are ``selector``, ``portfolio``, ``acceptance``, ``stop``, ``seed``, ``jobs``, ``objective`` and
        ``call_limit``, but only those that are set; the rest keeps its default.
        """
        given = {
            "selector": self.selector and self.selector.build(**{part: getattr(self, part) for part in PARTS}),
            "portfolio": self.search and self.search.operators,
            "acceptance": self.acceptance,
            "stop": self.stop and self.stop.criterion(),
            "seed": None if self.search is None else self.search.seed,
            "jobs": self.search and self.search.jobs,
            "objective": self.search and self.search.objective,
            "call_limit": self.search and self.search.call_limit,
        }
        return {name: value for name, value in given.items() if value is not None}

    @property
    def summary(self) -> str:
        """The selector, if one is named, the seed and the jobs in a few words."""
        name = "" if self.selector is None else f"{self.selector.name}  "
        seed = 0 if self.search is None or self.search.seed is None else self.search.seed
        jobs = 1 if self.search is None or self.search.jobs is None else self.search.jobs
        return f"{name}seed {seed}" + (f"  {jobs} jobs" if jobs > 1 else "")

    def overridden(
        self,
        *,
        selector: str | None = None,
        portfolio: str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        objective: str | None = None,
        acceptance: str | None = None,
        call_limit: float | None = None,
        stop: StopSettings | None = None,
    ) -> "Settings":
        """Return the settings with the given values in place of those that are set.

        Parameters
        ----------
        selector
            The name of another selector. The fields of the old one are dropped, unless it is the same; a preset stays
            if both learn.
        portfolio, seed, jobs, objective, call_limit
            Values in place of those that are set.
        acceptance
            The name of a criterion in place of the one that is set.
        stop
            Budgets in place of all that are set, if there are any.
        """
        changed: dict[str, Any] = {}
        if selector is not None and (self.selector is None or selector != self.selector.name):
            chosen = SelectorSettings(selector)
            tables = [part for part in PARTS if getattr(self, part) is not None]
            if tables and ":" in selector and selector.partition(":")[0] in SELECTORS:
                raise InputError(
                    f"selector is {shown(selector)}, but the settings have [{tables[0]}]; expected one of the two; "
                    "write what stands behind the colon into the settings, or leave the table out."
                )
            if chosen.learned and self.selector is not None and self.selector.preset is not None:
                chosen = replace(chosen, preset=self.selector.preset)
            changed["selector"] = chosen
        given = {
            "portfolio": portfolio, "seed": seed, "jobs": jobs, "objective": objective, "call_limit": call_limit,
        }  # fmt: skip
        others: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if portfolio is not None:  # another one with all that it has
            others |= {"destroy": None, "repair": None}
        if others:
            changed["search"] = replace(self.search or SearchSettings(), **others)
        if acceptance is not None:
            changed["acceptance"] = as_acceptance(acceptance)
        if stop is not None and stop.criterion() is not None:
            changed["stop"] = stop
        return replace(self, **changed)

    def to_toml(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the settings as text that `dacalns.load_settings` reads, and write it to ``path`` if one is given.

        Raises
        ------
        InputError
            When the acceptance criterion is one of your own, or the file cannot be written.
        """
        tables = []
        for part in (entry.name for entry in fields(self)):
            given = getattr(self, part)
            if given is None:
                continue
            if part == "acceptance":
                values = {"type": _acceptance_name(given), **asdict(given)}
            elif part == "selector":
                values = {"name": given.name, "preset": given.preset, **given.values}
            else:
                values = asdict(given)
            tables.append(toml_table(part, values))
        text = "\n".join(tables)
        if path is not None:
            write_atomically(path, text)
        return text


PART_KINDS: dict[str, type] = {
    "search": SearchSettings,
    "stop": StopSettings,
    "selector": SelectorSettings,
    "rewards": Rewards,
    "network": NetworkSettings,
    "learning": LearningSettings,
}


def _acceptance_name(criterion: AcceptanceCriterion) -> str:
    name = type(criterion).__name__
    if ACCEPTANCE.get(name) is not type(criterion) or not is_dataclass(criterion):
        raise InputError(
            f"acceptance is {shown(criterion)}; expected one of {', '.join(ACCEPTANCE)} to write it to a file."
        )
    return name
