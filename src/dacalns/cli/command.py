"""The commands together, and what becomes of errors."""

import sys
import warnings
from typing import Annotated

import typer

from dacalns.cli import bench, generate, instances, solve, study, train
from dacalns.cli.console import err, out
from dacalns.errors import InputError
from dacalns.version import __version__

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Solve vehicle routing problems (CVRP, VRPTW) with an adaptive large neighbourhood search.",
)
app.command()(solve.solve)
app.command()(instances.check)
app.command()(instances.instances)
app.command()(train.train)
app.command()(bench.bench)
app.command()(bench.bench_quality)
app.add_typer(generate.app, name="generate")
app.add_typer(study.app, name="study")


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"dac-alns {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that go before a command."""


def main() -> None:
    """Run the command line; bad input gives one sentence and exit code 2."""
    warnings.showwarning = _print_warning
    try:
        sys.exit(app(standalone_mode=False))
    except InputError as error:
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort) as abort:
        if isinstance(abort.__cause__, EOFError):  # which the parser of the command line takes for an end of typing
            raise abort.__cause__ from None
        err.print("Interrupted before the search began.", style="red")
        sys.exit(130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # what all complaints about options and arguments have
            raise
        _fail(error.format_message())


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    err.print(f"Warning: {' '.join(str(message).split())}", style="yellow", markup=False, soft_wrap=True)


def _fail(message: str) -> None:
    if message:
        err.print(f"Error: {' '.join(message.split())}", style="red", markup=False, soft_wrap=True)
    sys.exit(2)
