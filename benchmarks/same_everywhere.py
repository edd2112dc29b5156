"""Whether searches with a network come to the same on processors of other kinds.

    python benchmarks/same_everywhere.py [--seeds 5] [--iterations 800]

The same searches run as this machine would run them, and in processes that compile for other processors and keep NumPy
from using the vectors of this one. All that a result says but for times must be the same, to the last digit. Processors
that this one cannot stand in for are left out. Every process compiles anew, which takes a minute each.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from llvmlite.binding import get_host_cpu_features
from numpy._core._multiarray_umath import __cpu_dispatch__

import dacalns

NUMPY_BASELINE = {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__), "OPENBLAS_CORETYPE": "Prescott"}
# What else a processor needs to have for this one to stand in for it, and how.
PROCESSORS = {
    "this machine": ("", {}),
    "any 64-bit x86": ("", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", **NUMPY_BASELINE}),
    "haswell": ("fma", {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}),
    "skylake-avx512": (
        "avx512vl",
        {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": "+avx2,+fma,+avx512f,+avx512vl,+avx512dq,+avx512bw"},
    ),
}
# Instance, portfolio, selector, jobs.
SEARCHES = [
    ("A-n45-k7", "paper", "dac", 1),
    ("C202-n57-s1", "paper", "ac", 1),
    ("RC202-n56-s1", "paper", "dac:improved", 1),
    ("B-n57-k9", "paper", "dac:target=joint,critic=state-action", 1),
    ("A-n80-k10", "full", "dac", 1),
    ("R105-n67-s3", "full", "dac", 1),
    ("R101", "full", "dac-t", 1),
    ("P-n101-k4", "full", "dac-t", 1),
    ("R101", "full", "dac-t", 2),
    ("A-n45-k7", "paper", "dac", 3),
]


def digests(seeds: int, iterations: int) -> dict[str, str]:
    """What each search came to, without its times."""
    found = {}
    for name, portfolio, selector, jobs in SEARCHES:
        for seed in range(seeds):
            result = dacalns.solve(
                name,
                portfolio=portfolio,
                selector=selector,
                seed=seed,
                jobs=jobs,
                stop=dacalns.MaxIterations(iterations),
            )
            told = result.to_dict()
            history = [(entry.iteration, entry.cost) for entry in result.history]
            kept = [told[part] for part in ("cost", "routes", "iterations", "explanation")]
            text = json.dumps([kept, history, result.operators.uses])
            key = f"{name} {portfolio} {selector} jobs={jobs} seed={seed}"
            found[key] = f"{result.cost:g} {hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return found


def digests_on(variables: dict[str, str], arguments: list[str]) -> dict[str, str]:
    """The same in a process of its own, with a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        child = subprocess.run(
            [sys.executable, __file__, "--tell", *arguments],
            env={**os.environ, "NUMBA_CACHE_DIR": cache, **variables},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return dict(json.loads(child.stdout))


def main() -> None:
    """Print what differs, and how many do; exit with 1 if any does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=800)
    parser.add_argument("--tell", action="store_true", help="print what the searches come to in this process")
    arguments = parser.parse_args()
    if arguments.tell:
        print(json.dumps(digests(arguments.seeds, arguments.iterations)))
        return
    here = get_host_cpu_features()
    able = {name: variables for name, (needed, variables) in PROCESSORS.items() if not needed or here.get(needed)}
    given = [f"--seeds={arguments.seeds}", f"--iterations={arguments.iterations}"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(able, pool.map(lambda each: digests_on(each, given), able.values()), strict=True))
    first, *others = found
    wrong = 0
    for other in others:
        differing = [key for key, told in found[other].items() if told != found[first][key]]
        wrong += len(differing)
        for key in differing:
            print(f"{key}: {found[first][key]} here, {found[other][key]} on {other}")
        print(f"{other}: {len(differing)} of {len(found[other])} searches differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
