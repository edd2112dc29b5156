"""Build a wheel that carries compiled kernels, for this platform and this minor version of Python.

    python packaging/build_wheel.py [--out dist]

The kernels are compiled by an ordinary warm-up, but for a processor that all others of this kind can stand in for
(`BASELINES` in `core/shipped_code.py`). `hatch_build.py` puts them into the wheel. Nothing is left in the tree.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the wheel has code for, besides what the portfolios use by themselves: see `dacalns.warm_up`.
PROGRAM = """
import json, sys
from numba.core.registry import cpu_target
from dacalns.core import code_cache, shipped_code
from dacalns.selectors.by_name import SELECTORS
from dacalns.warm_up import warm_up

print(warm_up(selectors=SELECTORS), "parts compiled", file=sys.stderr)
processor = cpu_target.target_context.codegen().magic_tuple()
print(json.dumps([processor, code_cache.fingerprint_of_core()]))
"""


def main() -> None:
    """Compile, lay out, build, and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel")
    out = parser.parse_args().out
    sys.path.insert(0, str(ROOT / "src"))
    from dacalns.core.shipped_code import baseline, lacking, write_manifest

    processor = baseline()
    if missing := lacking(processor.needs):
        sys.exit(f"This processor lacks {', '.join(missing)}; expected one that can stand in for {processor.cpu}.")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dacalns-wheel-") as work:
        cache, compiled = Path(work, "cache"), Path(work, "compiled")
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(cache),
            "NUMBA_CPU_NAME": processor.cpu,
            "NUMBA_CPU_FEATURES": "",
            "DACALNS_PRECOMPILED": "0",
        }
        told = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, check=True)
        magic, fingerprint = json.loads(told.stdout)
        for folder in cache.iterdir():
            shutil.copytree(folder, compiled / folder.name.rpartition("_")[0], ignore=shutil.ignore_patterns("*.tmp"))
        write_manifest(compiled, fingerprint, tuple(magic), processor.needs)
        print(f"compiled for {processor.cpu} in {time.monotonic() - began:.0f} s", file=sys.stderr)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--wheel-dir", str(out), str(ROOT)],
            env=os.environ | {"DACALNS_COMPILED": str(compiled)},
            check=True,
        )  # fmt: skip
    newest = max(out.glob("dac_alns-*.whl"), key=lambda file: file.stat().st_mtime_ns)
    print(f"wrote {newest} ({newest.stat().st_size / 2**20:.1f} MiB)")


if __name__ == "__main__":
    main()
