"""Inputs that are led by what code they reach, where atheris is installed: ``python -m fuzz.guided vrp 60 0``."""

import sys
import tempfile
from pathlib import Path

GUIDED = ("vrp", "solomon", "sol", "settings", "protocol", "policy", "result", "state")
"""The readers: what is compiled or starts processes is left to mutations."""

FOLDER = Path("out") / "fuzz"
# Kernels must stay as they are: Numba cannot compile code that reports what it reaches.
WATCHED = (
    "dacalns.instances",
    "dacalns.settings",
    "dacalns.study.load_protocol",
    "dacalns.study.load_map",
    "dacalns.selectors.card",
    "dacalns.selectors.checkpoint",
    "dacalns.selectors.by_name",
    "dacalns.search.result",
    "dacalns.search.explanation",
    "dacalns.search.typed_data",
    "dacalns.learning.standing",
    "tomllib",
    "json",
)


def main(name: str, seconds: str, seed: str) -> None:
    """Fuzz one target for some seconds; the process ends with a failure if one was found."""
    import atheris

    with atheris.instrument_imports(include=list(WATCHED)):
        from fuzz.oracle import save, trouble
        from fuzz.targets import SUBJECTS
    subject = SUBJECTS[name]
    failed: set[str] = set()

    def one_input(data: bytes) -> None:
        found = trouble(subject.run, data)
        if found is not None and found[0] not in failed:
            failed.add(found[0])
            path = save(FOLDER, name, data, *found)
            print(f"{name}: {found[0]}\n  {path}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(subject.corpus()):
            (Path(folder) / str(number)).write_bytes(data)
        options = [
            f"-max_total_time={seconds}",
            f"-seed={int(seed) + 1}",
            "-max_len=100000",
            "-timeout=60",
            "-verbosity=0",
        ]
        atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", folder], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:4])
