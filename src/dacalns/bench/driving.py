"""How fast a search goes that Python drives: steppers and environments, with observations and without."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

from dacalns.bench.measure import ROUNDS
from dacalns.instances import Instance
from dacalns.search.stepper import Stepper
from dacalns.search.steppers import Steppers
from dacalns.search.stopping import MaxTime
from dacalns.solve import solve

BATCH = 64
PORTFOLIO = "full"
# Iterations between two looks at the clock, of one search; of a batch, calls.
BETWEEN, CALLS = 200, 5
# Long enough that no search is near its end.
BUDGET = 1_000_000

LOOP = "compiled loop, uniform choice"
PHASES = "Stepper, phase by phase"
ARRAYS = "Stepper.step, 200 at once"
TOGETHER = f"Steppers, {BATCH} at once"
SINGLE = "TwoPhase-v0"
MANY = f"TwoPhase-v0, {BATCH} at once"
PAIRS = f"Pair-v0, {BATCH} at once"

# What others have published.
CITED = (
    "DR-ALNS (Reijnen et al. 2024), an ALNS in Python that is driven as a Gym environment, is published with 60 to "
    "310 ms an iteration at 100 customers: 3 to 17 a second."
)


@dataclass(frozen=True)
class Driven:
    """Iterations per second of one way to drive a search.

    Parameters
    ----------
    blind
        Without observations.
    seeing
        With the graph after each phase, or after each iteration if a step is one; None where there is none.
    """

    blind: float
    seeing: float | None = None


def measure_driving(instance: Instance, seconds: float) -> dict[str, Driven]:
    """Measure all ways in turn, in three rounds that take ``seconds`` in all for each, and return the medians.

    All of them draw operators evenly from the default portfolio. Environments are measured where Gymnasium is.
    """
    ways = _ways(instance)
    rates: dict[tuple[str, bool], list[float]] = {way: [] for way in ways}
    for drive in ways.values():
        drive(0.0)  # what is compiled is compiled now
    for _ in range(ROUNDS):
        for way, drive in ways.items():
            rates[way].append(drive(seconds / ROUNDS))
    names = dict.fromkeys(name for name, _ in ways)
    middle = {way: median(found) for way, found in rates.items()}
    return {name: Driven(middle[name, False], middle.get((name, True))) for name in names}


def _ways(instance: Instance) -> dict[tuple[str, bool], Callable[[float], float]]:
    """The ways by name, and whether they see; each takes seconds and returns iterations per second."""
    rng = np.random.default_rng(0)
    one = Stepper(instance, PORTFOLIO, budget=BUDGET)
    batch = Steppers(Stepper(instance, PORTFOLIO, seed=seed, budget=BUDGET) for seed in range(BATCH))
    sizes = len(one.portfolio.destroy), len(one.portfolio.repair)
    destroy, repair = (rng.integers(size, size=(BETWEEN, BATCH)) for size in sizes)
    pairs = list(zip(destroy[:, 0].tolist(), repair[:, 0].tolist(), strict=True))
    alone, together = (_with_room(each.observe()) for each in (one, batch))

    def phases(seeing: bool) -> Callable[[], int]:
        def drive() -> int:
            for first, second in pairs:
                one.destroy(first)
                if seeing:
                    one.observe(alone, destroyed=True)
                one.repair(second)
                one.accept()
                if seeing:
                    one.observe(alone)
            return BETWEEN

        return drive

    def at_once() -> int:
        one.step(destroy[:, 0], repair[:, 0])
        return BETWEEN

    def many(seeing: bool) -> Callable[[], int]:
        def drive() -> int:
            for call in range(CALLS):
                if not seeing:
                    batch.step(destroy[call], repair[call])
                    continue
                batch.destroy(destroy[call])
                batch.observe(together, destroyed=True)
                batch.repair(repair[call])
                batch.accept()
                batch.observe(together)
            return CALLS * BATCH

        return drive

    def loop(seconds: float) -> float:
        result = solve(instance, portfolio=PORTFOLIO, selector="random", stop=MaxTime(seconds))
        return result.iterations_per_second

    ways = {
        (LOOP, False): loop,
        (PHASES, False): _timed(phases(False)),
        (ARRAYS, False): _timed(at_once),
        (TOGETHER, False): _timed(many(False)),
    }
    ways |= {(PHASES, True): _timed(phases(True)), (TOGETHER, True): _timed(many(True))}
    if find_spec("gymnasium") is not None:
        for seeing in (False, True):
            ways |= {(name, seeing): drive for name, drive in _environments(instance, seeing, destroy, repair).items()}
    return ways


def _with_room(seen: Any) -> Any:
    """Arrays like these with room for the edges of any solution: another one may have more."""
    spare = 4 * seen.nodes.shape[-2]
    wide = {
        name: np.zeros((*array.shape[:-1], array.shape[-1] + spare), dtype=array.dtype)
        for name, array in seen._asdict().items()
        if name.startswith("edge")
    }
    return seen._replace(**wide)


def _environments(instance: Instance, seeing: bool, destroy: Any, repair: Any) -> dict[str, Callable[[float], float]]:
    from dacalns.gym import PairVectorEnv, TwoPhaseEnv, TwoPhaseVectorEnv

    options: dict[str, Any] = {"portfolio": PORTFOLIO, "iterations": BUDGET, "observe": seeing}
    single = TwoPhaseEnv(instance, **options)
    phases, pairs = TwoPhaseVectorEnv(BATCH, instance, **options), PairVectorEnv(BATCH, instance, **options)
    for env in (single, phases, pairs):
        env.reset(seed=1)
    repairs = len(single.operators[1])

    def alone() -> int:
        for first, second in zip(destroy[:, 0].tolist(), repair[:, 0].tolist(), strict=True):
            single.step(first)
            single.step(second)
        return BETWEEN

    def many() -> int:
        for call in range(CALLS):
            phases.step(destroy[call])
            phases.step(repair[call])
        return CALLS * BATCH

    def paired() -> int:
        for call in range(CALLS):
            pairs.step(destroy[call] * repairs + repair[call])
        return CALLS * BATCH

    return {SINGLE: _timed(alone), MANY: _timed(many), PAIRS: _timed(paired)}


def _timed(drive: Callable[[], int]) -> Callable[[float], float]:
    """A function of seconds that returns iterations per second."""

    def measured(seconds: float) -> float:
        iterations, began = 0, time.perf_counter()
        while not iterations or time.perf_counter() < began + seconds:
            iterations += drive()
        return iterations / (time.perf_counter() - began)

    return measured
