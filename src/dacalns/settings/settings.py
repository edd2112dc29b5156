"""All settings of a search."""

import os
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

from dacalns.errors import InputError
from dacalns.instances.atomic import write_atomically
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
from dacalns.selectors.by_name import SELECTORS
from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards
from dacalns.settings.search_settings import SearchSettings
from dacalns.settings.selector_settings import PARTS, SelectorSettings
from dacalns.settings.stop_settings import StopSettings
from dacalns.settings.toml_text import toml_table
from dacalns.shown import shown

ACCEPTANCE: dict[str, type] = {
    kind.__name__: kind
    for kind in (SimulatedAnnealing, LocalAnnealing, RecordToRecord, Threshold, HillClimbing, LateAcceptance)
}


@dataclass(frozen=True)
class Settings:
    """What a settings file says; a part that is None is as it is by default.

    Parameters
    ----------
    search
        Operators, seed, jobs, objective and the limit for calls of your own code.
    stop
        The budgets.
    acceptance
        The acceptance criterion.
    selector
        Which selector, and its own fields.
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
        """What to pass to `dacalns.solve`.

        These are ``selector``, ``portfolio``, ``acceptance``, ``stop``, ``seed``, ``jobs``, ``objective`` and
        ``call_limit``, but only those that are set; the rest keeps its default.
        """
        given = {
            "selector": self.selector and self.selector.build(**{part: getattr(self, part) for part in PARTS}),
            "portfolio": self.search and self.search.portfolio,
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
        """Selector, seed and jobs in a few words."""
        name = "usual selector" if self.selector is None else self.selector.name
        seed = 0 if self.search is None or self.search.seed is None else self.search.seed
        jobs = 1 if self.search is None or self.search.jobs is None else self.search.jobs
        return f"{name}  seed {seed}" + (f"  {jobs} jobs" if jobs > 1 else "")

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
        """The same with what is given in place of what is set.

        Parameters
        ----------
        selector
            Another selector by name; the fields of the old one go, unless it is the same. A preset stays if both learn.
        portfolio, seed, jobs, objective, call_limit
            In place of those that are set.
        acceptance
            The name of a criterion, in place of the one that is set.
        stop
            If it has any budget, in place of all that are set.
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
        if others:
            changed["search"] = replace(self.search or SearchSettings(), **others)
        if acceptance is not None:
            changed["acceptance"] = as_acceptance(acceptance)
        if stop is not None and stop.criterion() is not None:
            changed["stop"] = stop
        return replace(self, **changed)

    def to_toml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The settings as `dacalns.load_settings` reads them, also written to ``path`` if one is given.

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
