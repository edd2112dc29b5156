"""Iterations per second of learned selectors beside roulette, and where their time goes."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dacalns.bench.throughput import ROUNDS
from dacalns.bench.untrained import write_untrained_policy
from dacalns.instances import Instance
from dacalns.search.result import Result
from dacalns.search.selector import CompiledSelector
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.selectors.actor_critic import DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy
from dacalns.selectors.roulette import Roulette
from dacalns.solve import solve

BASE, ONLINE, FROZEN, HELD = "roulette", "dac", "dac-t", "dac-t hold 50"


def compared_selectors(policy: Path) -> dict[str, CompiledSelector]:
    """Roulette, then the learned selectors: learning, frozen, and frozen with a decision for 50 iterations."""
    frozen = {name: FrozenPolicy(policy, hold=hold) for name, hold in ((FROZEN, 1), (HELD, 50))}
    return {BASE: Roulette(), ONLINE: DualActorCritic(), **frozen}


@dataclass(frozen=True)
class LearnedSpeed:
    """Speed of each selector on one instance.

    Parameters
    ----------
    iterations_per_second
        By selector, roulette first.
    microseconds
        By selector, the time of an iteration: in the operators, in reading solutions (``features``), in the network
        (``forward``), in learning (``backward``), and in all else (``other``).
    """

    instance: str
    customers: int
    iterations_per_second: dict[str, float]
    microseconds: dict[str, dict[str, float]]

    @property
    def time_ratios(self) -> dict[str, float]:
        """How many times as long as with roulette an iteration takes, by selector."""
        base = self.iterations_per_second[BASE]
        return {name: base / max(speed, 1e-9) for name, speed in self.iterations_per_second.items()}


def measure_learned(instance: Instance, seconds: float) -> LearnedSpeed:
    """Measure the selectors in turn, three rounds that take ``seconds`` in all for each, and take the medians.

    The policy is one that nobody has trained. It is as large as a trained one, and chooses evenly; a trained one may
    prefer operators that take longer, and that would be no fault of the selector's speed.
    """
    with tempfile.TemporaryDirectory(prefix="dacalns-bench-") as folder:
        policy = Path(folder, "policy.safetensors")
        write_untrained_policy(policy, instance.problem)
        return _measured(instance, seconds, compared_selectors(policy))


def _measured(instance: Instance, seconds: float, selectors: dict[str, CompiledSelector]) -> LearnedSpeed:
    start = solve(instance, portfolio="paper", selector="random", stop=MaxIterations(0)).routes
    for selector in selectors.values():  # loads the compiled code
        solve(instance, portfolio="paper", selector=selector, stop=MaxIterations(1), start=start)
    results: dict[str, list[Result]] = {name: [] for name in selectors}
    for seed in range(ROUNDS):
        for name, selector in selectors.items():
            stop = MaxTime(seconds / ROUNDS) & MaxIterations(1)  # some iteration, however busy the machine
            result = solve(instance, portfolio="paper", selector=selector, stop=stop, seed=seed, start=start)
            results[name].append(result)
    return LearnedSpeed(
        instance=instance.name,
        customers=instance.customers,
        iterations_per_second={
            name: median(result.iterations_per_second for result in of_one) for name, of_one in results.items()
        },
        microseconds={name: iteration_microseconds(of_one) for name, of_one in results.items()},
    )


def iteration_microseconds(results: list[Result]) -> dict[str, float]:
    """The mean time of an iteration over all of ``results``, by what it went into."""
    each = 1e6 / max(sum(result.iterations for result in results), 1)
    spent = {
        part: each * sum(getattr(result.time, part) for result in results)
        for part in ("operators", "features", "forward", "backward")
    }
    return spent | {"other": each * sum(result.seconds for result in results) - sum(spent.values())}
