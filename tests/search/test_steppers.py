"""Many iterations in one call, of one stepper or of many, are those that come of one phase after the other."""

from typing import Any

import numpy as np
import pytest

import dacalns
from core.oracle import random_instance, require_consistent, routes_in
from dacalns import InputError, MaxIterations, Stepper, Steppers
from dacalns.core.stepper import COUNTER
from dacalns.instances import generate_rich
from dacalns.search.outcome import OUTCOMES
from dacalns.search.python_selector import State

CVRP, VRPTW = random_instance(1, 14), random_instance(2, 12, timed=True)
RICH = [generate_rich(8, features, seed=1) for features in ({"pairs"}, {"prizes"}, {"depots"}, {"reloads"})]
PLAIN = [CVRP, VRPTW]
ITERATIONS = 25


def choices(stepper: Stepper, iterations: int, seed: int) -> tuple[list[int], list[int]]:
    rng = np.random.default_rng(seed)
    sides = stepper.portfolio.destroy, stepper.portfolio.repair
    return tuple(rng.integers(0, len(side), iterations).tolist() for side in sides)  # type: ignore[return-value]


def phase_by_phase(stepper: Stepper, destroy: list[int], repair: list[int]) -> list[dacalns.Outcome]:
    outcomes = []
    for one, other in zip(destroy, repair, strict=True):
        stepper.destroy(one)
        stepper.repair(other)
        outcomes.append(stepper.accept())
    return outcomes


def without_time(outcome: dacalns.Outcome) -> tuple[object, ...]:
    return outcome._replace(seconds=0.0)


def rows_of(outcomes: dacalns.Outcomes) -> list[tuple[object, ...]]:
    rows = zip(*(field.ravel().tolist() for field in outcomes), strict=True)
    return [without_time(dacalns.Outcome(*row)._replace(outcome=OUTCOMES[row[2]])) for row in rows]


class Scripted:
    """Chooses what it is told, and draws nothing."""

    def __init__(self, destroy: list[int], repair: list[int]) -> None:
        self.destroy, self.repair, self.seen = iter(destroy), iter(repair), list[dacalns.Outcome]()

    def select_destroy(self, state: State) -> int:
        return next(self.destroy)

    def select_repair(self, destroyed: State, destroy: int) -> int:
        return next(self.repair)

    def update(self, outcome: dacalns.Outcome) -> None:
        self.seen.append(outcome)


@pytest.mark.parametrize("instance", PLAIN + RICH, ids=lambda instance: instance.name)
def test_a_scripted_run_is_that_of_the_compiled_loop(instance: dacalns.Instance) -> None:
    stepper = Stepper(instance, seed=5, budget=ITERATIONS)
    script = choices(stepper, ITERATIONS, 3)
    selector = Scripted(*script)
    result = dacalns.solve(instance, selector=selector, portfolio="full", stop=MaxIterations(ITERATIONS), seed=5)
    outcomes = phase_by_phase(stepper, *script)
    assert [*map(without_time, outcomes)] == [*map(without_time, selector.seen)]
    assert stepper.best_routes == result.routes
    assert stepper.fraction == (ITERATIONS - 1) / ITERATIONS
    assert {outcome.removed > 0 for outcome in outcomes} == {True}

    at_once = Stepper(instance, seed=5, budget=ITERATIONS)
    assert rows_of(at_once.step(*script)) == [*map(without_time, outcomes)]
    one_each = Stepper(instance, seed=5, budget=ITERATIONS)
    assert [without_time(one_each.step(*pair)) for pair in zip(*script, strict=True)] == [*map(without_time, outcomes)]
    for other in (at_once, one_each):
        if instance.is_plain:
            require_consistent(other.problem, other.current)
        assert other.best_routes == stepper.best_routes


def test_a_batch_goes_as_each_alone() -> None:
    instances = [CVRP, RICH[0], VRPTW, CVRP]
    alone, together = ([Stepper(each, seed=k, budget=30) for k, each in enumerate(instances)] for _ in range(2))
    batch = Steppers(together)
    scripts = [choices(each, 12, k) for k, each in enumerate(alone)]
    expected = [
        [*map(without_time, phase_by_phase(each, *script))] for each, script in zip(alone, scripts, strict=True)
    ]
    table = np.array(scripts)  # (steppers, sides, iterations)
    first = batch.step(table[:, 0, :5], table[:, 1, :5])
    assert first.after.shape == (4, 5)
    rows = [rows_of(dacalns.Outcomes(*(field[k] for field in first))) for k in range(4)]
    for iteration in range(5, 12):
        if iteration % 2:
            outcomes = batch.step(table[:, 0, iteration], table[:, 1, iteration])
        else:
            batch.destroy(table[:, 0, iteration])
            batch.repair(table[:, 1, iteration])
            outcomes = batch.accept()
        assert outcomes.new_best.tolist() == [row == 0 for row in outcomes.outcome]
        for mine, new in zip(rows, rows_of(outcomes), strict=True):
            mine.append(new)
    assert rows == expected
    assert [each.best_routes for each in batch] == [each.best_routes for each in alone]
    assert batch.best_cost.tolist() == pytest.approx([min(row[-1][6], row[-1][7]) for row in rows])


