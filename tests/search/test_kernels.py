"""Kernels are compiled or loaded before the clock of a search starts; signals are heard, and the user is told."""

import os
import signal
import subprocess
import sys
import threading
from functools import cache

import pytest
from numba.core import event

import dacalns
from dacalns.cli.console import announce_compilation
from dacalns.core.jit import jit_enabled
from dacalns.search import kernels
from dacalns.search.kernels import ENOUGH_STEPS, STEP, Announcement, Loading, compilation_sentence, load_kernels
from dacalns.search.signals import SIGNALS

compiled = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")


def test_a_signal_waits_until_the_end() -> None:
    reached: list[str] = []

    def load() -> None:
        with Loading():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_waits_for_the_next_step_of_the_compiler() -> None:
    reached: list[str] = []

    def load() -> None:
        with Loading():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("the step before")
            with event.trigger_event(STEP):
                reached.append("a step")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert reached == ["the step before"]


def test_what_a_broken_kernel_raises_is_not_the_reason() -> None:
    def load() -> None:
        with Loading():
            os.kill(os.getpid(), signal.SIGINT)
            raise RuntimeError("no compiled object yet")

    with pytest.raises(KeyboardInterrupt):
        load()


def test_the_handler_of_the_program_is_called_and_restored() -> None:
    heard: list[int] = []

    def handler(number: int, _frame: object) -> None:
        heard.append(number)

    previous = signal.signal(signal.SIGTERM, handler)
    try:
        with Loading():
            os.kill(os.getpid(), signal.SIGTERM)
            assert heard == []
        assert heard == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, previous)


def test_other_threads_are_left_alone() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    seen: list[object] = []

    def enter() -> None:
        with Loading():
            seen.extend(signal.getsignal(number) for number in SIGNALS)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == before


# --- the clock --------------------------------------------------------------------------------------------------------

CLOCK = """
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


@compiled
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
    done = subprocess.run([sys.executable, "-c", CLOCK, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- the notice -----------------------------------------------------------------------------------------------------

# With ``cold`` something takes as many steps of Numba's compiler as a cold start at least; the rest is in the cache.
NOTICE = """
import io, sys
import numba
import dacalns

given = sys.argv[1:]
if "notebook" in given:
    sys.stderr = io.StringIO()
if "cold" in given:
    names = dacalns.solve.__globals__
    load_kernels = names["load_kernels"]

    def compile_and_load(*parts, **options):
        for _ in range(40):
            numba.njit(lambda x: x + 1)(1)
        load_kernels(*parts, **options)

    names["load_kernels"] = compile_and_load
listener = {"on_compile": lambda: print("called")} if "listener" in given else {}
for _ in range(2):
    dacalns.solve("P-n16-k8", selector="roulette", stop=dacalns.MaxIterations(10), **listener)
if "notebook" in given:
    print(sys.stderr.getvalue(), end="")
"""


def said(*given: str) -> tuple[str, str]:
    """What a script that solves twice prints to standard output and standard error."""
    done = subprocess.run([sys.executable, "-c", NOTICE, *given], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@compiled
def test_a_script_is_told_once_that_kernels_are_compiled() -> None:
    out, err = said("cold")
    assert out == ""
    assert err.splitlines() == [
        "Compiling the search once, usually for less than a minute; later starts take a second or two."
    ]


@compiled
def test_a_notebook_is_told_too() -> None:
    out, err = said("cold", "notebook")
    assert out.startswith("Compiling the search")
    assert out.count("\n") == 1
    assert err == ""


@compiled
def test_a_listener_is_called_in_place_of_the_logger() -> None:
    assert said("cold", "listener") == ("called\ncalled\n", "")


def test_nothing_is_said_if_nothing_is_compiled() -> None:
    said()  # from now on, all that it needs is in the cache
    assert said() == said("listener") == ("", "")


SMALL = dacalns.read("P-n16-k8")
LARGE = dacalns.generate_cvrp(4001, seed=1)
RICHER = dacalns.read("generated-pickups-n12-s1")


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has loaded no kernels so far, and said nothing of it."""
    monkeypatch.setattr(kernels, "_loaded", set())
    monkeypatch.setattr(kernels, "_log_compilation", cache(kernels._log_compilation.__wrapped__))


def compiles(instance: dacalns.Instance | None) -> None:
    """Take as many steps of the compiler as a cold start does at least, for an instance."""
    with Announcement(None, instance):
        for _ in range(ENOUGH_STEPS):
            with event.trigger_event(STEP):
                pass


def test_a_minute_is_not_claimed_for_a_part_of_the_search(nothing_loaded: None) -> None:
    parts = dacalns.PORTFOLIOS["paper"].for_features(RICHER.features), dacalns.Roulette(), dacalns.HillClimbing()
    load_kernels(*parts, SMALL)
    assert "15 seconds" in compilation_sentence() == compilation_sentence(SMALL)
    for other in (LARGE, RICHER):
        assert "a part of the search" not in compilation_sentence(other)
    load_kernels(*parts, RICHER)
    assert "a part of the search" in compilation_sentence(RICHER)


@pytest.mark.parametrize(("instance", "words"), [(None, ""), (SMALL, ""), (LARGE, "large"), (RICHER, "beyond CVRP")])
def test_each_form_of_problem_is_announced_once(
    instance: dacalns.Instance | None, words: str, nothing_loaded: None, caplog: pytest.LogCaptureFixture
) -> None:
    for each in (instance, instance, SMALL, LARGE, RICHER, instance):
        compiles(each)
    assert len(set(caplog.messages)) == len(caplog.messages) == 3
    assert words in caplog.messages[0]
    assert all(" once, usually for less than " in message for message in caplog.messages)


def test_the_command_line_says_what_is_compiled(nothing_loaded: None, capsys: pytest.CaptureFixture[str]) -> None:
    for instance in (SMALL, RICHER):
        announce_compilation(instance)
    plain, rich = capsys.readouterr().err.split("Compiling the search")[1:]
    assert "beyond CVRP" not in plain
    assert "beyond CVRP and VRPTW once, usually for less than a minute" in " ".join(rich.split())
