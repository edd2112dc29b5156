"""The ``dac-alns`` command: arguments in, calls out, no logic of its own."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dacalns.cli_study import AddressOption, EngineName, EngineOption, chosen_engine
from dacalns.cli_study import app as study_app
from dacalns.errors import InputError
from dacalns.version import __version__

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.search.result import Result

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Solve vehicle routing problems (CVRP, VRPTW) with an adaptive large neighbourhood search.",
)
generate_app = typer.Typer(no_args_is_help=True, help="Generate instances from a seed, or sample one.")
app.add_typer(generate_app, name="generate")
app.add_typer(study_app, name="study")

out = Console()
err = Console(stderr=True, highlight=False)


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
SeedOption = Annotated[int, typer.Option(help="Seed of all that is random.")]


@app.command()
def solve(
    instance: InstanceArgument,
    time: Annotated[float | None, typer.Option(help="Seconds to search; 0 returns the initial solution.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Iterations to search.")] = None,
    no_improvement: Annotated[int | None, typer.Option(help="Stop after so many iterations without one.")] = None,
    target: Annotated[float | None, typer.Option(help="Stop at a solution of this cost.")] = None,
    selector: Annotated[
        str | None,
        typer.Option(
            help="random, roulette, ucb, weights:1,0/0,1,2, wheel, ac, dac, dac-t or FILE.py:NAME.",
            show_default="dac-t for full and CVRP, else roulette",
        ),
    ] = None,
    portfolio: Annotated[
        str | None, typer.Option(help="full, paper, or FILE.py[:NAME] with your own operators.", show_default="full")
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

    Exit code 0: a feasible solution; 1: the best found leaves customers unserved; 2: bad input.
    """
    from dacalns.instances import write_solution
    from dacalns.instances.atomic import require_writable
    from dacalns.search.portfolio import as_portfolio
    from dacalns.settings import Settings, StopSettings, load_settings
    from dacalns.solve import solve as solve_instance
    from dacalns.solve import usual_selector

    chosen = (Settings() if settings is None else load_settings(settings)).overridden(
        selector=selector,
        portfolio=portfolio,
        seed=seed,
        jobs=jobs,
        objective=objective,
        stop=StopSettings(time, iterations, no_improvement, target),
    )
    wanted = chosen.options()
    for path in (out_file, json, plot, explain):
        if path is not None:
            require_writable(path)
    problem = _read(instance, rounding, fleet)
    if plot is not None:
        from dacalns.report import require_plotting

        require_plotting(plot)
    if explain is not None:
        from dacalns.report import require_plotting
        from dacalns.selectors.explaining import require_explaining

        require_plotting(explain)
        operators = as_portfolio(wanted.get("portfolio", "full"))
        require_explaining(wanted.get("selector", usual_selector(operators, problem.problem)))
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
            on_compile=None if quiet else _announce_compilation,
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


def _announce_compilation() -> None:
    err.print("Compiling the search once (20 to 40 s); from then on it starts in a second.", style="dim")


def _read(instance: str, rounding: Rounding, fleet: str) -> "Instance":
    from dacalns.instances import read

    if fleet in ("auto", "free"):
        return read(instance, rounding=rounding.value, fleet=fleet)
    if not fleet.isdecimal() or int(fleet) < 1:
        raise InputError(
            f"fleet is {fleet!r}; expected auto, free or a number of routes, 1 or more; correct the value."
        )
    return read(instance, rounding=rounding.value, fleet=int(fleet))


def _print_result(result: "Result", written: list[Path]) -> None:
    out.print(str(result), highlight=False, markup=False, soft_wrap=True)
    if result.compile_seconds >= 2:
        out.print(f"  compiled in {result.compile_seconds:.1f} s, not counted above", highlight=False)
    for path in written:
        out.print(f"  wrote {path}", highlight=False, markup=False, soft_wrap=True)


