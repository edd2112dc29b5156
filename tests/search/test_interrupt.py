"""Signals that ask to stop."""

import os
import signal
import threading

import pytest

from dacalns.search.signals import SIGNALS, Interrupt


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_a_request_and_the_second_acts_as_usual(number: signal.Signals) -> None:
    usual: list[int] = []
    previous = signal.signal(number, lambda received, _frame: usual.append(received))
    try:
        with Interrupt() as interrupt:
            assert not interrupt.requested
            os.kill(os.getpid(), number)
            assert interrupt.requested
            assert usual == []
            os.kill(os.getpid(), number)
            assert usual == [number]
        os.kill(os.getpid(), number)
        assert usual == [number, number]
    finally:
        signal.signal(number, previous)


def test_handlers_are_restored_after_an_error() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(ZeroDivisionError), Interrupt():
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_other_threads_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def enter() -> None:
        with Interrupt() as interrupt:
            seen.extend([interrupt.requested, signal.getsignal(signal.SIGINT)])

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [False, before]


def test_a_process_that_works_for_another_leaves_signals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interrupt, "enabled", False)
    before = [signal.getsignal(number) for number in SIGNALS]
    with Interrupt():
        assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_signal_that_is_ignored_stays_so() -> None:
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupt() as interrupt:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert not interrupt.requested
    finally:
        signal.signal(signal.SIGHUP, previous)


def test_a_signal_that_came_between_two_is_followed_by_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interrupt, "pending", True)
    before = [signal.getsignal(number) for number in SIGNALS]
    with Interrupt() as interrupt:
        assert interrupt.requested
    assert [signal.getsignal(number) for number in SIGNALS] == before
