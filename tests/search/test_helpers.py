"""Parts of a search are compiled in other processes; whatever becomes of those, the search goes on and is right."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numba
import pytest

import dacalns
from dacalns.core.jit import jit_enabled
from dacalns.search import helpers
from dacalns.search.helpers import Progress, possible_jobs
from dacalns.search.parts import Part, parts_of
from dacalns.selectors import as_selector

pytestmark = pytest.mark.skipif(
    not jit_enabled() or bool(numba.config.BOUNDSCHECK), reason="nothing is compiled in other processes"
)

# It compiles a few small parts in two processes, and says what was compiled where.
SCRIPT = """
import json, os, sys
import dacalns
from dacalns.core import code_cache
from dacalns.search import helpers
from dacalns.search.parts import parts_of
from dacalns.selectors import as_selector

helpers.WORTH_IT = 0.0
portfolio = dacalns.Portfolio(["random_removal", "route_removal"], ["random_repair"])
wanted = {"random_removal", "route_removal", "roulette_destroy", "roulette_repair", "roulette_update"}
parts = [part for part in parts_of(portfolio, as_selector("roulette"), "matrix") if part._plain.__name__ in wanted]
announced, seen = [], []
exec(os.environ.get("CHANGE", ""))
with helpers.listening(seen.append):
    helpers.compile_missing(parts, lambda: announced.append(1))
aside = dict(code_cache.origins)
for part in parts:
    part.compile()
