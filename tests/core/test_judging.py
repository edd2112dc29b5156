"""Outputs become probabilities."""

import numpy as np
import pytest

from dacalns.core import judging


@pytest.mark.parametrize("scale", [1.0, 1000.0], ids=["usual", "huge"])
@pytest.mark.parametrize(("begin", "size"), [(0, 6), (0, 3), (3, 3), (5, 1)])
def test_softmax(begin: int, size: int, scale: float) -> None:
    rng = np.random.default_rng(begin + size)
    output, table = (scale * rng.standard_normal((3, 6))).astype(np.float32), rng.standard_normal((5, 8))
    kept = table.copy()
    judging.softmax_into(output, 2, begin, size, table, 1, 3)
    logits = output[2, begin : begin + size] + kept[3, :size]
    shares = np.exp(logits - logits.max())
    np.testing.assert_allclose(table[1, :size], shares / shares.sum(), rtol=1e-6, atol=1e-300)
    kept[1, :size] = table[1, :size]
    assert (table == kept).all(), "nothing else is written"


def test_softmax_of_no_number_is_even() -> None:
    output, table = np.array([[1.0, np.nan, 2.0]], dtype=np.float32), np.zeros((2, 3))
    judging.softmax_into(output, 0, 0, 3, table, 1, 0)
    assert table[1].tolist() == pytest.approx([1 / 3] * 3)
