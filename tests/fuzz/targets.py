"""What is fed with inputs: seventeen readers and what follows on them, the database of a study, the command line."""

import io
import json
import logging
import os
import sys
import warnings
import zlib
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import dacalns
from dacalns.cli import main
from dacalns.instances import (
    Instance,
    VehicleType,
    preflight,
    read,
    read_solution,
    read_solution_of,
    require_feasible,
    write_instance,
    write_solution_of,
)
from dacalns.instances.feature_sets import feature_sets
from dacalns.instances.solution_file import solution_text_of
from dacalns.learning.standing import load_standing
from dacalns.search.checker import check
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.result import Result
from dacalns.search.user_code import split_file
from dacalns.selectors.checkpoint import load_checkpoint
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel, tensor_shapes
from dacalns.settings import load_settings
from dacalns.study.load_protocol import load_protocol
from dacalns.study.report import write_report
from dacalns.study.store import FILE, Store
from dacalns.util.errors import LONGEST, InputError
from fuzz import corpus, mutate
from fuzz.oracle import Target, UnexpectedError

# What tables log would be all over the report.
logging.getLogger("dacalns").addHandler(logging.NullHandler())
FEW = dacalns.MaxIterations(15)
# Larger instances are read, but not solved: that takes longer than an input should.
MOST_SOLVED = 60
# Where many share a location, matrices are far larger than the file.
MOST_WRITTEN = 300


@dataclass(frozen=True)
class Subject:
    """A target, the inputs that it begins with, and how these are changed."""

    run: Target
    corpus: Callable[[], list[bytes]]
    changes: tuple[mutate.Change, ...]


def _written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _one_in(count: int, data: bytes) -> bool:
    """Whether to go on with this input; the same at every call."""
    return zlib.crc32(data) % count == 0


def _used(instance: Instance, data: bytes, folder: Path) -> None:
    """What users do with an instance."""
    repr(instance)
    if instance.customers <= MOST_WRITTEN:
        write_instance(instance, folder / "again.json")
        if not read(folder / "again.json").same_content(instance):
            raise UnexpectedError("an instance that is another one in JSON")
    if not instance.is_plain:
        _rich(instance, folder)
        return
    if instance.customers > MOST_SOLVED or not _one_in(4, data):
        return
    write_instance(instance, folder / "again.vrp")
    check(instance, [[1], [*range(2, instance.customers + 1)]])
    require_feasible(instance)
    objective = "distance" if _one_in(8, data) else "vehicles-then-distance"
    str(dacalns.solve(instance, stop=FEW, selector="roulette", objective=objective))


def _rich(instance: Instance, folder: Path) -> None:
    """What users do with an instance of a richer problem."""
    first = instance.customer_nodes[0]
    write_solution_of(instance, folder / "again.sol", [[first]], [0], 1.0)
    if read_solution_of(instance, folder / "again.sol") != ([[first]], [0], 1.0):
        raise UnexpectedError("a solution that is another one after writing and reading")
    try:
        write_instance(instance, folder / "again.vrp")
    except InputError:
        return  # it asks for more than the dialect has
    # Limits that mean nothing are not written, and types that are alike become one.
    if read(folder / "again.vrp", rounding=instance.rounding).demands.tolist() != instance.demands.tolist():
        raise UnexpectedError("an instance that is another one after writing and reading")


def vrp(data: bytes, folder: Path) -> None:
    """A VRPLIB file."""
    _used(read(_written(folder, "x.vrp", data)), data, folder)


def problem(data: bytes, folder: Path) -> None:
    """A problem in JSON."""
    instance = read(_written(folder, "x.json", data))
    _used(instance, data, folder)
    if not instance.is_plain and instance.customers <= MOST_WRITTEN and _one_in(4, data):
        preflight(instance)


def table(data: bytes, folder: Path) -> None:
    """A table of customers, some of them depots."""
    vehicles = [{"name": "van", "number": 2, "capacity": 9, "max_hours": 8}] if _one_in(2, data) else None
    options = {"vehicles": vehicles} if vehicles else {"capacity": 9}
    _used(read(_written(folder, "x.csv", data), **options), data, folder)


def fleet_table(data: bytes, folder: Path) -> None:
    """A table of vehicles."""
    shops = _written(folder, "shops.csv", corpus.table()[0])
    _used(read(shops, vehicles=_written(folder, "x.csv", data)), data, folder)


