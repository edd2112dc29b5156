"""The rules of a problem are known to one module."""

import ast
from pathlib import Path

import pytest

from dacalns.core import terms
from dacalns.core.model import Problem, Solution
from dacalns.core.rich import RichProblem, RichSolution

CORE = Path(terms.__file__).parent
# `model.py` builds the arrays; the terms are the only ones to read these of them. The rules of rich problems are in the
# modules whose names begin with `rich`.
OWN = {"terms.py", "model.py", *(path.name for path in CORE.glob("rich*.py"))}
RULES = {"capacity", "demand", "opens", "closes", "service", "timed", "fleet", "unserved", "penalty"}
SUMS = {"depart", "latest", "load", "length"}
PLACES = {"between", "pairs_between", "measured"}


# What nodes are called in kernels, and the arrays that have an entry for each: the depot is no number to compare with.
NODES = {"node", "customer", "tail", "head", "one", "other", "near", "before", "after", "following"}
LINKS = {"links", "pred", "succ", "first", "last"}
OF_NODES = {"coordinates", "points", "places", "shrink", "features", "route", "leg"} | RULES | SUMS | LINKS


def breaches(source):
    """Where a module reads a rule itself, or takes the number 0 for the depot; other names for these are seen through.

    ``END`` as the end of a route is no breach: the terms say which depot is there.
    """
    tree = ast.parse(source)
    names = {name: name for name in PLACES | {"has_windows"}}
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.name in names:
            names[node.asname or node.name] = node.name
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and called(node.value) in names:
            names[node.targets[0].id] = names[called(node.value)]
    return [
        f"line {node.lineno}: {breach}" for node in ast.walk(tree) if (breach := breach_of(node, names)) is not None
    ]


def called(node):
    """The name that stands in the source, without the module that it is taken from."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def is_zero(node):
    return isinstance(node, ast.Constant) and node.value == 0 and not isinstance(node.value, float)


def is_depot(node):
    return is_zero(node) or called(node) == "END"


def breach_of(node, names):
    """What a piece of the source does that only the terms may; None if it is nothing."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = node.value.id  # records of positions, such as `EVENT`, are in capitals, and `builder` is LLVM's
        if owner.islower() and owner != "builder" and node.attr in RULES | SUMS:
            return f"{owner}.{node.attr}"
    if isinstance(node, ast.Constant) and node.value in RULES | SUMS:
        return f"the name of {node.value}"
    if isinstance(node, ast.Name | ast.Attribute) and names.get(called(node)) == "has_windows":
        return "whether there are windows"
    if isinstance(node, ast.Subscript):
        if called(node.value) in ("problem", "solution"):
            return "a field by its position"
        if called(node.value) in OF_NODES and is_depot(node.slice):
            return f"{ast.unparse(node)} is the depot's"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        sides = [node.left, *node.comparators]
        array = [side.value for side in sides if isinstance(side, ast.Subscript)]
        if any(map(is_zero, sides)) and (NODES & set(map(called, sides)) or LINKS & set(map(called, array))):
            return "a comparison with the depot's number"
    if isinstance(node, ast.For) and "candidate_routes(" in ast.unparse(node.iter):
        asked = f"candidate_route(problem, solution, {ast.unparse(node.target)})"
        if not any(asked in ast.unparse(line) for line in node.body):
            return "which routes are candidates"
    if isinstance(node, ast.Call) and names.get(called(node.func)) in PLACES and any(map(is_depot, node.args)):
        return f"{ast.unparse(node.func)} of the depot"
    if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.Lt | ast.GtE):
        compared = ast.unparse(node)
        return "which route is empty" if "fleet" in compared and "counts[USED]" in compared else None
    return None


@pytest.mark.parametrize(
    "path", sorted(path for path in CORE.glob("*.py") if path.name not in OWN), ids=lambda p: p.name
)
def test_no_other_module_of_core_knows_a_rule(path):
    assert breaches(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        "solution.load[route] + 1.0 > problem.capacity",
        "max(problem.opens[node], clock)",
        "solution.depart[before] <= late",
        "between(problem, node, 0)",
        "between(problem, END, node)",
        "problem.timed and late",
        "solution.length[route] -= saved",
        "other.load[route]",
        "demand = instance.demand",
        "if has_windows(problem): pass",
        "for route in range(candidate_routes(problem, solution)): has_room(problem, solution, route, customer)",
        "from dacalns.core.terms import has_windows as timed\nlate = timed(problem) and late",
        "from dacalns.core.distances import between as far\nfar(problem, END, node)",
        "far = distances.between\nfar(problem, node, 0)",
        "rules = problem\nrules.demand[node]",
        "getattr(problem, 'demand')",
        "problem[1][node]",
        "if node == 0: pass",
        "if links[near, side] == 0: pass",
        "0 != other",
        "coordinates - coordinates[0]",
        "shrink[0] += weight",
        "counts[USED] < fleet",
        "late = terms.has_windows(problem) and late",
    ],
)
def test_the_reader_finds_rules(line):
    assert breaches(line)
    assert not breaches("between(problem, one, other)\nhas_room(problem, solution, route, customer)")


# What rich problems and their solutions have besides.
RICH = {*RichProblem._fields, *RichSolution._fields} - {*Problem._fields, *Solution._fields}
OWNERS = {"problem", "solution", "current", "candidate", "best", "target", "source", "before"}


def rich_reads(source):
    """The fields of rich problems and solutions that a module reads."""
    attributes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return {
        f"{node.value.id}.{node.attr}"
        for node in attributes
        if isinstance(node.value, ast.Name) and node.value.id in OWNERS and node.attr in RICH
    }


@pytest.mark.parametrize("path", sorted(CORE.glob("*.py")), ids=lambda p: p.name)
def test_rich_arrays_are_read_by_the_rules_of_rich_problems_alone(path):
    found = rich_reads(path.read_text())
    if not path.name.startswith("rich"):
        assert found == set()
    if path.name in ASKING:  # who belongs together, but no amounts, times, lengths or limits
        assert not {name.partition(".")[2] for name in found} & LIMITS


# These search by the rules of rich problems, and ask the others for them.
ASKING = {"rich_insertions.py", "rich_search.py"}
LIMITS = {"kinds", "holds", "aboard", "depots", "legs", "drives", "deliver", "collect", "release", "prize"} | {
    "times", "cargo", "sums", "span", "start", "end", "ahead", "behind", "taken",
}  # fmt: skip


def test_the_reader_finds_rich_arrays():
    assert rich_reads("x = problem.holds[0]\nsolution.span[1] = 2") == {"problem.holds", "solution.span"}
    assert LIMITS <= RICH
