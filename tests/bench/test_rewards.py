"""The script that says what the paper's rewards pay."""

from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow_without_jit

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "rewards.py"


def test_every_iteration_with_regret_repair_is_paid_as_the_paper_says(script: ModuleType) -> None:
    rows = script.searched("P-n16-k8", 0)
    # A third of 2,000 iterations, and four standard deviations.
    assert len(rows) == pytest.approx(2000 / 3, abs=4 * 21)
    assert {row[0] for row in rows} == {0, 1}
    for _, own, repair, better in rows:
        assert 0 <= own <= 3  # nothing where nothing became cheaper; at most alpha2 and the whole cost of the best
        assert repair in (20, 10, -0.1)
        assert better == (repair > 0)
    assert len({own for _, own, _, _ in rows}) > 50
