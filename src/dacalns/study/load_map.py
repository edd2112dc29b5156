"""The table ``[map]`` of a protocol says what the paper leaves open; it becomes the methods that all readings need.

A choice is something that the paper leaves open, a level is one way to decide it, and a reading decides all choices.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from dacalns.search.portfolio import PAPER, READINGS, SCALES, is_of_paper
from dacalns.settings.settings import PARTS
from dacalns.settings.toml_file import Keys, TomlFile
from dacalns.study.protocol import Method
from dacalns.study.readings import Reading, ReadingMap, design, reading_names
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, text_of
from dacalns.util.values import require_choice

P = ParamSpec("P")
T = TypeVar("T")
KEYS = ("crossed", "learners", "baselines", "references", "screening", "choices")
ACCEPTANCE, PORTFOLIO = "acceptance", "portfolio"
LEVEL_KEYS = (*PARTS, ACCEPTANCE, PORTFOLIO)
CROSSED = 2
"""The number of choices that are crossed, which are the two sides of the heat maps."""

Level = dict[str, Any]
"""The part of a method's table that a level of a choice sets."""


def load_map(
    file: TomlFile, groups: Iterable[str], methods: Mapping[str, Method], make: Callable[[str, TomlFile], Method]
) -> tuple[ReadingMap, dict[str, Method]]:
    """Return the map of a protocol, and its methods with those that the readings need in place of the learners.

    Parameters
    ----------
    file
        The protocol.
    groups
        The names of the groups.
    methods
        The methods, as the file has them.
    make
        A function that makes a method from a name and a table.

    Raises
    ------
    InputError
        When the table makes no sense. The message names the file, the line and the key.
    """
    return _MapLoader(file, tuple(groups), methods, make).load()


