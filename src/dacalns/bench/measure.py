"""Measurements on this machine: iterations per second of the search and of a pure-Python peer, start-up and memory."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numba

from dacalns.bench.pure_python import solve_in_python
from dacalns.bench.speed_cases import write_untrained_policy
from dacalns.engines import processor_name
from dacalns.instances import Instance
from dacalns.search.result import Result
from dacalns.search.selector import CompiledSelector
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.selectors.actor_critic import DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy
from dacalns.selectors.wheels import Roulette
from dacalns.solve import solve

# The machine.

# A load average above this before anything is measured means that other work is running.
BUSY = 0.5


def this_machine() -> dict[str, Any]:
    """Return the machine, how busy it is, and the versions that speed depends on."""
    return {
        "platform": platform.platform(),
        "processor": processor_name(),
        "cpus": os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,  # not on Windows
        "python": platform.python_version(),
        "numba": numba.__version__,
    }


# Start-up: how long the command takes with compiled code in the cache and without.

COMMAND = ("-m", "dacalns", "solve", "A-n32-k5", "--time", "0", "--quiet")
RUNS = 3


@dataclass(frozen=True)
class Startup:
    """The wall-clock seconds of a command that solves for 0 seconds, with compiled code in the cache and without."""

    warm: float
    cold: float


def measure_startup() -> Startup:
    """Time the command: three times with the user's cache, of which the median counts, and once with an empty one.

    All of them find Python's own bytecode in a folder for this measurement. Some environments keep Python from writing
    any; then the sources of Numba would be compiled at every start, which is not to be measured.
    """
    with tempfile.TemporaryDirectory(prefix="dacalns-bench-") as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        _wall_seconds(environment)  # this fills the bytecode folder, and the user's cache if it is empty
        warm = median(_wall_seconds(environment) for _ in range(RUNS))
        # Some compiled code may be among temporary files, if no other folder could be written.
        nowhere = {"NUMBA_CACHE_DIR": os.path.join(folder, "kernels"), "TMPDIR": folder}
        cold = _wall_seconds(environment | nowhere)
    return Startup(warm, cold)


def _wall_seconds(environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *COMMAND], env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


# Memory: the peak of a process that solves a large instance.

CUSTOMERS = 5_000
SCRIPT = """
import dacalns
from dacalns.bench.measure import peak_bytes
instance = dacalns.generate_cvrp({customers}, seed=1)
dacalns.solve(instance, portfolio="paper", selector="random", stop=dacalns.MaxTime({seconds}))
print(peak_bytes())
"""


def measure_memory(customers: int = CUSTOMERS, seconds: float = 1.0) -> float | None:
    """Return the peak resident memory, in MiB, of a fresh process that generates and solves a CVRP; None on Windows."""
    if sys.platform == "win32":  # it has no module `resource`
        return None
    script = SCRIPT.format(customers=customers, seconds=seconds)
    child = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return int(child.stdout) / 2**20


def peak_bytes() -> int:
    """Return the most memory that this process has had resident."""
    status = Path("/proc/self/status")
    if status.is_file():
        # getrusage() would count the memory that the parent had when it started this process, which may be more.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


# Throughput: iterations per second of the search and of the pure-Python peer, and where the search's time goes.

ROUNDS = 3
# These are enough to guess the peer's speed, which only decides its cooling and the length of its rounds.
PROBE_ITERATIONS = 20
# With fewer, the peer's speed would depend on which operators happened to be drawn.
LEAST_PEER_ITERATIONS = 100


@dataclass(frozen=True)
class Throughput:
    """The speed on one instance; times are in microseconds.

    Parameters
    ----------
    operators
        The time of one use of each operator.
    selection, bookkeeping
        The time of choosing operators, and of all else, in an iteration.
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
        """How many times as fast as the peer the search is."""
        return self.iterations_per_second / self.peer_iterations_per_second


def measure_throughput(instance: Instance, seconds: float) -> Throughput:
    """Measure both sides in turn, in three rounds that take ``seconds`` in all for each side, and return the medians.

    The peer takes longer if that is too short for a hundred iterations in a round. The speed of a machine drifts by
    more than the differences of interest: measuring first one side and then the other would compare two moments rather
    than two programs.
    """
    # This loads the compiled code, and gives both sides the same start.
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
    """Return the mean time of one use of each operator over all results, which have the same operators."""
    seconds: dict[str, float] = {}
    uses: dict[str, int] = {}
    for result in results:
        used = result.operators
        for names, times, counts in (
            (used.destroy, used.destroy_seconds, used.destroy_uses),
            (used.repair, used.repair_seconds, used.repair_uses),
        ):
            for name, spent, count in zip(names, times, counts, strict=True):
                seconds[name] = seconds.get(name, 0.0) + spent
                uses[name] = uses.get(name, 0) + count
    return {name: 1e6 * seconds[name] / max(uses[name], 1) for name in seconds}


# Learned selectors: their iterations per second beside those of roulette, and where their time goes.

BASE, ONLINE, FROZEN, HELD = "roulette", "dac", "dac-t", "dac-t hold 50"


def compared_selectors(policy: Path) -> dict[str, CompiledSelector]:
    """Return roulette and the learned selectors: learning, frozen, and frozen with each decision used 50 times."""
    frozen = {name: FrozenPolicy(policy, hold=hold) for name, hold in ((FROZEN, 1), (HELD, 50))}
    return {BASE: Roulette(), ONLINE: DualActorCritic(), **frozen}


@dataclass(frozen=True)
class LearnedSpeed:
    """The speed of each selector on one instance.

    Parameters
    ----------
    iterations_per_second
        The iterations per second by selector, roulette first.
    microseconds
        The time of an iteration by selector and part: in the operators, in reading solutions (``features``), in the
        network (``forward``), in learning (``backward``), and in all else (``other``).
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
    """Measure the selectors in turn, in three rounds that take ``seconds`` in all for each, and return the medians.

    The policy is untrained. It is as large as a trained one, and chooses evenly; a trained one may prefer operators
    that take longer, which would not be the selector's fault.
    """
    with tempfile.TemporaryDirectory(prefix="dacalns-bench-") as folder:
        policy = Path(folder, "policy.safetensors")
        write_untrained_policy(policy, instance.problem)
        return _measured(instance, seconds, compared_selectors(policy))


def _measured(instance: Instance, seconds: float, selectors: dict[str, CompiledSelector]) -> LearnedSpeed:
    start = solve(instance, portfolio="paper", selector="random", stop=MaxIterations(0)).routes
    for selector in selectors.values():  # this loads the compiled code
        solve(instance, portfolio="paper", selector=selector, stop=MaxIterations(1), start=start)
    results: dict[str, list[Result]] = {name: [] for name in selectors}
    for seed in range(ROUNDS):
        for name, selector in selectors.items():
            stop = MaxTime(seconds / ROUNDS) & MaxIterations(1)  # at least one iteration, however busy the machine
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
    """Return the mean time of an iteration over all results, by the part that took it."""
    each = 1e6 / max(sum(result.iterations for result in results), 1)
    spent = {
        part: each * sum(getattr(result.time, part) for result in results)
        for part in ("operators", "features", "forward", "backward")
    }
    return spent | {"other": each * sum(result.seconds for result in results) - sum(spent.values())}
