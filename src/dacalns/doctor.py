"""What this installation has, and whence its compiled code comes: for reports of bugs, and for whoever has to wait."""

import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba
import numpy as np

from dacalns.core.code_cache import KEPT, WHEEL, code_of_wheel, place_to_keep_code, places_of_code
from dacalns.core.jit import jit_enabled
from dacalns.core.shipped_code import BASELINES, FOLDER, architecture, damaged_files, lacking
from dacalns.engines import processor_name, usable_cores
from dacalns.search.helpers import possible_jobs
from dacalns.version import __version__
from dacalns.warm_up import KINDS, parts_of_kind

# Extras for those who work on the package itself.
FOR_DEVELOPERS = ("test", "docs")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: its name, what there is to say, and whether that is as it should be."""

    name: str
    says: str
    fine: bool = True


@dataclass(frozen=True)
class Section:
    """Findings under a title."""

    title: str
    findings: list[Finding]


def examine() -> list[Section]:
    """Look at versions, processor, compiled code, folders and extras; compile nothing, and write nothing."""
    return [
        Section("versions", [*_versions()]),
        Section("machine", [*_machine()]),
        Section("compiled code", [*_compiled_code()]),
        Section("folders for compiled code, in the order in which they are tried", [*_folders()]),
        Section("extras", [*_extras()]),
    ]


def _versions() -> Iterator[Finding]:
    yield Finding("dac-alns", f"{__version__}, in {Path(__file__).parent}")
    yield Finding("Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding("Numba", f"{numba.__version__}, llvmlite {llvmlite.__version__}, NumPy {np.__version__}")
    yield Finding("system", platform.platform())


def _machine() -> Iterator[Finding]:
    yield Finding("processor", f"{processor_name()}, called {llvmlite.binding.get_host_cpu_name()} by LLVM")
    baseline = BASELINES.get(architecture())
    if baseline is None:
        yield Finding("baseline", f"there are no wheels with compiled code for {architecture()}")
    elif missing := lacking(baseline.needs):
        yield Finding("baseline", f"it lacks {', '.join(missing)} of {baseline.cpu}, for which wheels are compiled")
    else:
        yield Finding("baseline", f"it has all of {baseline.cpu}, for which wheels are compiled")
    jobs = possible_jobs() if jit_enabled() else 1
    yield Finding("cores", f"{len(usable_cores())} may be used; {jobs} process{'es' * (jobs > 1)} would compile")
    given = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(("NUMBA_", "DACALNS_"))]
    yield Finding("variables", "  ".join(given) or "none of NUMBA_… and DACALNS_… is set")


def _compiled_code() -> Iterator[Finding]:
    if not jit_enabled():
        yield Finding("compiler", "switched off by NUMBA_DISABLE_JIT: searches run as plain Python", fine=False)
        return
    wheel = code_of_wheel()
    if wheel.folder is not None:
        damaged = damaged_files()
        says = f"used: it is for {(wheel.magic or ('', '', ''))[1]}, as this processor can run it"
        if damaged:
            says += f"; {len(damaged)} files are missing or damaged ({damaged[0]}): install the package anew"
        yield Finding("of the wheel", says, fine=not damaged)
    elif wheel.reason:
        yield Finding("of the wheel", f"not used: {wheel.reason}", fine=False)
    elif FOLDER.is_dir():
        yield Finding("of the wheel", "not used: it has no manifest", fine=False)
    else:
        yield Finding("of the wheel", "none: this is a checkout, or a wheel for all platforms")
    for kind in KINDS:
        parts = parts_of_kind(kind)
        origins = [part.origin() for part in parts]
        counts = [(origins.count(WHEEL), "from the wheel"), (origins.count(KEPT), "from a folder below")]
        missing = sum(part.seconds for part, origin in zip(parts, origins, strict=True) if origin is None)
        told = [f"{count} {whence}" for count, whence in counts if count]
        told += [f"{origins.count(None)} to be compiled, about {missing:.0f} s of one core"] if missing else []
        yield Finding(f"{kind} problems", f"of {len(parts)} parts {', '.join(told)}")


def _folders() -> Iterator[Finding]:
    chosen = place_to_keep_code(make=False)
    for folder in places_of_code():
        there = len(list(folder.glob("*.nbc"))) if folder.is_dir() else 0
        state = (
            "written to" if folder == chosen else "can be written" if _can_be_written(folder) else "cannot be written"
        )
        yield Finding(f"{folder}", f"{there} files, {state}")
    if chosen is None:
        shipped = code_of_wheel().folder is not None
        what = "what is not in the wheel is compiled at every start" if shipped else "every start compiles"
        yield Finding("none", f"no folder can be written: {what}; set NUMBA_CACHE_DIR to one that can", fine=shipped)


def _can_be_written(folder: Path) -> bool:
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    return there is not None and os.access(there, os.W_OK)


def _extras() -> Iterator[Finding]:
    try:
        about = metadata.metadata("dac-alns")
        requirements = metadata.requires("dac-alns") or []
    except metadata.PackageNotFoundError:
        yield Finding("none", "the package is not installed, only found: nobody knows its extras")
        return
    for extra in about.get_all("Provides-Extra") or []:
        if extra in FOR_DEVELOPERS:
            continue
        missing = sorted(name for name in _needs_of(extra, requirements, set()) if not _is_installed(name))
        line = f'pip install "dac-alns[{extra}]"'
        yield Finding(extra, f"without {', '.join(missing)}: {line}" if missing else "installed")


def _needs_of(extra: str, requirements: list[str], seen: set[str]) -> Iterator[str]:
    """The packages that an extra needs, those of other extras that it includes among them."""
    if extra in seen:
        return
    seen.add(extra)
    for requirement in requirements:
        what, _, marker = requirement.partition(";")
        if not re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", marker):
            continue
        found = re.match(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?", what)
        if found is None:
            continue
        if found[1].lower().replace("_", "-") != "dac-alns":
            yield found[1]
        for other in (found[2] or "").split(","):
            yield from _needs_of(other.strip(), requirements, seen) if other.strip() else ()


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
