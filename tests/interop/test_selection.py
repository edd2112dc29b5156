"""Our selectors as operator selection schemes of the ``alns`` package."""

import sys
from typing import Any

import alns
import numpy as np
import pytest
from alns.accept import HillClimbing
from alns.select import OperatorSelectionScheme
from alns.stop import MaxIterations

import dacalns
from dacalns.interop import Selection, StateView
from interop.numbers import DESTROY, REPAIR, START, Values, fill_by_count, forget, rng, see

pytestmark = pytest.mark.slow_without_jit


def searched(selection: Selection, iterations: int = 300, seed: int = 1) -> Any:
    search = alns.ALNS(rng(seed))
    selection.register(search)
    return search.iterate(START, selection, HillClimbing(), MaxIterations(iterations))


@pytest.mark.parametrize(
    "selector",
    ["random", "roulette", "roulette:tuned", "ucb", "weights:1,1/1,2", "ac", "dac", "ac:improved", "dac:improved"],
)
def test_every_selector_serves_alns(selector: str) -> None:
    selection = Selection(selector, DESTROY, REPAIR, features=see if "ac" in selector else None)
    assert isinstance(selection, OperatorSelectionScheme)
    result = searched(selection)
    assert result.best_state.objective() < START.objective() / 5
    assert sum(map(sum, selection.repair_operator_counts.values())) == 300
    assert sum(map(sum, selection.destroy_operator_counts.values())) == 300
    assert (selection.explanation is not None) == ("ac" in selector)
    assert selection.op_coupling.shape == (2, selection.num_repair)


def test_alns_counts_the_operators_by_name_where_nothing_is_dispatched() -> None:
    selection = Selection("ucb", DESTROY, [("first", REPAIR[0]), ("second", REPAIR[1])])
    result = searched(selection)
    assert not selection.dispatches
    assert dict(result.statistics.repair_operator_counts) == {
        name: counts for name, counts in selection.repair_operator_counts.items() if sum(counts)
    }


def test_the_repair_actor_learns_what_suits_the_destroyed_state() -> None:
    repairs = [fill_by_count(1, "for_one"), fill_by_count(3, "for_three")]
    used: list[tuple[int, str]] = []

    def noted(repair: Any) -> Any:
        def called(state: Values, rng: Any) -> Values:
            used.append((state.values.count(None), repair.__name__))
            return repair(state, rng)

        return repair.__name__, called

    selector = dacalns.DualActorCritic.preset("improved,rate=0.003,hidden=16")
    selection = Selection(selector, DESTROY, [noted(repair) for repair in repairs], features=see, seed=3)
    search = alns.ALNS(rng(2))
    selection.register(search)
    assert selection.dispatches
    assert [name for name, _ in search.repair_operators] == ["chosen_by_selection"]
    search.iterate(
        Values([5.0] * 12), selection, alns.accept.AlwaysAccept(), MaxIterations(1200)
    )  # with every state accepted, there is always something to improve
    last = used[-300:]
    right = sum((count, name) in ((1, "for_one"), (3, "for_three")) for count, name in last)
    assert right > 210


def test_the_same_seed_gives_the_same_search() -> None:
    def run(seed: int | None, generator: int) -> list[float]:
        selection = Selection("dac:improved", DESTROY, REPAIR, features=see, seed=seed)
        return list(searched(selection, 60, generator).statistics.objectives)

    assert run(4, 1) == run(4, 1)
    assert run(None, 1) == run(None, 1)  # the seed comes from the generator of alns
    assert run(4, 1) != run(5, 1)


def test_a_policy_is_saved_chooses_frozen_and_goes_on_learning(tmp_path: Any) -> None:
    file = tmp_path / "numbers.safetensors"
    selection = Selection("dac:improved", DESTROY, REPAIR, features=see, seed=1)
    searched(selection)
    selection.save(file)
    frozen = Selection(f"dac-t:{file}", DESTROY, REPAIR, features=see, seed=1)
    assert searched(frozen).best_state.objective() < START.objective() / 5
    frozen.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == file.read_bytes()
    held = Selection(f"dac-t:{file},hold=50", DESTROY, REPAIR, features=see, seed=1)
    searched(held)
    learning = Selection("dac:improved", DESTROY, REPAIR, features=see, policy=file, seed=1)
    searched(learning)
    learning.save(tmp_path / "more.safetensors")
    assert (tmp_path / "more.safetensors").read_bytes() != file.read_bytes()


