"""Protocols are read from TOML files, some of which come with the package; errors name the line of the key."""

import glob
import os
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from dacalns.instances import instance_names, set_names
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import OPTIONS, TrainingOptions, Wanted
from dacalns.learning.sources import GENERATED
from dacalns.search.user_code import require_file, split_file
from dacalns.settings.load import load_settings, settings_of
from dacalns.settings.toml_file import Keys, TomlFile
from dacalns.study.load_map import load_map
from dacalns.study.paper_tables import EXPERIMENTS
from dacalns.study.protocol import PAPER, POLICY, Budget, InstanceGroup, Method, PolicyTraining, Protocol
from dacalns.study.task import PAPER as DEFAULTS
from dacalns.study.task import known_instance
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown, shown_path, text_of
from dacalns.util.values import did_you_mean, require_choice, whole_number

T = TypeVar("T")
SHIPPED = Path(__file__).parent / "protocols"
TABLES = ("groups", "methods", "budgets", "trainings", "map")
KEYS = ("title", "seeds", "portfolio", "call_limit", "paper", "comparisons", *TABLES)
SETTINGS = ("acceptance", "rewards", "network", "learning")


def protocol_names() -> list[str]:
    """Return the names of the protocols in the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def load_protocol(given: str | os.PathLike[str]) -> Protocol:
    """Return a protocol of the package by its name, or one of yours by its file.

    Parameters
    ----------
    given
        A name such as ``"quick"``, or the path of a TOML file. Other files are found relative to its folder.

    Raises
    ------
    InputError
        When there is no such protocol, or it makes no sense. The message names the file, the line and the key.
    """
    text = os.fspath(given)
    if text in protocol_names():
        path = SHIPPED / f"{text}.toml"
    elif text.endswith(".toml") or os.path.exists(text):
        path = Path(text)
    else:
        names = protocol_names()
        raise InputError(
            f"protocol {shown(text)} does not exist; expected {listed(names)}, or a file that ends in .toml; "
            + (did_you_mean(text, names) or "check the name.")
        )
    # Errors in a shipped protocol give its name, without the folder of the package.
    file = replace(TomlFile.load(path), name=path.name if path.parent == SHIPPED else text)
    return _Loader(file, path).protocol()


class _Loader:
    def __init__(self, file: TomlFile, path: Path) -> None:
        self.file, self.path, self.folder = file, path, path.parent

    def protocol(self) -> Protocol:
        file, data = self.file, self.file.data
        _require_known(file, (), data, KEYS, "a protocol")
        for table in ("groups", "methods"):
            if table not in data:
                raise file.error((), f"there is no table [{table}.NAME]; expected at least one; add it.")
        seeds = self._seeds()
        budgets = self._named("budgets", self._budget) if "budgets" in data else {}
        budgets = budgets or {"iterations": Budget("iterations", PAPER)}
        trainings = self._named("trainings", self._training) if "trainings" in data else {}
        groups = self._named("groups", lambda name: self._group(name, trainings))

        def make(name: str, part: TomlFile) -> Method:
            return self._method(name, part, budgets, groups)

        methods = self._named("methods", lambda name: make(name, file.part("methods", name)))
        readings = None
        if "map" in data:
            if "comparisons" in data:
                raise file.error(
                    ("comparisons",), "comparisons stands beside [map], which says what is compared; leave one out."
                )
            readings, methods = load_map(file, groups, methods, make)
        self._require_references(budgets, methods)
        return Protocol(
            name=self.path.stem,
            title=self._text((), "title", self.path.stem),
            seeds=seeds,
            groups=groups,
            methods=methods,
            budgets=_resolved(budgets),
            trainings=trainings,
            comparisons=() if readings is not None else self._comparisons(methods),
            paper=self._blame((), "paper", lambda: require_choice("paper", data["paper"], EXPERIMENTS))
            if "paper" in data
            else None,
            map=readings,
            file=file.name,
            text=self.path.read_text(encoding="utf-8-sig"),
        )

    def _named(self, table: str, make: Callable[[str], T]) -> dict[str, T]:
        tables = self.file.data[table]
        if not isinstance(tables, dict) or not tables or not all(isinstance(value, dict) for value in tables.values()):
            raise self.file.error((table,), f"{table} is {shown(tables)}; expected tables; write [{table}.NAME].")
        return {name: make(name) for name in tables}

    def _seeds(self) -> tuple[int, ...]:
        return self._blame((), "seeds", lambda: _different_seeds(self.file.data.get("seeds", [0])))

    def _group(self, name: str, trainings: dict[str, PolicyTraining]) -> InstanceGroup:
        keys, table = ("groups", name), self.file.data["groups"][name]
        known = ("instances", "dataset", "scale", "policy", "seeds")
        _require_known(self.file, keys, table, known, f"group {shown(name)}")
        instances = self._blame(keys, "instances", lambda: self._instances(table.get("instances", [])))
        policy = table.get("policy")
        if policy is not None and not (isinstance(policy, str) and policy in trainings):
            raise self.file.error(
                (*keys, "policy"),
                f"policy is {shown(policy)}; expected one of the trainings: "
                f"{listed(trainings) or 'there are none'}; add the table [trainings.NAME].",
            )
        seeds = None
        if "seeds" in table:
            seeds = self._blame(keys, "seeds", lambda: _different_seeds(table["seeds"]))
        dataset, scale = self._text(keys, "dataset", name), self._text(keys, "scale", "All")
        return InstanceGroup(name, instances, dataset, scale, policy, seeds)

    def _instances(self, given: Any) -> tuple[str, ...]:
        """Return the names of instances and paths of files, after checking that each can be read."""
        entries = [given] if isinstance(given, str) else given
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
            raise InputError(f"instances is {shown(given)}; expected a list of sets, names or files.")
        found: list[str] = []
        for entry in entries:
            beside = str(self.folder / entry)
            if entry in set_names():
                found += instance_names(entry)
            elif glob.has_magic(entry):
                files = [] if "\0" in beside else sorted(glob.glob(beside))
                if not files:
                    raise InputError(f"instances has {shown(entry)}, which no file matches; expected some; correct it.")
                found += files
            else:
                found.append(beside if os.path.isfile(beside) else entry)
        twice, uses = Counter(found).most_common(1)[0]
        if uses > 1:
            raise InputError(f"instances has {shown_path(twice)} twice; expected each one once; take one out.")
        for entry in found:
            known_instance(entry)
        return tuple(found)

    def _method(
        self, name: str, given: TomlFile, budgets: dict[str, Budget], groups: dict[str, InstanceGroup]
    ) -> Method:
        """Return the method that a part of the file describes."""
        table = dict(given.data)
        known = ("selector", "portfolio", "call_limit", "budgets", *SETTINGS)
        _require_known(given, (), table, known, f"method {shown(name)}")
        wanted = table.pop("budgets", None)
        if wanted is not None:
            try:
                _require_names("budgets", wanted, budgets)
            except InputError as error:
                raise given.error(("budgets",), str(error)) from None
        renamed: dict[Keys, int] = {}
        for key in ("portfolio", "call_limit"):
            value = table.pop(key, self.file.data.get(key))
            if value is not None:
                table.setdefault("search", {})[key] = self._beside(value, key, given)
                if (at := (*given.within, key)) in given.lines:
                    renamed[*given.within, "search", key] = given.lines[at]
        selector = table.get("selector", "roulette")
        table["selector"] = dict(selector) if isinstance(selector, dict) else {"name": selector}
        told = written = table["selector"].get("name", "roulette")
        part = replace(given, data=table, lines=ChainMap(renamed, given.lines))  # type: ignore[arg-type]
        if isinstance(told, str) and POLICY in told:
            self._require_policies(part, told, groups)
            told = _without_policy(told)
        table["selector"]["name"] = self._beside(told, "selector", given)
        settings = settings_of(part)
        return Method(name, text_of(written), settings, None if wanted is None else tuple(wanted))

    @staticmethod
    def _require_policies(part: TomlFile, selector: str, groups: dict[str, InstanceGroup]) -> None:
        lacking = [group.name for group in groups.values() if group.policy is None]
        if lacking:
            raise part.error(
                ("selector",),
                f"selector is {shown(selector)}, but group {shown(lacking[0])} has no policy; expected policy = "
                '"TRAINING" in '
                "every group; add it.",
            )

    def _beside(self, text: Any, key: str, blamed: TomlFile, keys: tuple[str, ...] = ()) -> Any:
        """Return the path of a Python file that is named relative to the protocol's folder.

        The file must exist, but is not run: looking at a protocol is safe even if you do not trust it.
        """
        in_file = split_file(text) if isinstance(text, str) else None
        if in_file is None:
            return text
        path, name = in_file
        try:
            require_file(self.folder / path, key)
        except (InputError, ValueError) as error:  # a ValueError means that no file can have this name
            raise blamed.error((*keys, key), str(error)) from None
        return f"{(self.folder / path).resolve()}" + (f":{name}" if name else "")

    def _budget(self, name: str) -> Budget:
        keys, table = ("budgets", name), self.file.data["budgets"][name]
        _require_known(
            self.file, keys, table, ("iterations", "seconds", "like", "of", "factor"), f"budget {shown(name)}"
        )
        try:
            return Budget(name, **table)
        except InputError as error:
            raise self.file.error((*keys, *_key_of(table, error)), str(error)) from None

    def _training(self, name: str) -> PolicyTraining:
        keys, table = ("trainings", name), dict(self.file.data["trainings"][name])
        _require_known(self.file, keys, table, (*OPTIONS, "seeds"), f"training {shown(name)}")
        for key in ("problem", "steps"):
            if key not in table:
                raise self.file.error(keys, f"training {shown(name)} has no {key}; expected one; add it.")
        source = table.get("instances", GENERATED)
        if not (isinstance(source, str) and source.partition(":")[0] == GENERATED):
            members = self._blame(keys, "instances", lambda: self._instances(source))
            table["instances"] = ",".join(members)
        if "settings" in table:
            table["settings"] = str(self.folder / text_of(table["settings"]))
        portfolio = table.get("portfolio", self.file.data.get("portfolio"))
        if portfolio is None and self._blame(keys, "settings", lambda: _portfolio_of_settings(table)) is None:
            portfolio = DEFAULTS["portfolio"]  # that of the methods which use the policy
        if portfolio is not None:
            table["portfolio"] = self._beside(portfolio, "portfolio", self.file, keys)
        several = table.pop("seeds", None)
        if several is not None and "seed" in table:
            raise self.file.error(
                (*keys, "seeds"), f"training {shown(name)} has seed and seeds; expected one of them; take one out."
            )
        try:
            seed = _require_training(table)
        except InputError as error:
            raise self.file.error((*keys, *_key_of(table, error)), str(error)) from None
        table.pop("seed", None)
        if several is None:
            return PolicyTraining(name, table, (seed,))
        return PolicyTraining(name, table, self._blame(keys, "seeds", lambda: _different_seeds(several)))

    def _comparisons(self, methods: dict[str, Method]) -> tuple[tuple[str, str], ...]:
        if "comparisons" not in self.file.data:
            first, *others = methods
            return tuple((name, first) for name in others)
        given = self.file.data["comparisons"]

        def check() -> tuple[tuple[str, str], ...]:
            if not isinstance(given, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
                raise InputError(
                    f'comparisons is {shown(given)}; expected pairs of methods, such as [["DAC", "ALNS"]].'
                )
            for pair in given:
                _require_names("comparisons", pair, methods)
            return tuple((ours, theirs) for ours, theirs in given)

        return self._blame((), "comparisons", check)

    def _require_references(self, budgets: dict[str, Budget], methods: dict[str, Method]) -> None:
        for name, budget in budgets.items():
            if budget.like is None:
                continue
            if not (isinstance(budget.like, str) and budget.like in methods):
                raise self.file.error(
                    ("budgets", name, "like"),
                    f"like is {shown(budget.like)}; expected a method: {listed(methods)}; "
                    + (did_you_mean(text_of(budget.like), methods) or "correct it."),
                )
            others = [other for other, each in budgets.items() if each.like is None]
            of = budget.of or (others[0] if others else None)
            if not (isinstance(of, str) and of in others):
                raise self.file.error(
                    ("budgets", name, "of"),
                    f"of is {shown(of)}; expected a budget of iterations or seconds: {listed(others) or 'none there'}.",
                )
            runs = methods[budget.like].budgets
            if runs is not None and of not in runs:
                raise self.file.error(
                    ("budgets", name, "like"),
                    f"like is {shown(budget.like)}, which does not run with budget {shown(of)}; expected a method that "
                    "does.",
                )

    def _text(self, keys: tuple[str, ...], key: str, default: str) -> str:
        table = self.file.part(*keys).data
        value = table.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.file.error((*keys, key), f"{key} is {shown(value)}; expected text; put it between quotes.")
        return value

    def _blame(self, keys: tuple[str, ...], key: str, check: Callable[[], T]) -> T:
        """Return what ``check`` returns; if it raises an error, that names the line of this key."""
        try:
            return check()
        except InputError as error:
            raise self.file.error((*keys, key), str(error)) from None


def _resolved(budgets: dict[str, Budget]) -> dict[str, Budget]:
    """Return the budgets; one that is the time of a method has the name of the budget that the method has then."""
    first = next((name for name, budget in budgets.items() if budget.like is None), None)
    return {
        name: budget if budget.like is None else replace(budget, of=budget.of or first)
        for name, budget in budgets.items()
    }


def _without_policy(selector: str) -> str:
    """Return the selector with the policy of the package, so that all else can be checked."""
    kind, _, details = selector.partition(":")
    kept = [part for part in details.split(",") if part != POLICY]
    return f"{kind}:{','.join(kept)}" if kept else kind


def _different_seeds(given: Any) -> tuple[int, ...]:
    seeds = [whole_number("seeds", seed, minimum=0) for seed in given] if isinstance(given, list) else []
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError(f"seeds is {shown(given)}; expected a list of different whole numbers, such as [0, 100].")
    return tuple(seeds)


def _portfolio_of_settings(options: dict[str, Any]) -> str | None:
    """Return the portfolio that the settings file of a training names, if there is one."""
    search = load_settings(options["settings"]).search if "settings" in options else None
    return None if search is None else search.portfolio


def _require_training(options: dict[str, Any]) -> int:
    """Raise an `InputError` if `train` would refuse the options; return the seed that it would use.

    A portfolio in a Python file is not checked here, because only the training runs the file.
    """
    portfolio = options.get("portfolio") or _portfolio_of_settings(options)
    own = portfolio is not None and split_file(text_of(portfolio)) is not None
    wanted = TrainingOptions(**options | ({"portfolio": "paper"} if own else {}))
    made = blueprint(wanted, with_start=not own)
    Wanted.of(wanted, made.plan.method)
    return made.plan.seed


def _require_known(
    file: TomlFile, keys: tuple[str, ...], table: dict[str, Any], known: Iterable[str], owner: str
) -> None:
    known = tuple(known)
    for key in table:
        if key not in known:
            raise file.error(
                (*keys, key),
                f"there is no key {shown(key)} in {owner}; expected one of {listed(known)}; "
                + (did_you_mean(key, known) or "leave it out."),
            )


def _require_names(key: str, given: Any, known: Iterable[str]) -> None:
    known = tuple(known)
    if not isinstance(given, list) or not given:
        raise InputError(f"{key} is {shown(given)}; expected a list of names, such as {shown(list(known))}.")
    for name in given:
        require_choice(key, name, known)


def _key_of(table: dict[str, Any], error: InputError) -> tuple[str, ...]:
    """Return the key that an error message begins with."""
    first = str(error).split(" ", 1)[0]
    return (first,) if first in table else ()
