"""Nothing is compiled, nor loaded from the cache, while the clock of a search runs."""

import subprocess
import sys

import pytest

from dacalns.core.jit import jit_enabled

SCRIPT = """
import sys
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
import dacalns
from dacalns.search.fewest_vehicles import FleetSearch
from dacalns.search.run import Search

begun, late = [], []

def notes_beginning(start):
    def noted(self, instance, *given, **named):
        if instance.name != "tiny":
            begun.append(instance.name)
        start(self, instance, *given, **named)
    return noted

def notes_lateness(compile, function):
    def noted(self, *given):
        if begun:
            late.append(getattr(self, function).__qualname__)
        return compile(self, *given)
    return noted

for search in (Search, FleetSearch):
    search.__init__ = notes_beginning(search.__init__)
Dispatcher.compile = notes_lateness(Dispatcher.compile, "py_func")
CFunc.compile = notes_lateness(CFunc.compile, "_pyfunc")
instance = dacalns.generate_cvrp(5000, seed=1) if sys.argv[1] == "large" else sys.argv[1]
settings = dict(pair.split("=") for pair in sys.argv[2:])
if "jobs" in settings:
    settings["jobs"] = int(settings["jobs"])
dacalns.solve(instance, stop=dacalns.MaxIterations(50 if sys.argv[1] == "large" else 1000), **settings)
assert begun
print(late)
"""


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.parametrize(
    "arguments",
    [
        ["A-n32-k5"],
        ["R101"],
        ["P-n16-k8", "jobs=2"],
        ["R101", "portfolio=paper", "selector=dac"],
        ["C101", "objective=vehicles-then-distance"],
        ["large"],
    ],
    ids=" ".join,
)
def test_the_clock_of_a_search_counts_no_compiling(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
