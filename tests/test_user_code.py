"""Operators, selectors and criteria of users that go wrong: the best solution is kept, and a sentence names them."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import MaxIterations, MaxTime, Portfolio, Result, solve
from dacalns.core.clock import nanoseconds
from dacalns.learning.rounds import EpisodeTask, Plan, first_state, run_task
from dacalns.learning.sources import Generated
from dacalns.learning.workers import PortablePlan
from dacalns.search.stepper import Stepper
from dacalns.search.user_code import Aside

INSTANCE = dacalns.read("P-n16-k8")
# For so long an endless operator runs; it would hold up the tests after it.
SECONDS = int(os.environ.get("DACALNS_TEST_ENDLESS", "4"))


def _operator(function: Any, name: str) -> dacalns.DestroyOperator:
    return dacalns.destroy_operator(count=(2, 4), name=name)(function)


def _endless(problem, solution, count, rng):
    for _ in range(count):
        dacalns.remove(problem, solution, 1 + dacalns.random_int(rng, len(problem.demand) - 1))
    began = nanoseconds()
    while count < 4 and nanoseconds() - began < SECONDS * 1_000_000_000:
        solution.scratch_ints[0, 0] += 1


def _circular(problem, solution, count, rng):
    dacalns.remove(problem, solution, 1)
    first = solution.first[0]
    solution.succ[first] = first


def _printing(problem, solution, count, rng):
    dacalns.remove(problem, solution, 1)
    print(count, 0.5)


def _dividing(problem, solution, count, rng):
    dacalns.remove(problem, solution, count)
    solution.scratch_floats[0, 0] = 1 / (count - 2)


def _raising(problem, solution, count, rng):
    raise ValueError("bad luck")


def _idle(problem, solution, count, rng):
    pass


def _lazy(problem, solution, rng):
    pass


ENDLESS = Portfolio([_operator(_endless, "endless")], ["greedy_repair"])


def _search(function: Any, iterations: int = 200, **options: Any) -> Result:
    portfolio = Portfolio([_operator(function, function.__name__[1:])], ["greedy_repair"])
    return solve(INSTANCE, portfolio=portfolio, stop=MaxIterations(iterations), **options)


def _require_kept(result: Result, sentence: str) -> None:
    assert result.stopped_by == "user code"
    assert sentence in result.warnings[0]
    assert len(result.warnings[0]) <= 300
    assert dacalns.check(INSTANCE, result.routes).cost == result.cost


def _require_thread_ended() -> None:
    for _ in range(200):
        if not Aside.any_left():
            return
        time.sleep(0.05)
    raise AssertionError("a thread goes on")


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_operator_that_never_ends(jobs: int) -> None:
    result = solve(INSTANCE, portfolio=ENDLESS, stop=MaxIterations(200), call_limit=0.2, jobs=jobs)
    _require_kept(result, "destroy operator 'endless' had not returned after 0.2 s (call_limit) in iteration ")
    assert result.jobs == jobs


@pytest.mark.slow_without_jit
def test_the_end_of_the_budget_does_not_wait_for_it() -> None:
    result = solve(INSTANCE, portfolio=ENDLESS, stop=MaxTime(0.1), call_limit=500)
    assert result.stopped_by == "criterion"
    assert "'endless' had not returned 1 s after the end of the budget in iteration" in result.warnings[0]


@pytest.mark.slow_without_jit
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_does_not_wait_for_it() -> None:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        result = solve(INSTANCE, portfolio=ENDLESS, stop=MaxIterations(200), call_limit=500)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert result.stopped_by == "interrupt"
    assert "'endless' had not returned 1 s after the request to stop" in result.warnings[0]


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import dacalns
from test_user_code import ENDLESS, INSTANCE

result = dacalns.solve(INSTANCE, portfolio=ENDLESS, stop=dacalns.MaxIterations(200), call_limit=0.2, jobs=2)
print(result.stopped_by)
"""


