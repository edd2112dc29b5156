"""Samples of an instance."""

import numpy as np
import pytest

from dacalns.instances import Instance, read, sample
from dacalns.util.errors import InputError


def test_what_stays_and_what_goes() -> None:
    base = read("R105")
    small = sample(base, 67, 3)
    assert (small.name, small.customers) == ("R105-n67-s3", 67)
    assert (small.capacity, small.fleet, small.rounding) == (base.capacity, base.fleet, base.rounding)
    assert small.best_known is None
    assert base.coordinates is not None
    assert small.coordinates is not None
    assert base.windows is not None
    assert small.windows is not None
    rows = [(*point, *window) for point, window in zip(base.coordinates.tolist(), base.windows.tolist(), strict=True)]
    kept = [
        rows.index((*point, *window))
        for point, window in zip(small.coordinates.tolist(), small.windows.tolist(), strict=True)
    ]
    assert kept[0] == 0
    assert kept == sorted(set(kept)), "each customer once, in the original order"
    assert np.array_equal(small.demands, base.demands[kept])


def test_the_same_on_every_machine() -> None:
    assert sample(read("A-n32-k5"), 5, 0).demands.tolist() == [0, 16, 8, 3, 8, 9]


def test_a_matrix_is_cut_down_too() -> None:
    matrix = np.arange(25.0).reshape(5, 5)
    base = Instance(name="m", matrix=matrix, demands=np.array([0.0, 1, 2, 3, 4]), capacity=9)
    small = sample(base, 3, 1)
    kept = [0, *(int(demand) for demand in small.demands[1:])]
    assert small.matrix is not None
    assert np.array_equal(small.matrix, matrix[np.ix_(kept, kept)])


def test_all_customers_are_a_sample_as_well() -> None:
    base = read("A-n32-k5")
    assert np.array_equal(sample(base, 31, 7).distances, base.distances)


@pytest.mark.parametrize(
    ("customers", "seed", "fragment"),
    [
        (0, 1, "customers is 0"),
        (32, 1, "at most the 31"),
        (2.5, 1, "customers is 2.5"),
        (5, -1, "seed is -1"),
    ],
)
def test_what_is_refused(customers: int, seed: int, fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        sample(read("A-n32-k5"), customers, seed)
    assert fragment in str(caught.value)
