"""Criteria of ``alns`` as plain functions of costs."""

import alns
import pytest

import dacalns
from dacalns.interop import from_alns_acceptance, from_alns_stop


def test_an_acceptance_criterion_decides_by_costs() -> None:
    accept = from_alns_acceptance(alns.accept.RecordToRecordTravel(10.0, 0.0, 5.0))
    assert [accept(109.0, 200.0, 100.0) for _ in range(3)] == [True, False, False]  # the threshold falls
    accept.start()
    assert accept(candidate=109.0, current=200.0, best=100.0, fraction=0.3)
    assert accept.name == "RecordToRecordTravel"


def test_draws_depend_on_the_seed_alone() -> None:
    criterion = alns.accept.RandomAccept(0.5, 0.5, 0.0)
    first, second = (from_alns_acceptance(criterion, seed=3) for _ in range(2))
    drawn = [first(2.0, 1.0, 1.0) for _ in range(50)]
    assert drawn == [second(2.0, 1.0, 1.0) for _ in range(50)]
    assert 5 < sum(drawn) < 45
    first.start(4)
    assert [first(2.0, 1.0, 1.0) for _ in range(50)] != drawn


def test_a_stopping_criterion_counts() -> None:
    stop = from_alns_stop(alns.stop.MaxIterations(3))
    for _ in range(2):
        assert [stop(1.0, 1.0) for _ in range(4)] == [False, False, False, True]
        stop.start()
    stop = from_alns_stop(alns.stop.NoImprovement(2))
    assert [stop(best, 9.0) for best in (5.0, 4.0, 4.0, 4.0)] == [False, False, False, True]


def test_both_serve_in_a_search_of_ours_again_and_again() -> None:
    def solved(**given: object) -> dacalns.Result:
        return dacalns.solve("A-n32-k5", portfolio="paper", selector="roulette", seed=1, **given)  # type: ignore[arg-type]

    hill = from_alns_acceptance(alns.accept.HillClimbing())
    stop = from_alns_stop(alns.stop.MaxIterations(300))
    ours = solved(acceptance=lambda candidate, current, *_: candidate <= current, stop=dacalns.MaxIterations(300))
    for _ in range(2):
        result = solved(acceptance=hill, stop=stop | dacalns.MaxIterations(10_000))
        assert (result.routes, result.iterations) == (ours.routes, 300)
    assert result.settings["acceptance"] == {"type": "AlnsAcceptance", "name": "HillClimbing"}
    falling = from_alns_acceptance(alns.accept.RecordToRecordTravel(60.0, 0.0, 0.5), seed=2)
    first, second = (solved(acceptance=falling, stop=from_alns_stop(alns.stop.NoImprovement(200))) for _ in range(2))
    assert (first.routes, first.iterations) == (second.routes, second.iterations)
    assert first.iterations >= 200
    # Where one of two searches ends them, how far the other has come by then is a matter of time.
    both = solved(acceptance=falling, stop=stop | dacalns.MaxIterations(10_000), jobs=2)
    assert both.feasible
    assert 300 <= both.iterations < 20_000


@pytest.mark.parametrize("given", [3, alns.accept.HillClimbing])
def test_what_is_no_criterion(given: object) -> None:
    with pytest.raises(dacalns.InputError, match="expected a criterion object of alns"):
        from_alns_acceptance(given)