class _MapLoader:
    def __init__(
        self,
        file: TomlFile,
        groups: tuple[str, ...],
        methods: Mapping[str, Method],
        make: Callable[[str, TomlFile], Method],
    ) -> None:
        self.file, self.groups, self.methods, self.make = file, groups, methods, make
        self.data = file.data["map"]
        if not isinstance(self.data, dict):
            raise self._error((), f"map is {shown(self.data)}; expected a table; write [map] and its keys below.")
        self.choices: dict[str, dict[str, Level]] = self.data.get("choices", {})

    def load(self) -> tuple[ReadingMap, dict[str, Method]]:
        for key in self.data:
            self._blame((key,), require_choice, "key in [map]", key, KEYS)
        learners = self._names("learners", [*self.methods])
        self._require_learners(learners)
        others = [name for name in self.methods if name not in learners]
        baselines = self._names("baselines", others)
        references = self._names("references", others) if "references" in self.data else [*baselines]
        screening = self._names("screening", self.groups)
        if len(screening) == len(self.groups):
            raise self._error(
                ("screening",), "screening has every group; expected one or more left for the claims; take some out."
            )
        self._require_choices()
        crossed = self._crossed()
        self._require_levels(learners, baselines)
        points = design({name: [*levels] for name, levels in self.choices.items()}, crossed)
        made: dict[str, Method] = {name: self.methods[name] for name in others}
        readings = []
        for name, point in zip(reading_names(len(points)), points, strict=True):
            bits = [self.choices[choice][level] for choice, level in point.levels.items()]
            own = {learner: f"{learner} {name}" for learner in learners}
            theirs = {baseline: self._baseline_name(baseline, point.levels) for baseline in baselines}
            for learner, called in own.items():
                self._add(made, called, learner, bits)
            for baseline, called in theirs.items():
                if called not in made:
                    self._add(made, called, baseline, [_for_baselines(bit) for bit in bits], baseline=True)
            readings.append(Reading(name, point.levels, point.designed, own, theirs))
        levels = {
            name: {level: _words(bit) for level, bit in levels.items()} for name, levels in self.choices.items()
        }  # fmt: skip
        shared = [name for name, levels in self.choices.items() if any(map(_for_baselines, levels.values()))]
        return ReadingMap(levels, crossed, learners, baselines, shared, references, screening, readings), made

    def _names(self, key: str, known: Sequence[str]) -> list[str]:
        def check() -> list[str]:
            given = self.data.get(key)
            if not isinstance(given, list) or not given or len({*map(text_of, given)}) < len(given):
                raise InputError(
                    f"{key} is {shown(given)}; expected a list of different names out of {', '.join(known)}."
                )
            return [require_choice(key, name, known) for name in given]

        return self._blame((key,), check)

    def _require_learners(self, learners: Sequence[str]) -> None:
        for name in learners:
            selector = self.methods[name].settings.selector
            if selector is None or not selector.learned:
                raise self._error(
                    ("learners",),
                    f"learners has {shown(name)}, whose selector is {self.methods[name].selector}; expected methods "
                    "whose selector is dac or ac; take it out.",
                )

    def _require_choices(self) -> None:
        choices = self.choices
        if not isinstance(choices, dict) or not choices:
            raise self._error(("choices",), f"choices is {shown(choices)}; expected tables; write [map.choices.NAME].")
        owners: dict[Keys, str] = {}
        changing: dict[str, str] = {}
        for choice, levels in choices.items():
            if not isinstance(levels, dict) or len(levels) < 2:
                raise self._error(
                    ("choices", choice),
                    f"choice {shown(choice)} has {len(levels) if isinstance(levels, dict) else 'no'} levels; expected "
                    "two or more, ours first, such as state = {} and state-action.network.critic = \"state-action\".",
                )  # fmt: skip
            for level, bit in levels.items():
                self._require_bit(choice, level, bit)
                # A baseline is named after the levels that change it.
                if _for_baselines(bit) and changing.setdefault(level, choice) != choice:
                    raise self._error(
                        ("choices", choice, level),
                        f"choices {shown(changing[level])} and {shown(choice)} both have a level {shown(level)} that "
                        "changes the baselines; expected different names; rename one of them.",
                    )
            for keys in dict.fromkeys(keys for bit in levels.values() for keys in _set_keys(bit)):
                if owners.setdefault(keys, choice) != choice:
                    raise self._error(
                        ("choices", choice),
                        f"choices {shown(owners[keys])} and {shown(choice)} both set {'.'.join(keys)}; expected each "
                        "key in one choice; take it out of one of them.",
                    )

    def _require_bit(self, choice: str, level: str, bit: Any) -> None:
        keys = ("choices", choice, level)
        if not isinstance(bit, dict):
            raise self._error(
                keys,
                f"level {shown(level)} is {shown(bit)}; expected what it sets, such as {{}} or "
                f"{{network.neighbours = 5}}.",
            )
        for key, value in bit.items():
            self._blame((*keys, key), require_choice, "key of a level", key, LEVEL_KEYS)
            if key in PARTS and not isinstance(value, dict):
                raise self._error((*keys, key), f"{key} is {shown(value)}; expected a table; write {key}.NAME = VALUE.")
            if key == PORTFOLIO:
                self._blame((*keys, key), _require_words, value)

    def _crossed(self) -> list[str]:
        crossed = self._names("crossed", [*self.choices])
        if len(crossed) != CROSSED:
            raise self._error(
                ("crossed",), f"crossed is {shown(crossed)}; expected two choices, every combination of which is run."
            )
        varied = {name: levels for name, levels in self.choices.items() if name not in crossed}
        for name, levels in varied.items():
            if len(levels) > 2:
                raise self._error(
                    ("choices", name),
                    f"choice {shown(name)} has {len(levels)} levels; expected two of a choice that is not crossed; "
                    "leave some out, or make two choices of it.",
                )
        first, second = (len(self.choices[name]) for name in crossed)
        if len(varied) >= first * second:
            raise self._error(
                ("choices",),
                f"there are {len(varied)} choices beside {first} x {second} combinations of {crossed[0]} and "
                f"{crossed[1]}; expected fewer choices than combinations, or nothing tells them apart; leave some out.",
            )
        return crossed

    def _require_levels(self, learners: Sequence[str], baselines: Sequence[str]) -> None:
        """Try every level by itself, so that an error names its own line."""
        for choice, levels in self.choices.items():
            for level, bit in levels.items():
                at = ("map", "choices", choice, level)
                for name in learners:
                    self._made(name, name, [bit], at)
                for name in baselines:
                    self._made(name, name, [_for_baselines(bit)], at, baseline=True)

    def _baseline_name(self, baseline: str, levels: Mapping[str, str]) -> str:
        """Return the name of a baseline under a reading, which has the levels that change it."""
        changed = [level for choice, level in levels.items() if _for_baselines(self.choices[choice][level])]
        return f"{baseline} [{', '.join(changed)}]" if changed else baseline

    def _add(
        self, made: dict[str, Method], name: str, of: str, bits: Sequence[Level], *, baseline: bool = False
    ) -> None:
        if name in self.methods:
            raise self.file.error(
                ("methods", name), f"method {shown(name)} has the name of a reading; expected another; rename it."
            )
        made[name] = self._made(name, of, bits, ("map", "choices"), baseline=baseline)

    def _made(self, name: str, of: str, bits: Sequence[Level], at: Keys, *, baseline: bool = False) -> Method:
        """Return a method as it is under some levels; errors name the line of the levels."""
        levels = self.file.part(*at)
        table = deepcopy(self.file.data["methods"][of])
        words: list[str] = []
        for bit in bits:
            for key, value in deepcopy(bit).items():
                if key == PORTFOLIO:
                    words += value.split(",")
                else:
                    table[key] = {**table.get(key, {}), **value} if key in PARTS else value
        if words:
            table[PORTFOLIO] = self._portfolio(of, table, words, levels)
        method = self.make(name, replace(levels, data=table))
        # Only learners and methods that no reading changes run with equal time.
        return replace(method, budgets=self._budgets(method)) if baseline else method

    def _portfolio(self, of: str, table: dict[str, Any], words: Sequence[str], levels: TomlFile) -> str:
        base = text_of(table.get(PORTFOLIO, self.file.data.get(PORTFOLIO, PAPER)))
        if not is_of_paper(base):
            raise levels.error(
                (PORTFOLIO,),
                f"portfolio is {shown(','.join(words))}, but method {shown(of)} has {shown(base)}; expected {PAPER!r} "
                "there, of which this is a reading; leave one of them out.",
            )
        own = [word for word in base.partition(":")[2].split(",") if word]
        return f"{PAPER}:{','.join(word for word in READINGS if word in (*own, *words))}"

    def _budgets(self, method: Method) -> tuple[str, ...] | None:
        """Return the budgets of a method that are not the time of another method."""
        tables = self.file.data.get("budgets", {})
        plain = tuple(name for name, budget in tables.items() if "like" not in budget)
        chosen = tuple(name for name in plain if method.budgets is None or name in method.budgets)
        return chosen or method.budgets

    def _error(self, keys: Keys, message: str) -> InputError:
        return self.file.error(("map", *keys), message)

    def _blame(self, keys: Keys, check: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Return what ``check`` returns; if it raises an error, that names the line of this key."""
        try:
            return check(*given, **named)
        except InputError as error:
            raise self._error(keys, str(error)) from None


def _for_baselines(bit: Level) -> Level:
    """Return the part of a level that changes a method without learning: acceptance and operators, but not scales."""
    kept = {key: value for key, value in bit.items() if key in (ACCEPTANCE, PORTFOLIO)}
    if PORTFOLIO in kept:
        words = [word for word in kept[PORTFOLIO].split(",") if word != SCALES]
        kept[PORTFOLIO] = ",".join(words)
    return {key: value for key, value in kept.items() if value != ""}


def _set_keys(bit: Level) -> list[Keys]:
    """Return the keys that a level sets, without portfolios, whose words add up."""
    return [
        keys
        for key, value in bit.items()
        if key != PORTFOLIO
        for keys in ([(key, inner) for inner in value] if key in PARTS else [(key,)])
    ]


def _words(bit: Level) -> str:
    """Return what a level sets, in words."""
    told = []
    for key, value in bit.items():
        told += [f"{key}.{inner} = {each}" for inner, each in value.items()] if key in PARTS else [f"{key} = {value}"]
    return ", ".join(told)


def _require_words(given: Any) -> None:
    if not isinstance(given, str) or not given:
        raise InputError(
            f"portfolio is {shown(given)}; expected one or more of {', '.join(READINGS)}, with commas between."
        )
    for word in given.split(","):
        require_choice("portfolio", word, tuple(READINGS))