@app.command()
def check(
    instance: InstanceArgument,
    solution: Annotated[Path, typer.Argument(help="A .sol file.", metavar="FILE.sol")],
    rounding: RoundingOption = Rounding.AUTO,
    fleet: FleetOption = "auto",
) -> None:
    """Check a solution independently of the search. Exit code 0: feasible; 1: not; 2: it cannot be read."""
    from dacalns.instances import read_solution
    from dacalns.instances.best_known import best_known_word
    from dacalns.search.checker import check as check_routes

    problem = _read(instance, rounding, fleet)
    routes, written = read_solution(solution)
    verdict = check_routes(problem, routes)
    cost = round(verdict.cost, 9)
    count = len(verdict.violations)
    state = "feasible" if verdict.feasible else f"INFEASIBLE: {count} violation" + "s" * (count > 1)
    word = best_known_word(problem.best_known_origin)
    known = "" if problem.best_known is None else f", {word} {problem.best_known:.10g}"
    out.print(
        f"{problem.name}: cost {cost:.10g}{known}, {len(routes)} routes, {state}", highlight=False, soft_wrap=True
    )
    for violation in verdict.violations:
        out.print(f"  {violation.sentence}", highlight=False, markup=False, soft_wrap=True)
    if written is not None and abs(written - cost) > 1e-6:
        out.print(
            f"  the file says Cost {written:.10g}; with rounding {problem.rounding} it is {cost:.10g}", highlight=False
        )
    raise typer.Exit(0 if verdict.feasible else 1)


@app.command()
def instances(
    set_name: Annotated[
        str | None, typer.Argument(help="A set; left out, the sets are listed.", metavar="[SET]")
    ] = None,
) -> None:
    """List the bundled sets, or the instances of one."""
    from dacalns.instances import instance_names, read, set_names

    table = Table(box=None, pad_edge=False)
    if set_name is None:
        for heading in ("set", "instances", "first … last"):
            table.add_column(heading)
        for name in set_names():
            members = instance_names(name)
            table.add_row(name, str(len(members)), f"{members[0]} … {members[-1]}")
    else:
        for heading in ("instance", "problem", "customers", "capacity", "fleet", "rounding", "best-known"):
            table.add_column(heading, justify="left" if heading in ("instance", "problem", "rounding") else "right")
        for problem in map(read, instance_names(set_name)):
            mark = "*" * problem.proven_optimal + "†" * bool(problem.best_known_origin)
            best = "-" if problem.best_known is None else f"{problem.best_known:.10g}{mark}"
            fleet = "free" if problem.fleet is None else str(problem.fleet)
            table.add_row(
                problem.name, problem.problem, str(problem.customers), f"{problem.capacity:g}", fleet,
                problem.rounding, best,
            )  # fmt: skip
        table.caption = "* proven optimal  † a reference: the best that our runs found, not a published value"
    out.print(table)


OutOption = Annotated[
    Path | None, typer.Option("--out", help="The file to write (.vrp, or Solomon's .txt); NAME.vrp if left out.")
]
CustomersOption = Annotated[int, typer.Option("--customers", "-n", help="Number of customers.")]


def _write(problem: "Instance", path: Path | None) -> None:
    from dacalns.instances import write_instance

    target = path or Path(problem.name + ".vrp")
    write_instance(problem, target)
    out.print(f"{problem!r} written to {target}", highlight=False, markup=False, soft_wrap=True)


