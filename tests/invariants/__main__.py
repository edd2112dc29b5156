"""Try any number of random instances: ``PYTHONPATH=tests python -m invariants --count 5000 --jobs 2``.

With ``--rich``, they are problems beyond CVRP and VRPTW, and how often the best of all solutions was found comes last.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from invariants import judge, rich

EVERY = 500


def main() -> None:
    """Try them all, tell what is wrong, and exit with 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many instances")
    parser.add_argument("--first", type=int, default=1000, help="the number of the first; `make test` has those before")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--rich", action="store_true", help="problems of every kind in place of CVRP and VRPTW")
    asked = parser.parse_args()
    began = time.monotonic()
    failed = 0
    outcomes: list[rich.Outcome] = []
    tried: Any = rich.tried if asked.rich else judge.tried
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        numbers = range(asked.first, asked.first + asked.count)
        for done, found in enumerate(pool.map(tried, numbers, chunksize=10), start=1):
            if asked.rich:
                outcomes.append(found)
            number, wrong = (found.number, found.wrong) if asked.rich else found
            for sentence in wrong:
                print(f"case {number}: {sentence}", flush=True)
            failed += bool(wrong)
            if done % EVERY == 0:
                print(f"{done} of {asked.count}, {failed} wrong, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{asked.count} instances, {failed} wrong, {time.monotonic() - began:.0f} s")
    if asked.rich:
        print("\n".join(rich.rates(outcomes)))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
