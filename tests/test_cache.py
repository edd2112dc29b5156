"""Compiled code on the disk: whatever is wrong with its folders and files, searches go on and are right."""

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numba
import pytest

from dacalns.cli import command
from dacalns.core import code_cache
from dacalns.core.jit import jit_enabled
from dacalns.util import files as private_folder_module
from dacalns.util.files import private_folder

compiled = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
SOURCE = """
from numba import types
from dacalns.core.jit import kernel, pluggable

@kernel
def twice(x):
    return x + x

def half(x):
    return x / 2

def plugged():
    return pluggable(half, types.float64(types.float64)).compiled
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that compiled code goes into first; the one that is tried after it is called ``private``."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(code_cache, "private_folder", lambda: tmp_path / "private")
    monkeypatch.setattr(code_cache, "_said", False)
    (tmp_path / "mine.py").write_text(SOURCE)
    return tmp_path / "cache"


def load(folder: Path) -> ModuleType:
    """The file as another process would load it."""
    spec = importlib.util.spec_from_file_location("mine", folder / "mine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hits(place: Path) -> int:
    """How often code came from the cache, 2 times at most, in a process that uses both functions."""
    module = load(place.parent)
    assert module.twice(21) == 42
    function = module.plugged()
    assert function.ctypes(42.0) == 21.0
    return function.cache_hits + sum(module.twice.stats.cache_hits.values())


def files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.nbc"))


@compiled
def test_code_is_kept_and_found_again(place: Path) -> None:
    assert hits(place) == 0
    assert len(files(place)) == 2
    assert hits(place) == 2


@compiled
@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:20],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content[1000:],
        lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
        lambda content: bytes([content[0] ^ 1]) + content[1:],
        lambda content: bytes(len(content)),
        lambda content: b"\x80\x05N." + content,
    ],
    ids=["empty", "short", "half", "last byte", "no beginning", "one bit", "its hash", "zeros", "foreign"],
)
def test_damaged_code_is_made_again(place: Path, damage: Callable[[bytes], bytes]) -> None:
    hits(place)
    for file in files(place):
        file.write_bytes(damage(file.read_bytes()))
    assert hits(place) == 0
    assert hits(place) == 2


@compiled
def test_code_that_refers_to_what_is_gone_is_made_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(code_cache, "dumps", lambda _: b"cno_such_module\nno_such_name\n.")
        hits(place)
    assert hits(place) == 0
    assert hits(place) == 2


@compiled
def test_code_under_the_name_of_other_code_is_not_run(place: Path) -> None:
    hits(place)
    one, other = files(place)
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    assert hits(place) == 0


@compiled
def test_a_change_of_the_source_is_noticed_at_the_same_size_and_date(place: Path) -> None:
    hits(place)
    source = place.parent / "mine.py"
    dates = source.stat()
    source.write_text(SOURCE.replace("x / 2", "x / 4"))
    os.utime(source, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    code_cache._hash_of_file.cache_clear()  # another process has not read it
    assert load(place.parent).plugged().ctypes(42.0) == 10.5


@compiled
def test_code_of_another_source_counts_as_missing_before_it_is_asked_for(place: Path) -> None:
    def kept() -> str | None:
        code_cache._hash_of_file.cache_clear()
        twice = load(place.parent).twice
        magic = twice.targetctx.codegen().magic_tuple()
        return code_cache.CodeCache(twice.py_func).origin((numba.int64,), magic)

    assert kept() is None
    hits(place)
    assert kept() == code_cache.KEPT
    (place.parent / "mine.py").write_text(SOURCE.replace("x / 2", "x / 4"))
    assert kept() is None


@compiled
def test_another_date_of_the_source_changes_nothing(place: Path) -> None:
    hits(place)
    os.utime(place.parent / "mine.py", (1e9, 1e9))
    assert hits(place) == 2


def test_kernels_are_known_by_what_is_in_their_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprint = code_cache.fingerprint_of_core.__wrapped__
    before = fingerprint()
    for file in code_cache.CORE.glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(code_cache, "CORE", tmp_path)
    assert fingerprint() == before
    (tmp_path / "loop.py").write_text("other")
    assert fingerprint() != before


@compiled
def test_kernels_stay_in_the_cache_until_one_of_their_files_changes(tmp_path: Path) -> None:
    """In a copy of the package, since files of the package itself are not to be touched."""
    package = tmp_path / "dacalns"
    shutil.copytree(code_cache.CORE.parent, package, ignore=shutil.ignore_patterns("__pycache__", "policies"))
    script = (
        "from dacalns.core.rng import random_int, seeded\n"
        "random_int(seeded(1), 9)\n"
        "print(sum(random_int.stats.cache_hits.values()))"
    )

    def cache_hits() -> int:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", script]
        return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    assert (cache_hits(), cache_hits()) == (0, 1)
    for file in package.rglob("*.py"):
        os.utime(file, (1e9, 1e9))
    assert cache_hits() == 1
    with (package / "core" / "loop.py").open("a") as other:
        other.write("\n# Another kernel has changed.\n")
    assert (cache_hits(), cache_hits()) == (0, 1)


def _refuse(place: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be written below a folder."""
    write = Path.write_bytes

    def refused(path: Path, content: bytes) -> int:
        if path.is_relative_to(place):
            raise OSError(number, os.strerror(number), str(path))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", refused)


