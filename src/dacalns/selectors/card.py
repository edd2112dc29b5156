"""The card of a trained policy says what the policy is, what it was trained for, and how."""

import json
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from dacalns.core.graph import PLAIN_FEATURES, RICH_FEATURES, WINDOW_FEATURES
from dacalns.instances.feature_sets import features_of, is_rich, spelled_out
from dacalns.instances.features import PLAIN, PROBLEMS, WINDOWS, problem_called
from dacalns.instances.fields import require_one_line
from dacalns.search.operators import Scale
from dacalns.search.portfolio import Portfolio
from dacalns.selectors.settings import PRESETS, LearningSettings, NetworkSettings, Rewards
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, reason_of, shown
from dacalns.util.typed_data import from_plain
from dacalns.util.values import require_choice, whole_number
from dacalns.version import __version__

FORMAT = 2
"""The format of cards. A change that older versions of the package would misread raises the number by one."""

# Values that older formats did not say, as there was no other choice: by format, part and field. With the presets that
# have no discount and share the repair's reward, one step and two steps are the same.
UNSAID: dict[int, dict[str, dict[str, str]]] = {
    1: {"learning": {"target": "one-step", "choice": "draw"}, "network": {"critic": "state"}}
}

KINDS = ("dac", "ac", "wheel")
"""The kinds of policies: two actors, one actor for pairs, or weights that no network computes."""


def node_features(problem: str) -> tuple[str, ...]:
    """Return the names of what networks see of a node in a problem: ``"cvrp"``, ``"vrptw"``, or a rich one."""
    if is_rich(problem):
        return RICH_FEATURES
    return WINDOW_FEATURES if WINDOWS in PROBLEMS[problem] else PLAIN_FEATURES


