"""Where solvers run: each in a process of its own, one at a time."""

import time
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass

from dacalns.bench.peers import Answer, Peer
from dacalns.bench.quality.run import FAILED, LEFT_OUT, Run, judged
from dacalns.engines import Processes
from dacalns.instances import Instance, generate_cvrp, generate_vrptw

# How long to wait for a solver beyond its time before it is ended: data are brought into its form before, and an
# overrun is better told than cut short.
PATIENCE = 120.0
# All that is compiled is compiled before the first run, once for a machine.
LOADING_PATIENCE = 600.0
WARM_UP_SECONDS = 0.05


@dataclass(frozen=True)
class Timed:
    """An answer, what it took by two clocks, and what went wrong if there is none."""

    answer: Answer | None
    seconds: float = 0.0
    processor_seconds: float = 0.0
    error: str = ""


class Arena:
    """A process for each solver, so that none can disturb, crash or outlast the others.

    Parameters
    ----------
    patience
        Seconds beyond the budget after which a solver is ended; the budget's length comes on top of it.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._processes: dict[str, Processes] = {}

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._processes):
            self._end(key)

    def warm_up(self, peer: Peer) -> str:
        """Import and compile all that a solver needs, and return what goes wrong; nothing, as a rule."""
        for instance in (generate_cvrp(10, seed=1), generate_vrptw(10, seed=1)):
            if peer.refuses(instance) is None:
                error = self._timed(peer, instance, WARM_UP_SECONDS, 0, LOADING_PATIENCE).error
                if error:
                    return error
        return ""

    def run(self, peer: Peer, instance: Instance, seconds: float, seed: int) -> Run:
        """Let a solver run, and check what it answers."""
        refusal = peer.refuses(instance)
        if refusal is not None:
            return Run(instance.name, peer.key, seed, seconds, LEFT_OUT, reason=refusal)
        if peer.key not in self._processes:  # the last one died
            self.warm_up(peer)
        timed = self._timed(peer, instance, seconds, seed, self._patience)
        if timed.answer is None:
            return Run(instance.name, peer.key, seed, seconds, FAILED, reason=timed.error)
        return judged(instance, peer.key, seed, seconds, timed.answer, timed.seconds, timed.processor_seconds)

    def _timed(self, peer: Peer, instance: Instance, seconds: float, seed: int, patience: float) -> Timed:
        if peer.key not in self._processes:
            self._processes[peer.key] = Processes(1).__enter__()
        # Waiting for one answer before the next is asked: no two solvers run at the same time.
        future = self._processes[peer.key].submit(timed, peer, instance, seconds, seed)
        try:
            return future.result(patience + 2 * seconds)
        except FutureTimeoutError:
            self._end(peer.key)
            return Timed(None, error=f"no answer {patience + seconds:.0f} s after its time was up")
        except Exception as error:  # it died, or what it was given or gave back does not fit through the pipe
            self._end(peer.key)
            return Timed(None, error=str(error))

    def _end(self, key: str) -> None:
        self._processes.pop(key).__exit__(None, None, None)


def timed(peer: Peer, instance: Instance, seconds: float, seed: int) -> Timed:
    """Run a solver in this process, whatever it may raise."""
    try:
        run = peer.prepare(instance, seconds, seed)
        began, processor_began = time.perf_counter(), time.process_time()
        answer = run()
        return Timed(answer, time.perf_counter() - began, time.process_time() - processor_began)
    except Exception as error:  # a peer's fault must not end the comparison
        return Timed(None, error=f"{type(error).__name__}: {error}")
