"""The lines of keys, however the file is laid out."""

from pathlib import Path

import pytest

from dacalns.settings.toml_file import TomlFile
from dacalns.util.errors import InputError

TEXT = '''\
# comment = 1
top.inner = 1

[a]  # [not a table]
b = [
  "[a.x]", # c = 1
  "]",
]
"quoted = key" = """
[b]
c = 1
"""
[a.c]
d = {e = 1, f = {g = 2}}
[[list]]
one = 1
[[list]]
two = 2
'''


def test_lines_of_tables_and_keys(tmp_path):
    path = tmp_path / "x.toml"
    for text in (TEXT, TEXT.replace("\n", "\r\n"), TEXT.removesuffix("\n")):
        path.write_bytes(text.encode())
        assert TomlFile.load(path).lines == {
            ("top",): 2,
            ("top", "inner"): 2,
            ("a",): 4,
            ("a", "b"): 5,
            ("a", "quoted = key"): 9,
            ("a", "c"): 13,
            ("a", "c", "d"): 14,
            ("a", "c", "d", "e"): 14,
            ("a", "c", "d", "f"): 14,
            ("a", "c", "d", "f", "g"): 14,
            ("list",): 15,
            ("list", "one"): 16,
            ("list", "two"): 18,
        }


def test_an_error_names_file_and_line(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(TEXT)
    assert str(TomlFile.load(path).error(("a", "c"), "no.")) == f"{path}:13: no."


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0b" + "1" * 15000, "-" + "9" * 400])
def test_numbers_that_no_setting_needs_are_told_with_their_line(tmp_path: Path, number: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(f"[one]\nfine = 1\n[two]\nlist = [1, {number}]\n")
    with pytest.raises(InputError, match=r"a.toml:4: list is .* digits; correct it") as told:
        TomlFile.load(path)
    assert len(str(told.value)) <= 300
