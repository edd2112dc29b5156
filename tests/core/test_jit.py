"""Kernels called by name: compiled on their own, loaded with what calls them, the same as any other."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types

from dacalns.core.jit import compiled_once, glue, jit_enabled, kernel

by_name = pytest.mark.skipif(not jit_enabled() or bool(numba.config.BOUNDSCHECK), reason="nothing is called by name")


@compiled_once(types.void(types.float64[::1], types.int64))
@kernel
def add_to_all(values, amount):  # type: ignore[no-untyped-def]
    for k in range(len(values)):
        values[k] += amount


@glue
def add_twice(values, amount):  # type: ignore[no-untyped-def]
    add_to_all(values, amount)
    add_to_all(values, amount)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_it_does_the_same_for_arguments_of_all_types(kind: type) -> None:
    values = np.arange(4, dtype=kind)
    add_twice(values, 3)
    assert values.tolist() == [6, 7, 8, 9]
    add_to_all(values, 1)
    assert values.tolist() == [7, 8, 9, 10]


@by_name
def test_only_arguments_of_the_given_types_go_by_name() -> None:
    code = {}
    for kind in (np.float64, np.float32):
        add_twice(np.zeros(2, dtype=kind), 1)
        signature = numba.typeof(np.zeros(2, dtype=kind)), types.int64
        code[kind] = add_twice.inspect_llvm(signature)
    assert f"{__name__}.add_to_all" in code[np.float64]
    assert f"{__name__}.add_to_all" not in code[np.float32]


SCRIPT = """
import numba
import numpy as np
from numba import types
from dacalns.core.distances import RICH, told_apart
from dacalns.core.jit import address, by_kind, caller, compiled_once
from dacalns.core.jit import glue, inlined, kernel, pluggable
from dacalns.core.model import PROBLEM
from dacalns.search.start import problem_of, tiny_instance, tiny_rich_instance

@compiled_once(types.void(types.float64[::1]))
@kernel
def one_more(values):
    values[0] += 1.0

@compiled_once(types.void(types.float64[::1]))
@glue
def two_more(values):
    one_more(values)
    one_more(values)

@glue
def between(values):
    two_more(values)

@glue
def five_more(values):
    between(values)
    between(values)
    one_more(values)

values = np.zeros(1)
plugged = pluggable(five_more, types.void(types.float64[::1]))

@numba.njit
def call(function, values):
    function(values)

call(plugged, values)
print(values[0], plugged.compiled.cache_hits)

# One version for plain problems, and one for rich ones, each with a symbol of its own.
ON = types.void(PROBLEM, types.float64[::1])
ON_RICH = told_apart(ON, RICH)

@inlined
def one(problem):
    return 1.0

@inlined
def and_a_dimension(problem):
    return 1.0 + problem.holds.shape[1]

amount = by_kind(one, and_a_dimension)

@compiled_once(ON, ON_RICH)
@kernel
def add(problem, values):
    values[0] += amount(problem)

@glue
def add_twice(problem, values):
    add(problem, values)
    add(problem, values)

pass_on = caller(ON)

@kernel
def through(where, problem, values):
    pass_on(where, (problem, values))

for instance, form in ((tiny_instance(), ON), (tiny_rich_instance(), ON_RICH)):
    values, plugged = np.zeros(1), pluggable(add_twice, ON, form)
    through(address(plugged), problem_of(instance), values)
    print(values[0], plugged.compiled.cache_hits)
"""


@by_name
def test_code_from_the_cache_finds_what_it_calls(tmp_path: Path) -> None:
    """Code that calls by name what is not there ends the process."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    said = [
        subprocess.run(
            [sys.executable, "-W", "ignore", script],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert said == [["5.0", "0", "2.0", "0", "4.0", "0"], ["5.0", "1", "2.0", "1", "4.0", "1"]]
