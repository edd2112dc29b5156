"""A comparison finds the installed solvers, lets the runner of studies do all runs, and prints how they stand."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dacalns.bench.measure import BUSY, this_machine
from dacalns.bench.peers import Peer
from dacalns.bench.quality.report import (
    NOTE,
    Comparison,
    Contestant,
    SubsetResult,
    instance_cells,
    rich_table,
    standings_table,
    subset_title,
    write_comparison,
)
from dacalns.bench.quality.runs import (
    LOADING_PATIENCE,
    PATIENCE,
    WARM_UP_SECONDS,
    SolverProcesses,
    SolverRun,
    SolverTask,
    expected_seconds,
    runs_on,
)
from dacalns.bench.quality.sets import Subset
from dacalns.engines import Engine, WorkerDied
from dacalns.instances import generate_cvrp, generate_rich
from dacalns.study.rows import DONE, Member, ProtocolOutline, Row, Study
from dacalns.study.runner import StudyProgress, do_runs
from dacalns.study.store import Store
from dacalns.util.errors import InputError

HEADING = "instance"
INSTALL = 'pip install "dac-alns[peers]"'


def compare(
    console: Console,
    subsets: Sequence[Subset],
    solvers: Sequence[Peer],
    folder: Path,
    command: str = "",
    engine: Engine | None = None,
    patience: float = PATIENCE,
) -> Comparison:
    """Run every solver on every instance, one at a time, and print how they stand.

    A solver that is not installed, or does not start, is named and left out. Ctrl-C ends the runs; those that are done
    are printed and written all the same. Runs that are in the folder are not done again, so that the same call goes on.

    Parameters
    ----------
    console
        The console to print on.
    subsets
        The instances to run on.
    solvers
        The solvers that run; wins are counted for the first one.
    folder
        The folder for all runs, which are kept as those of a study, and for the tables.
    command
        The command that repeats this comparison, for the files.
    engine
        The engine that does the runs; if left out, each solver gets a process of its own.
    patience
        The seconds beyond twice the time of a run after which a solver without an answer is ended.

    Raises
    ------
    InputError
        If the folder cannot be written to, or no solver is left.
    """
    comparison = Comparison(command, this_machine())
    if comparison.machine["load_average"] > BUSY:
        console.print(
            f"Other work is running: load average {comparison.machine['load_average']:.1f} on "
            f"{comparison.machine['cpus']} CPUs. Solvers get less than the time that is written here.",
            style="yellow",
            highlight=False,
        )
    with Store(folder, create=True) as store, engine or SolverProcesses() as processes:
        try:
            plain = {instance.is_plain for subset in subsets for instance in subset.instances}
            ready = _ready(console, solvers, processes, comparison, sorted(plain))
            _run_all(console, store, subsets, ready, processes, comparison, patience)
        except KeyboardInterrupt:  # while solvers were loaded
            comparison.interrupted = True
    if comparison.interrupted:
        console.print("Interrupted; this is what there is:", style="red")
    _print_standings(console, comparison)
    for path in write_comparison(folder, comparison):
        console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)
    return comparison


def _ready(
    console: Console, solvers: Sequence[Peer], engine: Engine, comparison: Comparison, plain: Sequence[bool]
) -> list[Peer]:
    """Return the solvers that are installed and start, and note which others do not and why.

    They load what they need for plain problems, for rich ones, or for both.
    """
    ready, missing, contestants = [], [], []
    for solver in solvers:
        version = solver.version()
        if version is None:
            missing.append(f"{solver.name} is not installed and left out; to have it: {INSTALL}")
            continue
        # This is a plain line, because a spinner would take time from the solvers.
        console.print(f"loading {solver.name} {version} …", style="dim", highlight=False)
        fault = next(filter(None, (_fault(solver, engine, each) for each in plain)), "")
        if fault:
            missing.append(f"{solver.name} {version} does not start and is left out: {fault}")
            continue
        ready.append(solver)
        contestants.append(Contestant(solver.key, solver.name, version))
    for sentence in missing:
        console.print(sentence, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if not ready:
        raise InputError(f"No solver is left; expected at least one; install the peers: {INSTALL}")
    comparison.missing, comparison.solvers = missing, contestants
    return ready


def _fault(solver: Peer, engine: Engine, plain: bool) -> str:
    """Load a solver, and return what went wrong; the text is empty if nothing did."""
    instance = generate_cvrp(10, seed=1) if plain else generate_rich(10, ("pickups",), seed=1)
    task = SolverTask("", instance, solver, WARM_UP_SECONDS, 0, LOADING_PATIENCE)
    try:
        engine.submit(SolverTask.load, task).result()
    except WorkerDied as error:
        return str(error)
    except Exception as error:  # another solver may raise anything
        return f"{type(error).__name__}: {error}"
    return ""


def _run_all(
    console: Console,
    store: Store,
    subsets: Sequence[Subset],
    solvers: Sequence[Peer],
    engine: Engine,
    comparison: Comparison,
    patience: float,
) -> None:
    runs: list[SolverRun] = []
    for subset in subsets:
        planned, left_out = runs_on(subset, solvers, patience)
        runs += planned
        outline = _outline(subset, comparison)
        # Tables list the solvers in their order, whichever runs first.
        order = [solver.key for solver in solvers]
        members = sorted((run.member for run in planned), key=lambda member: _place(member, subset, order))
        store.add_protocol(outline, "", members)
        comparison.results.append(SubsetResult(subset, order, Study(outline, members, {}), left_out))
    there = {key: row for key, row in store.rows(run.member.key for run in runs).items() if row.status == DONE}
    minutes = expected_seconds(run for run in runs if run.member.key not in there) / 60
    console.print(f"{len(solvers)} solvers, one at a time on one core: about {minutes:.1f} minutes.", highlight=False)
    if there:
        console.print(f"{len(there)} of {len(runs)} runs are in the folder already and stay as they are.")
    lines = _Lines(console, comparison.results)

    def tell(progress: StudyProgress) -> None:
        lines.add({row.key: row for _, row in progress.rows})

    lines.add(there)
    summary = do_runs(store, engine, runs, retry_failed=True, on_progress=tell)
    comparison.interrupted = summary.interrupted


def _outline(subset: Subset, comparison: Comparison) -> ProtocolOutline:
    """Return the outline that `dac-alns study report` needs to report on the folder of a comparison, too."""
    keys = [solver.key for solver in comparison.solvers]
    return ProtocolOutline(
        subset.name,
        subset.title,
        {solver.key: f"{solver.name} {solver.version}" for solver in comparison.solvers},
        {subset.budget: subset.budget},
        [(keys[0], other) for other in keys[1:]],
        None,
        list(range(subset.seeds)),
        comparison.command,
    )


def _place(member: Member, subset: Subset, solvers: Sequence[str]) -> tuple[int, int, int]:
    names = [instance.name for instance in subset.instances]
    return names.index(member.instance), member.seed, solvers.index(member.method)


class _Lines:
    """A printer of a line for each instance, as soon as all solvers have run on it."""

    def __init__(self, console: Console, results: Sequence[SubsetResult]) -> None:
        self._console, self._results = console, results
        self._told: set[tuple[int, str]] = set()

    def add(self, rows: dict[str, Row]) -> None:
        """Add rows, and print the lines that are now complete."""
        for number, result in enumerate(self._results):
            expected = {member.key for member in result.study.members}
            result.study.rows.update((key, row) for key, row in rows.items() if key in expected)
            if rows.keys() & expected:
                self._print(number, result)

    def _print(self, number: int, result: SubsetResult) -> None:
        subset, references = result.subset, result.references
        width = max(len(name) for name in (HEADING, *(instance.name for instance in subset.instances)))
        sizes = {instance.name: instance.customers for instance in subset.instances}
        for case in result.cases:
            if (number, case.instance) in self._told:
                continue
            if not any(told == number for told, _ in self._told):
                self._console.print(f"\n{subset_title(subset)}", style="bold", highlight=False, markup=False)
                self._line(width, [HEADING, "n", "reference", *result.solvers], style="dim")
            self._told.add((number, case.instance))
            gaps = instance_cells(result, case, references[case.instance])
            self._line(width, [case.instance, str(sizes[case.instance]), *gaps])

    def _line(self, width: int, cells: Sequence[str], style: str | None = None) -> None:
        name, customers, reference, *gaps = cells
        line = f"{name:{width}} {customers:>5} {reference:>9}" + "".join(f" {gap:>7}" for gap in gaps)
        self._console.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


def _print_standings(console: Console, comparison: Comparison) -> None:
    for result in comparison.results:
        if result.rows:
            console.print(f"\n{subset_title(result.subset)}", style="bold", highlight=False, markup=False)
            console.print(rich_table(standings_table(result, comparison.solvers)))
        for sentence in result.alarms:
            console.print(sentence, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if any(result.rows for result in comparison.results):
        console.print(NOTE, style="dim", highlight=False)
