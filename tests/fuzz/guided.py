"""Inputs that are led by what code they reach, where atheris is installed: ``python -m fuzz.guided vrp 60 0``."""

import inspect
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

GUIDED = ("vrp", "solomon", "sol", "settings", "protocol", "policy", "result", "state")
"""The readers: what is compiled or starts processes is left to mutations."""

FOLDER = Path("out") / "fuzz"
# Not all of the package: Numba cannot compile code that reports what it reaches.
WATCHED = (
    "dacalns.instances",
    "dacalns.settings",
    "dacalns.study.load_protocol",
    "dacalns.study.load_map",
    "dacalns.study.protocol",
    "dacalns.selectors.card",
    "dacalns.selectors.checkpoint",
    "dacalns.selectors.by_name",
    "dacalns.selectors.settings",
    "dacalns.search.result",
    "dacalns.search.policy_view",
    "dacalns.util.typed_data",
    "dacalns.learning.standing",
    "dacalns.learning.sources",
    "tomllib",
)


def main(name: str, seconds: str, seed: str) -> None:
    """Fuzz one target for some seconds, and print what fails and nothing else; the process ends with it."""
    import atheris

    from fuzz.oracle import save, trouble
    from fuzz.targets import SUBJECTS

    subject = SUBJECTS[name]
    corpus = subject.corpus()
    trouble(subject.run, corpus[0])  # imports and compiles what is left to the first use
    for function in _functions():
        atheris.instrument_func(function)
    failed: set[str] = set()

    def one_input(data: bytes) -> None:
        found = trouble(subject.run, data)
        if found is not None and found[0] not in failed:
            failed.add(found[0])
            print(f"{name}: {found[0]}\n  {save(FOLDER, name, data, *found)}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(corpus):
            (Path(folder) / str(number)).write_bytes(data)
        options = [f"-max_total_time={seconds}", f"-seed={int(seed) + 1}", "-max_len=100000", "-timeout=60"]
        atheris.Setup([sys.argv[0], *options, "-verbosity=0", "-print_final_stats=1", folder], one_input)
        atheris.Fuzz()


def _functions() -> Iterator[Callable[..., Any]]:
    """The functions and methods of the watched modules."""
    for name, module in sorted(sys.modules.items()):
        if any(name == watched or name.startswith(watched + ".") for watched in WATCHED):
            yield from _functions_of(module)


def _functions_of(module: ModuleType) -> Iterator[Callable[..., Any]]:
    owners = [module, *(kind for kind in vars(module).values() if inspect.isclass(kind))]
    for owner in owners:
        if getattr(owner, "__module__", module.__name__) != module.__name__:
            continue
        for member in vars(owner).values():
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield function


if __name__ == "__main__":
    main(*sys.argv[1:4])
