"""The engine that makes calls on a running Ray cluster."""

import importlib
import logging
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from dacalns.engines.engine import ONE_THREAD, WorkerDied
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

Returned = TypeVar("Returned")
INSTALL = 'pip install "dac-alns[ray]"'
# A node may be lost more than once in a long study.
RETRIES = 3
TIMEOUT_SECONDS = 5.0


class RayCluster:
    """An engine that makes calls on a Ray cluster, each on one CPU; if a node dies, its calls are made on another one.

    Parameters
    ----------
    address
        The address of the cluster, as ``ray.init`` takes it; ``"auto"`` finds the one that this machine belongs to.

    Raises
    ------
    InputError
        If Ray is not installed, or, when the engine is entered, if there is no such cluster.
    """

    def __init__(self, address: str = "auto") -> None:
        self._address = address
        self._ray = _imported()
        self._running: set[Any] = set()
        self._remote: Any = None

    @property
    def slots(self) -> int:
        """The number of CPUs that the cluster has now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, call: Callable[..., Returned], *arguments: Any) -> "Future[Returned]":
        """Make a call wherever a CPU is free, and return its future answer."""
        reference = self._remote.remote(call, *arguments)
        self._running.add(reference)
        answer: Future[Returned] = Future()
        reference.future().add_done_callback(partial(self._pass_on, reference, answer))
        return answer

    def __enter__(self) -> "RayCluster":
        self._require_reachable()
        try:
            self._ray.init(
                address=self._address,
                runtime_env={"env_vars": ONE_THREAD},
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise self._unreachable(error) from None
        self._remote = self._ray.remote(num_cpus=1, max_retries=RETRIES)(_do)
        return self

    def __exit__(self, *_: object) -> None:
        for reference in list(self._running):
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()

    def _require_reachable(self) -> None:
        """Raise an error at once if nobody answers at the address, where Ray itself would try for minutes."""
        host, colon, port = self._address.removeprefix("ray://").rpartition(":")
        if not colon or not port.isdecimal():
            return
        try:
            socket.create_connection((host.strip("[]"), int(port)), TIMEOUT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:200]
        return InputError(
            f"ray address {shown(self._address)} cannot be reached ({reason}); expected a running cluster; start one "
            "with: ray start --head"
        )

    def _pass_on(self, reference: Any, answer: "Future[Any]", done: "Future[Any]") -> None:
        self._running.discard(reference)
        error = done.exception()
        exceptions = self._ray.exceptions
        if error is None:
            answer.set_result(done.result())
        elif isinstance(error, exceptions.RayTaskError):
            answer.set_exception(error.as_instanceof_cause())
        else:
            answer.set_exception(WorkerDied(f"Ray gave it up: {type(error).__name__}"))


def _do(call: Callable[..., Returned], *arguments: Any) -> Returned:
    from dacalns.search.signals import Interrupt
    from dacalns.search.user_code import Aside

    Interrupt.enabled = False
    try:
        return call(*arguments)
    finally:
        if Aside.any_left():
            # A user's code that never ends keeps a core busy. This process ends once the answer is on its way; a task
            # that it has begun by then is done again elsewhere.
            threading.Timer(1.0, os._exit, (1,)).start()


def _imported() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise InputError(f"The engine ray needs Ray, which cannot be imported ({error}); run: {INSTALL}") from None
