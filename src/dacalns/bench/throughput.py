"""Iterations per second of the search and of the pure-Python peer, and where the search's time goes."""

from dataclasses import dataclass
from statistics import median

from dacalns.bench.pure_python import solve_in_python
from dacalns.instances import Instance
from dacalns.search.result import Result
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.solve import solve

ROUNDS = 3
# Enough to guess the peer's speed by, on which only its cooling and the length of its rounds depend.
PROBE_ITERATIONS = 20
# With fewer, the peer's speed would hang on which operators happened to be drawn.
LEAST_PEER_ITERATIONS = 100


@dataclass(frozen=True)
class Throughput:
    """Speed on one instance; times are microseconds.

    Parameters
    ----------
    operators
        Time of each operator for each use.
    selection, bookkeeping
        Time of choosing operators, and of all else, for each iteration.
    """

    instance: str
    customers: int
    iterations_per_second: float
    peer_iterations_per_second: float
    operators: dict[str, float]
    selection: float
    bookkeeping: float

    @property
    def ratio(self) -> float:
        """How many times as fast as the peer."""
        return self.iterations_per_second / self.peer_iterations_per_second


def measure_throughput(instance: Instance, seconds: float) -> Throughput:
    """Measure both sides in turn, three rounds that take ``seconds`` in all on each side, and take the medians.

    The peer takes longer where that is too short for a hundred iterations a round.
    The speed of a machine drifts by more than the differences of interest, so that measuring one side after the other
    would compare two moments rather than two programs.
    """
    # Loads the compiled code, and gives both sides the same start.
    start = solve(instance, portfolio="paper", selector="random", stop=MaxIterations(0)).routes
    speed = solve_in_python(instance, iterations=PROBE_ITERATIONS, start=start).iterations_per_second
    ours, theirs = [], []
    for seed in range(ROUNDS):
        stop = MaxTime(seconds / ROUNDS)
        ours.append(solve(instance, portfolio="paper", selector="random", stop=stop, seed=seed, start=start))
        iterations = max(LEAST_PEER_ITERATIONS, round(speed * seconds / ROUNDS))
        peer = solve_in_python(instance, iterations=iterations, seconds=iterations / speed, seed=seed, start=start)
        speed = peer.iterations_per_second
        theirs.append(speed)
    iterations = sum(result.iterations for result in ours)
    return Throughput(
        instance=instance.name,
        customers=instance.customers,
        iterations_per_second=median(result.iterations_per_second for result in ours),
        peer_iterations_per_second=median(theirs),
        operators=operator_microseconds(ours),
        selection=1e6 * sum(result.time.selection for result in ours) / iterations,
        bookkeeping=1e6 * sum(result.time.bookkeeping for result in ours) / iterations,
    )


def operator_microseconds(results: list[Result]) -> dict[str, float]:
    """The mean time of a use of each operator over all of ``results``, which have the same operators."""
    seconds: dict[str, float] = {}
    uses: dict[str, int] = {}
    for result in results:
        used = result.operators
        for names, times, counts in (
            (used.destroy, used.destroy_seconds, used.destroy_uses),
            (used.repair, used.repair_seconds, used.repair_uses),
        ):
            for name, time, count in zip(names, times, counts, strict=True):
                seconds[name] = seconds.get(name, 0.0) + time
                uses[name] = uses.get(name, 0) + count
    return {name: 1e6 * seconds[name] / max(uses[name], 1) for name in seconds}
