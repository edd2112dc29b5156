"""What the last digits of an answer may depend on besides instance, settings and seed."""

import os
import platform
from functools import cache

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name


@cache
def _facts() -> dict[str, str]:
    return {
        "machine": platform.machine(),
        "processor": os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name(),
        "c_library": " ".join(platform.libc_ver()).strip() or platform.system(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
    }


def platform_facts() -> dict[str, str]:
    """The machine, the processor that kernels are compiled for, and the versions of what computes."""
    return dict(_facts())
