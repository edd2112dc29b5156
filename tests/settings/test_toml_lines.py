"""The lines of keys, however the file is laid out."""

from dacalns.settings.toml_lines import TomlFile

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
