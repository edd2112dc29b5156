"""``dac-alns generate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dacalns.cli.console import as_target, err, out
from dacalns.cli.options import InstanceArgument

if TYPE_CHECKING:
    from dacalns.instances import Instance

app = typer.Typer(no_args_is_help=True, help="Generate instances from a seed, or sample one.")

SeedOption = Annotated[int, typer.Option(help="Seed of all that is random.")]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", help="The file to write (.vrp, or Solomon's .txt), - for standard output; NAME.vrp if left out."
    ),
]
CustomersOption = Annotated[int, typer.Option("--customers", "-n", help="Number of customers.")]


def _write(problem: "Instance", path: Path | None, source: str | None = None) -> None:
    from dacalns.instances import write_instance
    from dacalns.util.files import STANDARD_OUTPUT, file_name, require_apart

    target = as_target(path) or Path(file_name(problem.name) + ".vrp")
    require_apart({"--out": target}, {"INSTANCE": source})
    write_instance(problem, target)
    # What is written to standard output should be alone there.
    console = err if target == Path(STANDARD_OUTPUT) else out
    console.print(f"{problem!r} written to {target}", soft_wrap=True)


@app.command("cvrp")
def generate_cvrp(
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


@app.command("vrptw")
def generate_vrptw(
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


@app.command("sample")
def generate_sample(
    instance: InstanceArgument,
    customers: CustomersOption = 50,
    seed: SeedOption = 0,
    path: OutOption = None,
) -> None:
    """Sample customers of an instance; depot, capacity, fleet and windows stay."""
    from dacalns.instances import read, sample

    _write(sample(read(instance), customers, seed), path, instance)