@compiled
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
def test_what_cannot_be_written_goes_elsewhere(place: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _refuse(place, number, monkeypatch)
    assert hits(place) == 0
    assert len(files(place.parent / "private")) == 2
    assert hits(place) == 2


@compiled
def test_code_is_read_from_a_folder_that_cannot_be_written(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hits(place)
    _refuse(place.parent, errno.EROFS, monkeypatch)
    assert hits(place) == 2


@compiled
def test_where_nothing_can_be_written_one_sentence_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _refuse(place.parent, errno.ENOSPC, monkeypatch)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert hits(place) == 0
        assert hits(place) == 0
    assert len(said) == 1
    assert "could not be kept" in str(said[0].message)
    assert "NUMBA_CACHE_DIR" in str(said[0].message)
    assert not list(place.parent.rglob("*.tmp"))


@compiled
def test_without_any_folder_code_is_compiled(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "private_folder", lambda: None)
    monkeypatch.setattr(code_cache, "_usual_folders", lambda _: ("", []))
    with pytest.warns(RuntimeWarning, match="there is no folder for it"):
        assert hits(place) == 0


@compiled
def test_a_function_in_no_file_leaves_nothing_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    name, folders = code_cache._usual_folders("<stdin>")
    assert name == "prompt"
    assert not any(folder.is_relative_to(tmp_path) for folder in folders)


def test_a_user_without_a_home_gets_no_folder_called_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert all(folder.is_absolute() for folder in code_cache._usual_folders("/nowhere/file.py")[1])


@compiled
def test_the_package_starts_where_no_folder_can_be_written() -> None:
    script = """
import os, tempfile
from pathlib import Path
def refused(*_, **__): raise PermissionError(13, "Permission denied")
Path.mkdir = os.mkdir = os.makedirs = tempfile.TemporaryFile = refused
import dacalns
print(dacalns.read("P-n16-k8").customers)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "15\n", "")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that all users share."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    private_folder.cache_clear()
    yield tmp_path
    private_folder.cache_clear()


needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="each user has temporary files of their own")


@needs_users
def test_the_private_folder_is_for_its_user_alone(shared: Path) -> None:
    folder = private_folder()
    assert folder == shared / f"dac-alns-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    private_folder.cache_clear()
    assert private_folder() == folder


@needs_users
@pytest.mark.parametrize("taken", ["link", "file", "open to all"])
def test_a_name_that_somebody_has_taken_is_passed_over(shared: Path, taken: str) -> None:
    usual = shared / f"dac-alns-{os.getuid()}"
    if taken == "link":
        (shared / "trap").mkdir(mode=0o700)
        usual.symlink_to(shared / "trap")
    elif taken == "file":
        usual.touch()
    else:
        usual.mkdir()
        usual.chmod(0o777)
    folder = private_folder()
    assert folder == shared / f"dac-alns-{os.getuid()}-1"
    assert folder.stat().st_mode & 0o777 == 0o700


@needs_users
def test_a_folder_of_another_user_is_passed_over(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shared / "dac-alns-4711").mkdir(mode=0o700)
    monkeypatch.setattr(private_folder_module.os, "getuid", lambda: 4711)
    assert private_folder() == shared / "dac-alns-4711-1"


@needs_users
def test_there_may_be_no_private_folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for attempt in range(private_folder_module.ATTEMPTS):
        (shared / f"dac-alns-{os.getuid()}{f'-{attempt}' if attempt else ''}").touch()
    assert private_folder() is None

    def nowhere() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    private_folder.cache_clear()
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert private_folder() is None


def test_an_end_of_file_is_no_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def damaged(name: str) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("dacalns.instances.read", damaged)
    monkeypatch.setattr(sys, "argv", ["dac-alns", "generate", "sample", "P-n16-k8"])
    with warnings.catch_warnings(), pytest.raises(EOFError):  # it puts back how warnings are shown
        command.run()
    assert "Interrupted" not in capsys.readouterr().err


def test_the_command_line_prints_a_warning_as_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn(*_: object, **__: object) -> None:
        warnings.warn("Something\nhappened.", RuntimeWarning, stacklevel=1)

    with warnings.catch_warnings():  # it puts back how warnings are shown
        warnings.simplefilter("always")
        monkeypatch.setattr(command, "app", warn)
        with pytest.raises(SystemExit):
            command.run()
    assert capsys.readouterr().err == "Warning: Something happened.\n"
