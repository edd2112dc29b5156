"""Who does the runs: options that commands share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dacalns.errors import InputError

if TYPE_CHECKING:
    from dacalns.engines import Engine


class EngineName(StrEnum):
    """Who does the runs."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[EngineName, typer.Option(help="Processes of this machine, or a Ray cluster.")]
AddressOption = Annotated[
    str | None, typer.Option(help="Of a running Ray cluster.", metavar="ADDRESS", show_default="this machine's")
]


def chosen_engine(name: EngineName, address: str | None, jobs: int | None) -> "Engine":
    """The engine that the options ask for."""
    from dacalns.engines import Processes, RayCluster, usable_cores
    from dacalns.instances.whole_number import whole_number

    if name is EngineName.RAY:
        if jobs is not None:
            raise InputError(f"jobs is {jobs} with engine ray; expected none: Ray knows its CPUs; leave it out.")
        return RayCluster(address or "auto")
    if address is not None:
        raise InputError(f"ray address is {address!r} with engine local; expected engine ray; add --engine ray.")
    return Processes(len(usable_cores()) if jobs is None else whole_number("jobs", jobs, minimum=1), pinned=True)