@pytest.mark.parametrize("instance", [CVRP, RICH[1]], ids=["cvrp", "prizes"])
def test_a_stepper_that_is_reset_does_what_a_new_one_does(instance: dacalns.Instance) -> None:
    history = dacalns.Portfolio(["historical_removal", "random_removal"], ["greedy_repair", "regret_repair"])
    portfolio = history if instance.is_plain else "full"
    used, script = Stepper(instance, portfolio, seed=9), ([0, 1, 0, 1] * 5, [0, 1, 1, 0] * 5)
    expected = rows_of(used.step(*script))
    problem, current = used.problem, used.current
    other = used.instance.with_(name="other", demands=used.instance.demands) if instance.is_plain else RICH[2]
    used.reset(seed=4, instance=other)
    used.step(*script)
    used.reset(seed=9, instance=instance)
    assert used.problem is problem
    assert used.current is current
    assert used.iteration == 0
    assert rows_of(used.step(*script)) == expected
    used.reset(seed=9)
    assert rows_of(used.step(*script)) == expected
    used.reset()
    assert used.iteration == 0


def test_a_reset_may_start_elsewhere() -> None:
    stepper = Stepper(CVRP, seed=1)
    routes = [[customer] for customer in range(1, CVRP.customers + 1)]
    stepper.reset(start=routes)
    assert sorted(stepper.best_routes) == routes
    stepper.reset()
    assert sorted(stepper.best_routes) != routes


def test_other_features_bring_other_operators() -> None:
    stepper = Stepper(CVRP, seed=1)
    names = [operator.name for operator in stepper.portfolio.destroy]
    stepper.reset(instance=VRPTW)
    more = [operator.name for operator in stepper.portfolio.destroy]
    assert len(more) > len(names)
    stepper.step(range(len(more)), [0] * len(more))
    assert stepper.progress.destroy_time.shape == (len(more),)


def test_the_count_may_be_chosen() -> None:
    stepper = Stepper(CVRP, "paper", seed=1)
    scales = stepper.scales.copy()
    for count in (1, 5, 14, 99):
        stepper.destroy(0, count=count)
        assert stepper.candidate.counts[dacalns.BANKED] == min(count, 14)
        stepper.repair(0)
        assert stepper.accept().removed == min(count, 14)
    assert (stepper.scales == scales).all()
    assert stepper.step([0, 0], [0, 0], count=[2, 3]).removed.tolist() == [2, 3]
    assert Steppers([stepper]).step(0, 0, count=[4]).removed.tolist() == [4]


def test_the_budget_is_used_by_iterations() -> None:
    stepper = Stepper(CVRP, seed=1, budget=10)
    stepper.step([0] * 6, [0] * 6)
    assert (stepper.iteration, stepper.fraction, stepper.budget) == (6, 0.5, 10)
    stepper.fraction = 0.9
    stepper.step(0, 0)
    assert stepper.fraction == 0.9
    stepper.budget = None
    stepper.reset()
    stepper.step(0, 0)
    assert (stepper.fraction, stepper.budget) == (0.0, None)


def test_phases_come_in_their_order() -> None:
    stepper = Stepper(CVRP)
    with pytest.raises(InputError, match=r"nothing to repair; expected a destroyed solution; call destroy first"):
        stepper.repair(0)
    stepper.destroy(0)
    with pytest.raises(InputError, match=r"nothing to accept; expected a repaired solution; call repair first"):
        stepper.accept()
    stepper.destroy(0)
    stepper.destroy(1)
    stepper.repair(0)
    stepper.accept()


