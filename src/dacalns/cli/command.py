"""The commands together, and what becomes of errors."""

import sys
import warnings
from typing import Annotated

import typer

from dacalns.cli import bench, instances, machine, solve, study, train, tune
from dacalns.cli.console import err, fail, out, safe_streams
from dacalns.cli.options import Command, Group
from dacalns.cli.watch import watch
from dacalns.util.errors import InputError
from dacalns.version import __version__

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Solve vehicle routing problems (CVRP, VRPTW and richer ones) with an adaptive large neighbourhood search.",
)
app.command(cls=Command)(solve.solve)
app.command(cls=Command)(instances.check)
app.command(cls=Command)(instances.instances)
app.command(cls=Command)(machine.examples)
app.command(cls=Command)(train.train)
app.command(cls=Command)(tune.tune)
app.command(cls=Command)(bench.bench)
app.command(cls=Command)(bench.bench_quality)
app.command(cls=Command)(machine.warm_up)
app.command(cls=Command)(machine.doctor)
app.add_typer(instances.generate, name="generate")
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


def run() -> None:
    """Run the command that the arguments name, and exit."""
    sys.excepthook = sys.__excepthook__
    warnings.showwarning = _print_warning
    with watch, safe_streams() as output:
        code = _exit_code()
        output.flush()
        if output.failure is not None:
            reason = output.failure.strerror or type(output.failure).__name__
            fail(f"standard output cannot be written to ({reason}); expected one with room; send it elsewhere.")
            code = 2
    sys.exit(code)


def _exit_code() -> int:
    try:
        return app(standalone_mode=False, prog_name="dac-alns") or 0
    except InputError as error:
        fail(str(error))
    except MemoryError as error:
        fail(
            f"there is not enough memory ({error or 'no amount is named'}); expected more; give it more, or less to do."
        )
    except (KeyboardInterrupt, typer.Abort) as abort:
        if isinstance(abort.__cause__, EOFError):  # which the parser of the command line takes for an end of typing
            raise abort.__cause__ from None
        err.print("Interrupted.", style="red")
        return 130
    except SystemExit as error:  # by what prints the help
        return error.code if isinstance(error.code, int) else 0
    except Exception as error:
        if not hasattr(error, "format_message"):  # what all complaints about options and arguments have
            raise
        if message := error.format_message():
            fail(message)
    return 2


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    err.print(f"Warning: {' '.join(str(message).split())}", style="yellow", soft_wrap=True)
