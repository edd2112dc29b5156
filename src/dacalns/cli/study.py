"""The ``dac-alns study`` commands: arguments in, calls out."""

from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from dacalns.cli.console import err, out, print_as_it_is
from dacalns.cli.options import AddressOption, Command, EngineName, EngineOption, Group, choices, chosen_engine
from dacalns.cli.watch import watch

if TYPE_CHECKING:
    from dacalns.study.runner import Summary

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Reproduce the paper's experiments, or run your own, and report them."
)


class Format(StrEnum):
    """The format of a report."""

    MD = "md"
    LATEX = "latex"
    HTML = "html"
    CSV = "csv"


ProtocolArgument = Annotated[
    str, typer.Argument(help="Name of a protocol of the package, or a TOML file of your own.", metavar="PROTOCOL")
]


@app.command(cls=Command)
def run(
    protocol: ProtocolArgument,
    folder: Annotated[
        Path, typer.Option("--out", help="Folder of the study; what is in it is not run again.", metavar="DIR")
    ],
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes.", metavar="N", show_default="one for each core")
    ] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: AddressOption = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try runs that failed once more.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Do all runs of PROTOCOL that are not in the folder yet. The same command continues what was stopped.

    Exit code 0: all done; 1: some runs failed; 130: interrupted; 2: bad input.
    """
    from dacalns.study.live import StudyDisplay
    from dacalns.study.load_protocol import load_protocol
    from dacalns.study.runner import run_study

    chosen = load_protocol(protocol)
    workers = chosen_engine(engine, ray_address, jobs)
    if not quiet:
        err.print(chosen.portfolios_in_words(), highlight=False, soft_wrap=True)
    display: Any = nullcontext() if quiet else StudyDisplay(err, f"dac-alns study  {chosen.name}")
    watch.sentence = "Interrupted; to go on, give the same command."
    with display as shown:
        summary = run_study(
            chosen,
            folder,
            workers,
            command=f"dac-alns study run {protocol}",
            retry_failed=retry_failed,
            on_progress=None if shown is None else shown.running,
            on_training=None if shown is None else shown.training,
        )
    if not quiet:
        _print_summary(summary, folder)
    if summary.interrupted:
        err.print("Interrupted; to go on, give the same command.", style="red")
        raise typer.Exit(130)
    raise typer.Exit(1 if summary.failed else 0)


def _print_summary(summary: "Summary", folder: Path) -> None:
    parts = [f"{summary.done:,} of {summary.runs:,} runs done in {summary.seconds:.1f} s"]
    parts += [f"{len(summary.failed)} failed"] if summary.failed else []
    parts += [f"{summary.infeasible} left customers unserved"] if summary.infeasible else []
    out.print(", ".join(parts), soft_wrap=True)
    for member, error in summary.failed[:10]:
        policy = "" if member.training is None else f", training {member.training}"
        what = f"{member.method} on {member.instance}{policy}, seed {member.seed}"
        out.print(f"  failed: {what}: {error}", soft_wrap=True)
    if len(summary.failed) > 10:
        out.print(f"  and {len(summary.failed) - 10} more")
    if not summary.interrupted:
        out.print(f"  now: dac-alns study report {folder}", soft_wrap=True)


@app.command(cls=Command)
def show(
    protocol: Annotated[
        str | None,
        typer.Argument(
            help="Protocol to show; without one, the protocols of the package are listed.", metavar="[PROTOCOL]"
        ),
    ] = None,
) -> None:
    """Print what PROTOCOL does: methods, budgets, seeds, trainings, and the exact instances."""
    from dacalns.study.load_protocol import load_protocol, protocol_names

    if protocol is None:
        table = Table(box=None, pad_edge=False)
        for heading in ("protocol", "runs", "about"):
            table.add_column(heading)
        for name in protocol_names():
            each = load_protocol(name)
            table.add_row(name, f"{each.runs:,}", each.title)
        out.print(table)
        return
    out.print(load_protocol(protocol).in_words(), soft_wrap=True)


@app.command(cls=Command)
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a study.", metavar="DIR")],
    kind: Annotated[
        Format, typer.Option("--format", help="Format of the report.", metavar=choices(Format))
    ] = Format.HTML,
    file: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="File for the report.",
            metavar="FILE",
            show_default="DIR/report.html; the terminal for other formats",
        ),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print one line for each dataset, and no figures but those of a map.")
    ] = False,
) -> None:
    """Write tables, tests, verdicts and figures of the studies in DIR."""
    from dacalns.study.report import write_report

    written = write_report(folder, kind.value, file, brief=brief)
    if isinstance(written, Path):
        out.print(f"wrote {written}", soft_wrap=True)
    else:
        print_as_it_is(written)