@pytest.mark.parametrize(
    ("destroy", "repair", "count", "sentence"),
    [
        ([0, 9], [0, 0], None, "^destroy operator is 9, in iteration 2 of the call; expected a whole number from 0 to"),
        ([0, 0], [0, -1], None, "^repair operator is -1, in iteration 2 of the call; expected a whole number from 0"),
        ([0.5, 1], [0, 0], None, "^destroy operators are .*; expected whole numbers"),
        (["a"], [0], None, "^destroy operators are .*; expected whole numbers"),
        ([True], [0], None, "^destroy operators are .*; expected whole numbers"),
        ([[0], [0, 1]], [0], None, "^destroy operators are .*; expected whole numbers"),
        ([0, 0], [0, 0, 0], None, r"^there are destroy operators of shape \(2,\) and repair .*; expected as many"),
        ([[0, 0]], [0, 0], None, "expected a number for each iteration"),
        ([0, 0], [0, 0], [1, 0], "^counts have 0; expected whole numbers of at least 1"),
    ],
)
def test_bad_orders_to_one(destroy: object, repair: object, count: object, sentence: str) -> None:
    stepper = Stepper(CVRP)
    with pytest.raises(InputError, match=sentence):
        stepper.step(destroy, repair, count)  # type: ignore[call-overload]
    stepper.step(0, 0)
    require_consistent(stepper.problem, stepper.current)


def test_bad_orders_to_many() -> None:
    batch = Steppers([Stepper(CVRP, seed=1), Stepper(VRPTW, seed=2)])
    before = routes_in(batch[0].current)
    with pytest.raises(InputError, match=r"^stepper 1: repair operator is 7, in iteration 1"):
        batch.step([0, 0], [0, 7])
    assert batch[0].progress.counters[COUNTER.iteration] == 1
    assert before
    with pytest.raises(InputError, match="expected a number, or a row of numbers, for each of 2 steppers"):
        batch.step([0, 0, 0], 0)
    with pytest.raises(InputError, match=r"^stepper 0: there is nothing to accept"):
        batch.accept()
    with pytest.raises(InputError, match="one of them twice"):
        Steppers([batch[0], batch[0]])
    with pytest.raises(InputError, match="there is no stepper"):
        Steppers([])
    with pytest.raises(InputError, match="expected objects of class Stepper"):
        Steppers(["A-n32-k5"])  # type: ignore[list-item]


