"""The options of a training, defined once.

The command line, the keys of ``[trainings.NAME]`` in a protocol, the checks, a policy's card and the command that
trains it again are made from the fields of `TrainingOptions`; `dacalns.train` has the same keywords.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, get_type_hints

from dacalns.learning.rounds import METHODS, Plan
from dacalns.search.portfolio import Portfolio
from dacalns.selectors.card import KINDS
from dacalns.selectors.settings import require_number
from dacalns.settings import Settings
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

NETWORKS = tuple(kind for kind in KINDS if kind != "wheel")
VALIDATE_EVERY = {"online": 100, "whole": 25, "surface": 25}
# What a training uses that is told nothing: the operators of `dacalns.solve`, and what the policies for them in the
# package were trained with. With "online", which is the paper's method, it is the paper's preset.
USUAL_PORTFOLIO = "full"
USUAL_METHOD = {"dac": "whole", "ac": "whole", "wheel": "surface"}
USUAL_PRESET = {"online": "paper", "whole": "context", "surface": "context"}


@dataclass(frozen=True)
class Option:
    """Facts about an option besides its name and type.

    Parameters
    ----------
    help
        What the option means, in a sentence.
    usual
        The value that is used if the option is left out; None if there is none, or if it depends on other options.
    usual_text
        The words for that value, where it depends on other options.
    check
        A function of the name and a value that returns the value, or raises an `InputError` if it is beyond the
        limits; None if other code checks it.
    methods, kinds
        The methods and the kinds of policies with which the option has an effect.
    metavar
        How the command line's help shows the value.
    word
        The type that the command line reads, if programs may give other types as well.
    """

    help: str
    usual: Any = None
    usual_text: str | None = None
    check: Callable[[str, Any], Any] | None = None
    methods: tuple[str, ...] = METHODS
    kinds: tuple[str, ...] = KINDS
    metavar: str | None = None
    word: type | None = None


def _whole(minimum: int) -> Callable[[str, Any], Any]:
    return partial(whole_number, minimum=minimum)


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """The options that a user gave for a training; None stands for an option that was left out.

    The order of the fields is the order in the command line's help and in the command of a card.
    """

    problem: Annotated[
        str,
        Option(
            "The problem that the policy is for: cvrp, vrptw with time windows, sets of features such as "
            "pairs+windows,prizes, or rich for all features.",
            metavar="cvrp|vrptw|rich|FEATURES",
        ),
    ]
    steps: Annotated[
        int,
        Option(
            "The training ends after the round in which all searches together reach this many iterations.",
            check=_whole(1),
        ),
    ]
    instances: Annotated[
        str,
        Option(
            "The instances to train on: generated, generated:20-59 (with that many customers), generated:60-150:long "
            "(with long or short routes, or horizons), a set, or files with commas between.",
            metavar="generated[:20-59[:long|short]]|SET|FILES",
        ),
    ] = "generated"
    kind: Annotated[
        str | None,
        Option(
            "The kind of policy: dac has two actors, ac has one for pairs of operators, wheel has no network.",
            usual_text="dac",
            metavar="dac|ac|wheel",
        ),
    ] = None
    method: Annotated[
        str | None,
        Option(
            "How the policy learns. online: at every iteration, as in the paper; whole: from the outcome of whole "
            "searches; surface: a wheel learns from the outcome of all searches so far.",
            usual_text="whole; surface for a wheel",
            metavar="online|whole|surface",
        ),
    ] = None
    start_from: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "The training begins with this policy: one of the same kind, a wheel, or wheels with commas between.",
            metavar="POLICIES",
            word=str,
        ),
    ] = None
    preset: Annotated[
        str | None,
        Option(
            "A name for the values of rewards, network and learning: paper, one-step, improved or context; or fields, "
            "such as improved,rate=0.0005.",
            usual_text="context; paper with online",
            metavar="PRESET",
            kinds=NETWORKS,
        ),
    ] = None
    settings: Annotated[
        Settings | str | os.PathLike[str] | None,
        Option(
            "A TOML file sets rewards, network and learning, the portfolio and the seed.",
            metavar="FILE.toml",
            word=str,
        ),
    ] = None
    portfolio: Annotated[
        str | Portfolio | None,
        Option(
            "The operators: full, paper[:ratio,anywhere,scales], or FILE.py[:NAME] with your own.",
            usual_text="full",
            metavar="full|paper|FILE.py",
            word=str,
        ),
    ] = None
    episodes: Annotated[
        int | None,
        Option(
            "A round has this many searches, which all begin with the same parameters.",
            usual=Plan.episodes,
            check=_whole(1),
        ),
    ] = None
    rate: Annotated[
        float | None,
        Option(
            "The learning rate: how far the parameters move in a step.",
            usual_text=f"{Plan.rate:g}, or the settings' for online",
            check=partial(require_number, above=0),
            methods=("online", "whole"),
        ),
    ] = None
    seed: Annotated[
        int | None, Option("The seed of all that is random.", usual_text="0, or the settings'", check=_whole(0))
    ] = None
    patience: Annotated[
        float | None,
        Option(
            "A search ends when its best cost has not improved for this part of its iterations; 0: never.",
            usual=Plan.patience,
            check=partial(require_number, minimum=0, maximum=1),
            methods=("online",),
        ),
    ] = None
    halving: Annotated[
        int | None,
        Option(
            "The learning rate is half of what it was after this many rounds; 0: it never falls.",
            usual=Plan.halving,
            check=_whole(0),
            methods=("whole",),
        ),
    ] = None
    deviation: Annotated[
        float | None,
        Option(
            "The standard deviation of the random numbers that each search adds to the outputs of the actors.",
            usual=Plan.deviation,
            check=partial(require_number, above=0),
            methods=("whole", "surface"),
        ),
    ] = None
    margin: Annotated[
        float | None,
        Option(
            "The relative difference in cost that counts as a full win; with surface, the largest that counts.",
            usual=Plan.margin,
            check=partial(require_number, above=0),
            methods=("whole", "surface"),
        ),
    ] = None
    hold: Annotated[
        int | None,
        Option(
            "A network's decision is used for this many iterations.",
            usual=Plan.hold,
            check=_whole(1),
            methods=("whole",),
            kinds=NETWORKS,
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Option(
            "The outputs of the actors are divided by this in the saved policy; above 1, operators are mixed more.",
            usual=Plan.temperature,
            check=partial(require_number, above=0),
            methods=("whole", "surface"),
        ),
    ] = None
    seconds: Annotated[
        float | None,
        Option(
            "Every search takes this many seconds, also in validations; only the critic's rounds keep the paper's "
            "iterations.",
            usual_text="the paper's iterations",
            metavar="SECONDS",
            check=partial(require_number, above=0),
            methods=("whole", "surface"),
        ),
    ] = None
    validate_every: Annotated[
        int | None,
        Option(
            "The policy is validated after every so many rounds; 0: only at the end.",
            usual_text="100 with online, else 25",
            check=_whole(0),
        ),
    ] = None
    validation_instances: Annotated[
        int | None, Option("A validation has this many instances; 0: there are none.", usual=64, check=_whole(0))
    ] = None
    stop_after: Annotated[
        int | None,
        Option("The training ends after this many validations without a better one.", check=_whole(1)),
    ] = None

    def value(self, name: str) -> Any:
        """Return the value of an option: the given one, if it is within its limits, or else the usual one.

        Raises
        ------
        InputError
            If it is beyond its limits.
        """
        given, option = getattr(self, name), OPTIONS[name]
        if given is None:
            return option.usual
        return given if option.check is None else option.check(name, given)

    def require_effect(self, kind: str, method: str) -> None:
        """Raise an `InputError` if an option was given that has no effect on such a training."""
        for name in without_effect(kind, method, several_starts(self.start_from)):
            given = getattr(self, name)
            if given is None:
                continue
            option = OPTIONS[name]
            if method in option.methods:
                what, found, fit = "kind", kind, option.kinds
            else:
                what, found, fit = "method", method, option.methods
            raise InputError(
                f"{name} is {shown(given)}; expected none for {what} {found!r}, because it has an effect only with "
                f"{what} {' or '.join(map(repr, fit))}; leave it out."
            )


OPTIONS: dict[str, Option] = {
    name: next(entry for entry in hint.__metadata__ if isinstance(entry, Option))
    for name, hint in get_type_hints(TrainingOptions, include_extras=True).items()
}
"""All options by name, in the order of the fields."""

OF_PLAN = tuple(name for name in OPTIONS if name in {entry.name for entry in fields(Plan)} - {"method", "portfolio"})
"""The options that are numbers of a plan; the card and the command that trains a policy again contain them."""


def several_starts(start_from: str | os.PathLike[str] | None) -> bool:
    """True if a training begins with several policies."""
    return start_from is not None and len(paths_in(start_from)) > 1


def paths_in(start_from: str | os.PathLike[str]) -> list[str]:
    """Return the files that a training begins with, which are separated by commas.

    Raises
    ------
    InputError
        If there are none.
    """
    text = os.fspath(start_from) if isinstance(start_from, str | os.PathLike) else ""
    paths = [part.strip() for part in text.split(",") if part.strip()]
    if not paths:
        raise InputError(
            f"start_from is {shown(start_from)}; expected a policy, or wheels with commas between; name one."
        )
    return paths


def without_effect(kind: str, method: str, taught: bool) -> Iterable[str]:
    """Yield the options that have no effect with this kind and method.

    A network that is ``taught`` by several wheels uses each decision for several iterations while it learns from them,
    whatever the method; so ``hold`` has an effect then.
    """
    for name, option in OPTIONS.items():
        if name == "hold" and taught and kind in option.kinds:
            continue
        if method not in option.methods or kind not in option.kinds:
            yield name


@dataclass(frozen=True)
class Wanted:
    """What the user wants: when a training ends, and when it validates.

    Parameters
    ----------
    steps
        The training ends after the round that reaches this many iterations.
    validate_every
        The number of rounds between two validations; 0: the only one is at the end.
    validation_instances
        The number of instances of a validation; 0: there are no validations.
    stop_after
        The training ends after this many validations without a better one; None: it goes on.
    """

    steps: int
    validate_every: int
    validation_instances: int
    stop_after: int | None

    @classmethod
    def of(cls, options: TrainingOptions, method: str) -> "Wanted":
        """Return what the options ask for.

        Raises
        ------
        InputError
            If a number is beyond its limits, or validations that do not happen should end the training.
        """
        every = options.value("validate_every")
        every = VALIDATE_EVERY[method] if every is None else every
        made = cls(options.value("steps"), every, options.value("validation_instances"), options.value("stop_after"))
        for name in ("validate_every", "validation_instances"):
            if made.stop_after is not None and getattr(made, name) == 0:
                raise InputError(
                    f"stop_after is {made.stop_after}; expected none where {name} is 0, because no validations are "
                    f"compared then; leave it out, or give {name} a value above 0."
                )
        return made
