"""``dac-alns tune``."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dacalns.cli.console import err, out
from dacalns.cli.options import AddressOption, EngineName, EngineOption, chosen_engine
from dacalns.cli.watch import watch

if TYPE_CHECKING:
    from dacalns.tuning import TuningProgress


def tune(
    file: Annotated[
        Path,
        typer.Argument(help="A settings file in which values may be ranges, with a table [tune].", metavar="FILE.toml"),
    ],
    folder: Annotated[
        Path, typer.Option("--out", help="Folder for best.toml, and for study.db without --storage.", metavar="DIR")
    ],
    storage: Annotated[
        str | None,
        typer.Option(
            help="Optuna's storage: a URL such as sqlite:///study.db, or a journal, FILE.log.",
            metavar="URL|FILE.log",
            show_default="study.db in DIR",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Number of settings to try.", metavar="N", show_default="what FILE.toml says, or 50"),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes.", metavar="N", show_default="one for each core")
    ] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: AddressOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Look for the best settings in the ranges of FILE.toml, with Optuna; needs the extra tune.

    The same command continues what was stopped. `dac-alns solve --settings DIR/best.toml` uses the best settings.

    Exit code 0: done; 130: interrupted, to be resumed; 2: bad input.
    """
    from dacalns.tuning import tune as tune_settings

    workers = chosen_engine(engine, ray_address, jobs)
    watch.sentence = "Interrupted; to go on, give the same command."
    status: Any = err.status("trial 0") if err.is_terminal and not quiet else nullcontext()
    with status as shown:

        def tell(progress: "TuningProgress") -> None:
            if shown is not None:
                shown.update(f"trial {progress.done} of {progress.trials}, {progress.pruned} given up early")
            if progress.is_new_best:
                err.print(
                    f"trial {progress.best_trial}: {progress.best:.3f} % (defaults {progress.defaults:.3f} %)",
                    highlight=False,
                )

        result = tune_settings(
            file, out=folder, storage=storage, trials=trials, engine=workers, on_progress=None if quiet else tell
        )
    if not quiet:
        out.print(str(result), highlight=False, soft_wrap=True)
    if result.interrupted:
        err.print("Interrupted; to go on, give the same command.", style="red")
        raise typer.Exit(130)
