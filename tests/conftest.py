"""What all tests share: Hypothesis at a pace that plain Python can keep."""

import numba
import pytest
from hypothesis import settings

PLAIN = bool(numba.config.DISABLE_JIT)

# The same examples at every run: a failure in CI is a failure here.
settings.register_profile("dacalns", deadline=None, derandomize=True, max_examples=40 if PLAIN else 60)
settings.load_profile("dacalns")


def pytest_configure(config: pytest.Config) -> None:
    if PLAIN:
        # Compiled code wraps 64-bit sums silently, which is what xoshiro and the fingerprint are made of.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