print(json.dumps({
    "parts": len(parts), "announced": len(announced), "aside": aside, "all": dict(code_cache.origins),
    "done": [each.done for each in seen], "jobs": [each.jobs for each in seen],
}))
"""


def environment(folder: Path, change: str = "", **variables: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("DACALNS_")}
    chosen = {"NUMBA_CACHE_DIR": str(folder / "cache"), "CHANGE": change, helpers.VARIABLE: "2"}
    return known | chosen | variables


def told(folder: Path, change: str = "", **variables: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment(folder, change, **variables), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def test_parts_are_compiled_aside_and_loaded_here(tmp_path: Path) -> None:
    first = told(tmp_path)
    assert first["parts"] == first["all"]["cache"] == 5  # type: ignore[index]
    assert first["announced"] == 1
    assert (first["aside"], first["done"], first["jobs"]) == ({}, [5], [2])
    again = told(tmp_path)
    assert (again["announced"], again["done"], again["all"]) == (0, [], {"cache": 5})


@pytest.mark.parametrize(
    "change",
    [
        'helpers._program = lambda: "raise SystemExit(1)"',
        'helpers._program = lambda: "print(0, flush=True); import time; time.sleep(99)"',
        'sys.executable = "/no/such/python"',
        # It dies in the middle of a part.
        'was = helpers._program; helpers._program = lambda: "import os, threading; '
        'threading.Timer(1.5, lambda: os.kill(os.getpid(), 9)).start(); import time; " + was().replace('
        '"helpers.serve()", "helpers._done = lambda task: time.sleep(99); helpers.serve()")',
        # It cannot keep anything.
        'was = helpers._program; helpers._program = lambda: was().replace("helpers.serve()", '
        '"helpers.nothing_is_kept = lambda: True; helpers._done = lambda task: helpers.NOT_KEPT; helpers.serve()")',
    ],
    ids=["cannot start", "is another", "no interpreter", "dies", "keeps nothing"],
)
def test_what_helpers_leave_is_compiled_here(tmp_path: Path, change: str) -> None:
    result = told(tmp_path, change)
    assert result["announced"] == 1
    assert result["all"]["compiled"] >= result["parts"] == 5  # type: ignore[index]
    assert told(tmp_path)["all"] == {"cache": 5}


def test_one_that_hangs_is_given_up(tmp_path: Path) -> None:
    change = (
        "helpers.LEAST_PATIENCE, helpers.PATIENCE = 4.0, 0.0; was = helpers._program; "
        'helpers._program = lambda: "import time; " + was().replace("helpers.serve()", '
        '"helpers._done = lambda task: time.sleep(99); helpers.serve()")'
    )
    assert told(tmp_path, change)["all"]["compiled"] >= 5  # type: ignore[index]


def test_one_process_is_enough(tmp_path: Path) -> None:
    result = told(tmp_path, DACALNS_COMPILE_JOBS="1")
    assert (result["jobs"], result["done"]) == ([1], [5])
    assert result["aside"]["compiled"] >= 5  # type: ignore[index]


def test_a_signal_ends_all_of_them(tmp_path: Path) -> None:
    """The script gets it while two processes do what never ends; neither outlives it."""
    change = (
        'was = helpers._program; helpers._program = lambda: "import time; " + was().replace("helpers.serve()", '
        "\"open('pid-' + str(__import__('os').getpid()), 'w').close(); "
        'helpers._done = lambda task: time.sleep(99); helpers.serve()")'
    )
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=environment(tmp_path, change), cwd=tmp_path, stderr=subprocess.PIPE
    )
    while len(list(tmp_path.glob("pid-*"))) < 2 and child.poll() is None:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode != 0
    assert b"KeyboardInterrupt" in said
    for number in (int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_helpers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    change = (
        'was = helpers._program; helpers._program = lambda: "import time; " + was().replace("helpers.serve()", '
        "\"open('pid-' + str(__import__('os').getpid()), 'w').close(); "
        'helpers._done = lambda task: time.sleep(99); helpers.serve()")'
    )
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment(tmp_path, change), cwd=tmp_path)
    while len(list(tmp_path.glob("pid-*"))) < 2 and child.poll() is None:
        time.sleep(0.05)
    child.kill()
    child.wait()
    waiting = {int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")}
    for _ in range(1200):
        waiting = {number for number in waiting if _runs(number)}
        if not waiting:
            break
        time.sleep(0.05)
    assert not waiting


def _runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_helpers_where_they_could_hand_nothing_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert possible_jobs(3) == 3
    with monkeypatch.context() as patch:
        patch.setattr(helpers, "place_to_keep_code", lambda: None)
        assert possible_jobs(3) == 1
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/usr/sbin/uwsgi")
        assert possible_jobs(3) == 1
    with monkeypatch.context() as patch:
        patch.setattr(sys, "frozen", True, raising=False)
        assert possible_jobs(3) == 1
    with monkeypatch.context() as patch:
        patch.setattr(helpers.multiprocessing, "parent_process", lambda: object())
        assert possible_jobs(3) == 1
    with monkeypatch.context() as patch:
        patch.setenv(helpers.VARIABLE, "5")
        assert possible_jobs() == 5


@pytest.mark.parametrize(
    ("name", "selector", "objective"),
    [("A-n32-k5", "dac-t", "vehicles-then-distance"), ("generated-pickups-n12-s1", "dac", "vehicles-then-distance")],
)
def test_the_listed_parts_are_those_that_a_search_asks_for(name: str, selector: str, objective: str) -> None:
    """A list that names other types than a search has would be compiled in vain."""
    instance = dacalns.read(name)
    portfolio = dacalns.PORTFOLIOS["full"].for_features(instance.features)
    chosen = "roulette" if selector == "dac-t" and not instance.is_plain else selector
    dacalns.solve(instance, selector=chosen, objective=objective, stop=dacalns.MaxIterations(3))
    form = "matrix" if instance.is_plain else "rich"
    parts = parts_of(portfolio, as_selector(chosen), form, fewest_vehicles=True)
    assert [part.name for part in parts if not part.is_kept()] == []
    assert len(parts) > 15
    assert sum(part.direct for part in parts) >= 4


def test_a_part_is_found_by_its_reference() -> None:
    portfolio = dacalns.PORTFOLIOS["full"].for_features(frozenset())
    for form in ("matrix", "plane", "rich"):
        for part in parts_of(portfolio, as_selector("dac"), form):
            reference = part.reference()
            assert reference is not None
            found = Part.referred_to(reference)
            assert (found.key, found.function) == (part.key, part.function)


def test_code_of_users_is_no_part() -> None:
    @dacalns.repair_operator
    def mine(problem, solution, rng):  # type: ignore[no-untyped-def]
        """Not of the package."""

    parts = parts_of(dacalns.Portfolio(["random_removal"], [mine]), as_selector("roulette"), "matrix")
    assert not any("mine" in part.name for part in parts)


def test_what_is_no_function_is_no_part() -> None:
    class Odd(dacalns.Roulette):
        kernels = (print, partial(print), print)  # type: ignore[assignment]

    portfolio = dacalns.PORTFOLIOS["paper"].for_features(frozenset())
    usual = parts_of(portfolio, as_selector("roulette"), "matrix")
    assert len(parts_of(portfolio, Odd(), "matrix")) == len(usual) - 3


def test_progress_counts_what_is_done_and_what_is_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(helpers.time, "monotonic", lambda: now[0])
    parts = parts_of(dacalns.PORTFOLIOS["full"].for_features(frozenset()), as_selector("dac-t"), "matrix")
    progress = Progress(sum(part.seconds for part in parts), len(parts), 2, began=100.0)
    assert progress.fraction == 0
    progress.begin(parts[0])
    now[0] += 2
    assert progress.names == [parts[0].name]
    assert progress.fraction == pytest.approx(2 / progress.total)
    now[0] += 1000  # it cannot be more than the whole of it
    assert progress.fraction == pytest.approx(0.9 * parts[0].seconds / progress.total)
    progress.end(parts[0])
    assert (progress.done, progress.names) == (1, [])
    for part in parts[1:]:
        progress.begin(part)
        progress.end(part)
    assert (progress.fraction, progress.done, progress.seconds) == (pytest.approx(1.0), len(parts), 1002)
