"""Nothing is compiled, nor loaded from the cache, while the clock of a search runs."""

import subprocess
import sys

import pytest

from dacalns.core.jit import jit_enabled

SCRIPT = """
import sys
from numba.core.dispatcher import Dispatcher
import dacalns
from dacalns.search.run import Search

compile, search, late = Dispatcher.compile, Search.__init__, []
searches = []

def noted_search(self, instance, *given):
    if instance.name != "tiny":
        searches.append(instance.name)
    search(self, instance, *given)

def noted_compile(self, signature):
    if searches:
        late.append(self.py_func.__qualname__)
    return compile(self, signature)

Search.__init__, Dispatcher.compile = noted_search, noted_compile
instance = dacalns.generate_cvrp(5000, seed=1) if sys.argv[1] == "large" else sys.argv[1]
dacalns.solve(instance, stop=dacalns.MaxIterations(50), **dict(pair.split("=") for pair in sys.argv[2:]))
assert searches
print(late)
"""


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.parametrize(
    "arguments",
    [
        ["A-n32-k5"],
        ["R101"],
        ["R101", "portfolio=paper", "selector=dac"],
        ["C101", "objective=vehicles-then-distance"],
        ["large"],
    ],
    ids=" ".join,
)
def test_the_clock_of_a_search_counts_no_compiling(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
