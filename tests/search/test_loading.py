"""Signals while kernels are compiled or loaded."""

import os
import signal
import threading

import pytest
from numba.core import event

from dacalns.search.kernels import STEP, Loading
from dacalns.search.signals import SIGNALS


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
