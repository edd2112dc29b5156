"""What to train, from what the user says; and how it is told again in a policy's card."""

import os
import shlex
from dataclasses import asdict, dataclass, replace
from typing import Any

from dacalns.core.graph import CVRP_FEATURES, VRPTW_FEATURES
from dacalns.learning.rounds import METHODS, Plan
from dacalns.learning.sources import Listed, as_source
from dacalns.learning.start import Start, read_starts
from dacalns.search.operators import PROBLEMS
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.run import described
from dacalns.search.stopping import DISTANCE
from dacalns.selectors.card import KINDS, Card, TrainedPortfolio
from dacalns.selectors.frozen_policy import LEARNERS
from dacalns.selectors.settings import (
    PRESETS,
    LearningSettings,
    NetworkSettings,
    Preset,
    Rewards,
    preset_of,
    require_number,
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
        Of a learned selector; what a card has of a wheel, too.
    portfolio
        As it was given.
    starts
        The policies that training begins with; none: from nothing.
    """

    plan: Plan
    kind: str
    preset: str
    settings: Preset
    portfolio: str | Portfolio
    starts: tuple[Start, ...] = ()

    @property
    def problem(self) -> str:
        """``"cvrp"`` or ``"vrptw"``."""
        return self.plan.source.problem

    def described(self) -> dict[str, Any]:
        """All that the policy depends on, but for the number of rounds, as plain data."""
        plan, source = self.plan, self.plan.source
        return {
            "problem": self.problem,
            "instances": list(source.members) if isinstance(source, Listed) else str(source),
            "kind": self.kind,
            "method": plan.method,
            **({"start": [start.described() for start in self.starts]} if self.starts else {}),
            **{part: asdict(getattr(self.settings, part)) for part in (PARTS if plan.learner else ())},
            "portfolio": TrainedPortfolio.of(plan.portfolio, self.problem).to_dict(),
            "acceptance": described(plan.portfolio.acceptance),
            **{
                name: getattr(plan, name)
                for name in (
                    "episodes",
                    "patience",
                    "deviation",
                    "rate",
                    "halving",
                    "margin",
                    "hold",
                    "temperature",
                    "seed",
                )
            },
            **({} if plan.seconds is None else {"seconds": plan.seconds}),
        }

    def command(self, steps: int) -> str:
        """The command that trains it again."""
        plan = self.plan
        rate = plan.rate if plan.method == "whole" else self.settings.learning.rate
        rates = [] if plan.method == "surface" else ["--rate", rate]
        words: list[object] = ["dac-alns", "train", "--problem", self.problem, "--instances", plan.source]
        words += ["--steps", steps, "--kind", self.kind, "--method", plan.method]
        if plan.learner is not None:
            words += ["--settings", "settings.toml"] if self.preset == "custom" else ["--preset", self.preset]
        if plan.portfolio.name != "paper":
            words += ["--portfolio", self.portfolio if isinstance(self.portfolio, str) else plan.portfolio.name]
        if self.starts:
            words += ["--start-from", ",".join(start.name for start in self.starts)]
        words += ["--episodes", plan.episodes, *rates, "--seed", plan.seed]
        if plan.method == "online":
            words += ["--patience", plan.patience]
        else:
            stepwise = plan.method == "whole"
            words += ["--halving", plan.halving] if stepwise else []
            words += ["--deviation", plan.deviation, "--margin", plan.margin]
            words += ["--hold", plan.hold] if stepwise else []
            words += ["--temperature", plan.temperature]
            words += [] if plan.seconds is None else ["--seconds", plan.seconds]
        return shlex.join([*map(str, words), "--out", "policy.safetensors"])

    def card(self, training: dict[str, Any], validation: dict[str, Any], steps: int) -> Card:
        """The card of the policy after so many steps."""
        features = VRPTW_FEATURES if self.problem == "vrptw" else CVRP_FEATURES
        told = {**self.described(), "instances": str(self.plan.source), **training, "command": self.command(steps)}
        if self.plan.learner is not None and self.preset == "custom":
            chosen = Settings(
                selector=SelectorSettings(self.kind), **{part: getattr(self.settings, part) for part in PARTS}
            )
            told["settings.toml"] = chosen.to_toml()
        # Those that the card has on its own.
        for name in ("problem", "kind", "portfolio", *PARTS):
            told.pop(name, None)
        return Card(
            problem=self.problem,
            kind=self.kind,
            features=() if self.kind == "wheel" else features,
            portfolio=TrainedPortfolio.of(self.plan.portfolio, self.problem),
            network=self.settings.network,
            rewards=self.settings.rewards,
            learning=self.settings.learning,
            preset=self.preset,
            training=told,
            validation=validation,
        )


def blueprint(
    problem: str,
    instances: str,
    *,
    kind: str | None,
    method: str | None,
    preset: str | None,
    settings: Settings | str | os.PathLike[str] | None,
    portfolio: str | Portfolio | None,
    episodes: int,
    patience: float,
    rate: float | None,
    deviation: float,
    halving: int,
    temperature: float,
    margin: float,
    hold: int,
    seconds: float | None,
    seed: int | None,
    start_from: str | os.PathLike[str] | None = None,
) -> Blueprint:
    """What to train, checked; the parameters are those of `dacalns.train`.

    Raises
    ------
    InputError
        If something makes no sense.
    """
    require_choice("problem", problem, PROBLEMS)
    given = settings if isinstance(settings, Settings) else Settings() if settings is None else load_settings(settings)
    _require_for_training(given)
    named = None if given.selector is None or given.selector.name not in KINDS else given.selector.name
    kind = require_choice("kind", kind or named or "dac", KINDS)
    method = require_choice("method", method or ("whole" if kind == "wheel" else "online"), METHODS)
    if kind == "wheel" and method == "online":
        raise InputError(
            "method is 'online'; expected 'whole' or 'surface' for a wheel, which has no network that could learn so."
        )
    if kind != "wheel" and method == "surface":
        raise InputError(
            f"method is 'surface'; expected 'online' or 'whole' for kind {shown(kind)}; choose one, or kind 'wheel', "
            "from which a network can start."
        )
    if rate is not None and method == "surface":
        raise InputError(
            f"rate is {shown(rate)}; expected none for method 'surface', which takes no steps; leave it out."
        )
    if seconds is not None and method == "online":
        raise InputError(
            f"seconds is {shown(seconds)}; expected none for method 'online', whose episodes are counted in "
            "iterations; leave it out, or choose another method."
        )
    label, chosen = _chosen_settings(preset, given)
    if seed is None:
        seed = (given.search and given.search.seed) or 0
    seed = whole_number("seed", seed, minimum=0)
    if portfolio is None:
        portfolio = (given.search and given.search.portfolio) or "paper"
    if rate is not None and method == "online":
        chosen = replace(chosen, learning=replace(chosen.learning, rate=rate))
        label = label if chosen == PRESETS.get(label) else "custom"
    learner = None if kind == "wheel" else LEARNERS[kind](chosen.rewards, chosen.network, chosen.learning)
    usual = 1e-3 if rate is None or method == "online" else rate
    plan = Plan(
        as_source(problem, instances, seed),
        as_portfolio(portfolio).for_problem(problem),
        learner,
        method,
        whole_number("episodes", episodes, minimum=1),
        require_number("patience", patience, minimum=0, maximum=1),
        require_number("deviation", deviation, above=0),
        require_number("rate", usual, above=0),
        whole_number("halving", halving, minimum=0),
        require_number("margin", margin, above=0),
        whole_number("hold", hold, minimum=1),
        require_number("temperature", temperature, above=0),
        None if seconds is None else require_number("seconds", seconds, above=0),
        seed,
    )
    starts = () if start_from is None else read_starts(start_from, kind, plan)
    return Blueprint(plan, kind, label, chosen, portfolio, starts)


def _require_for_training(settings: Settings) -> None:
    for part in ("stop", "acceptance"):
        if getattr(settings, part) is not None:
            raise InputError(
                f"the settings have a table [{part}]; expected [search], [selector], [rewards], [network] and "
                "[learning] for training; leave it out."
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


def _chosen_settings(preset: str | None, settings: Settings) -> tuple[str, Preset]:
    """The preset's name, or custom; and the settings."""
    in_file = (settings.selector and settings.selector.preset) or "paper"
    parts: dict[str, Rewards | NetworkSettings | LearningSettings] = {
        part: getattr(settings, part) for part in PARTS if getattr(settings, part) is not None
    }
    named = None if preset is None else preset_of(preset)
    if named is not None and named.prior is not None:
        # What a training begins with is an option of its own.
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
