import os
import threading
import time

import pytest

from dacalns.engines import Processes, WorkerDied, usable_cores
from dacalns.search.user_code import Aside

pytestmark = pytest.mark.slow_without_jit


def _square(number):
    return number * number


def _raise(text):
    raise ValueError(text)


def _die(code):
    os._exit(code)


def _surroundings():
    time.sleep(0.5)  # so that no process does two of these calls
    return os.sched_getaffinity(0), os.environ["OMP_NUM_THREADS"], os.getcwd()


def _leave_a_thread():
    aside = Aside()
    aside.begin(lambda: time.sleep(1000), print)
    time.sleep(0.1)
    aside.leave()
    return os.getpid()


def _wait(seconds):
    time.sleep(seconds)


def test_calls_are_answered():
    with Processes(2) as engine:
        assert engine.slots == 2
        assert [future.result() for future in [engine.submit(_square, number) for number in range(9)]] == [
            number * number for number in range(9)
        ]


def test_what_a_call_raises_is_raised():
    with Processes(1) as engine:
        with pytest.raises(ValueError, match="so it goes"):
            engine.submit(_raise, "so it goes").result()
        assert engine.submit(_square, 3).result() == 9


def test_what_cannot_be_sent_is_raised():
    with Processes(1) as engine:
        with pytest.raises(Exception, match=r"pickle|local"):
            engine.submit(lambda: None).result()
        assert engine.submit(_square, 3).result() == 9


def test_a_process_with_a_thread_that_goes_on_is_replaced():
    with Processes(1) as engine:
        first = engine.submit(_leave_a_thread).result()
        second = engine.submit(os.getpid).result()
        assert first != second == engine.submit(os.getpid).result()


def test_a_process_that_dies_is_told_and_replaced():
    with Processes(1) as engine:
        with pytest.raises(WorkerDied, match="ended with code 7"):
            engine.submit(_die, 7).result()
        assert engine.submit(_square, 3).result() == 9


def test_leaving_ends_what_is_at_work():
    began = time.monotonic()
    with Processes(1) as engine:
        future = engine.submit(_wait, 60)
        time.sleep(0.5)
    assert time.monotonic() - began < 30
    with pytest.raises(WorkerDied):
        future.result()


def test_an_engine_can_be_entered_again():
    engine = Processes(1)
    for _ in range(2):
        with engine:
            assert engine.submit(_square, 3).result() == 9
    assert threading.active_count() < 10


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such thing here")
def test_pinned_processes_have_cores_of_their_own_and_one_thread(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # no other study on this machine holds a core there
    before = dict(os.environ)
    jobs = min(2, len(usable_cores()))
    with Processes(jobs, pinned=True) as engine:
        found = [future.result() for future in [engine.submit(_surroundings) for _ in range(jobs)]]
    cores = [core for each, _, _ in found for core in each]
    assert len(cores) == len(set(cores)) == jobs
    assert {each[1:] for each in found} == {("1", os.getcwd())}
    assert dict(os.environ) == before


def test_processes_started_at_the_same_moment_leave_the_environment_as_it_was():
    before = dict(os.environ)
    with Processes(6) as engine:
        found = [future.result() for future in [engine.submit(_surroundings) for _ in range(6)]]
    assert {threads for _, threads, _ in found} == {"1"}
    assert dict(os.environ) == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such thing here")
def test_more_processes_than_cores_are_not_all_pinned(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    cores = usable_cores()
    with Processes(len(cores) + 1, pinned=True) as engine:
        found = [future.result()[0] for future in [engine.submit(_surroundings) for _ in range(len(cores) + 1)]]
    assert sorted(map(len, found)) == sorted([1] * len(cores) + [len(cores)])
