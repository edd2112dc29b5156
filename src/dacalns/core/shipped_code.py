"""Compiled code that came with a wheel: read-only, for one kind of processor, and used only where all of it fits.

`packaging/build_wheel.py` puts it into the folder `_compiled` of the package, with a manifest that says what it was
compiled with. Where anything there does not fit, the folder counts as not there, and everything is compiled as it would
be without a wheel. `dac-alns doctor` says why.
"""

import hashlib
import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding
import numba
import numpy as np

FOLDER = Path(__file__).parent.parent / "_compiled"
MANIFEST = "manifest.json"
FORMAT = 1
# Set to 0, it turns the code of the wheel off.
VARIABLE = "DACALNS_PRECOMPILED"
PYTHON = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"


class Baseline(NamedTuple):
    """A processor that code is compiled for, and what another one must have to run that code."""

    cpu: str
    needs: tuple[str, ...]


# By architecture, as LLVM calls it. Of 64-bit ARM every processor has what `generic` means; Apple's have more.
BASELINES = {
    "x86_64": Baseline(
        "x86-64-v3",
        (
            "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
            "sse4.2", "ssse3", "xsave",
        ),
    ),
    "aarch64": Baseline("generic", ()),
    "arm64": Baseline("apple-m1", ()),
}  # fmt: skip


class Shipped(NamedTuple):
    """The code of a wheel: where it is and what it was compiled for; or why there is none that can be used."""

    folder: Path | None
    magic: tuple[str, str, str] | None
    reason: str


def architecture() -> str:
    """The architecture of this process, as LLVM calls it."""
    return llvmlite.binding.get_process_triple().partition("-")[0]


def baseline() -> Baseline:
    """The processor that wheels for this architecture are compiled for; a `LookupError` if there is none."""
    return BASELINES[architecture()]


def lacking(needs) -> list[str]:
    """What this machine's processor does not have of what code needs."""
    if not needs:
        return []
    try:
        has = llvmlite.binding.get_host_cpu_features()
    except RuntimeError:  # nobody knows
        return sorted(needs)
    return sorted(need for need in needs if not has.get(need))


def without_version(triple: str) -> str:
    """A triple without the version of the system, which on macOS it ends in."""
    return re.sub(r"[\d.]+$", "", triple)


def described(fingerprint) -> dict[str, object]:
    """What compiled code of this package depends on besides the processor, as a manifest has it."""
    return {
        "format": FORMAT,
        "kernels": fingerprint,
        "python": PYTHON,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__.partition(".")[0],
        "system": without_version(llvmlite.binding.get_process_triple()),
    }


WORDS = {
    "format": "form",
    "kernels": "version of the kernels",
    "python": "Python",
    "numba": "Numba",
    "llvmlite": "llvmlite",
    "numpy": "NumPy",
    "system": "system",
}


@cache
def shipped(fingerprint) -> Shipped:
    """The code of the wheel, if there is any and it fits; looked for once in a process."""
    try:
        return _shipped(fingerprint)
    except Exception as error:  # whatever is wrong with it, there is another way
        return _none(f"its manifest cannot be read ({type(error).__name__})")


def _shipped(fingerprint) -> Shipped:
    if not (FOLDER / MANIFEST).is_file():
        return _none("")
    if os.environ.get(VARIABLE) == "0":
        return _none(f"{VARIABLE} is 0")
    manifest = json.loads((FOLDER / MANIFEST).read_bytes())
    for key, here in described(fingerprint).items():
        if manifest[key] != here:
            return _none(f"it is for another {WORDS[key]}, {manifest[key]!s:.40}, and this is {here!s:.40}")
    magic = manifest["triple"], manifest["cpu"], manifest["features"]
    chosen = numba.config.CPU_NAME, numba.config.CPU_FEATURES
    if chosen != (None, None) and (chosen[0], chosen[1] or "") != magic[1:]:
        return _none(f"it is for the processor {magic[1]}, and NUMBA_CPU_NAME or NUMBA_CPU_FEATURES ask for another")
    if missing := lacking(manifest["needs"]):
        return _none(f"it is for the processor {magic[1]}, and this one lacks {', '.join(missing)}")
    return Shipped(FOLDER, magic, "")


def _none(reason: str) -> Shipped:
    return Shipped(None, None, reason)


def damaged_files() -> list[str]:
    """Files of the wheel that are missing, or are not what was put into it."""
    try:
        listed = json.loads((FOLDER / MANIFEST).read_bytes())["files"]
        return [name for name, digest in listed.items() if _hash_of(FOLDER / name) != digest]
    except Exception:
        return [MANIFEST]


def _hash_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def write_manifest(folder: Path, fingerprint, magic: tuple[str, str, str], needs) -> None:
    """Say what the code in a folder was compiled with, and for which processor."""
    files = sorted(folder.rglob("*.nbc"))
    manifest = described(fingerprint) | dict(zip(("triple", "cpu", "features"), magic, strict=True))
    manifest |= {"needs": [*needs], "files": {file.relative_to(folder).as_posix(): _hash_of(file) for file in files}}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
