"""A protocol says what a study does: which methods run on which instances, with which budgets and seeds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dacalns.search.stopping import PAPER_ITERATIONS, paper_iterations
from dacalns.selectors.settings import require_number
from dacalns.settings import SelectorSettings, Settings
from dacalns.study.readings import ReadingMap
from dacalns.study.rows import ProtocolOutline
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

PAPER = "paper"
POLICY = "{policy}"
MOST_PORTFOLIOS = 8
"""The placeholder in a method's selector for the policy of the group."""


@dataclass(frozen=True)
class InstanceGroup:
    """Instances that share a line in the tables.

    Parameters
    ----------
    name
        The name of the group.
    instances
        The instances, as `dacalns.read` takes them.
    dataset, scale
        The names in the tables, such as ``"CVRP"`` and ``"Small"``.
    policy
        The name of the training whose policy is used on these instances.
    seeds
        The seeds of every method on these instances; if None, those of the protocol.
    """

    name: str
    instances: tuple[str, ...]
    dataset: str
    scale: str
    policy: str | None = None
    seeds: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Method:
    """A selector with its settings.

    Parameters
    ----------
    name
        The name in the tables.
    selector
        The selector as it is written in the protocol.
    settings
        The settings of every search; if ``selector`` has ``{policy}``, they have the policy of the package.
    budgets
        The names of the budgets that it runs with; if None, all of them.
    """

    name: str
    selector: str
    settings: Settings
    budgets: tuple[str, ...] | None = None

    @property
    def needs_policy(self) -> bool:
        """True if the method uses a policy that is trained for the group."""
        return POLICY in self.selector

    def settings_with(self, policy: str | None) -> Settings:
        """Return the settings with a trained policy in place of ``{policy}``."""
        if not self.needs_policy or policy is None:
            return self.settings
        return replace(self.settings, selector=SelectorSettings(self.selector.replace(POLICY, policy)))


@dataclass(frozen=True)
class Budget:
    """How long each search may run: a number of iterations, a number of seconds, or as long as another method.

    Parameters
    ----------
    name
        The name in the tables.
    iterations
        A number, or ``"paper"`` for max(2000, 50 n) iterations on n customers.
    seconds
        The seconds of wall time.
    like
        The name of a method; the budget is the time that it takes on the instance, the median over all seeds.
    of
        The name of the budget with which that method takes this time.
    factor
        The factor by which that time is multiplied.

    Raises
    ------
    InputError
        If not exactly one of ``iterations``, ``seconds`` and ``like`` is given, or a value makes no sense.
    """

    name: str
    iterations: int | str | None = None
    seconds: float | None = None
    like: str | None = None
    of: str | None = None
    factor: float = 1.0

    def __post_init__(self) -> None:
        given = [key for key in ("iterations", "seconds", "like") if getattr(self, key) is not None]
        if len(given) != 1:
            raise InputError(
                f"budget {shown(self.name)} has {' and '.join(given) or 'none of them'}; expected one of iterations, "
                "seconds and like; correct the table."
            )
        if self.iterations is not None and self.iterations != PAPER:
            if isinstance(self.iterations, str):
                raise InputError(f"iterations is {shown(self.iterations)}; expected a whole number or {PAPER!r}.")
            whole_number("iterations", self.iterations, minimum=1)
        if self.seconds is not None:
            require_number("seconds", self.seconds, above=0)
        require_number("factor", self.factor, above=0)
        if self.like is None and (self.of is not None or self.factor != 1.0):
            raise InputError(
                f"budget {shown(self.name)} has of or factor; expected these beside like only; leave them out."
            )

    @property
    def in_words(self) -> str:
        """The budget in words."""
        if self.like is not None:
            times = "" if self.factor == 1 else f"{self.factor:g} times "
            return f"{times}the seconds that {self.like} takes for {self.of}"
        if self.seconds is not None:
            return f"{self.seconds:g} s"
        return f"{PAPER_ITERATIONS if self.iterations == PAPER else self.iterations} iterations"

    def iterations_for(self, customers: int) -> int | None:
        """Return the number of iterations on an instance; None if the budget is time."""
        if self.iterations is None:
            return None
        return paper_iterations(customers) if isinstance(self.iterations, str) else self.iterations


@dataclass(frozen=True)
class PolicyTraining:
    """Policies to be trained before the runs that use them: one for each seed.

    Parameters
    ----------
    name
        The name by which groups refer to it.
    options
        The options of `dacalns.train`, except the seed.
    seeds
        The seeds of the trainings. Each gives a policy of its own, and methods run with every one of them.
    """

    name: str
    options: Mapping[str, Any]
    seeds: tuple[int, ...] = (0,)

    def each(self) -> dict[int, dict[str, Any]]:
        """Return all options of `dacalns.train` by seed."""
        return {seed: dict(self.options) | {"seed": seed} for seed in self.seeds}


