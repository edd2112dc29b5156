"""A blueprint says what to train, from the user's options, and describes it again in the policy's card.

A policy is what was learned: a rule that chooses operators. Its card says what it is and how it was trained. A wheel is
a policy without a network: a table with a probability for each pair of operators.
"""

import shlex
from dataclasses import asdict, dataclass, replace
from typing import Any

from dacalns.instances.feature_sets import require_problem, spelled_out
from dacalns.learning.options import (
    OF_PLAN,
    USUAL_METHOD,
    USUAL_PORTFOLIO,
    USUAL_PRESET,
    TrainingOptions,
    paths_in,
    without_effect,
)
from dacalns.learning.rounds import METHODS, Plan, operators_for
from dacalns.learning.sources import Listed, as_source
from dacalns.learning.start import Start, read_starts
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.run import described
from dacalns.search.stopping import DISTANCE, PAPER_ITERATIONS
from dacalns.selectors.card import KINDS, Card, TrainedPortfolio, node_features
from dacalns.selectors.frozen_policy import LEARNERS
from dacalns.selectors.settings import (
    PRESETS,
    LearningSettings,
    NetworkSettings,
    Preset,
    Rewards,
    preset_of,
)
from dacalns.settings import SelectorSettings, Settings, load_settings
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import require_choice, whole_number

PARTS = ("rewards", "network", "learning")


@dataclass(frozen=True)
class Blueprint:
    """A plan and what it was made from.

    Parameters
    ----------
    plan
        How to train.
    kind
        ``"dac"``, ``"ac"`` or ``"wheel"``.
    preset
        The name of a preset, or ``"custom"``.
    settings
        The rewards, network and learning of the selector; the card of a wheel has them, too.
    portfolio
        The operators, as the user gave them.
    starts
        The policies that training begins with; if there are none, it begins from nothing.
    """

    plan: Plan
    kind: str
    preset: str
    settings: Preset
    portfolio: str | Portfolio
    starts: tuple[Start, ...] = ()

    @property
    def problem(self) -> str:
        """The problem that the policy is for: ``"cvrp"``, ``"vrptw"``, sets of features, or ``"rich"``."""
        return self.plan.source.problem

    def described(self) -> dict[str, Any]:
        """Return all that the policy depends on, except the number of rounds, as plain data."""
        plan, source = self.plan, self.plan.source
        return {
            "problem": self.problem,
            "instances": list(source.members) if isinstance(source, Listed) else str(source),
            "kind": self.kind,
            "method": plan.method,
            **({"start": [start.described() for start in self.starts]} if self.starts else {}),
            **{part: asdict(getattr(self.settings, part)) for part in (PARTS if plan.learner else ())},
            "portfolio": TrainedPortfolio.of_all(plan.portfolio).to_dict(),
            "acceptance": described(plan.portfolio.acceptance),
            # With "online" the rate is among the learning settings.
            **{name: value for name, value in self.numbers().items() if name != "rate" or plan.method != "online"},
        }

    def numbers(self) -> dict[str, Any]:
        """Return the values of the plan's options by name, without those that have no effect."""
        idle = self.without_effect()
        values = {name: getattr(self.plan, name) for name in OF_PLAN if name not in idle}
        if self.plan.method == "online":
            values["rate"] = self.settings.learning.rate
        return {name: value for name, value in values.items() if value is not None}

    def without_effect(self) -> tuple[str, ...]:
        """Return the options that have no effect on this training."""
        return tuple(without_effect(self.kind, self.plan.method, len(self.starts) > 1))

    def command(self, steps: int) -> str:
        """Return the command that trains the policy again."""
        plan = self.plan
        words: list[object] = ["dac-alns", "train", "--problem", self.problem, "--instances", plan.source]
        words += ["--steps", steps, "--kind", self.kind, "--method", plan.method]
        if plan.learner is not None:
            words += ["--settings", "settings.toml"] if self.preset == "custom" else ["--preset", self.preset]
        words += ["--portfolio", self.portfolio if isinstance(self.portfolio, str) else plan.portfolio.name]
        if self.starts:
            words += ["--start-from", ",".join(start.name for start in self.starts)]
        for name, value in self.numbers().items():
            words += [f"--{name.replace('_', '-')}", value]
        return shlex.join([*map(str, words), "--out", "policy.safetensors"])

    def in_words(self) -> str:
        """Return a line with what is trained and how, and with the searches in which the policy will choose."""
        plan = self.plan
        preset = "" if plan.learner is None else f", preset {self.preset}"
        name = plan.portfolio.name
        why = " (that of dac-alns solve, too: a policy is for the operators that it was trained with)"
        if name != USUAL_PORTFOLIO:
            why = f" (the policy is for searches with {name}; dac-alns solve uses {USUAL_PORTFOLIO} without a policy)"
        length = PAPER_ITERATIONS + " iterations" if plan.seconds is None else f"{plan.seconds:g} s"
        return (
            f"Training {self.kind} for {self.problem}: method {plan.method}{preset}, portfolio {name}{why}, "
            f"searches of {'up to ' if plan.method == 'online' else ''}{length}"
        )

    def card(self, training: dict[str, Any], validation: dict[str, Any], steps: int) -> Card:
        """Return the card of the policy after ``steps`` iterations."""
        told = {
            **self.described(),
            **self.numbers(),
            "instances": str(self.plan.source),
            **training,
            "command": self.command(steps),
        }
        if self.plan.learner is not None and self.preset == "custom":
            chosen = Settings(
                selector=SelectorSettings(self.kind), **{part: getattr(self.settings, part) for part in PARTS}
            )
            told["settings.toml"] = chosen.to_toml()
        # The card has fields of its own for these. Its problem names every feature that "rich" stands for.
        problem = spelled_out(self.problem)
        if problem == self.problem:
            del told["problem"]
        for name in ("kind", "portfolio", *PARTS):
            told.pop(name, None)
        return Card(
            problem=problem,
            kind=self.kind,
            features=() if self.kind == "wheel" else node_features(self.problem),
            portfolio=TrainedPortfolio.of_all(self.plan.portfolio),
            network=self.settings.network,
            rewards=self.settings.rewards,
            learning=self.settings.learning,
            preset=self.preset,
            training=told,
            validation=validation,
        )


