"""The rules of a problem are known to one module."""

import ast
from pathlib import Path

import pytest

from dacalns.core import terms

CORE = Path(terms.__file__).parent
# `model.py` builds the arrays; the terms are the only ones to read these of them.
OWN = {"terms.py", "model.py"}
RULES = {"capacity", "demand", "opens", "closes", "service", "timed", "fleet", "unserved", "penalty"}
SUMS = {"depart", "latest", "load"}
PLACES = {"between", "pairs_between", "measured"}


def breaches(source):
    """Where a module reads a rule itself, or takes the number 0 for the depot."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            if (owner == "problem" and node.attr in RULES) or (
                owner in ("solution", "current", "candidate", "best", "target", "source", "before")
                and node.attr in SUMS
            ):
                found.append(f"line {node.lineno}: {owner}.{node.attr}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLACES:
            for argument in node.args:
                depot = isinstance(argument, ast.Constant) and argument.value == 0
                if depot or (isinstance(argument, ast.Name) and argument.id == "END"):
                    found.append(f"line {node.lineno}: {node.func.id} of the depot")
        if isinstance(node, ast.Compare) and any(
            isinstance(part, ast.Subscript) and ast.unparse(part).endswith(".counts[USED]") for part in node.comparators
        ):
            found += [f"line {node.lineno}: which route is empty"] if "fleet" in ast.unparse(node) else []
    return found


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
    ],
)
def test_the_reader_finds_rules(line):
    assert breaches(line)
    assert not breaches("between(problem, one, other)\nhas_room(problem, solution, route, customer)")
