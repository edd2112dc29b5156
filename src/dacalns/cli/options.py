"""Options that commands share: which instance and how it is read, and who does the runs."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from dacalns.util.errors import InputError
from dacalns.util.shown import shown

if TYPE_CHECKING:
    from dacalns.engines import Engine
    from dacalns.instances import Instance


class _PlainHelp:
    """A command whose help has no types of Python: flags take no value, and arguments are words of the user's."""

    params: list[Any]
    help: str | None
    options_metavar: str | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Lines end where the help does, not where the source does.
        self.help = "\n\n".join(" ".join(part.split()) for part in (self.help or "").split("\n\n")) or None

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, ``--help`` among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in found:
            if getattr(each, "is_flag", False) and each.metavar is None:
                each.metavar = ""
            if each.param_type_name == "argument":
                each.display_type = _no_type
        return found

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the words of the command: arguments as their metavars write them."""
        below: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        arguments = [each for each in self.get_params(ctx) if each.param_type_name == "argument"]
        if not arguments:
            return below
        return [piece for piece in (self.options_metavar,) if piece] + [each.metavar for each in arguments]


def _no_type(ctx: Any) -> str:  # noqa: ARG001
    return ""


class Command(_PlainHelp, typer.core.TyperCommand):
    """A command."""


class Group(_PlainHelp, typer.core.TyperGroup):
    """Commands below a common word."""


def choices(words: type[StrEnum]) -> str:
    """How the help shows an option that takes one of some words."""
    return "|".join(words)


# Who does the runs: options that commands share.


class EngineName(StrEnum):
    """The engines that can do the runs."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[
    EngineName, typer.Option(help="Processes of this machine, or a Ray cluster.", metavar=choices(EngineName))
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        help="The address of a running Ray cluster.",
        metavar="ADDRESS",
        show_default="the one that this machine belongs to",
    ),
]


def chosen_engine(name: EngineName, address: str | None, jobs: int | None) -> "Engine":
    """The engine that the options ask for."""
    from dacalns.engines import Processes, RayCluster, usable_cores
    from dacalns.util.values import whole_number

    if name is EngineName.RAY:
        if jobs is not None:
            raise InputError(f"jobs is {jobs} with engine ray; expected none: Ray knows its CPUs; leave it out.")
        return RayCluster(address or "auto")
    if address is not None:
        raise InputError(f"ray address is {address!r} with engine local; expected engine ray; add --engine ray.")
    return Processes(len(usable_cores()) if jobs is None else whole_number("jobs", jobs, minimum=1), pinned=True)


# Which instance, and how it is read: arguments that commands share.


class Rounding(StrEnum):
    """How distances are rounded."""

    AUTO = "auto"
    ROUND = "round"
    TRUNC = "trunc"
    DIMACS = "dimacs"
    MILLI = "milli"
    EXACT = "exact"
    NONE = "none"


InstanceArgument = Annotated[
    str,
    typer.Argument(
        help="A file (a table of customers, VRPLIB, JSON, VROOM, Solomon, Li and Lim, Cordeau), or a name: bundled, "
        "sampled or generated.",
        metavar="INSTANCE",
    ),
]
RoundingOption = Annotated[Rounding, typer.Option(help="Rounding of distances.", metavar=choices(Rounding))]
FleetOption = Annotated[str, typer.Option(help="The most routes: auto, free or a number.", metavar="auto|free|N")]


def read_instance(instance: str, rounding: Rounding, fleet: str, **table: Any) -> "Instance":
    """The instance that the arguments name."""
    from dacalns.instances import read

    if fleet in ("auto", "free"):
        return read(instance, rounding=rounding.value, fleet=fleet, **table)
    if not fleet.isdecimal() or len(fleet) > 18 or int(fleet) < 1:
        raise InputError(
            f"fleet is {shown(fleet)}; expected auto, free or a number of routes, 1 or more; correct the value."
        )
    return read(instance, rounding=rounding.value, fleet=int(fleet), **table)
