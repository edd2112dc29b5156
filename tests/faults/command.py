"""The command in a process of its own, for tests that hurt it."""

import os
import subprocess
import sys
from typing import Any

import dacalns

INSTANCE = "A-n80-k10"
# Long enough for any machine; a test that waits so long has failed.
PATIENCE = 120


def started(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """The command, with its output in pipes unless ``options`` say otherwise."""
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    environment = os.environ | given.pop("environment", {})
    return subprocess.Popen([sys.executable, "-m", "dacalns", *map(str, arguments)], env=environment, **given)


def ended(*arguments: object, **options: Any) -> tuple[int, str, str]:
    """Exit code, output and errors of the command."""
    process = started(*arguments, **options)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out or "", complaints(err or "")


def complaints(err: str) -> str:
    """The errors alone: a busy machine may take so long to load compiled code that it is said to be compiled."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("Compiling"))


def is_solution(path: os.PathLike[str]) -> bool:
    """Whether this is a file with a feasible solution of `INSTANCE`, and its cost."""
    routes, cost = dacalns.read_solution(path)
    verdict = dacalns.check(dacalns.read(INSTANCE), routes)
    return verdict.feasible and verdict.cost == cost