@dataclass(frozen=True)
class TrainedPortfolio:
    """The operators that a policy chooses from, in the order of its actions.

    Parameters
    ----------
    destroy
        The name and the scale (how many customers it removes) of each destroy operator.
    repair
        The name of each repair operator.
    """

    destroy: tuple[tuple[str, Scale], ...]
    repair: tuple[str, ...]

    def __post_init__(self) -> None:
        try:
            destroy = tuple((name, scale) for name, scale in self.destroy)
            repair = tuple(self.repair)
        except (TypeError, ValueError):
            destroy, repair = (), ()
        names = [*(name for name, _ in destroy), *repair]
        scales = [scale for _, scale in destroy]
        known = all(isinstance(name, str) for name in names) and all(isinstance(scale, Scale) for scale in scales)
        if not (destroy and repair and known) or isinstance(self.repair, str):
            raise InputError(
                f"portfolio has destroy operators {shown(self.destroy)} and repair operators {shown(self.repair)}; "
                "expected pairs of name and Scale, and names."
            )
        object.__setattr__(self, "destroy", destroy)
        object.__setattr__(self, "repair", repair)

    @classmethod
    def of(cls, portfolio: Portfolio, features: Set[str]) -> "TrainedPortfolio":
        """Return the operators of a portfolio that fit instances with these features."""
        return cls.of_all(portfolio.for_features(features))

    @classmethod
    def of_all(cls, portfolio: Portfolio) -> "TrainedPortfolio":
        """Return all operators of a portfolio."""
        return cls(
            tuple((operator.name, operator.scale) for operator in portfolio.destroy),
            tuple(operator.name for operator in portfolio.repair),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the operators as plain lists and dictionaries."""
        destroy = [{"name": name, "scale": asdict(scale)} for name, scale in self.destroy]
        return {"destroy": destroy, "repair": list(self.repair)}

    @classmethod
    def from_dict(cls, data: Any) -> "TrainedPortfolio":
        """Return the operators that `to_dict` described.

        Raises
        ------
        InputError
            If the data does not describe operators.
        """
        try:
            destroy = tuple(
                (entry["name"], from_plain(Scale, entry["scale"], "portfolio of the card")) for entry in data["destroy"]
            )
            return cls(destroy, data["repair"])
        except (KeyError, TypeError) as error:
            raise InputError(
                f"portfolio of the card is not understood ({reason_of(error)}); expected destroy "
                "operators with name and scale, and names of repair operators."
            ) from None


@dataclass(frozen=True)
class Card:
    """A description of a policy: what it is, what it was trained for, and how.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``, the name that the features of its instances have; or for a policy for rich problems,
        the sets of features that its instances had, such as ``"pairs+windows,prizes"``. In place of ``"rich"``, the
        card has every feature by name.
    kind
        ``"dac"`` (two actors), ``"ac"`` (one actor for pairs) or ``"wheel"`` (weights without a network).
    features
        The names of the node features that the network sees, in their order; none for a wheel.
    portfolio
        The operators that it chooses from.
    network, rewards, learning
        The settings that it was trained with.
    preset
        Where those come from: the name of a preset, or ``"custom"``.
    training
        How to train it again: instances, steps, seed, command. Anything that JSON can hold.
    validation
        Figures on instances that it was not trained on. Anything that JSON can hold.
    version
        The version of dac-alns that trained it.
    format
        The format of the card.

    Raises
    ------
    InputError
        When a value makes no sense.
    """

    problem: str
    kind: str
    features: tuple[str, ...]
    portfolio: TrainedPortfolio
    network: NetworkSettings = field(default_factory=NetworkSettings)
    rewards: Rewards = field(default_factory=Rewards)
    learning: LearningSettings = field(default_factory=LearningSettings)
    preset: str = "paper"
    training: Mapping[str, Any] = field(default_factory=dict)
    validation: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    format: int = FORMAT

    def __post_init__(self) -> None:
        object.__setattr__(self, "problem", spelled_out(self.problem))
        require_choice("kind", self.kind, KINDS)
        require_choice("preset", self.preset, (*PRESETS, "custom"))
        require_one_line("version", self.version, empty_allowed=False)
        object.__setattr__(self, "format", whole_number("format", self.format, minimum=1, maximum=FORMAT))
        for part, kind in _PARTS.items():
            if not isinstance(getattr(self, part), kind):
                raise InputError(
                    f"{part} is {shown(getattr(self, part))}; expected an object of class {kind.__name__}."
                )
        object.__setattr__(self, "features", _names(self.features))
        if bool(self.features) == (self.kind == "wheel"):
            expected = "none for a wheel" if self.features else f"at least one for kind {self.kind}"
            raise InputError(f"features are {shown(list(self.features))}; expected {expected}; correct the list.")
        for part in ("training", "validation"):
            object.__setattr__(self, part, _plain(part, getattr(self, part)))

    def to_json(self) -> str:
        """Return the card as JSON text."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        data |= {part: asdict(data[part]) for part in _SETTINGS} | {"portfolio": self.portfolio.to_dict()}
        return json.dumps(data, allow_nan=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Card":
        """Return the card that `to_json` wrote.

        Raises
        ------
        InputError
            If the text is no card, or one of a newer format.
        """
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise InputError("the card is not a JSON object; expected the card of a dac-alns policy; train it again.")
        newest = data.get("format")
        if isinstance(newest, int) and newest > FORMAT:
            raise InputError(
                f"the card has format {shown(newest)}; expected at most {FORMAT}; install a newer dac-alns than "
                f"{__version__}."
            )
        _require_keys("the card", data, cls)
        if type(newest) is int and newest in UNSAID:
            data["format"] = FORMAT
            # What was called the preset of the paper has another name now.
            data["preset"] = "one-step" if data["preset"] == "paper" else data["preset"]
            for part, values in UNSAID[newest].items():
                data[part] = values | data[part] if isinstance(data[part], dict) else data[part]
        for part, kind in _SETTINGS.items():
            _require_keys(f"{part} of the card", data[part], kind)
            data[part] = kind(**data[part])
        data["portfolio"] = TrainedPortfolio.from_dict(data["portfolio"])
        return cls(**data)


_SETTINGS: dict[str, type] = {"network": NetworkSettings, "rewards": Rewards, "learning": LearningSettings}
_PARTS: dict[str, type] = {**_SETTINGS, "portfolio": TrainedPortfolio}


def require_match(card: Card, features: Set[str], portfolio: Portfolio) -> None:
    """Check that a policy can choose in a search.

    A policy for CVRP or VRPTW serves that problem alone. One for rich problems serves all of these that ask for nothing
    beyond the features that it was trained on.

    Parameters
    ----------
    card
        The card of the policy.
    features
        The features of the instance to solve.
    portfolio
        The operators to choose from, all of which fit the features.

    Raises
    ------
    InputError
        If it was trained for another problem, for another view of nodes than this version's, for other operators or
        scales, or for another order of them.
    """
    trained_on = features_of(card.problem)
    if is_rich(card.problem) and not features <= PLAIN:
        if strange := features - trained_on:
            raise InputError(
                f"the policy was trained on {listed(sorted(trained_on), 80)}, but the instance has "
                f"{listed(sorted(strange), 60)}; expected a policy that was trained on that, too; choose or train one."
            )
    elif is_rich(card.problem) or trained_on != features:
        problem = problem_called(features)
        known = f"problems with {listed(sorted(trained_on), 60)}" if is_rich(card.problem) else card.problem
        raise InputError(
            f"the policy was trained for {known}, but the instance is a {problem}; expected a policy for {problem}; "
            "choose or train one."
        )
    seen = node_features(card.problem)
    if card.kind != "wheel" and card.features != seen:
        differs = [f"no {name}" for name in seen if name not in card.features]
        differs += [name for name in card.features if name not in seen]
        raise InputError(
            f"the policy sees {listed(differs, 80) or 'the same in another order'} of a node; expected "
            f"{listed(seen, 80)}, as this version of dac-alns shows; train it again."
        )
    require_operators(card, portfolio)


def require_operators(card: Card, portfolio: Portfolio) -> None:
    """Check that a policy was trained for the operators of a portfolio, all of which fit the features of an instance.

    Raises
    ------
    InputError
        If it was trained for other operators or scales, or for another order of them.
    """
    trained, asked = card.portfolio, TrainedPortfolio.of_all(portfolio)
    for what, one, other in (
        ("destroy", trained.destroy, asked.destroy),
        ("repair", trained.repair, asked.repair),
    ):
        if len(one) != len(other):
            raise InputError(
                f"portfolio {shown(portfolio.name)} has {len(other)} {what} operators; expected the {len(one)} of the "
                f"training, {listed(map(_words, one))}; choose that portfolio or train anew."
            )
        for number, (known, given) in enumerate(zip(one, other, strict=True), start=1):
            if known != given:
                raise InputError(
                    f"{what} operator {number} of portfolio {shown(portfolio.name)} is {_words(given)}; expected "
                    f"{_words(known)}, as in the training; choose that portfolio or train anew."
                )


def _words(operator: Any) -> str:
    return operator if isinstance(operator, str) else f"{operator[0]} ({_range(operator[1])})"


def _range(scale: Scale) -> str:
    if scale.fraction:
        return f"{100 * scale.low:.10g} to {100 * scale.high:.10g} %"
    return f"{scale.low:.10g} to {scale.high:.10g} customers"


def _names(given: Any) -> tuple[str, ...]:
    names = tuple(given) if isinstance(given, list | tuple) else (None,)
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise InputError(f"features are {shown(given)}; expected a list of names that differ; correct the list.")
    return names


def _plain(what: str, given: Any) -> dict[str, Any]:
    """Return a copy as it comes back from JSON, so that a card equals itself after saving and loading."""
    try:
        copy = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        copy = None
    if not isinstance(copy, dict):
        raise InputError(f"{what} is {shown(given)}; expected a dictionary of what JSON can hold, without NaN.")
    return copy


def _require_keys(what: str, data: Any, kind: type) -> None:
    names = {entry.name for entry in fields(kind)}
    given = set(data) if isinstance(data, dict) else set()
    if wrong := [*(f"no {shown(name)}" for name in sorted(names - given)), *map(shown, sorted(given - names))]:
        raise InputError(f"{what} has {listed(wrong, 80)}; expected {listed(sorted(names))}; train the policy again.")
