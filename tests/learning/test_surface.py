"""The table of a wheel by regression on all searches so far."""

import numpy as np
import pytest

from dacalns.learning.rounds import SIBLINGS, Surface, terms_of
from dacalns.selectors.actor_critic import LearningState

NOTHING = LearningState(*(np.zeros(8, dtype=np.float32) for _ in range(3)), 0.0, 1.0)
BEST = np.array([0.1, 0.2, 0.5, 0.05, 0.05, 0.1])


def searches(families, noise, seed=0, optimum=BEST):
    """Random tables and costs of instances that differ widely: 8 % more for each unit of squared distance."""
    generator = np.random.default_rng(seed)
    tables = generator.dirichlet(np.ones(len(optimum)), families * SIBLINGS)
    level = np.repeat(generator.uniform(500, 2000, families), SIBLINGS)
    percent = 8 * ((tables - optimum) ** 2).sum(axis=1) + noise * generator.normal(size=len(tables))
    return tables, level * (1 + percent / 100)


def test_the_optimum_of_a_surface_is_found_through_much_noise():
    tables, costs = searches(families=4000, noise=1.0)
    found = Surface.of(NOTHING, 6).with_searches(tables, costs, margin=0.1).best_table(np.full(6, 1 / 6), 1.0)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - BEST).max() < 0.06


def test_rounds_add_up():
    tables, costs = searches(families=6, noise=1.0)
    half = 3 * SIBLINGS
    at_once = Surface.of(NOTHING, 6).with_searches(tables, costs, 0.1)
    first = Surface.of(NOTHING, 6).with_searches(tables[:half], costs[:half], 0.1)
    second = first.with_searches(tables[half:], costs[half:], 0.1)
    for name in ("products", "with_costs", "squares", "terms", "searches"):
        assert np.allclose(getattr(second, name), getattr(at_once, name)), name


def test_a_surface_is_kept_in_a_state():
    surface = Surface.of(NOTHING, 6).with_searches(*searches(families=6, noise=1.0), 0.1)
    again = Surface.of(surface.state(np.zeros(8, dtype=np.float32)), 6)
    for name in ("products", "with_costs", "squares", "terms", "searches"):
        assert np.allclose(getattr(again, name), getattr(surface, name), rtol=1e-6), name


def test_the_fit_is_that_of_least_squares_with_a_level_for_each_instance():
    tables, costs = searches(families=40, noise=0.5)
    surface = Surface.of(NOTHING, 6).with_searches(tables, costs, margin=1.0)
    groups = costs.reshape(-1, SIBLINGS)
    percent = (100 * groups / np.median(groups, axis=1, keepdims=True)).ravel()
    levels = np.repeat(np.eye(40), SIBLINGS, axis=0)
    expected = np.linalg.lstsq(np.hstack([terms_of(tables), levels]), percent, rcond=None)[0]
    ours = np.linalg.pinv(surface.products) @ surface.with_costs
    one, other = terms_of(np.array([BEST])), terms_of(np.full((1, 6), 1 / 6))
    assert ((one - other) @ ours)[0] == pytest.approx(((one - other) @ expected[:12])[0], abs=1e-6)


def test_a_cost_far_from_its_siblings_counts_as_the_margin():
    tables, costs = searches(families=1, noise=0.0)
    worst = costs.copy()
    worst[3] *= 2
    surface = Surface.of(NOTHING, 6).with_searches(tables, worst, margin=0.05)
    assert surface.squares < 5**2 + SIBLINGS * 8**2


def test_what_few_searches_promise_is_not_trusted():
    """Two families say by chance that a pair is good or bad; the table stays nearer to those that were tried."""
    even = np.full(6, 1 / 6)
    few = Surface.of(NOTHING, 6).with_searches(*searches(4, noise=3.0, seed=1), 0.5).best_table(even, 1.0)
    many = Surface.of(NOTHING, 6).with_searches(*searches(4000, noise=1.0), 0.5).best_table(even, 1.0)
    assert np.abs(few - BEST).max() > np.abs(many - BEST).max()
    assert few.max() < 0.9
