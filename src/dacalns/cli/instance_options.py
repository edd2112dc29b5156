"""Which instance, and how it is read: arguments that commands share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dacalns.errors import InputError
from dacalns.shown import shown

if TYPE_CHECKING:
    from dacalns.instances import Instance


class Rounding(StrEnum):
    """How distances are rounded."""

    AUTO = "auto"
    ROUND = "round"
    TRUNC = "trunc"
    DIMACS = "dimacs"
    EXACT = "exact"
    NONE = "none"


InstanceArgument = Annotated[
    str, typer.Argument(help="A .vrp or Solomon .txt file, or a bundled name.", metavar="INSTANCE")
]
RoundingOption = Annotated[Rounding, typer.Option(help="Rounding of distances.")]
FleetOption = Annotated[str, typer.Option(help="The most routes: auto, free or a number.", metavar="auto|free|N")]


def read_instance(instance: str, rounding: Rounding, fleet: str) -> "Instance":
    """The instance that the arguments name."""
    from dacalns.instances import read

    if fleet in ("auto", "free"):
        return read(instance, rounding=rounding.value, fleet=fleet)
    if not fleet.isdecimal() or len(fleet) > 18 or int(fleet) < 1:
        raise InputError(
            f"fleet is {shown(fleet)}; expected auto, free or a number of routes, 1 or more; correct the value."
        )
    return read(instance, rounding=rounding.value, fleet=int(fleet))
