"""What figures were measured on."""

import os
import platform
from pathlib import Path
from typing import Any

import numba

# A load average above this before anything is measured means that other work is running.
BUSY = 0.5


def this_machine() -> dict[str, Any]:
    """Return the machine, how busy it is, and the versions that speed depends on."""
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,  # not on Windows
        "python": platform.python_version(),
        "numba": numba.__version__,
    }


def _processor() -> str:
    """Return the model by name where Linux tells it; elsewhere what Python knows."""
    listed = Path("/proc/cpuinfo")
    if listed.is_file():
        for line in listed.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