def blueprint(options: TrainingOptions, *, with_start: bool = True) -> Blueprint:
    """Return what to train, after checking that the options make sense together.

    Parameters
    ----------
    options
        The options that the user gave.
    with_start
        If False, the policies that training begins with are not read.

    Raises
    ------
    InputError
        If something makes no sense, or an option has no effect.
    """
    problem = require_problem(options.problem)
    settings = _settings_of(options)
    kind, method = _kind_and_method(options, settings)
    options.require_effect(kind, method)
    _require_for_training(settings, kind)
    label, chosen = _chosen_settings(options.preset, settings, method)
    rate = options.value("rate")
    if rate is not None and method == "online":
        chosen = replace(chosen, learning=replace(chosen.learning, rate=rate))
        label = label if chosen == PRESETS.get(label) else "custom"
    numbers = {name: value for name in OF_PLAN if (value := options.value(name)) is not None}
    if method == "online":
        numbers.pop("rate", None)  # the learner's settings have it
    numbers.setdefault("seed", whole_number("seed", (settings.search and settings.search.seed) or 0, minimum=0))
    portfolio = options.portfolio
    if portfolio is None:
        portfolio = (settings.search and settings.search.operators) or USUAL_PORTFOLIO
    source = as_source(problem, options.instances, numbers["seed"])
    plan = Plan(
        source=source,
        portfolio=operators_for(as_portfolio(portfolio), source.problem),
        learner=None if kind == "wheel" else LEARNERS[kind](chosen.rewards, chosen.network, chosen.learning),
        method=method,
        **numbers,
    )
    paths = paths_in(options.start_from) if with_start and options.start_from is not None else []
    return Blueprint(plan, kind, label, chosen, portfolio, read_starts(paths, kind, plan))


def _settings_of(options: TrainingOptions) -> Settings:
    """Return the settings, given as an object or a file."""
    given = options.settings
    if not isinstance(given, Settings):
        given = Settings() if given is None else load_settings(given)
    return given