@pytest.mark.slow_without_jit
def test_the_process_ends_beside_a_call_that_does_not() -> None:
    script = SCRIPT.format(folder=os.path.dirname(__file__))
    surroundings = os.environ | {"DACALNS_TEST_ENDLESS": "1000000"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "user code\n", "")


class _Selector:
    """Always the first pair, unless something happens in its tenth iteration."""

    def select_destroy(self, state: dacalns.State) -> int:
        if state.iteration == 9:
            self.happens()
        return 0

    def select_repair(self, destroyed: dacalns.State, destroy: int) -> int:
        return 0

    def update(self, outcome: dacalns.Outcome) -> None:
        pass

    def happens(self) -> None:
        while True:
            time.sleep(0.001)


def test_python_code_that_never_ends_is_ended() -> None:
    result = solve(INSTANCE, selector=_Selector(), stop=MaxIterations(20), call_limit=0.2)
    _require_kept(result, "selector '_Selector', in select_destroy, had not returned after 0.2 s (call_limit) in iter")
    assert result.iterations == 9
    _require_thread_ended()


def test_callbacks_are_called_where_solve_was() -> None:
    class Watched(_Selector):
        def happens(self) -> None:
            heard.append(threading.current_thread())

    heard: list[threading.Thread] = []
    told: list[threading.Thread] = []

    def tell(_: object) -> None:
        told.append(threading.current_thread())

    solve(INSTANCE, selector=Watched(), stop=MaxIterations(20), on_best=tell, on_progress=tell)
    assert set(told) == {threading.current_thread()}
    assert heard[0].daemon


def test_a_link_that_leads_back() -> None:
    _require_kept(
        _search(_circular),
        "destroy operator 'circular' left, in iteration 1, a solution that does not hang together: in route 0, ",
    )


def test_a_stepper_finds_it_out_and_goes_on() -> None:
    portfolio = Portfolio([_operator(_circular, "circular"), "random_removal"], ["greedy_repair"])
    stepper = Stepper(INSTANCE, portfolio)
    for _ in range(2):
        with pytest.raises(dacalns.InputError, match="'circular' left, in iteration 1, a solution that"):
            stepper.destroy(0)
    stepper.destroy(1)
    stepper.repair(0)
    stepper.accept()


@pytest.mark.slow_without_jit
def test_numbers_are_printed() -> None:
    """In a process of its own: what other tests import puts another `print` in place of Python's."""
    script = "from test_user_code import _printing, _search; assert _search(_printing, 3).stopped_by == 'criterion'"
    command, folder = [sys.executable, "-c", script], os.path.dirname(__file__)
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True)
    assert ended.stdout.count(" 0.5\n") == 3


@pytest.mark.slow_without_jit
def test_a_division_by_zero() -> None:
    _require_kept(_search(_dividing), "destroy operator 'dividing' raised ZeroDivisionError: division by zero in iter")


def test_an_exception() -> None:
    result = _search(_raising)
    _require_kept(result, "destroy operator 'raising' raised ValueError: bad luck in iteration 1 (")
    assert f"{os.path.basename(__file__)}:" in result.warnings[0]
    assert result.iterations == 0


def test_operators_that_do_nothing() -> None:
    portfolio = Portfolio(
        ["random_removal", _operator(_idle, "idle")], ["greedy_repair", dacalns.repair_operator(name="lazy")(_lazy)]
    )
    result = solve(INSTANCE, portfolio=portfolio, stop=MaxIterations(200))
    uses = result.operators.destroy_uses[1]
    assert result.stopped_by == "criterion"
    assert result.warnings[0] == f"destroy operator 'idle' removed nobody in {uses} uses."
    assert re.fullmatch(
        "repair operator 'lazy' served nobody in [0-9]+ uses with customers waiting.", result.warnings[1]
    )


class _Compiled:
    """A compiled selector whose choice is astray."""

    name = "astray"

    @property
    def kernels(self) -> tuple[Any, ...]:
        def select_destroy(memory, problem, solution, rng):
            return 0

        def select_repair(memory, problem, solution, destroy, rng):
            return 5

        def update(memory, trial):
            pass

        return select_destroy, select_repair, update

    def memory(self, destroys: int, repairs: int) -> Any:
        return np.zeros((1, 1))


