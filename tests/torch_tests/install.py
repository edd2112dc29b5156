"""Install what the tests with PyTorch need, if that takes reasonable time; say why not, and end with 1, if it does not.

    python tests/torch_tests/install.py

A build for the processor alone is tried first, where the index of pip has one under that name: others take gigabytes.
"""

import importlib.util
import shutil
import subprocess
import sys
import time

VERSION = "2.13.0"
TORCH = (f"torch=={VERSION}+cpu", f"torch=={VERSION}", "torch>=2.2")
BESIDE = ("stable-baselines3>=2.6", "sb3-contrib>=2.6", "torch_geometric>=2.5")
SECONDS, GIGABYTES = 600, 8


def main() -> int:
    """Install."""
    ends = time.monotonic() + SECONDS
    if importlib.util.find_spec("torch") is None:
        free = shutil.disk_usage(sys.prefix).free / 1e9
        if free < GIGABYTES:
            return _skipped(f"{free:.0f} GB of the disk are free, and it may take {GIGABYTES}")
        if not any(_installed(ends, wanted) for wanted in TORCH):
            return _skipped(f"pip has found no build of it in {SECONDS} s")
    # Tests of what is missing beside it skip themselves, and say so.
    for wanted in BESIDE:
        if not _installed(ends, wanted):
            print(f"{wanted} cannot be installed here; its tests are skipped.")
    return 0


def _installed(ends: float, *wanted: str) -> bool:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    try:
        left = max(1.0, ends - time.monotonic())
        return subprocess.run(command, capture_output=True, timeout=left).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def _skipped(reason: str) -> int:
    print(f"The tests with PyTorch are skipped: it is not installed, and {reason}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
