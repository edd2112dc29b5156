"""Compiled code that comes with a wheel is used only where all of it fits; else everything is compiled as ever."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import pytest

from dacalns.core import code_cache, shipped_code
from dacalns.core.code_cache import code_of_wheel
from dacalns.core.jit import jit_enabled
from dacalns.core.shipped_code import (
    BASELINES,
    MANIFEST,
    Shipped,
    architecture,
    damaged_files,
    lacking,
    without_version,
)

pytestmark = pytest.mark.skipif(
    not jit_enabled() or architecture() not in BASELINES or bool(lacking(BASELINES.get(architecture(), ("", ()))[1])),
    reason="nothing is compiled, or there are no wheels for this processor",
)
# The kernel and the one that it calls; where both are kept, the first is enough.
COMPILED = {"compiled": 2}
SRC = Path(code_cache.CORE).parent
# A small kernel of the package, and where its code came from.
SCRIPT = """
import json, sys
from dacalns.core import code_cache
from dacalns.core.rng import random_int, seeded
if sys.argv[1:]:
    exec(sys.argv[1])
print(json.dumps([random_int(seeded(7), 1000), dict(code_cache.origins), code_cache.code_of_wheel().reason]))
"""


class Package:
    """A copy of the package, as a wheel would have put it somewhere."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiled = folder / "dacalns" / "_compiled"
        ignored = shutil.ignore_patterns("__pycache__", "policies", "data", "_compiled")
        shutil.copytree(SRC, folder / "dacalns", ignore=ignored)

    def ask(self, change: str = "", **variables: str) -> tuple[int, dict[str, int], str]:
        """The kernel's answer, where its code came from, and why the wheel's was not used."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "DACALNS_"))}
        environment |= {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.folder / "cache")} | variables
        command = [sys.executable, "-c", SCRIPT, *([change] if change else [])]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        number, origins, reason = json.loads(done.stdout)
        return number, origins, reason

    @property
    def manifest(self) -> dict[str, Any]:
        return dict(json.loads((self.compiled / MANIFEST).read_text()))

    @manifest.setter
    def manifest(self, content: dict[str, Any]) -> None:
        (self.compiled / MANIFEST).write_text(json.dumps(content))


@pytest.fixture(scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Package, int]:
    """The package with a kernel compiled for the baseline, and the answer of one compiled for this processor."""
    package = Package(tmp_path_factory.mktemp("wheel"))
    baseline = BASELINES[architecture()]
    right, origins, reason = package.ask()
    assert (origins, reason) == (COMPILED, "")
    cache = package.folder / "cache"
    shutil.rmtree(cache)
    change = "from numba.core.registry import cpu_target; magic = cpu_target.target_context.codegen().magic_tuple()"
    package.ask(change, NUMBA_CPU_NAME=baseline.cpu, NUMBA_CPU_FEATURES="")
    [room] = cache.iterdir()
    shutil.copytree(room, package.compiled / room.name.rpartition("_")[0])
    shutil.rmtree(cache)
    magic = llvmlite.binding.get_process_triple(), baseline.cpu, ""
    # The triple is that of the compiler's modules.
    shipped_code.write_manifest(package.compiled, code_cache.fingerprint_of_core(), magic, baseline.needs)
    return package, right


@pytest.fixture
def wheel(_made: tuple[Package, int], tmp_path: Path) -> tuple[Package, int]:
    """The same, for a test to spoil."""
    package, right = _made
    shutil.copytree(package.folder, tmp_path / "site")
    copy = object.__new__(Package)
    copy.folder, copy.compiled = tmp_path / "site", tmp_path / "site" / "dacalns" / "_compiled"
    return copy, right


def test_code_of_the_wheel_is_used_and_nothing_is_written(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    assert package.ask() == (right, {"wheel": 1}, "")
    assert not (package.folder / "cache").exists()


def test_it_can_be_turned_off(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    assert package.ask(DACALNS_PRECOMPILED="0") == (right, COMPILED, "DACALNS_PRECOMPILED is 0")
    assert package.ask(DACALNS_PRECOMPILED="0")[1] == {"cache": 1}
    assert package.ask(DACALNS_PRECOMPILED="1")[1] == {"wheel": 1}


def looked_at(package: Package, monkeypatch: pytest.MonkeyPatch) -> Shipped:
    """What this process would think of the code of a wheel."""
    monkeypatch.setattr(shipped_code, "FOLDER", package.compiled)
    monkeypatch.setattr(numba.config, "CPU_NAME", None)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    monkeypatch.delenv(shipped_code.VARIABLE, raising=False)
    found: Shipped = shipped_code.shipped.__wrapped__(code_cache.fingerprint_of_core())
    assert (found.folder is None) == bool(found.reason)
    return found


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("numba", "0.67.0", "another Numba, 0.67.0"),
        ("llvmlite", "0.49.0", "another llvmlite"),
        ("python", "py310", "another Python"),
        ("numpy", "1", "another NumPy"),
        ("kernels", "0123456789abcdef", "another version of the kernels"),
        ("system", "riscv64-unknown-linux-gnu", "another system"),
        ("format", 99, "another form"),
        ("needs", ["avx1024"], "this one lacks avx1024"),
    ],
)
def test_a_manifest_that_does_not_fit(
    wheel: tuple[Package, int], key: str, value: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, _ = wheel
    assert looked_at(package, monkeypatch).folder == package.compiled
    package.manifest |= {key: value}
    assert words in looked_at(package, monkeypatch).reason


def test_another_numba_in_the_manifest(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    package.manifest |= {"numba": "0.67.0"}
    number, origins, reason = package.ask()
    assert (number, origins) == (right, COMPILED)
    assert "another Numba" in reason


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "null", '{"format": 1}'])
def test_a_manifest_that_is_none(wheel: tuple[Package, int], content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, _ = wheel
    (package.compiled / MANIFEST).write_text(content)
    assert "manifest" in looked_at(package, monkeypatch).reason


def test_without_a_manifest_it_counts_as_not_there(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    (package.compiled / MANIFEST).unlink()
    assert package.ask() == (right, COMPILED, "")


def test_a_processor_that_the_user_asks_for(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    number, origins, reason = package.ask(NUMBA_CPU_NAME="generic")
    assert (number, origins) == (right, COMPILED)
    assert "NUMBA_CPU_NAME" in reason


def test_the_wheels_own_processor_may_be_asked_for(wheel: tuple[Package, int]) -> None:
    package, _ = wheel
    cpu = BASELINES[architecture()].cpu
    assert package.ask(NUMBA_CPU_NAME=cpu, NUMBA_CPU_FEATURES="")[1] == {"wheel": 1}


@pytest.mark.skipif(architecture() != "x86_64", reason="other baselines need nothing")
@pytest.mark.parametrize("feature", BASELINES["x86_64"].needs)
def test_each_instruction_is_asked_for(
    wheel: tuple[Package, int], feature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, _ = wheel
    has = dict(llvmlite.binding.get_host_cpu_features())
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: has | {feature: False})
    assert looked_at(package, monkeypatch).reason.endswith(f"lacks {feature}")


@pytest.mark.skipif(architecture() != "x86_64", reason="other baselines need nothing")
def test_a_processor_of_which_nobody_knows_anything(
    wheel: tuple[Package, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown() -> None:
        raise RuntimeError("not on this system")

    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", unknown)
    assert "lacks avx, avx2" in looked_at(wheel[0], monkeypatch).reason


@pytest.mark.skipif(architecture() != "x86_64", reason="other baselines need nothing")
def test_a_processor_that_lacks_an_instruction(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    change = """
import llvmlite.binding
has = dict(llvmlite.binding.get_host_cpu_features())
llvmlite.binding.get_host_cpu_features = lambda: has | {"bmi2": False}
code_cache.shipped.cache_clear()
"""
    number, origins, reason = package.ask(change)
    assert (number, origins) == (right, COMPILED)
    assert reason.endswith("this one lacks bmi2")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "one bit": lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_compiled_anew(wheel: tuple[Package, int], damage: Callable[[bytes], bytes]) -> None:
    package, right = wheel
    for file in package.compiled.rglob("*.nbc"):
        file.write_bytes(damage(file.read_bytes()))
    assert package.ask() == (right, COMPILED, "")
    assert package.ask() == (right, {"cache": 1}, "")


def test_a_missing_file_is_compiled_anew(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    for file in package.compiled.rglob("*.nbc"):
        file.unlink()
    assert package.ask() == (right, COMPILED, "")


def test_a_change_of_a_kernel_is_noticed(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    with (package.folder / "dacalns" / "core" / "loop.py").open("a") as stream:
        stream.write("\n# Another kernel has changed.\n")
    number, origins, reason = package.ask()
    assert (number, origins) == (right, COMPILED)
    assert "version of the kernels" in reason


REFUSE = """
import pathlib
def refused(*_, **__): raise OSError(30, "Read-only file system")
pathlib.Path.write_bytes = refused
"""


def test_where_nothing_can_be_written_the_wheel_is_enough(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    assert package.ask(REFUSE) == (right, {"wheel": 1}, "")


def test_where_nothing_can_be_written_and_nothing_fits_one_line_says_so(wheel: tuple[Package, int]) -> None:
    package, right = wheel
    package.manifest |= {"numba": "0.1"}
    change = REFUSE + "import warnings; warnings.showwarning = lambda message, *_, **__: print(message)\n"
    environment = os.environ | {"PYTHONPATH": str(package.folder), "NUMBA_CACHE_DIR": str(package.folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, change], env=environment, capture_output=True, text=True, check=True
    )
    said, answer = done.stdout.splitlines()
    assert "could not be kept (" in said
    assert done.stderr == ""
    assert json.loads(answer)[:2] == [right, COMPILED]


def test_damaged_files_are_named(wheel: tuple[Package, int], monkeypatch: pytest.MonkeyPatch) -> None:
    package, _ = wheel
    monkeypatch.setattr(shipped_code, "FOLDER", package.compiled)
    assert damaged_files() == []
    first, *_ = sorted(package.compiled.rglob("*.nbc"))
    first.write_bytes(first.read_bytes()[:-1])
    assert damaged_files() == [first.relative_to(package.compiled).as_posix()]
    (package.compiled / MANIFEST).write_text("{")
    assert damaged_files() == [MANIFEST]


def test_versions_of_a_system_do_not_count() -> None:
    assert without_version("arm64-apple-darwin23.4.0") == without_version("arm64-apple-darwin24.0.0")
    assert without_version("x86_64-unknown-linux-gnu") == "x86_64-unknown-linux-gnu"


def test_a_checkout_has_none() -> None:
    assert not (SRC / "_compiled").exists()
    assert code_of_wheel() == Shipped(None, None, "")


def test_users_functions_are_not_looked_for_in_the_wheel(tmp_path: Path) -> None:
    def mine() -> None:
        """In no folder of the package."""

    assert code_cache._room(mine) is None
    assert code_cache._room(code_cache.code_of_wheel) == "core"
    assert numba.config.CPU_NAME is None or code_of_wheel().magic is None