def test_a_compiled_selector_that_goes_astray() -> None:
    result = solve(INSTANCE, portfolio="paper", selector=_Compiled(), stop=MaxIterations(20))
    _require_kept(
        result, "selector 'astray' chose 5 in select_repair, iteration 1; expected a whole number from 0 to 2"
    )


class _Unlucky:
    """A criterion that fails."""

    @property
    def kernel(self) -> Any:
        def accept(memory, fraction, candidate, current, best, rng):
            return 1.0 / memory[0] > 0.0

        return accept

    def memory(self, reference: float) -> Any:
        return np.zeros(1)


@pytest.mark.slow_without_jit
def test_a_criterion_that_fails() -> None:
    result = solve(INSTANCE, acceptance=_Unlucky(), stop=MaxIterations(20))
    _require_kept(result, "acceptance criterion '_Unlucky' raised ZeroDivisionError: division by zero in iteration 1")


@pytest.mark.parametrize("given", [0, -1, "soon", True, None, float("nan")])
def test_limits_that_are_none(given: Any) -> None:
    with pytest.raises(dacalns.InputError, match=r"call_limit is .*; expected seconds, more than 0"):
        solve(INSTANCE, call_limit=given)


def test_code_of_ours_needs_no_thread() -> None:
    threads: list[int] = []
    solve(INSTANCE, stop=MaxIterations(50), on_progress=lambda _: threads.append(threading.active_count()))
    assert set(threads) == {threading.active_count()}


def test_training_says_what_is_wrong() -> None:
    portfolio = Portfolio([_operator(_raising, "raising")], ["greedy_repair"])
    plan = Plan(Generated("cvrp", 10, 10, 1), portfolio, learner=None, method="whole")
    state = first_state(plan, plan.source.instance(0))
    with pytest.raises(dacalns.InputError, match="destroy operator 'raising' raised ValueError: bad luck"):
        run_task(plan, state, EpisodeTask(0, 1))


# Operators in plain Python.


def _sleeping(draft: dacalns.Draft, rng: Any) -> None:
    draft.remove(1)
    while draft.iteration == 3:
        time.sleep(0.001)


def _forging(draft: dacalns.Draft, rng: Any) -> None:
    draft.remove(1)
    draft._solution.succ[draft._solution.first[0]] = draft._solution.first[0]


def _unlucky(draft: dacalns.Draft, rng: Any) -> None:
    draft.remove(1)
    if draft.iteration == 3:
        raise ValueError("bad luck")


def _answering(draft: dacalns.Draft, rng: Any) -> Any:
    return draft.routes


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("operator", "sentence"),
    [
        (_sleeping, "destroy operator '_sleeping' had not returned after 0.2 s (call_limit) in iteration 4; look for"),
        (
            _forging,
            "destroy operator '_forging' left, in iteration 1, a solution that does not hang together: in route 0",
        ),
        (_unlucky, "destroy operator '_unlucky' raised ValueError: bad luck in iteration 4 ("),
        (_answering, "destroy operator '_answering' returned [["),
    ],
)
def test_operators_in_python_that_go_wrong(operator: Any, sentence: str, jobs: int) -> None:
    portfolio = Portfolio([operator], ["greedy_repair"])
    result = solve(INSTANCE, portfolio=portfolio, stop=MaxIterations(200), call_limit=0.2, jobs=jobs)
    _require_kept(result, sentence)
    _require_thread_ended()


def test_a_repair_operator_in_python_that_goes_wrong() -> None:
    result = solve(INSTANCE, portfolio=Portfolio(["random_removal"], [_unlucky]), stop=MaxIterations(20))
    _require_kept(result, "repair operator '_unlucky' raised ValueError: bad luck in iteration 4 (")


