"""``dac-alns solve``."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dacalns.cli.console import announce_compilation, err, out
from dacalns.cli.instance_options import FleetOption, InstanceArgument, Rounding, RoundingOption, read_instance
from dacalns.errors import InputError

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.search.result import Result


def solve(
    instance: InstanceArgument,
    time: Annotated[float | None, typer.Option(help="Seconds to search; 0 returns the initial solution.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Iterations to search.")] = None,
    no_improvement: Annotated[int | None, typer.Option(help="Stop after so many iterations without one.")] = None,
    target: Annotated[float | None, typer.Option(help="Stop at a solution of this cost.")] = None,
    selector: Annotated[
        str | None,
        typer.Option(
            help="random, roulette[:tuned], ucb, weights:1,0/0,1,2, wheel, ac, dac, dac-t or FILE.py:NAME; of ac and "
            "dac also a preset and fields, dac:improved,rate=0.0005.",
            show_default="dac-t for full, else roulette",
        ),
    ] = None,
    portfolio: Annotated[
        str | None,
        typer.Option(
            help="full, paper[:ratio,anywhere,scales], or FILE.py[:NAME] with your own operators.", show_default="full"
        ),
    ] = None,
    acceptance: Annotated[
        str | None,
        typer.Option(
            help="calibrated, ropke-pisinger, record-to-record, threshold, hill-climbing or version-0.1.",
            show_default="the portfolio's",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random.", show_default="0")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Searches side by side, each on a core and with the whole budget.", show_default="1"),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help="distance, or vehicles-then-distance: first as few vehicles as can be.", show_default="distance"
        ),
    ] = None,
    call_limit: Annotated[
        float | None,
        typer.Option(help="Seconds that one call of your own operators or selector may take.", show_default="10"),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file of settings; options given here win.", metavar="FILE.toml")
    ] = None,
    rounding: RoundingOption = Rounding.AUTO,
    fleet: FleetOption = "auto",
    start: Annotated[Path | None, typer.Option(help="A .sol file to start from.")] = None,
    out_file: Annotated[Path | None, typer.Option("--out", help="Write the solution here (.sol).")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the full result here (.json).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the result here (.png, .svg or .pdf).")] = None,
    explain: Annotated[Path | None, typer.Option(help="Draw what a learned policy thought here.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Solve INSTANCE. Without a budget: 50,000 + 1000 n iterations. Of several budgets, the first one met counts.

    Exit code 0: a feasible solution; 1: the best found leaves customers unserved; 2: bad input, or code of yours that
    fails.
    """
    from dacalns.instances import write_solution
    from dacalns.instances.atomic import require_writable
    from dacalns.search.portfolio import as_portfolio
    from dacalns.search.run import require_user_code_sound
    from dacalns.settings import Settings, StopSettings, load_settings
    from dacalns.solve import solve as solve_instance
    from dacalns.solve import usual_selector

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
    for path in (out_file, json, plot, explain):
        if path is not None:
            require_writable(path)
    problem = read_instance(instance, rounding, fleet)
    if plot is not None:
        from dacalns.report import require_plotting

        require_plotting(plot)
    if explain is not None:
        from dacalns.report import require_plotting
        from dacalns.selectors.explaining import require_explaining

        require_plotting(explain)
        operators = as_portfolio(wanted.get("portfolio", "full"))
        require_explaining(wanted.get("selector", usual_selector(operators)))
    show = not quiet and err.is_terminal
    display: Any = nullcontext()
    if show:
        from dacalns.search.progress import LiveDisplay

        display = LiveDisplay(err, problem, f"dac-alns  {problem.name}  {chosen.summary}")
    result = _solve_with(
        display,
        None if quiet else _milestones(problem),
        lambda on_progress: solve_instance(
            problem,
            **wanted,
            start=start,
            on_progress=on_progress,
            on_compile=None if quiet else announce_compilation,
        ),
    )
    if out_file is not None:
        write_solution(out_file, result.routes, result.cost)
    if json is not None:
        result.to_json(json)
    if plot is not None:
        from dacalns.report import save_picture

        save_picture(problem, result, plot)
    explained = explain if result.explanation is not None else None
    if explained is not None:
        from dacalns.report import save_explanation

        save_explanation(result, explained)
    if not quiet:
        _print_result(result, [path for path in (out_file, json, plot, explained) if path is not None])
    if explain != explained:  # known only now, so the result is told first
        raise InputError(f"{explain}: there is nothing to draw after {result.iterations} iterations; search longer.")
    require_user_code_sound(result)
    raise typer.Exit(0 if result.feasible else 1)


def _solve_with(
    display: AbstractContextManager[Any], milestones: "Callable[[Any], None] | None", run: "Callable[[Any], Result]"
) -> "Result":
    with display as shown:
        listening = [listener for listener in (shown, milestones) if listener is not None]

        def tell(snapshot: Any) -> None:
            for listener in listening:
                listener(snapshot)

        return run(tell if listening else None)


def _milestones(problem: "Instance") -> "Callable[[Any], None] | None":
    """What tells of the first solution and of the gap over time, for instances on which that takes a while."""
    from dacalns.search.milestones import Milestones
    from dacalns.search.start import is_large

    return Milestones(lambda line: err.print(line, markup=False)) if is_large(problem.customers) else None


def _print_result(result: "Result", written: list[Path]) -> None:
    out.print(str(result), markup=False, soft_wrap=True)
    if result.compile_seconds >= 2:
        out.print(f"  compiled in {result.compile_seconds:.1f} s, not counted above")
    for path in written:
        out.print(f"  wrote {path}", markup=False, soft_wrap=True)