@dacalns.destroy_operator(count=(1, 3))
def careless(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    """Forgets to keep the arrays consistent."""
    solution.size[0] = 99


def test_what_an_operator_breaks_is_told_with_its_stepper() -> None:
    portfolio = dacalns.Portfolio([careless, "random_removal"], ["greedy_repair"])
    batch = Steppers([Stepper(CVRP, portfolio), Stepper(VRPTW, portfolio)])
    with pytest.raises(InputError, match=r"^stepper 1: destroy operator 'careless' left, in iteration 1, a solution"):
        batch.step([1, 0], 0)
    assert batch.step(1, 0).removed.min() > 0
    for each in batch:
        require_consistent(each.problem, each.current)


# --- what is seen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", PLAIN + RICH, ids=lambda instance: instance.name)
def test_an_observation_has_what_a_selector_sees(instance: dacalns.Instance) -> None:
    stepper = Stepper(instance, seed=3, budget=10)
    stepper.step([0, 1], [1, 0])
    stepper.destroy(1)
    for destroyed, solution in ((False, stepper.current), (True, stepper.candidate)):
        state, seen = State(stepper, solution), stepper.observe(destroyed=destroyed)
        np.testing.assert_array_equal(seen.nodes, state.node_features)
        tails, heads, weights = state.edges
        order = np.lexsort((seen.edge_index[1], seen.edge_index[0]))
        np.testing.assert_array_equal(seen.edge_index[:, order], [tails, heads])
        np.testing.assert_allclose(seen.edge_weight[order], weights, rtol=1e-5)
        assert seen.node_mask.all()
        assert seen.edge_mask.all()
        destroys = len(stepper.portfolio.destroy)
        assert seen.search[:2].tolist() == [not destroyed, destroyed]
        assert seen.search[2 : 2 + destroys].tolist() == [float(destroyed and k == 1) for k in range(destroys)]
        fraction, temperature, stagnation, gap, removed = seen.search[2 + destroys :][:5]
        assert (fraction, stepper.fraction) == (np.float32(0.1), 0.2)  # as our own networks see it
        assert 0 < temperature < 1
        assert 0 <= stagnation <= 0.2
        assert 0 <= gap <= 1
        banked = solution.counts[dacalns.BANKED] / (len(solution.route) - 1)
        assert removed == np.float32(banked)


def test_observations_go_into_given_arrays_and_leave_nothing_there() -> None:
    batch = Steppers([Stepper(CVRP, seed=1), Stepper(VRPTW, seed=2)])
    out = dacalns.Observation.empty(20, 12, 400, 9, batch=2)
    for array in out:
        array[:] = 7
    assert batch.observe(out) is out
    for k, stepper in enumerate(batch):
        alone = stepper.observe()
        nodes, edges = stepper.instance.customers + 1, alone.edge_mask.size
        assert out.node_mask[k].tolist() == [1] * nodes + [0] * (20 - nodes)
        assert out.edge_mask[k].sum() == edges
        np.testing.assert_array_equal(out.nodes[k, :nodes, : alone.nodes.shape[1]], alone.nodes)
        assert not out.nodes[k, nodes:].any()
        assert not out.nodes[k, :, alone.nodes.shape[1] :].any()
        np.testing.assert_array_equal(out.edge_index[k, :, :edges], alone.edge_index)
        assert not out.edge_index[k, :, edges:].any()
        assert not out.edge_weight[k, edges:].any()
    batch[0].reset(instance=VRPTW, seed=2)
    again = batch.observe(out)
    np.testing.assert_array_equal(again.nodes[0], again.nodes[1])


def test_observations_need_room() -> None:
    stepper = Stepper(VRPTW)
    for sizes, sentence in (
        ((5, 10, 400, 9), "has 13 nodes, those of depot and customers, and there is room for 5"),
        ((20, 4, 400, 9), "has 10 features of a node and there is room for 4"),
        ((20, 10, 40, 9), "edges and there is room for 40"),
        ((20, 10, 400, 2), "destroy operators and there is room for 2"),
    ):
        with pytest.raises(InputError, match=sentence):
            stepper.observe(dacalns.Observation.empty(*sizes))
    wrong = dacalns.Observation.empty(20, 10, 400, 9)
    with pytest.raises(InputError, match=r"expected those that Observation.empty returns"):
        stepper.observe(wrong._replace(nodes=wrong.nodes.astype(float)))


def test_one_that_fails_keeps_no_other_from_its_part() -> None:
    def fails(draft: dacalns.Draft, rng: Any) -> None:
        if draft.instance.name == "A-n33-k5":
            raise ValueError("no")
        draft.remove(draft.routes[0][0])

    portfolio = dacalns.Portfolio([fails], ["greedy_repair"])
    steppers = dacalns.Steppers([dacalns.Stepper(name, portfolio) for name in ("A-n32-k5", "A-n33-k5", "A-n34-k5")])
    with pytest.raises(dacalns.InputError, match="stepper 1: destroy operator 'fails' raised ValueError: no"):
        steppers.step(0, 0)
    assert [stepper.iteration for stepper in steppers] == [1, 0, 1]


def test_a_stepper_that_went_away_and_came_back_is_still_driven() -> None:
    rich = dacalns.generate_rich(12, {"pairs", "windows"}, seed=1)
    steppers = dacalns.Steppers([dacalns.Stepper("A-n32-k5", seed=1), dacalns.Stepper("A-n33-k5", seed=2)])
    steppers.step(0, 0)
    home = steppers[0].instance
    steppers[0].reset(seed=3, instance=rich)
    steppers[0].reset(seed=3, instance=home)
    steppers.step([0, 0], [0, 0])
    assert [stepper.iteration for stepper in steppers] == [1, 2]
    seen = steppers.observe(neighbours=12).edge_weight.copy()
    steppers[0].observe(neighbours=5)
    assert (steppers.observe(neighbours=12).edge_weight == seen).all()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, dacalns.StopSearch])
def test_what_is_to_end_a_program_comes_through(error: type[BaseException]) -> None:
    def ends(draft: dacalns.Draft, rng: Any) -> None:
        raise error

    stepper = dacalns.Stepper("A-n32-k5", dacalns.Portfolio([ends], ["greedy_repair"]))
    with pytest.raises(error):
        stepper.step(0, 0)


def test_a_start_that_is_wrong_leaves_a_stepper_where_it_is() -> None:
    stepper = dacalns.Stepper("A-n32-k5", seed=1)
    stepper.step(0, 0)
    before = stepper.instance, stepper.best_cost, stepper.iteration
    with pytest.raises(dacalns.InputError):
        stepper.reset(instance="A-n33-k5", start=[[9999]])
    assert (stepper.instance, stepper.best_cost, stepper.iteration) == before