@generate_app.command("cvrp")
def generate_cvrp_command(
    customers: CustomersOption = 100,
    depot: Annotated[str, typer.Option(help="random, central or eccentric.")] = "random",
    positions: Annotated[str, typer.Option(help="random, clustered or mixed.")] = "random",
    demand: Annotated[str, typer.Option(help="unitary, 1-10, 5-10, 1-100, 50-100, quadrant or many-small.")] = "1-100",
    route_length: Annotated[float | None, typer.Option(help="Mean customers a route; drawn if left out.")] = None,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Generate a CVRP in the manner of Uchoa et al. (2017)."""
    from dacalns.instances import generate_cvrp

    _write(generate_cvrp(customers, depot, positions, demand, route_length, seed), path)


@generate_app.command("vrptw")
def generate_vrptw_command(
    customers: CustomersOption = 100,
    positions: Annotated[str, typer.Option(help="random, clustered or mixed.")] = "mixed",
    horizon: Annotated[str, typer.Option(help="short or long.")] = "short",
    width: Annotated[float | None, typer.Option(help="Mean width of a window, as a fraction of the horizon.")] = None,
    density: Annotated[float | None, typer.Option(help="Fraction of the customers with a window.")] = None,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Generate a VRPTW in the manner of Solomon (1987)."""
    from dacalns.instances import generate_vrptw

    given = {name: value for name, value in (("width", width), ("density", density)) if value is not None}
    _write(generate_vrptw(customers, positions, horizon, seed=seed, **given), path)


@generate_app.command("sample")
def generate_sample_command(
    instance: InstanceArgument,
    customers: CustomersOption = 50,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Sample customers of an instance; depot, capacity, fleet and windows stay."""
    from dacalns.instances import read, sample

    _write(sample(read(instance), customers, seed), path)


@app.command()
def train(
    problem: Annotated[str, typer.Option(help="cvrp or vrptw.", metavar="cvrp|vrptw")],
    steps: Annotated[int, typer.Option(help="Iterations of search over all episodes.")],
    out_file: Annotated[Path, typer.Option("--out", help="The policy to write.", metavar="POLICY.safetensors")],
    instances: Annotated[
        str,
        typer.Option(
            help="generated, generated:20-59 (that many customers), a set, or files with commas between.",
            metavar="generated[:20-59]|SET|FILES",
        ),
    ] = "generated",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the training stopped.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier training.")] = False,
    kind: Annotated[
        str | None, typer.Option(help="dac, ac or wheel.", metavar="dac|ac|wheel", show_default="dac")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="online: as in the paper; whole: from whole searches.",
            metavar="online|whole",
            show_default="online; whole for a wheel",
        ),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option(
            help="Begin with a policy of the same kind, a wheel, or wheels with commas between.", metavar="POLICIES"
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="What rewards, network and learning are set to.", metavar="paper|improved", show_default="paper"
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file with other settings of these.", metavar="FILE.toml")
    ] = None,
    portfolio: Annotated[
        str | None, typer.Option(help="paper, or FILE.py[:NAME] with your own operators.", show_default="paper")
    ] = None,
    episodes: Annotated[int, typer.Option(help="Searches in a round.")] = 16,
    patience: Annotated[
        float, typer.Option(help="Online: end an episode after this part of its iterations without a new best.")
    ] = 0.02,
    rate: Annotated[float | None, typer.Option(help="The learning rate.", show_default="0.001")] = None,
    deviation: Annotated[float, typer.Option(help="Whole: of what is added to the outputs of the actors.")] = 1.0,
    halving: Annotated[int, typer.Option(help="Whole: rounds after which the rate is half; 0: never.")] = 50,
    temperature: Annotated[float, typer.Option(help="What the actors' outputs are divided by when saved.")] = 1.0,
    margin: Annotated[float, typer.Option(help="Whole: the relative difference in cost that is a full win.")] = 0.005,
    hold: Annotated[int, typer.Option(help="Whole: for how many iterations a decision is used.")] = 10,
    seconds: Annotated[
        float | None, typer.Option(help="Whole: seconds a search.", show_default="the paper's iterations")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random.", show_default="0")] = None,
    jobs: Annotated[int | None, typer.Option(help="Processes.", show_default="one for each core")] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: AddressOption = None,
    validate_every: Annotated[
        int | None,
        typer.Option(help="Rounds between validations; 0: only at the end.", show_default="100 online, 25 whole"),
    ] = None,
    validation_instances: Annotated[int, typer.Option(help="How many to validate on; 0: never.")] = 64,
    stop_after: Annotated[int | None, typer.Option(help="End after so many validations without a better one.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write files for TensorBoard here.", metavar="DIR")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Train a policy. POLICY.state, to resume from, and POLICY.csv, a row for each round, are written beside it.

    Exit code 0: done; 130: interrupted after a round, to be resumed; 2: bad input.
    """
    from dacalns.learning import train as train_policy
    from dacalns.learning.live import LiveTraining, TrainingLines

    cluster = chosen_engine(engine, ray_address, jobs) if engine is EngineName.RAY or ray_address else None
    display: Any = nullcontext()
    if not quiet:
        title = f"dac-alns train  {problem}  {instances}"
        display = LiveTraining(err, title) if err.is_terminal else TrainingLines(err)
    try:
        with display as on_progress:
            summary = train_policy(
                problem, instances, steps=steps, out=out_file, resume=resume, force=force, kind=kind, method=method,
                start_from=start_from, preset=preset, settings=settings, portfolio=portfolio, episodes=episodes,
                patience=patience, rate=rate, deviation=deviation, halving=halving, margin=margin, hold=hold,
                temperature=temperature, seconds=seconds, seed=seed, jobs=jobs, engine=cluster,
                validate_every=validate_every, validation_instances=validation_instances, stop_after=stop_after,
                log=log, on_progress=on_progress, on_compile=None if quiet else _announce_compilation,
            )  # fmt: skip
    except KeyboardInterrupt:  # the second one
        err.print("Interrupted in a round; to go on after the last whole one, give the same command with --resume.")
        raise typer.Exit(130) from None
    if not quiet:
        out.print(str(summary), highlight=False, markup=False, soft_wrap=True)
    if not summary.finished:
        err.print("Interrupted; to go on, give the same command with --resume.", style="red")
        raise typer.Exit(130)


@app.command()
def bench(
    seconds: Annotated[float, typer.Option(help="Seconds for each measurement.")] = 3.0,
    json: Annotated[Path | None, typer.Option(help="Write the figures here.")] = None,
) -> None:
    """Measure speed against a pure-Python version on the alns package, start-up and memory, on one core."""
    from dacalns.bench.speed import run_speed

    run_speed(out, seconds, json)


@app.command("bench-quality")
def bench_quality(
    sets: Annotated[
        list[str] | None,
        typer.Argument(help="augerat-large, solomon or x-like; all of them if nothing is given.", metavar="[SET]..."),
    ] = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="Instances of your own; a NAME.sol beside NAME.vrp is the reference.", metavar="DIR"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds for each run.", show_default="the set's; 10 for a folder")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Runs for each instance.", show_default="the set's; 1 for a folder")
    ] = None,
    customers: Annotated[
        str | None, typer.Option(help="Only instances with so many customers.", metavar="N|LEAST-MOST")
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(help="Run this one only: ours, uniform, paper, pyvrp, ortools or hgs. May be repeated."),
    ] = None,
    out_folder: Annotated[
        Path, typer.Option("--out", help="The folder for all runs and the tables.", metavar="DIR")
    ] = Path("out", "bench-quality"),
) -> None:
    """Compare solution quality with PyVRP, OR-Tools and HGS-CVRP at equal time, on one core.

    Every solution is checked independently. Exit code 0: done; 130: interrupted, with what was there; 2: bad input.
    """
    import shlex

    from dacalns.bench.quality.compare import compare
    from dacalns.bench.quality.contestants import chosen_contestants
    from dacalns.bench.quality.plan import planned_subsets

    contestants = chosen_contestants(solver or [])
    subsets = planned_subsets(sets or [], folder or [], seconds=seconds, seeds=seeds, customers=customers)
    options = (("--seconds", seconds), ("--seeds", seeds), ("--customers", customers))
    words = ["dac-alns", "bench-quality", *(sets or [])]
    words += [word for each in folder or [] for word in ("--folder", each.name)]
    words += [word for option, value in options if value is not None for word in (option, f"{value}")]
    words += [word for each in solver or [] for word in ("--solver", each)]
    if compare(out, subsets, contestants, out_folder, shlex.join(words)).interrupted:
        raise typer.Exit(130)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"dac-alns {__version__}", highlight=False)
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
    try:
        sys.exit(app(standalone_mode=False))
    except InputError as error:
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        err.print("Interrupted before the search began.", style="red")
        sys.exit(130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # what all complaints about options and arguments have
            raise
        _fail(error.format_message())


def _fail(message: str) -> None:
    if message:
        err.print(f"Error: {' '.join(message.split())}", style="red", markup=False, soft_wrap=True)
    sys.exit(2)
