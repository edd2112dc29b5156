"""``dac-alns check``, ``dac-alns instances`` and ``dac-alns generate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from dacalns.cli.console import as_target, err, out
from dacalns.cli.options import Command, FleetOption, Group, InstanceArgument, Rounding, RoundingOption
from dacalns.cli.tables import (
    CapacityOption,
    ColumnOption,
    DepotOption,
    DetourOption,
    DurationsOption,
    IgnoreOption,
    MatrixOption,
    SpeedOption,
    TableArguments,
    TimeUnitOption,
    VehiclesOption,
    read_tables,
)
from dacalns.instances.generate import USUAL_DENSITY, USUAL_WIDTH

if TYPE_CHECKING:
    from dacalns.instances import Instance


def check(
    instance: InstanceArgument,
    solution: Annotated[Path, typer.Argument(help="A .sol file.", metavar="FILE.sol")],
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
) -> None:
    """Check a solution independently of the search. Exit code 0: feasible; 1: not; 2: it cannot be read."""
    from dacalns.instances import read_solution_of
    from dacalns.instances.best_known import best_known_word
    from dacalns.search.checker import check as check_routes
    from dacalns.search.checker import without_noise
    from dacalns.search.output.words import count as count_text
    from dacalns.search.output.words import number
    from dacalns.search.result import about_costs, about_left_out, about_types
    from dacalns.util.tolerance import tolerance

    tables = TableArguments(vehicles, depot, capacity, column, ignore, speed, detour, time_unit, matrix, durations)
    problem = read_tables(instance, rounding, fleet, tables, quiet=True)
    routes, types, written = read_solution_of(problem, solution)
    verdict = check_routes(problem, routes, types)
    cost = without_noise(verdict.cost)
    count = len(verdict.violations)
    state = "feasible" if verdict.feasible else f"INFEASIBLE: {count} violation" + "s" * (count > 1)
    word = best_known_word(problem.best_known_origin)
    known = "" if problem.best_known is None else f", {word} {problem.best_known:.10g}"
    out.print(
        f"{problem.name}: cost {number(cost)}{about_costs(verdict.cost_parts)}{known}, "
        f"{count_text(len(routes), 'route')}{about_types(types)}, {state}{about_left_out(verdict.left_out)}",
        soft_wrap=True,
    )
    for violation in verdict.violations:
        out.print(f"  {violation.sentence}", soft_wrap=True)
    if written is not None and abs(written - cost) > tolerance(cost):
        out.print(f"  the file says Cost {written:.10g}; with rounding {problem.rounding} it is {cost:.10g}")
    raise typer.Exit(0 if verdict.feasible else 1)


def instances(
    set_name: Annotated[
        str | None, typer.Argument(help="A set of instances; without one, the sets are listed.", metavar="[SET]")
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


# Instances from a seed, and samples.

generate = typer.Typer(cls=Group, no_args_is_help=True, help="Generate instances from a seed, or sample one.")

SeedOption = Annotated[int, typer.Option(help="The seed of all that is random.", metavar="N")]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="The file to write (.vrp, .json, or Solomon's .txt); - is standard output.",
        metavar="FILE",
        show_default="NAME.vrp",
    ),
]
PositionsOption = Annotated[str, typer.Option(help="Where the customers are.", metavar="random|clustered|mixed")]
CustomersOption = Annotated[int, typer.Option("--customers", "-n", help="Number of customers.", metavar="N")]


def _write(problem: "Instance", path: Path | None, source: str | None = None) -> None:
    from dacalns.instances import write_instance
    from dacalns.util.files import STANDARD_OUTPUT, file_name, require_apart

    target = as_target(path) or Path(file_name(problem.name) + ".vrp")
    require_apart({"--out": target}, {"INSTANCE": source})
    write_instance(problem, target)
    # What is written to standard output should be alone there.
    console = err if target == Path(STANDARD_OUTPUT) else out
    console.print(f"{problem!r} written to {target}", soft_wrap=True)


@generate.command("cvrp", cls=Command)
def generate_cvrp(
    customers: CustomersOption = 100,
    depot: Annotated[str, typer.Option(help="Where the depot is.", metavar="random|central|eccentric")] = "random",
    positions: PositionsOption = "random",
    demand: Annotated[
        str,
        typer.Option(help="How demands are distributed.", metavar="unitary|1-10|5-10|1-100|50-100|quadrant|many-small"),
    ] = "1-100",
    route_length: Annotated[
        float | None,
        typer.Option(help="The mean number of customers on a route.", metavar="N", show_default="drawn from 3 to 25"),
    ] = None,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Generate a CVRP in the manner of Uchoa et al. (2017)."""
    from dacalns.instances import generate_cvrp

    _write(generate_cvrp(customers, depot, positions, demand, route_length, seed), path)


@generate.command("vrptw", cls=Command)
def generate_vrptw(
    customers: CustomersOption = 100,
    positions: PositionsOption = "mixed",
    horizon: Annotated[
        str,
        typer.Option(help="How long the depot is open: for few customers a route, or for many.", metavar="short|long"),
    ] = "short",
    width: Annotated[
        float | None,
        typer.Option(
            help="The mean width of a window, as a fraction of the horizon.",
            metavar="FRACTION",
            show_default=f"{USUAL_WIDTH:g}",
        ),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            help="The fraction of the customers with a window.", metavar="FRACTION", show_default=f"{USUAL_DENSITY:g}"
        ),
    ] = None,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Generate a VRPTW in the manner of Solomon (1987)."""
    from dacalns.instances import generate_vrptw

    given = {name: value for name, value in (("width", width), ("density", density)) if value is not None}
    _write(generate_vrptw(customers, positions, horizon, seed=seed, **given), path)


@generate.command("sample", cls=Command)
def generate_sample(
    instance: InstanceArgument,
    customers: CustomersOption = 50,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Sample customers of an instance; depot, capacity, fleet and windows stay."""
    from dacalns.instances import read, sample

    _write(sample(read(instance), customers, seed), path, instance)
