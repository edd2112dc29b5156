"""Whole runs on caches of compiled code that are damaged, full, read-only, or filled by several at once."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
# Little to compile, so that it can be done again and again.
COMMAND = ("-m", "dacalns", "solve", "P-n16-k8", "--selector", "random", "--portfolio", "paper", "--iterations", "20")
# As root, modes of files hold nothing up, unless these rights are given away.
POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all")


class Run:
    """A run of the command, with caches and temporary files in folders of its own."""

    def __init__(self, folder: Path, *, before: tuple[str, ...] = (), limit: int | None = None, **variables: str):
        self._answer = folder / f"answer-{random.SystemRandom().getrandbits(64):x}.json"
        environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(folder)}
        environment |= {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"} | variables
        environment = {name: value for name, value in environment.items() if value}
        self.process = subprocess.Popen(
            [*before, sys.executable, *COMMAND, "--quiet", "--json", str(self._answer)],
            env=environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )

    def answer(self) -> tuple[list[list[int]], str]:
        """The routes, and what was said on stderr."""
        out, said = self.process.communicate(timeout=600)
        assert self.process.returncode == 0, said + out
        found = json.loads(self._answer.read_text())
        # The sentence that says that the search is compiled is none about the cache.
        said = "".join(line + "\n" for line in said.splitlines() if not line.startswith("Compiling"))
        return found["routes"], said


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[int]]]:
    """A folder with a full cache, and the right answer."""
    folder = tmp_path_factory.mktemp("warm")
    routes, said = Run(folder).answer()
    assert said == ""
    assert files(folder)
    return folder, routes


def _flipped(content: bytes) -> bytes:
    place = random.Random(content).randrange(len(content))
    return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda _: b"",
    lambda content: content[: len(content) // 2],
    _flipped,
    lambda content: bytes(len(content)),
    lambda content: random.Random(0).randbytes(len(content)),
    lambda _: b"\x80\x05\x8c\x060.68.1.",
]


def test_damaged_files_are_made_again(warm: tuple[Path, list[list[int]]], tmp_path: Path) -> None:
    folder, routes = warm
    shutil.copytree(folder / "cache", tmp_path / "cache")
    for place, file in enumerate(files(tmp_path)):
        file.write_bytes(DAMAGES[place % len(DAMAGES)](file.read_bytes()))
    assert Run(tmp_path).answer() == (routes, "")
    after = {file: file.stat().st_mtime_ns for file in files(tmp_path)}
    assert Run(tmp_path).answer() == (routes, "")
    assert {file: file.stat().st_mtime_ns for file in files(tmp_path)} == after  # nothing is left to be mended


def test_folders_in_place_of_files_do_no_harm(warm: tuple[Path, list[list[int]]], tmp_path: Path) -> None:
    folder, routes = warm
    for file in files(folder):
        (tmp_path / file.relative_to(folder) / "inside").mkdir(parents=True)
    assert Run(tmp_path).answer() == (routes, "")


def test_a_full_disk_costs_a_sentence_at_most(warm: tuple[Path, list[list[int]]], tmp_path: Path) -> None:
    routes, said = Run(tmp_path, limit=8192).answer()
    assert routes == warm[1]
    assert said.startswith("Warning: Compiled code could not be kept (")
    assert said.count("\n") == 1
    assert not [*tmp_path.rglob("*.tmp")]


@pytest.fixture
def powerless() -> tuple[str, ...]:
    """What goes before a command so that modes of files hold."""
    if os.geteuid() != 0:
        return ()
    if shutil.which(POWERLESS[0]) is None:
        pytest.skip("modes of files hold nothing up here")
    return POWERLESS


def _package(folder: Path, cache: Path | None) -> Path:
    """A copy of the package for which nothing can be written, with compiled code in it or without."""
    package = folder / "package"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "dacalns", package / "dacalns", ignore=ignored)
    if cache is not None:
        shutil.copytree(next(cache.glob("core_*")), package / "dacalns" / "core" / "__pycache__")
        shutil.copytree(next(cache.glob("search_*")), package / "dacalns" / "search" / "__pycache__")
    (folder / "home").mkdir()
    for entry in (*package.rglob("*"), package, folder / "home"):
        entry.chmod(0o555 if entry.is_dir() else 0o444)
    return package


def test_a_read_only_package_with_compiled_code_in_it_uses_it(
    warm: tuple[Path, list[list[int]]], powerless: tuple[str, ...], tmp_path: Path
) -> None:
    package = _package(tmp_path, warm[0] / "cache")
    home = str(tmp_path / "home")
    run = Run(tmp_path, before=powerless, NUMBA_CACHE_DIR="", HOME=home, XDG_CACHE_HOME="", PYTHONPATH=str(package))
    assert run.answer() == (warm[1], "")
    assert not files(tmp_path / f"dac-alns-{os.getuid()}")


def test_a_read_only_package_and_home_leave_temporary_files(
    warm: tuple[Path, list[list[int]]], powerless: tuple[str, ...], tmp_path: Path
) -> None:
    package = _package(tmp_path, None)
    home = str(tmp_path / "home")
    where = {"NUMBA_CACHE_DIR": "", "HOME": home, "XDG_CACHE_HOME": "", "PYTHONPATH": str(package)}
    assert Run(tmp_path, before=powerless, **where).answer() == (warm[1], "")
    private = tmp_path / f"dac-alns-{os.getuid()}"
    assert len(files(private)) == len(files(warm[0]))
    assert private.stat().st_mode & 0o777 == 0o700
    after = {file: file.stat().st_mtime_ns for file in files(private)}
    assert Run(tmp_path, before=powerless, **where).answer() == (warm[1], "")
    assert {file: file.stat().st_mtime_ns for file in files(private)} == after


def test_two_that_fill_a_cache_at_once(warm: tuple[Path, list[list[int]]], tmp_path: Path) -> None:
    both = [Run(tmp_path), Run(tmp_path)]
    assert [run.answer() for run in both] == [(warm[1], "")] * 2
    assert {file.name for file in files(tmp_path)} == {file.name for file in files(warm[0])}
    assert Run(tmp_path).answer() == (warm[1], "")


def test_one_that_is_killed_while_it_compiles(warm: tuple[Path, list[list[int]]], tmp_path: Path) -> None:
    for seconds in (3, 6, 9):
        run = Run(tmp_path)
        time.sleep(seconds)
        run.process.send_signal(signal.SIGKILL)
        run.process.communicate()
    assert Run(tmp_path).answer() == (warm[1], "")
