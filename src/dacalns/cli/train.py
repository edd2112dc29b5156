"""``dac-alns train``."""

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from dacalns.cli.console import announce_compilation, announce_nothing, err, out
from dacalns.cli.options import AddressOption, EngineName, EngineOption, chosen_engine
from dacalns.cli.watch import watch
from dacalns.learning.options import OPTIONS, Option, TrainingOptions
from dacalns.learning.rounds import METHODS
from dacalns.selectors.card import KINDS


def _with_training_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `TrainingOptions`, all of which reach it by name."""
    found: Any = command
    signature = inspect.signature(command)
    own = [entry for entry in signature.parameters.values() if entry.kind is not entry.VAR_KEYWORD]
    taken = []
    for field in fields(TrainingOptions):
        option, default = OPTIONS[field.name], inspect.Parameter.empty if field.default is MISSING else field.default
        kind = get_args(field.type)[0] if option.word is None else option.word | None
        usual = option.usual_text if option.usual is None else f"{option.usual:g}"
        told = typer.Option(help=_help(option), metavar=option.metavar or _metavar(kind), show_default=usual or True)
        taken.append(
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
            )
        )
    required = [entry for entry in taken if entry.default is entry.empty]
    found.__signature__ = signature.replace(
        parameters=[*required, *own[:3], *(entry for entry in taken if entry not in required), *own[3:]]
    )
    return command


def _metavar(kind: Any) -> str | None:
    """How the help shows a number."""
    kinds = get_args(kind) or (kind,)
    return "N" if int in kinds else "NUMBER" if float in kinds else None


def _help(option: Option) -> str:
    """What an option means, and with what it has an effect, unless that is all trainings."""
    only = [f"method {' or '.join(option.methods)}"] if option.methods != METHODS else []
    only += [f"kind {' or '.join(option.kinds)}"] if option.kinds != KINDS else []
    return f"{option.help} Only with {', '.join(only)}." if only else option.help


@_with_training_options
def train(
    *,
    out_file: Annotated[
        Path, typer.Option("--out", help="The policy is written to this file.", metavar="POLICY.safetensors")
    ],
    resume: Annotated[bool, typer.Option("--resume", help="The training goes on where it stopped.")] = False,
    force: Annotated[bool, typer.Option("--force", help="The files of an earlier training are replaced.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(help="This many processes share the searches.", metavar="N", show_default="one for each core"),
    ] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: AddressOption = None,
    log: Annotated[
        Path | None,
        typer.Option(help="Files for TensorBoard are written to this folder; needs the extra train.", metavar="DIR"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Nothing but errors is printed.")] = False,
    **options: Any,
) -> None:
    """Train a policy. POLICY.state, to resume from, and POLICY.csv, a row for each round, are written beside it.

    Exit code 0: done; 130: interrupted after a round, to be resumed; 2: bad input.
    """
    from dacalns.learning import train as train_policy
    from dacalns.learning.live import LiveTraining, TrainingLines

    cluster = chosen_engine(engine, ray_address, jobs) if engine is EngineName.RAY or ray_address else None
    display: Any = nullcontext()
    if not quiet:
        title = f"dac-alns train  {options['problem']}  {options['instances']}"
        display = LiveTraining(err, title) if err.is_terminal else TrainingLines(err)
    watch.sentence = "Interrupted; to go on after the last whole round, if there was one, add --resume to the command."
    with display as on_progress:
        summary = train_policy(
            **options, out=out_file, resume=resume, force=force, jobs=jobs, engine=cluster, log=log,
            on_progress=on_progress, on_compile=announce_nothing if quiet else announce_compilation,
        )  # fmt: skip
    if not quiet:
        out.print(str(summary), soft_wrap=True)
    if not summary.finished:
        err.print("Interrupted; to go on, give the same command with --resume.", style="red")
        raise typer.Exit(130)
