"""Fuzz for a while: ``PYTHONPATH=tests python -m fuzz --seconds 600``."""

import argparse
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fuzz.guided import GUIDED
from fuzz.oracle import trouble
from fuzz.session import run
from fuzz.targets import SUBJECTS

FOLDER = Path("out") / "fuzz"


def main() -> int:
    """Run, or try a single input again; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=[*SUBJECTS], help="this one alone")
    parser.add_argument("--input", type=Path, help="try this file on the target, and nothing else")
    parser.add_argument("--plain", action="store_true", help="mutations alone, even if atheris is installed")
    given = parser.parse_args()
    names = [given.target] if given.target else [*SUBJECTS]
    if given.input is not None:
        if given.target is None:
            parser.error("--input needs --target")
        found = trouble(SUBJECTS[given.target].run, given.input.read_bytes())
        print("\n".join(found) if found else "nothing is wrong")
        return 1 if found else 0
    guided = [] if given.plain or find_spec("atheris") is None else [name for name in names if name in GUIDED]
    share = given.seconds / 2 if guided else given.seconds
    outcome = run(names, given.seed, FOLDER, seconds=share)
    for name in names:
        print(f"{name:10} {outcome.inputs[name]:8,} inputs")
    for (name, kind), path in outcome.failures.items():
        print(
            f"{name}: {kind}, {outcome.repeated[name, kind]} times; PYTHONPATH=tests python -m fuzz --target {name} "
            f"--input {path}"
        )
    failed = bool(outcome.failures)
    for name in guided:
        seconds = max(1, int(share / len(guided)))
        failed |= _guided(name, seconds, given.seed)
    return 1 if failed else 0


def _guided(name: str, seconds: int, seed: int) -> bool:
    """Whether anything failed in a process of its own, which the guide takes over and ends with code 0 in any case."""
    command = [sys.executable, "-m", "fuzz.guided", name, str(seconds), str(seed)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    print(ended.stdout, end="", flush=True)
    executed = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
    if executed is None:
        print(f"{name}: the guide ended with code {ended.returncode}\n{ended.stderr[-2000:]}", flush=True)
        return True
    print(f"{name:10} {int(executed[1]):8,} inputs, guided", flush=True)
    return bool(ended.stdout)


if __name__ == "__main__":
    sys.exit(main())
