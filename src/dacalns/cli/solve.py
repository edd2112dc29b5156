"""``dac-alns solve``."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dacalns.cli.answer import Delivery, WantedFile
from dacalns.cli.console import announce_compilation, announce_nothing, as_target, err
from dacalns.cli.options import FleetOption, InstanceArgument, Rounding, RoundingOption
from dacalns.cli.plan_files import PlanFiles
from dacalns.cli.tables import (
    CapacityOption,
    ColumnOption,
    DepotOption,
    DetourOption,
    DurationsOption,
    FormatOption,
    IgnoreOption,
    MatrixOption,
    SpeedOption,
    TableArguments,
    TimeUnitOption,
    VehiclesOption,
    read_problem,
)
from dacalns.cli.watch import watch
from dacalns.cli.why_not import WhyNotAsked
from dacalns.util.errors import InputError

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.instances.vroom_problem import VroomProblem
    from dacalns.search.result import Result


def solve(
    instance: InstanceArgument,
    time: Annotated[
        float | None,
        typer.Option(
            help="Seconds to search; distance matrix and start solution count, compiling does not. 0 gives the start.",
            metavar="SECONDS",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help="Iterations to search.",
            metavar="N",
            show_default="50,000 + 1000 n without a budget; max(2000, 50 n) with portfolio paper",
        ),
    ] = None,
    no_improvement: Annotated[
        int | None, typer.Option(help="Stop after this many iterations without a new best solution.", metavar="N")
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Stop at a solution that costs no more than this.", metavar="COST")
    ] = None,
    selector: Annotated[
        str | None,
        typer.Option(
            help="random, roulette[:tuned], ucb, weights:1,0/0,1,2, wheel, ac, dac, dac-t or FILE.py:NAME; of ac and "
            "dac also a preset and fields, dac:improved,rate=0.0005.",
            metavar="NAME",
            show_default="dac-t with full, else roulette; beyond CVRP and VRPTW fixed weights with full",
        ),
    ] = None,
    portfolio: Annotated[
        str | None,
        typer.Option(
            help="full, paper[:ratio,anywhere,scales], or FILE.py[:NAME] with your own operators.",
            metavar="NAME",
            show_default="that of a policy of yours, else full",
        ),
    ] = None,
    acceptance: Annotated[
        str | None,
        typer.Option(
            help="calibrated, ropke-pisinger, record-to-record, threshold, hill-climbing, late-acceptance, "
            "local-annealing, version-0.1, or FILE.py:NAME.",
            metavar="NAME",
            show_default="the portfolio's",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of all that is random.", metavar="N", show_default="0")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Searches side by side that exchange their best solutions, each on a core and with the whole budget.",
            metavar="N",
            show_default="1",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help="distance, or vehicles-then-distance: first as few vehicles as possible.",
            metavar="NAME",
            show_default="distance",
        ),
    ] = None,
    call_limit: Annotated[
        float | None,
        typer.Option(
            help="Seconds that one call of your own operators or selector may take.",
            metavar="SECONDS",
            show_default="10",
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file of settings; options given here win.", metavar="FILE.toml")
    ] = None,
    rounding: RoundingOption = Rounding.AUTO,
    fleet: FleetOption = "auto",
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    capacity: CapacityOption = None,
    column: ColumnOption = None,
    ignore: IgnoreOption = None,
    speed: SpeedOption = None,
    detour: DetourOption = None,
    time_unit: TimeUnitOption = None,
    matrix: MatrixOption = None,
    durations: DurationsOption = None,
    form: FormatOption = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="Begin with this solution; the answer is never worse than a feasible one.", metavar="FILE.sol"
        ),
    ] = None,
    out_file: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write the routes to this file (.json for VROOM); - is standard output.", metavar="FILE.sol"
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(help="Write everything about the run to this file; - is standard output.", metavar="FILE.json"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the result (.png, .svg or .pdf); needs the extra plot.", metavar="FILE.png"),
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(
            help="Draw the probabilities and values of a learned selector (.png, .svg or .pdf); needs the extra plot.",
            metavar="FILE.png",
        ),
    ] = None,
    explain_unserved: Annotated[
        bool,
        typer.Option("--explain-unserved", help="Print why customers are not served, and what would help."),
    ] = False,
    table: Annotated[
        Path | None,
        typer.Option(
            help="Write the stops here (.csv; - is standard output), or stops and routes (.xlsx).", metavar="FILE.csv"
        ),
    ] = None,
    geojson: Annotated[
        Path | None,
        typer.Option(help="Write the routes for maps here (.geojson); - is standard output.", metavar="FILE.geojson"),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a page with map, times and progress here (.html).", metavar="FILE.html"),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print only errors, and the result if a file could not be written.")
    ] = False,
) -> None:
    """Solve INSTANCE. Without a budget: 50,000 + 1000 n iterations. Of several budgets, the first one met counts.

    Exit code 0: a feasible solution; 1: the best found leaves customers unserved; 2: bad input, a file could not be
    written, or code of yours failed; 130, 143 or 129: Ctrl-C, SIGTERM or SIGHUP before there was a solution.
    """
    from dacalns.search.helpers import listening
    from dacalns.search.portfolio import as_portfolio
    from dacalns.search.run import require_user_code_sound
    from dacalns.settings import Settings, StopSettings, load_settings
    from dacalns.solve import solve_validated
    from dacalns.util.files import files_in, require_apart, require_writable

    chosen = (Settings() if settings is None else load_settings(settings)).overridden(
        selector=selector,
        portfolio=portfolio,
        seed=seed,
        jobs=jobs,
        objective=objective,
        acceptance=acceptance,
        call_limit=call_limit,
        stop=StopSettings(time, iterations, no_improvement, target),
    )
    wanted = chosen.options()
    out_file, json, html = as_target(out_file), as_target(json), as_target(html)
    plan = PlanFiles(as_target(table), as_target(geojson), html)
    targets = {"--out": out_file, "--json": json, "--plot": plot, "--explain": explain, **plan.targets}
    for path in targets.values():
        if path is not None:
            require_writable(path)
    named = (f"{chosen.selector and chosen.selector.name}", f"{chosen.search and chosen.search.portfolio}")
    files = {f"the search ({file})": file for words in named for file in files_in(words)}
    tables = TableArguments(vehicles, depot, capacity, column, ignore, speed, detour, time_unit, matrix, durations)
    inputs = {"INSTANCE": instance, "--settings": settings, "--start": start, **tables.files()}
    require_apart(targets, {**inputs, **files})
    problem, vroom = read_problem(instance, rounding, fleet, tables, form, quiet=quiet)
    plan.require(problem)
    if plot is not None:
        from dacalns.report import require_plotting

        require_plotting(plot)
    if explain is not None:
        from dacalns.report import require_plotting
        from dacalns.selectors.by_name import require_explaining

        require_plotting(explain)
        if "selector" not in wanted:
            wanted["portfolio"] = as_portfolio(wanted.get("portfolio", "full"))
            wanted["selector"] = wanted["portfolio"].selector
        wanted["selector"] = require_explaining(wanted["selector"])
    show = not quiet and err.is_terminal
    display: Any = nullcontext()
    if show:
        from dacalns.search.display import LiveDisplay

        display = LiveDisplay(err, problem, f"dac-alns  {problem.name}  {chosen.summary}")
    asked = WhyNotAsked(problem, explain_unserved, quiet, json)
    with listening(display.compiling if show else None):
        result = _solve_with(
            display,
            None if quiet else _milestones(problem, live=show),
            lambda on_progress: solve_validated(
                problem,
                **wanted,
                start=start,
                on_progress=on_progress,
                on_compile=announce_nothing if quiet else partial(announce_compilation, problem),
                record_routes=html is not None,
            ),
            asked,
        )
    delivery = Delivery(
        problem,
        result,
        [*_wanted(problem, result, out_file, json, plot, explain, asked, vroom), *plan.wanted(result)],
        quiet,
        partial(asked.about, result) if asked.wanted and not (quiet and json is None) else None,
    )
    watch.hand_over(delivery.hasten)
    code = delivery.hand_over()
    require_user_code_sound(result)
    raise typer.Exit(code)


def _wanted(
    problem: "Instance",
    result: "Result",
    out_file: Path | None,
    json: Path | None,
    plot: Path | None,
    explain: Path | None,
    asked: WhyNotAsked,
    vroom: "VroomProblem | None" = None,
) -> list[WantedFile]:
    """The files, and what writes each."""
    from dacalns.instances import write_solution_of

    wanted = []
    if out_file is not None and vroom is not None and (out_file.suffix == ".json" or out_file == as_target(Path("-"))):
        from dacalns.search.vroom_answer import write_vroom

        wanted.append(WantedFile(out_file, lambda path: write_vroom(vroom, result, path)))
    elif out_file is not None:
        answer = result.routes, result.vehicle_types, result.cost
        wanted.append(WantedFile(out_file, lambda path: write_solution_of(problem, path, *answer)))
    if json is not None:
        wanted.append(WantedFile(json, lambda path: (asked.explained or result).to_json(path)))
    if plot is not None:
        from dacalns.report import save_picture

        wanted.append(WantedFile(plot, lambda path: save_picture(problem, result, path), picture=True))
    if explain is not None:
        wanted.append(WantedFile(explain, lambda path: _explain(result, path), picture=True))
    return wanted


def _explain(result: "Result", path: Path) -> None:
    from dacalns.report import save_explanation

    if result.explanation is None:  # known only now
        raise InputError(f"{path}: there is nothing to draw after {result.iterations} iterations; search longer.")
    save_explanation(result, path)


def _solve_with(
    display: AbstractContextManager[Any],
    milestones: "Callable[[Any], None] | None",
    run: "Callable[[Any], Result]",
    asked: WhyNotAsked,
) -> "Result":
    with asked, display as shown:
        listening = [listener for listener in (shown, milestones) if listener is not None]

        def tell(snapshot: Any) -> None:
            for listener in listening:
                listener(snapshot)

        return run(tell if listening else None)


def _milestones(problem: "Instance", *, live: bool) -> "Callable[[Any], None] | None":
    """What tells of the first solution and of the gap over time, where that takes a while or nothing else does.

    A file, a pipe or a log has no live display; there a search of a few seconds says nothing before its end.
    """
    from dacalns.search.display import QUIET_AT_FIRST, Milestones
    from dacalns.search.start import is_large

    large = is_large(problem.customers)
    if live and not large:
        return None
    return Milestones(lambda line: err.print(line, soft_wrap=True), after=0.0 if large else QUIET_AT_FIRST)
