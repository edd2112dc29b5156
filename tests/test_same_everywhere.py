"""A network comes to the same bits whichever processor its kernels are compiled for.

`benchmarks/same_everywhere.py` does the same with whole searches, which takes minutes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_process_triple

import network_bits


@pytest.mark.skipif(not get_process_triple().startswith("x86_64"), reason="there is one kind of others")
def test_kernels_for_any_processor() -> None:
    """Compiled for processors with the shortest vectors, and without the instruction that rounds once."""
    child = subprocess.run(
        [sys.executable, Path(network_bits.__file__)],
        env={**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert json.loads(child.stdout) == network_bits.all_bits()