def test_negative_objectives_and_three_numbers_of_the_search_will_do() -> None:
    search = alns.ALNS(rng(1))
    selection = Selection("dac", DESTROY, REPAIR, seed=1)
    selection.register(search)
    start = Values([5.0] * 10, offset=-1000.0)
    found = search.iterate(start, selection, HillClimbing(), MaxIterations(300)).best_state
    assert found.objective() < -950
    assert selection.explanation is not None


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        (lambda state: [], "expected a row of finite numbers"),
        (lambda state: [float("nan")], "expected a row of finite numbers"),
        (lambda state: 1 / 0, "features raised"),
        (lambda state: StateView([[1.0]], ([0], [3])), "an edge of node 3; expected nodes from 0 to 0"),
        (lambda state: StateView([[1.0]], [0.5]), "expected a list of tails"),
        (lambda state: StateView([[1.0]] * 2, ([0], [1]), [-1]), "expected finite numbers above 0"),
        (lambda state: StateView([[1.0]], removed=2), "removed 2; expected a number from 0 to 1"),
        (lambda state: [1.0] * (1 + state.values.count(None)), "as of the first state"),
    ],
)
def test_features_that_make_no_sense(seen: Any, message: str) -> None:
    with pytest.raises(dacalns.InputError, match=message):
        searched(Selection("dac:improved", DESTROY, REPAIR, features=seen), 20)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"selector": "dac-t"}, "expected a policy for this problem"),
        ({"selector": "wheel"}, "which works on vehicle routing alone"),
        ({"selector": "dac:warm"}, "a table for operators of vehicle routing"),
        ({"selector": "roulette", "features": see}, "has no network"),
        ({"destroy": []}, "destroy has 0 operators"),
        ({"destroy": [forget(1), forget(1)]}, "two operators named 'forget_1'"),
        ({"repair": [3]}, "repair has 3; expected a function"),
        ({"selector": "dac-t:missing.safetensors"}, "there is no such file"),
    ],
)
def test_what_cannot_be_used(given: Any, message: str) -> None:
    arguments = {"selector": "dac", "destroy": DESTROY, "repair": REPAIR} | given
    with pytest.raises(dacalns.InputError, match=message):
        Selection(**arguments)


def test_a_policy_for_other_operators_is_refused(tmp_path: Any) -> None:
    selection = Selection("dac:improved", DESTROY, REPAIR, features=see)
    with pytest.raises(dacalns.InputError, match="no network to save"):
        selection.save(tmp_path / "x")
    searched(selection, 5)
    selection.save(tmp_path / "x")
    with pytest.raises(dacalns.InputError, match="in this order"):
        Selection(f"dac-t:{tmp_path / 'x'}", DESTROY, REPAIR[::-1])
    with pytest.raises(dacalns.InputError, match="expected 2, with which the policy was trained"):
        searched(Selection(f"dac-t:{tmp_path / 'x'}", DESTROY, REPAIR, features=lambda state: [1.0]))
    with pytest.raises(dacalns.InputError, match="with another network"):
        Selection("dac", DESTROY, REPAIR, policy=tmp_path / "x")
    with pytest.raises(dacalns.InputError, match="the file has no card"):
        Selection(f"dac-t:{dacalns.bundled_policy('cvrp')}", DESTROY, REPAIR)


def test_a_cost_that_destroyed_states_do_not_have() -> None:
    class Whole(Values):
        def objective(self) -> float:
            assert None not in self.values, "only whole states have one"
            return super().objective()

    def forget_one(state: Any, rng: Any) -> Any:
        return Whole([None, *state.values[1:]])

    def fill_one(state: Any, rng: Any) -> Any:
        return Whole([rng.normal(), *state.values[1:]])

    def run(**given: Any) -> Any:
        search = alns.ALNS(rng(1))
        selection = Selection(given.pop("selector", "dac"), [forget_one], [fill_one], **given)
        selection.register(search)
        return search.iterate(Whole([5.0] * 3), selection, HillClimbing(), MaxIterations(20))

    with pytest.raises(dacalns.InputError, match="give destroyed_cost, or take the preset improved"):
        run()
    assert run(destroyed_cost=lambda state: 50.0).best_state.objective() < 75
    assert run(selector="dac:improved").best_state.objective() < 75


def test_operators_that_the_selection_did_not_add_are_refused() -> None:
    search = alns.ALNS(rng(1))
    for operator in DESTROY:
        search.add_destroy_operator(operator)
    selection = Selection("dac:improved", DESTROY, REPAIR, features=see)
    with pytest.raises(dacalns.InputError, match="the search has operators already"):
        selection.register(search)
    with pytest.raises(dacalns.InputError, match="called before the selection"):
        selection.repair(START, rng())
    for operator in REPAIR:
        search.add_repair_operator(operator)
    with pytest.raises(dacalns.InputError, match=r"that Selection\.register adds"):
        search.iterate(START, selection, HillClimbing(), MaxIterations(5))


def test_without_alns_the_message_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alns", None)
    with pytest.raises(dacalns.InputError, match=r'pip install "dac-alns\[alns\]"'):
        Selection("roulette", DESTROY, REPAIR)


def test_weights_are_drawn_as_they_say() -> None:
    selection = Selection("weights:1,0/0,1", DESTROY, REPAIR)
    result = searched(selection, 50)
    assert {name for name, counts in selection.repair_operator_counts.items() if sum(counts)} == {"far"}
    assert np.diff(result.statistics.objectives).max() <= 0
