"""Measure this machine: iterations per second, start-up and memory, of the search and of its peers."""

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

# What figures were measured on.

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


# How long the command takes to start, with compiled code in the cache and without.

COMMAND = ("-m", "dacalns", "solve", "A-n32-k5", "--time", "0", "--quiet")
RUNS = 3


@dataclass(frozen=True)
class Startup:
    """Wall-clock seconds of a command that solves for no time at all."""

    warm: float
    cold: float


def measure_startup() -> Startup:
    """Time the command: the median of three with the user's cache, and once with an empty one.

    Python's own bytecode is there in all of them, in a folder for this measurement: some environments keep Python from
    writing any, and then the sources of Numba are compiled at every start, which is no part of what is measured.
    """
    with tempfile.TemporaryDirectory(prefix="dacalns-bench-") as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        _wall_seconds(environment)  # fills the bytecode folder, and the user's cache where it is empty
        warm = median(_wall_seconds(environment) for _ in range(RUNS))
        # Some compiled code may be among temporary files, where no other folder could be written.
        nowhere = {"NUMBA_CACHE_DIR": os.path.join(folder, "kernels"), "TMPDIR": folder}
        cold = _wall_seconds(environment | nowhere)
    return Startup(warm, cold)


def _wall_seconds(environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *COMMAND], env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


# Peak memory of a process that solves a large instance.

CUSTOMERS = 5_000
SCRIPT = """
import dacalns
from dacalns.bench.measure import peak_bytes
instance = dacalns.generate_cvrp({customers}, seed=1)
dacalns.solve(instance, portfolio="paper", selector="random", stop=dacalns.MaxTime({seconds}))
print(peak_bytes())
"""


def measure_memory(customers: int = CUSTOMERS, seconds: float = 1.0) -> float | None:
    """Peak resident memory, in MiB, of a fresh process that generates and solves a CVRP; None on Windows."""
    if sys.platform == "win32":  # has no module `resource`
        return None
    script = SCRIPT.format(customers=customers, seconds=seconds)
    child = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return int(child.stdout) / 2**20


def peak_bytes() -> int:
    """The most memory that this process has had resident."""
    status = Path("/proc/self/status")
    if status.is_file():
        # getrusage() would count what the parent had when it started us, which may be more.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


# Iterations per second of the search and of the pure-Python peer, and where the search's time goes.

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
            for name, spent, count in zip(names, times, counts, strict=True):
                seconds[name] = seconds.get(name, 0.0) + spent
                uses[name] = uses.get(name, 0) + count
    return {name: 1e6 * seconds[name] / max(uses[name], 1) for name in seconds}


# Iterations per second of learned selectors beside roulette, and where their time goes.

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