def test_an_operator_in_python_that_does_nothing() -> None:
    portfolio = Portfolio([lambda *_: None, "random_removal"], ["greedy_repair"])
    result = solve(INSTANCE, portfolio=portfolio, stop=MaxIterations(200))
    assert result.stopped_by == "criterion"
    assert re.fullmatch("destroy operator 'lambda' removed nobody in [0-9]+ uses.", result.warnings[0])


def test_a_stepper_goes_on_after_an_operator_in_python() -> None:
    stepper = Stepper(INSTANCE, Portfolio([_forging, "random_removal"], ["greedy_repair"]))
    for _ in range(2):
        with pytest.raises(dacalns.InputError, match="'_forging' left, in iteration 1, a solution that"):
            stepper.destroy(0)
    stepper.destroy(1)
    stepper.repair(0)
    stepper.accept()


FILE = """
import dacalns

def broken(draft, rng):
    draft.remove(draft.served[0])
    assert 1 / (draft.iteration < 2)

def fine(draft, rng):
    draft.remove(draft.served[0])

BROKEN = dacalns.PORTFOLIOS["paper"].with_(destroy=[broken])
FINE = dacalns.PORTFOLIOS["paper"].with_(destroy=[fine, lambda draft, rng: fine(draft, rng)])
"""


@pytest.mark.slow_without_jit
def test_the_command_line_keeps_the_best(tmp_path: Path) -> None:
    path, out = tmp_path / "mine.py", tmp_path / "mine.sol"
    path.write_text(FILE)
    ended = []
    for name in ("BROKEN", "FINE"):
        command = [sys.executable, "-m", "dacalns", "solve", "P-n16-k8", "--iterations", "300", "--out", str(out)]
        done = subprocess.run([*command, "--portfolio", f"{path}:{name}"], capture_output=True, text=True, timeout=300)
        ended.append((done.returncode, done.stderr, out.is_file()))
    (broken, said, written), (fine, _, _) = ended
    assert (broken, written, fine) == (2, True, 0)
    assert "destroy operator 'broken' raised ZeroDivisionError: division by zero in iteration " in said
    assert "Traceback" not in said


def test_operators_in_python_are_trained_with() -> None:
    portfolio = Portfolio([_unlucky], ["greedy_repair"])
    plan = Plan(Generated("cvrp", 10, 10, 1), portfolio, learner=None, method="whole")
    state = first_state(plan, plan.source.instance(0))
    with pytest.raises(dacalns.InputError, match="destroy operator '_unlucky' raised ValueError: bad luck"):
        run_task(plan, state, EpisodeTask(0, 1))


class _Quiet:
    """An operator that can be sent to other processes."""

    def __call__(self, draft: dacalns.Draft, rng: Any) -> None:
        draft.remove(draft.served[0])


def test_what_other_processes_are_sent() -> None:
    sent = Portfolio([_unlucky, _Quiet()], ["greedy_repair"])
    plan = Plan(Generated("cvrp", 10, 10, 1), sent, learner=None, method="whole")
    received = pickle.loads(pickle.dumps(PortablePlan.of(plan, sent))).plan().portfolio
    assert [type(operator) for operator in received.destroy] == [type(operator) for operator in sent.destroy]
    assert received.destroy[0] == sent.destroy[0]
    assert received.destroy[1].name == "_Quiet"
    locked = _Quiet()
    locked.lock = threading.Lock()  # type: ignore[attr-defined]
    for wrong, sentence in (
        (Portfolio([lambda *_: None], ["greedy_repair"]), "'lambda' cannot be found by other processes"),
        (Portfolio([locked], ["greedy_repair"]), "operator '_Quiet' cannot be sent to other processes"),
        (sent.with_(acceptance=lambda *_: True), "acceptance criterion 'lambda' cannot be sent to other processes"),
    ):
        with pytest.raises(dacalns.InputError, match=sentence):
            PortablePlan.of(replace(plan, portfolio=wrong), wrong)


def test_what_was_left_is_counted() -> None:
    before = Aside.times_left
    solve(INSTANCE, selector=_Selector(), stop=MaxIterations(20), call_limit=0.2)
    assert Aside.times_left == before + 1
