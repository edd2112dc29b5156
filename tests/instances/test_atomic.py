"""Files that are written whole or not at all, and what is no file."""

import os
import stat
import threading

import pytest

from dacalns import InputError
from dacalns.util import files as atomic
from dacalns.util.files import append, require_writable, write_atomically


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    file.write_text("old")
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert names(file.parent) == ["file"]


def test_a_link_to_nothing_makes_its_file(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("file")
    write_atomically(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_link_to_itself_is_refused(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(InputError, match="leads back to itself"):
        write_atomically(link, "new")
    assert link.is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_of_a_file_stays(tmp_path, mode):
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(mode)
    write_atomically(file, "new")
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_pipe_is_written_to(tmp_path):
    pipe, seen = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()))
    reader.start()
    content = "long" * 100_000  # more than a pipe holds
    write_atomically(pipe, content)
    reader.join()
    assert seen == [content.encode()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to():
    before = os.stat(os.devnull)
    require_writable(os.devnull)
    write_atomically(os.devnull, "new")
    assert os.path.samestat(before, os.stat(os.devnull))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_nothing_is_left_of_what_fails(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, InputError)):
        write_atomically(tmp_path / "file", "new")
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_process_that_ends_at_once_can_remove_what_is_unfinished(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: (seen.append(names(tmp_path)), atomic.remove_unfinished()))
    seen: list[list[str]] = []
    with pytest.raises(InputError):
        write_atomically(tmp_path / "file", "new")
    assert [name.endswith(".partial") for name in seen[0]] == [True]
    assert names(tmp_path) == []


def test_half_a_character_is_told_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"has half a character, '\\udcff'; expected Unicode"):
        write_atomically(tmp_path / "file", "NAME : caf\udcff\n")
    assert names(tmp_path) == []


def test_what_cannot_be_written_is_told_before(tmp_path):
    with pytest.raises(InputError, match="this is a folder"):
        require_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        require_writable(tmp_path / "no" / "file")
    with pytest.raises(InputError, match="NUL"):
        require_writable("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_file_is_not_replaced(tmp_path):
    file = tmp_path / "file"
    file.touch(0o444)
    with pytest.raises(InputError, match="read-only"):
        write_atomically(file, "new")


def test_text_at_the_end_of_a_file(tmp_path):
    append(tmp_path / "file", "one\n")
    append(tmp_path / "file", "two\n")
    assert (tmp_path / "file").read_text() == "one\ntwo\n"
    with pytest.raises(InputError, match="cannot be written"):
        append("/dev/full", "three")
