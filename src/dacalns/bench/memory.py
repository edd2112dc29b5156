"""Peak memory of a process that solves a large instance."""

import subprocess
import sys
from pathlib import Path

CUSTOMERS = 5_000
SCRIPT = """
import dacalns
from dacalns.bench.memory import peak_bytes
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
