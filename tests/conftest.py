"""What all tests share: Hypothesis at a pace that plain Python can keep."""

import signal

import numba
import pytest
from hypothesis import settings

PLAIN = bool(numba.config.DISABLE_JIT)

# The same examples at every run: a failure in CI is a failure here.
settings.register_profile("dacalns", deadline=None, derandomize=True, max_examples=40 if PLAIN else 60)
settings.load_profile("dacalns")


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background, as `make test` does with a part of the tests, is to ignore Ctrl-C. So are
    # searches in it then, and a test that waits for one to stop would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if PLAIN:
        # Compiled code wraps 64-bit sums silently, which is what xoshiro and the fingerprint are made of.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
