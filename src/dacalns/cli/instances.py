"""``dac-alns check`` and ``dac-alns instances``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dacalns.cli.console import out
from dacalns.cli.options import FleetOption, InstanceArgument, Rounding, RoundingOption, read_instance


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
    from dacalns.search.checker import without_noise
    from dacalns.util.tolerance import tolerance

    problem = read_instance(instance, rounding, fleet)
    routes, written = read_solution(solution)
    verdict = check_routes(problem, routes)
    cost = without_noise(verdict.cost)
    count = len(verdict.violations)
    state = "feasible" if verdict.feasible else f"INFEASIBLE: {count} violation" + "s" * (count > 1)
    word = best_known_word(problem.best_known_origin)
    known = "" if problem.best_known is None else f", {word} {problem.best_known:.10g}"
    out.print(f"{problem.name}: cost {cost:.10g}{known}, {len(routes)} routes, {state}", soft_wrap=True)
    for violation in verdict.violations:
        out.print(f"  {violation.sentence}", soft_wrap=True)
    if written is not None and abs(written - cost) > tolerance(cost):
        out.print(f"  the file says Cost {written:.10g}; with rounding {problem.rounding} it is {cost:.10g}")
    raise typer.Exit(0 if verdict.feasible else 1)


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
