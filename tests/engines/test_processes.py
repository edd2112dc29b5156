import os
import threading
import time

import pytest

from dacalns.engines import Processes, WorkerDied
from dacalns.engines.own_core import take_own_core

pytestmark = pytest.mark.slow_without_jit


def _square(number):
    return number * number


def _raise(text):
    raise ValueError(text)


def _die(code):
    os._exit(code)


def _surroundings():
    take_own_core()
    return os.sched_getaffinity(0), os.environ["OMP_NUM_THREADS"], os.getcwd()


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
def test_pinned_processes_have_a_core_of_their_own_and_one_thread():
    before = dict(os.environ)
    with Processes(1, pinned=True) as engine:
        cores, threads, folder = engine.submit(_surroundings).result()
    assert cores <= os.sched_getaffinity(0)
    assert (threads, folder) == ("1", os.getcwd())
    assert dict(os.environ) == before
