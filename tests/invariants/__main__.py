"""Try any number of random instances: ``PYTHONPATH=tests python -m invariants --count 5000 --jobs 2``."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from invariants.judge import tried


def main() -> None:
    """Try them all, tell what is wrong, and exit with 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many instances")
    parser.add_argument("--first", type=int, default=1000, help="the number of the first; `make test` has 0 to 199")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    began = time.monotonic()
    failed = 0
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        numbers = range(asked.first, asked.first + asked.count)
        for done, (number, wrong) in enumerate(pool.map(tried, numbers, chunksize=10), start=1):
            for sentence in wrong:
                print(f"case {number}: {sentence}", flush=True)
            failed += bool(wrong)
            if done % 500 == 0:
                print(f"{done} of {asked.count}, {failed} wrong, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{asked.count} instances, {failed} wrong, {time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