@dataclass(frozen=True)
class Protocol:
    """A description of all that a study does.

    Parameters
    ----------
    name, title
        The name and the title of the study.
    seeds
        Each method runs once with each seed on each instance, unless the group has seeds of its own.
    groups, methods, budgets, trainings
        The parts of the protocol by name, in the order of the file.
    comparisons
        The pairs of methods that the tables compare.
    paper
        The paper's experiment whose tables are shown beside ours, if any: ``comparative`` or ``generalisation``.
    map
        The readings of the paper that the study tries, if that is its purpose.
    file, text
        The file of the protocol, and its content.
    """

    name: str
    title: str
    seeds: tuple[int, ...]
    groups: Mapping[str, InstanceGroup]
    methods: Mapping[str, Method]
    budgets: Mapping[str, Budget]
    trainings: Mapping[str, PolicyTraining] = field(default_factory=dict)
    comparisons: tuple[tuple[str, str], ...] = ()
    paper: str | None = None
    map: ReadingMap | None = None
    file: str = ""
    text: str = ""

    def budgets_of(self, method: Method) -> list[Budget]:
        """Return the budgets that a method runs with."""
        return [budget for name, budget in self.budgets.items() if method.budgets is None or name in method.budgets]

    def seeds_of(self, group: InstanceGroup) -> tuple[int, ...]:
        """Return the seeds with which every method runs on the instances of a group."""
        return self.seeds if group.seeds is None else group.seeds

    @property
    def runs(self) -> int:
        """The number of searches that the protocol asks for."""
        return sum(
            len(self.seeds_of(group))
            * len(self.budgets_of(method))
            * len(group.instances)
            * self._policies(group, method)
            for group in self.groups.values()
            for method in self.methods.values()
        )

    def _policies(self, group: InstanceGroup, method: Method) -> int:
        """Return the number of policies that a method runs with in a group, one after the other."""
        return len(self.trainings[group.policy].seeds) if method.needs_policy and group.policy is not None else 1

    def in_words(self) -> str:
        """Return the whole protocol in words, with the exact instances."""
        lines = [f"{self.name}: {self.title}, {self.runs:,} runs", f"seeds: {', '.join(map(str, self.seeds))}"]
        lines += [self.portfolios_in_words(), ""]
        for name, budget in self.budgets.items():
            lines.append(f"budget {name}: {budget.in_words}")
        lines.append("")
        of_readings = set() if self.map is None else {*self.map.method_names()}
        for name, method in self.methods.items():
            if name not in of_readings:
                lines.append(f"method {name}: {self._method_words(method)}")
        lines.append("")
        if self.map is not None:
            lines += [*self._map_words(self.map), ""]
        for name, training in self.trainings.items():
            given = ", ".join(f"{key} {value}" for key, value in training.options.items() if key != "instances")
            seeds = ", ".join(map(str, training.seeds))
            lines.append(f"training {name}: {given}, seed{'s' * (len(training.seeds) > 1)} {seeds}")
            lines.append(f"  on {str(training.options.get('instances', 'generated')).replace(',', ', ')}")
        for name, group in self.groups.items():
            more = "" if group.policy is None else f", policy of training {group.policy}"
            more += "" if group.seeds is None else f", seeds {', '.join(map(str, group.seeds))}"
            lines.append(f"group {name}: {group.dataset}, {group.scale}, {len(group.instances)} instances{more}")
            lines.append(f"  {', '.join(group.instances)}")
        return "\n".join(lines)

    def portfolios_in_words(self) -> str:
        """Return a line with the operators that the methods use."""
        names = {
            (method.settings.search and method.settings.search.portfolio) or PAPER for method in self.methods.values()
        }
        others = f" and {len(names) - MOST_PORTFOLIOS} more" if len(names) > MOST_PORTFOLIOS else ""
        told = f"portfolio: {', '.join(sorted(names)[:MOST_PORTFOLIOS])}{others}"
        if names == {PAPER}:
            return f"{told}, the paper's operators, which studies compare selectors with; dac-alns solve uses full"
        return told

    @staticmethod
    def _method_words(method: Method) -> str:
        some = "" if method.budgets is None else f", with budget {', '.join(method.budgets)} only"
        return f"selector {method.selector}{some}"

    def _map_words(self, found: ReadingMap) -> list[str]:
        """Return lines about the choices, the readings, and the methods under them."""
        lines = []
        for name, levels in found.choices.items():
            crossed = " (crossed)" if name in found.crossed else ""
            told = [f"{level} ({words})" if words else level for level, words in levels.items()]
            lines.append(f"choice {name}{crossed}: {'; '.join(told)}")
        first, last = found.readings[0], found.readings[-1]
        lines += ["", f"{len(found.readings)} readings:"]
        lines += [f"  {reading.name}: {found.words(reading)}" for reading in found.readings]
        lines.append("")
        for learner in found.learners:
            names = f"{first.learners[learner]} to {last.learners[learner]}"
            lines.append(f"methods {names}: {self._method_words(self.methods[first.learners[learner]])}")
        for baseline in found.baselines:
            under = {reading.baselines[baseline]: "" for reading in found.readings}
            words = next((self._method_words(self.methods[name]) for name in under if name != baseline), "the same")
            lines.append(f"methods {baseline} under the readings, {len(under)}: {words}")
            lines.append(f"  {', '.join(under)}")
        lines.append(f"references: {', '.join(found.references)}")
        lines.append(f"screening: {', '.join(found.screening)}")
        return lines

    def outline(self, command: str = "") -> ProtocolOutline:
        """Return what a report needs to know about the protocol."""
        seeds = dict.fromkeys(seed for group in self.groups.values() for seed in self.seeds_of(group))
        return ProtocolOutline(
            self.name,
            self.title,
            {name: method.selector for name, method in self.methods.items()},
            {name: budget.in_words for name, budget in self.budgets.items()},
            list(self.comparisons),
            self.paper,
            list(seeds),
            command,
            {name: list(training.seeds) for name, training in self.trainings.items()},
            {} if self.map is None else self.map.plain(),
        )
