"""What the command does about signals; `tests/faults` has the whole of it."""

import os
import signal
import threading
import time

import pytest

from dacalns.cli import watch as module
from dacalns.cli.watch import NOTHING_YET, Watch
from dacalns.search.signals import SIGNALS, Interrupt


class Ended(list):
    """Exit codes, in place of the end of the process."""

    def __call__(self, code):
        self.append(code)

    def wait(self):
        for _ in range(1000):
            if self:
                return
            time.sleep(0.01)


@pytest.fixture
def ended(monkeypatch):
    seen = Ended()
    monkeypatch.setattr(module, "_end", seen)
    monkeypatch.setattr(module, "say", lambda _sentence: None)
    monkeypatch.setattr(module, "LEAST_GRACE", 0.0)
    # A signal that is ignored, as SIGHUP is behind nohup, stays ignored.
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    yield seen
    for number, handler in before.items():
        signal.signal(number, handler)


def test_handlers_are_put_back():
    before = [signal.getsignal(number) for number in SIGNALS]
    threads = threading.active_count()
    with Watch() as watch:
        assert [signal.getsignal(number) for number in SIGNALS] != before
        assert watch.sentence == NOTHING_YET
    assert [signal.getsignal(number) for number in SIGNALS] == before
    assert threading.active_count() == threads
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.parametrize("number", SIGNALS)
def test_with_nothing_to_lose_a_signal_ends_the_process(ended, number):
    with Watch():
        os.kill(os.getpid(), number)
        ended.wait()
    assert ended == [128 + number]


def test_a_search_is_asked_to_stop_and_what_hangs_is_given_up(ended, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.2)
    hastened = []
    with Watch() as watch:
        with Interrupt() as interrupt:
            os.kill(os.getpid(), signal.SIGHUP)
            assert interrupt.requested
        watch.hand_over(lambda: hastened.append("files") or 1)
        ended.wait()
    assert hastened[0] == "files"
    assert ended[0] == 1


def test_a_second_signal_counts_only_if_the_first_is_not_followed(ended, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 1e9)
    with Watch(), Interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    assert ended == []
    monkeypatch.setattr(module, "GRACE", 0.0)
    with Watch(), Interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)
        ended.wait()
    assert ended == [128 + signal.SIGTERM]