def matrix(data: bytes, folder: Path) -> None:
    """Distances and times of four places, as routing services answer, as NumPy writes or in CSV."""
    path, refused = _written(folder, "x.json", data), []
    for rows in ("name,demand,service\ndepot,,\nA,1,3\nB,2,\nC,3,4\n", "name\ndepot\nA\n"):
        shops = _written(folder, "shops.csv", rows.encode())
        try:
            _used(read(shops, matrix=path, capacity=9 if "demand" in rows else None), data, folder)
        except InputError as error:
            refused.append(error)
    if len(refused) == 2:
        raise refused[0]


def vroom(data: bytes, folder: Path) -> None:
    """A problem in VROOM's JSON, which is also answered."""
    path = _written(folder, "x.json", data)
    problem = dacalns.read_vroom(path)
    if problem.instance.customers <= MOST_SOLVED and _one_in(4, data):
        result = dacalns.solve(problem.instance, stop=FEW, selector="roulette")
        json.dumps(dacalns.to_vroom(problem, result), allow_nan=False)
    _used(problem.instance, data, folder)


def solomon(data: bytes, folder: Path) -> None:
    """A file in Solomon's format, or in that of Li and Lim or of Cordeau."""
    _used(read(_written(folder, "x.txt", data)), data, folder)


def sol(data: bytes, folder: Path) -> None:
    """A solution, which is also checked and started from."""
    path = _written(folder, "x.sol", data)
    routes, _ = read_solution(path)
    instance = read("P-n16-k8")
    check(instance, routes)
    if _one_in(4, data):
        dacalns.solve(instance, start=path, stop=FEW, selector="roulette")


def rich_sol(data: bytes, folder: Path) -> None:
    """A solution of an instance with vehicle types, depots and reloads."""
    instance = _reloading()
    routes, types, _ = read_solution_of(instance, _written(folder, "x.sol", data))
    solution_text_of(instance.with_(customers_first=False), routes, types)


@cache
def _reloading() -> Instance:
    types = (VehicleType(capacity=9.0, reload_depots=(0, 1)), VehicleType(num_available=2, capacity=5.0))
    return Instance(name="rich", coordinates=[[0, 0]] * 6, demands=[0, 0, 1, 1, 1, 1], depots=2, vehicle_types=types)  # type: ignore[arg-type]


def settings(data: bytes, folder: Path) -> None:
    """A settings file, which is also written and searched with."""
    found = load_settings(_written(folder, "x.toml", data))
    found.to_toml(folder / "again.toml")
    names = (found.search and found.search.portfolio, found.selector and found.selector.name)
    if not _one_in(4, data) or any(split_file(str(name)) for name in names):
        return
    options = found.options() | {"stop": FEW, "jobs": 1}
    str(dacalns.solve("P-n16-k8", **options))


def protocol(data: bytes, folder: Path) -> None:
    """A protocol."""
    found = load_protocol(_written(folder, "x.toml", data))
    found.in_words()
    found.outline("a command")


def policy(data: bytes, folder: Path) -> None:
    """A policy, which is also searched with."""
    path = _written(folder, "x.safetensors", data)
    card = load_checkpoint(path, tensor_shapes)[1]
    card.to_json()
    kind = LearnedWheel if card.kind == "wheel" else FrozenPolicy
    kind(path).load(feature_sets(card.problem)[0], PORTFOLIOS["paper"])
    if _one_in(4, data):
        dacalns.solve("P-n16-k8", selector=kind(path), portfolio="paper", stop=FEW)


def result(data: bytes, folder: Path) -> None:
    """A result, which is also printed and written."""
    found = Result.from_json(_written(folder, "x.json", data))
    str(found)
    if Result.from_json(found.to_json(folder / "again.json")) != found:
        raise UnexpectedError("a result that is another one after writing and reading")
    assert found.operators.destroy_uses is not None
    assert found.operators.repair_uses is not None


def state(data: bytes, folder: Path) -> None:
    """Where a training stopped."""
    load_standing(_written(folder, "x.state", data), corpus.plan())


