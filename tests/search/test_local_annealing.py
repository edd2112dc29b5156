"""Annealing in units of the distance between near customers."""

import math

import numpy as np
import pytest

import dacalns
from dacalns import LocalAnnealing
from dacalns.search.acceptance import acceptance_memory
from dacalns.search.start import problem_of
from dacalns.util.errors import InputError


def a_line(gap: float, customers: int = 6) -> dacalns.Instance:
    """Customers at equal distances on a line, far from the depot."""
    points = [(1000.0, 1000.0), *((k * gap, 0.0) for k in range(customers))]
    return dacalns.Instance(
        name="line", coordinates=np.array(points), demands=np.arange(customers + 1) > 0, capacity=3.0, rounding="none"
    )


def test_temperatures_are_in_mean_distances_to_the_nearest_customers():
    problem = problem_of(a_line(10.0, customers=5))
    # To the other four each: 10 + 20 + 30 + 40, 10 + 10 + 20 + 30, 10 + 10 + 20 + 20, and so on.
    spacing = (100 + 70 + 60 + 70 + 100) / 20
    hot, cold = acceptance_memory(LocalAnnealing(2.0, 0.5), problem, 12345.0)
    assert (hot, cold) == pytest.approx((2.0 * spacing / math.log(2), 0.5 * spacing / math.log(2)))


def test_neither_the_depot_nor_the_number_of_customers_matters_much():
    few, many = (acceptance_memory(LocalAnnealing(), problem_of(a_line(10.0, n)), 1.0)[0] for n in (50, 500))
    assert few == pytest.approx(many, rel=0.1)


@pytest.mark.parametrize("customers", [1, 4])
def test_customers_at_one_place_have_another_measure(customers):
    problem = problem_of(a_line(0.0, customers))
    assert acceptance_memory(LocalAnnealing(), problem, 100.0).tolist() == pytest.approx(
        [2.0 * 100 / customers / math.log(2), 0.07 * 100 / customers / math.log(2)]
    )


def test_it_is_what_the_full_portfolio_searches_with():
    result = dacalns.solve("A-n32-k5", portfolio="full", stop=dacalns.MaxIterations(10))
    assert result.settings["acceptance"]["type"] == "LocalAnnealing"
    result = dacalns.solve("A-n32-k5", portfolio="paper", stop=dacalns.MaxIterations(10))
    assert result.settings["acceptance"] == {"type": "LocalAnnealing", "start": 1.2, "end": 0.77}


def test_it_must_fall():
    with pytest.raises(InputError, match=r"LocalAnnealing has start 1 and end 2; expected 0 < end <= start"):
        LocalAnnealing(1, 2)
