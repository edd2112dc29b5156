"""``dac-alns bench`` and ``dac-alns bench-quality``."""

from pathlib import Path
from typing import Annotated

import typer

from dacalns.cli.console import out
from dacalns.cli.watch import watch


def bench(
    seconds: Annotated[float, typer.Option(help="Seconds for each measurement.", metavar="SECONDS")] = 3.0,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.", metavar="FILE.json")] = None,
) -> None:
    """Measure speed, start-up and memory on one core, beside a pure-Python version on the alns package."""
    from dacalns.bench.speed import run_speed

    run_speed(out, seconds, json)


def bench_quality(
    sets: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sets to run: augerat-large, solomon, x-like, which are run if none is given; or variants for all of "
            "richer problems, or one of them: vehicle-types, depots, limits, pickups, backhauls, prizes, groups, "
            "restrictions, trips, pairs.",
            metavar="[SET]...",
        ),
    ] = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder with .vrp, .txt or .json files; NAME.sol beside NAME.vrp is a reference. May be repeated.",
            metavar="DIR",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Seconds for each run.", metavar="SECONDS", show_default="the set's; 10 for a folder"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Number of runs of each solver on each instance.",
            metavar="N",
            show_default="the set's; 1 for a folder",
        ),
    ] = None,
    customers: Annotated[
        str | None, typer.Option(help="Run only instances with this many customers.", metavar="N|LEAST-MOST")
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only this solver: ours, uniform, paper, pyvrp, ortools or hgs. May be repeated.",
            metavar="KEY",
            show_default="all",
        ),
    ] = None,
    out_folder: Annotated[
        Path,
        typer.Option(
            "--out", help="Folder for all runs and the tables; what is in it is not run again.", metavar="DIR"
        ),
    ] = Path("out", "bench-quality"),
) -> None:
    """Compare solution quality with PyVRP, OR-Tools and HGS-CVRP at equal time, on one core.

    Every solution is checked independently. The same command continues what was stopped. Exit code 0: done; 130:
    interrupted, with what was there; 2: bad input.
    """
    import shlex

    watch.stop()  # what is there is printed after Ctrl-C, which is for Python to catch

    from dacalns.bench.quality.compare import compare
    from dacalns.bench.quality.runs import chosen_solvers
    from dacalns.bench.quality.sets import planned_subsets

    solvers = chosen_solvers(solver or [])
    subsets = planned_subsets(sets or [], folder or [], seconds=seconds, seeds=seeds, customers=customers)
    options = (("--seconds", seconds), ("--seeds", seeds), ("--customers", customers))
    words = ["dac-alns", "bench-quality", *(sets or [])]
    words += [word for each in folder or [] for word in ("--folder", each.name)]
    words += [word for option, value in options if value is not None for word in (option, f"{value}")]
    words += [word for each in solver or [] for word in ("--solver", each)]
    if compare(out, subsets, solvers, out_folder, shlex.join(words)).interrupted:
        raise typer.Exit(130)