def study(data: bytes, folder: Path) -> None:
    """The database of a study, on which a report is made."""
    _written(folder, FILE, data)
    with Store(folder) as store:
        store.studies()
        store.rows(["ALNS-0", "x"])
        store.claim("ALNS-0")
        store.claim("y")
    if _one_in(4, data):
        for kind in ("md", "latex", "csv"):
            write_report(folder, kind, brief=kind != "csv")


def command(data: bytes, folder: Path) -> None:
    """A call of the command line."""
    try:
        call = json.loads(data)
        arguments = [str(word) for word in call["arguments"]]
        files = {str(name): str(text).encode("latin-1", "replace") for name, text in dict(call["files"]).items()}
    except (KeyError, TypeError, ValueError, RecursionError):
        return
    if not _is_harmless(arguments):
        return
    for name in ("x.vrp", "x.sol", "x.toml", "p.toml", "x.csv", "v.csv"):
        if name in files:
            _written(folder, name, files[name])
    (folder / FILE).write_bytes(corpus.study()[0])
    # The budget comes last, so that it wins: a search of a year would be no mistake of the program's.
    ending = ["--iterations", "10", "--jobs", "1"] if arguments[:1] == ["solve"] else []
    out, err, code = io.StringIO(), io.StringIO(), None
    argv = ["dac-alns", *arguments, *ending]
    hooks = mock.patch.multiple(sys, argv=argv, excepthook=sys.excepthook)
    printed = mock.patch.object(warnings, "showwarning", warnings.showwarning)
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), hooks, printed:
        try:
            main()
        except SystemExit as exit_:
            code = exit_.code or 0
    told = "".join(line for line in err.getvalue().splitlines(keepends=True) if not line.startswith("Note: "))
    if code not in (0, 1, 2):
        raise UnexpectedError(f"exit code {code!r}\n{told}")
    if code == 2 and not (
        told.startswith("Error: ") and len(told) <= len("Error: \n") + LONGEST and "\n" not in told[:-1]
    ):
        raise UnexpectedError(f"no single sentence of at most 300 characters\n{told}")
    if "Traceback" in told:
        raise UnexpectedError(f"a traceback\n{told}")


def _is_harmless(arguments: list[str]) -> bool:
    """Whether a call neither takes as long as it was told to, nor writes anywhere but to its folder."""
    if arguments[:1] not in (["solve"], ["check"], ["instances"], ["generate"], ["study"]) or "run" in arguments:
        return False
    budgets = {"--time", "--iterations", "--no-improvement", "--jobs", "-n", "--customers"}
    large = any(
        option.partition("=")[0] in budgets
        and len((value if "=" not in option else option).strip("-")) in (4, *range(5, 20))
        for option, value in zip(arguments, [*arguments[1:], ""], strict=True)
    )
    outside = any(word.startswith(("/", "~")) or os.pardir in word or ".py" in word for word in arguments)
    return not large and not outside and not any("generated-" in word and len(word) > 24 for word in arguments)


SUBJECTS = {
    "vrp": Subject(vrp, corpus.vrp, mutate.TEXT),
    "solomon": Subject(solomon, corpus.solomon, mutate.TEXT),
    "dialect": Subject(vrp, corpus.dialect, mutate.TEXT),
    "problem": Subject(problem, corpus.problem, mutate.JSON),
    "table": Subject(table, corpus.table, mutate.TEXT),
    "fleet-table": Subject(fleet_table, corpus.fleet_table, mutate.TEXT),
    "matrix": Subject(matrix, corpus.matrix, mutate.JSON),
    "vroom": Subject(vroom, corpus.vroom, mutate.JSON),
    "li-lim": Subject(solomon, corpus.li_lim, mutate.TEXT),
    "cordeau": Subject(solomon, corpus.cordeau, mutate.TEXT),
    "rich-sol": Subject(rich_sol, corpus.rich_sol, mutate.TEXT),
    "sol": Subject(sol, corpus.sol, mutate.TEXT),
    "settings": Subject(settings, corpus.settings, mutate.TOML),
    "protocol": Subject(protocol, corpus.protocol, mutate.TOML),
    "policy": Subject(policy, corpus.policy, mutate.TENSORS),
    "result": Subject(result, corpus.result, mutate.JSON),
    "state": Subject(state, corpus.state, mutate.TENSORS),
    "study": Subject(study, corpus.study, mutate.DATABASE),
    "command": Subject(command, corpus.command, (mutate.json_value, mutate.json_value, mutate.words, mutate.number)),
}