def _kind_and_method(options: TrainingOptions, settings: Settings) -> tuple[str, str]:
    """Return the kind of policy and the method by which it learns, after checking that they fit together."""
    named = None if settings.selector is None or settings.selector.name not in KINDS else settings.selector.name
    kind = require_choice("kind", options.kind or named or "dac", KINDS)
    method = require_choice("method", options.method or USUAL_METHOD[kind], METHODS)
    if kind == "wheel" and method == "online":
        raise InputError(
            "method is 'online'; expected 'whole' or 'surface' for a wheel, which has no network that could learn so; "
            "choose one of the two."
        )
    if kind != "wheel" and method == "surface":
        raise InputError(
            f"method is 'surface'; expected 'online' or 'whole' for kind {shown(kind)}; choose one, or kind 'wheel', "
            "from which a network can start."
        )
    return kind, method


def _require_for_training(settings: Settings, kind: str) -> None:
    """Raise an `InputError` if the settings have a table or a key without effect on the training of such a policy."""
    wheel = kind == "wheel"  # it has no network
    for part in ("stop", "acceptance", *(PARTS if wheel else ())):
        if getattr(settings, part) is not None:
            tables = "[search] and [selector]" if wheel else "[search], [selector], [rewards], [network] and [learning]"
            raise InputError(
                f"the settings have a table [{part}]; expected {tables} for training kind {kind!r}, because no other "
                "has an effect; leave it out."
            )
    preset = settings.selector and settings.selector.preset
    if wheel and preset is not None:
        raise InputError(
            f"the settings have preset = {shown(preset)}; expected none for training kind {kind!r}, which has no "
            "network; leave it out."
        )
    limit = settings.search and settings.search.call_limit
    if limit is not None:
        raise InputError(
            f"the settings have call_limit = {limit:g}; expected none for training, which does not watch how long a "
            "call takes; leave it out."
        )
    if settings.search is not None and settings.search.jobs is not None:
        raise InputError(
            f"the settings have jobs = {settings.search.jobs}; expected none for training, where each search has one "
            "core; leave it out, and give the number of processes as an option."
        )
    if settings.search is not None and settings.search.objective not in (None, DISTANCE):
        raise InputError(
            f"the settings have objective {shown(settings.search.objective)}; expected {DISTANCE!r} for training; "
            "leave it out."
        )
    if settings.selector is not None and (settings.selector.name not in KINDS or settings.selector.values):
        raise InputError(
            f"the settings have selector {shown(settings.selector.name)}; expected one of {', '.join(KINDS)} for "
            "training, with a preset or nothing beside it; correct the table."
        )


def _chosen_settings(preset: str | None, settings: Settings, method: str) -> tuple[str, Preset]:
    """Return the preset's name, or ``"custom"``, and the settings."""
    parts: dict[str, Rewards | NetworkSettings | LearningSettings] = {
        part: getattr(settings, part) for part in PARTS if getattr(settings, part) is not None
    }
    # What a file leaves out of its tables has the values of the paper, as in a search.
    in_file = (settings.selector and settings.selector.preset) or ("paper" if parts else USUAL_PRESET[method])
    named = None if preset is None else preset_of(preset)
    if named is not None and named.prior is not None:
        # Such a preset begins with a table, but for a training the option start_from says what it begins with.
        others = tuple(name for name, each in PRESETS.items() if each.prior is None)
        raise InputError(
            f"preset is {shown(preset)}; expected one of {', '.join(others)} for training; choose another."
        )
    if preset is not None and preset != in_file and (parts or (settings.selector and settings.selector.preset)):
        # Keys that a file leaves out have been filled in from the file's preset by now.
        fields = "=" in preset
        advice = "write the fields into the settings" if fields else f'write preset = "{preset}" below [selector]'
        raise InputError(
            f"preset is {shown(preset)}, but the settings are based on {shown(in_file)}; expected one of the two; "
            f"{advice} in the file."
        )
    chosen = replace(named or PRESETS[in_file], **parts)  # type: ignore[arg-type]
    return next((name for name, each in PRESETS.items() if each == chosen), "custom"), chosen
