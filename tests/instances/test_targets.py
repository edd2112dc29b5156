"""Files to write that are files to read, or one another."""

import os

import pytest

from dacalns import InputError
from dacalns.util.files import files_in, require_apart


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    path.write_text("kept")
    (tmp_path / "link").symlink_to(path)
    os.link(path, tmp_path / "second name")
    return path


@pytest.mark.parametrize("name", ["source", "link", "second name", "../{}/source"])
def test_a_file_that_is_read_is_not_written(tmp_path, source, name):
    target = tmp_path / name.format(tmp_path.name)
    with pytest.raises(InputError, match=r"^--out '.*' is the file that INSTANCE reads"):
        require_apart({"--out": target}, {"INSTANCE": source})


def test_two_files_are_not_one(tmp_path):
    (tmp_path / "link").symlink_to("new")
    with pytest.raises(InputError, match=r"^--json '.*' is the file that --out writes"):
        require_apart({"--out": tmp_path / "new", "--plot": None, "--json": tmp_path / "link"}, {})
    with pytest.raises(InputError, match="is the file that --out writes"):
        require_apart({"--out": "/dev/stdout", "--json": "/dev/stdout"}, {})


def test_others_are_fine(tmp_path, source):
    names = {"INSTANCE": "A-n32-k5", "--settings": None, "--start": source}
    require_apart({"--out": tmp_path / "a", "--json": tmp_path / "b"}, names)
    require_apart({"--out": os.devnull, "--json": os.devnull}, {"--start": os.devnull})


def test_files_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "one.safetensors", "two.safetensors"):
        (tmp_path / name).touch()
    assert files_in(None) == files_in("roulette") == files_in("dac-t:hold=5") == []
    assert files_in("mine.py") == files_in("mine.py:NAME") == ["mine.py"]
    assert files_in("dac-t:one.safetensors,hold=5") == ["one.safetensors"]
    assert files_in("one.safetensors,two.safetensors") == ["one.safetensors", "two.safetensors"]
