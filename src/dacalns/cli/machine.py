"""``dac-alns doctor``, ``dac-alns warm-up`` and ``dac-alns examples``."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from dacalns.cli.console import err, out

if TYPE_CHECKING:
    from dacalns.doctor import Finding

LONG_NAME = 24
"""Longer names, such as those of folders, have a line of their own."""


def doctor() -> None:
    """Say what this installation has, and whence compiled code comes. Exit code 0: all is well; 1: something is not."""
    from dacalns.doctor import examine

    sections = examine()
    for section in sections:
        out.print(section.title, style="bold")
        if any(len(finding.name) > LONG_NAME for finding in section.findings):
            for finding in section.findings:
                out.print(f"  {finding.name}", soft_wrap=True)
                out.print(f"    {_said(finding)}", soft_wrap=True)
            continue
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in section.findings:
            table.add_row(f"  {finding.name}", _said(finding))
        out.print(table)
    raise typer.Exit(0 if all(finding.fine for section in sections for finding in section.findings) else 1)


def _said(finding: "Finding") -> str:
    return finding.says if finding.fine else f"! {finding.says}"


def warm_up(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(
            help="plain: CVRP and VRPTW; rich: all others; large: CVRP and VRPTW with more than 4,000 customers.",
            metavar="[KIND]...",
            show_default="plain and rich",
        ),
    ] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option(
            help="A selector to compile besides the default one. May be repeated.",
            metavar="NAME",
            show_default="dac-t, roulette, dac, random",
        ),
    ] = None,
    portfolio: Annotated[
        list[str] | None,
        typer.Option(help="A portfolio, full or paper. May be repeated.", metavar="NAME", show_default="both"),
    ] = None,
    fewest_vehicles: Annotated[
        bool, typer.Option(help="Include the objective vehicles-then-distance.", show_default=True)
    ] = True,
    jobs: Annotated[
        int | None,
        typer.Option(help="This many processes compile.", metavar="N", show_default="one for each core, 4 at most"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Nothing but errors is printed.")] = False,
) -> None:
    """Compile now what searches ordinarily need, so that no search has to wait for it."""
    import time

    from dacalns.core.code_cache import place_to_keep_code
    from dacalns.search.display import CompilingDisplay
    from dacalns.warm_up import ORDINARY, PORTFOLIO_NAMES, SELECTORS
    from dacalns.warm_up import warm_up as warm

    began = time.monotonic()
    display: Any = CompilingDisplay(err) if err.is_terminal and not quiet else nullcontext()
    with display as on_progress:
        compiled = warm(
            kinds or ORDINARY,
            SELECTORS if selector is None else selector,
            portfolios=portfolio or PORTFOLIO_NAMES,
            fewest_vehicles=fewest_vehicles,
            jobs=jobs,
            on_progress=on_progress,
        )
    if quiet:
        return
    folder = place_to_keep_code()
    if compiled and folder is not None:
        out.print(f"{compiled} parts compiled in {time.monotonic() - began:.0f} s, kept in {folder}", soft_wrap=True)
    elif compiled:
        out.print(f"{compiled} parts compiled, but not kept: no folder can be written", soft_wrap=True)
    else:
        out.print("all of it was compiled before")


def examples(
    names: Annotated[
        list[str] | None, typer.Argument(help="Examples to copy; all if left out.", metavar="[NAME]...")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Copy them to this folder; no file is overwritten.", metavar="DIR")
    ] = None,
) -> None:
    """List the examples that come with the package, or copy them to a folder of yours."""
    from dacalns.examples import chosen_examples, copy_examples

    chosen = chosen_examples(names or [])
    if to is None:
        table = Table(box=None, pad_edge=False)
        table.add_column("example", no_wrap=True)
        table.add_column("about")
        for example in chosen:
            table.add_row(example.name, example.about)
        out.print(table)
        return
    for path in copy_examples(chosen, to):
        out.print(f"wrote {path}", soft_wrap=True)
