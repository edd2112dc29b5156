"""How long the command takes to start, with compiled code in the cache and without."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

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
