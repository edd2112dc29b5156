"""Changes to an input: of bytes, of words and lines, and of what is inside JSON, safetensors and SQLite files."""

import copy
import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz import nasty

LARGEST = 200_000
"""Longer inputs are cut, so that copies of copies do not take all of the time."""

Change = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes], changes: Sequence[Change]) -> bytes:
    """The input after one to four of the changes; ``others`` are inputs of the same kind to take pieces from."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(changes)(rng, data, others)
    return data[:LARGEST]


def _span(rng: random.Random, data: bytes, longest: int = 64) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + rng.randint(0, longest))


def flip(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Change a bit, or a byte."""
    if not data:
        return b"\x00"
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8) if rng.random() < 0.5 else rng.randint(1, 255)
    return bytes(changed)


def cut(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Leave something out, in the middle or all of the end."""
    begin, end = _span(rng, data)
    return data[:begin] if rng.random() < 0.2 else data[:begin] + data[end:]


def repeat(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Write something many times over."""
    begin, end = _span(rng, data)
    return data[:end] + data[begin:end] * rng.choice((1, 2, 10, 1000)) + data[end:]


def insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Write something nasty somewhere."""
    begin, end = _span(rng, data, 8)
    return data[:begin] + rng.choice(nasty.BYTES) + data[end if rng.random() < 0.5 else begin :]


def number(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Put a nasty number in the place of one."""
    found = list(re.finditer(rb"[-+]?[0-9][0-9.eE+-]*", data))
    if not found:
        return data
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(nasty.NUMBERS).encode() + data[place.end() :]


def words(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Swap two words, or take one from another input."""
    found = list(re.finditer(rb"[^\s,:=\[\]{}\"']+", data))
    if len(found) < 2:
        return data
    one, other = sorted(rng.sample(found, 2), key=lambda place: place.start())
    if rng.random() < 0.5:
        theirs = re.findall(rb"[^\s,:=\[\]{}\"']+", rng.choice(others)) or [b""]
        return data[: one.start()] + rng.choice(theirs) + data[one.end() :]
    return data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]


def lines(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Delete, double, swap, move or borrow a line, or end all of them in another way."""
    rows = data.split(b"\n")
    one, other = rng.randrange(len(rows)), rng.randrange(len(rows))
    kind = rng.randrange(6)
    if kind == 0:
        del rows[one]
    elif kind == 1:
        rows.insert(other, rows[one])
    elif kind == 2:
        rows[one], rows[other] = rows[other], rows[one]
    elif kind == 3:
        rows.insert(one, rng.choice(rng.choice(others).split(b"\n")))
    elif kind == 4:
        rows[one] = rng.choice((b" ", b"\t", b"\xef\xbb\xbf", b"")) + rows[one] * rng.choice((1, 2, 200))
    else:
        return rng.choice((b"\r\n", b"\r", b"\x0c", b"\xe2\x80\xa8")).join(rows)
    return b"\n".join(rows)


def splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of one input and the end of another."""
    other = rng.choice(others)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def toml_value(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Give another value to a key of a TOML file, or another name to a key or table."""
    rows = data.split(b"\n")
    which = [index for index, row in enumerate(rows) if b"=" in row or row.startswith(b"[")]
    if not which:
        return data
    index = rng.choice(which)
    key, equals, value = rows[index].partition(b"=")
    nasty_value = rng.choice((*nasty.NUMBERS, '"x"', "[1, 2]", "{a = 1}", "[[]]", "1979-05-27", '"\\u0000"')).encode()
    if not equals or rng.random() < 0.3:
        key = key.strip(b"[] ") + rng.choice((b".x", b"x", b'."a b"', b"." + nasty_value))
        rows[index] = key + b" =" + (value or nasty_value) if equals else b"[" + key + b"]"
    else:
        rows[index] = key + b"= " + nasty_value
    return b"\n".join(rows)


def json_value(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Change something inside of JSON: a value, a name, the type of anything."""
    try:
        tree = json.loads(data)
        return json.dumps(changed_tree(rng, tree), allow_nan=True).encode()
    except (ValueError, RecursionError):
        return data


def changed_tree(rng: random.Random, tree: Any) -> Any:
    """Plain data with one thing in it changed."""
    tree = copy.deepcopy(tree)
    places = list(_places(tree))
    if not places:
        return rng.choice(nasty.VALUES)
    owner, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0 and isinstance(owner, dict):
        del owner[key]
    elif kind == 1 and isinstance(owner, dict):
        owner[rng.choice((str(key) + "x", "", "surprise", "a" * 300))] = owner.pop(key)
    elif kind == 2 and isinstance(owner, list):
        owner.insert(key, copy.deepcopy(owner[key]) if rng.random() < 0.5 else rng.choice(nasty.VALUES))
    elif kind == 3 and isinstance(owner[key], list | dict | str):
        owner[key] = type(owner[key])()
    else:
        owner[key] = copy.deepcopy(rng.choice(nasty.VALUES))
    return tree


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    todo = [tree]
    while todo:
        owner = todo.pop()
        for key in owner if isinstance(owner, dict) else range(len(owner)) if isinstance(owner, list) else ():
            found.append((owner, key))
            todo.append(owner[key])
    return found


def safetensors_header(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Change the header of a safetensors file, or the JSON text inside its metadata; the length stays true."""
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
        if rng.random() < 0.8:
            for key, text in header["__metadata__"].items():
                header["__metadata__"][key] = json.dumps(changed_tree(rng, json.loads(text))).replace(
                    "Infinity", "1e400"
                )
        else:
            header = changed_tree(rng, header)
        text = json.dumps(header).encode()
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return flip(rng, data, ())
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def database_cell(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Put something else into a cell of a database, or change the JSON inside of one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        path.write_bytes(data)
        connection = sqlite3.connect(path)
        try:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = rng.choice(tables)
            column = rng.choice([entry[1] for entry in connection.execute(f'PRAGMA table_info("{table}")')])
            rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
            row, old = rng.choice(rows)
            new = _other_cell(rng, old)
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, row))
            connection.commit()
        except (sqlite3.Error, IndexError, ValueError, OverflowError, UnicodeError):
            return flip(rng, data, ())
        finally:
            connection.close()
        return path.read_bytes()


def _other_cell(rng: random.Random, old: Any) -> Any:
    if isinstance(old, str) and rng.random() < 0.6:
        try:
            return json.dumps(changed_tree(rng, json.loads(old)))
        except (ValueError, RecursionError):
            return mutated(rng, old.encode(errors="replace"), [b"x"], (flip, cut, insert)).decode(errors="replace")
    value = rng.choice((*nasty.VALUES, b"\xff\x00", b"{}", "[", "9" * 5000))
    return value if value is None or isinstance(value, int | float | str | bytes) else json.dumps(value)


TEXT: tuple[Change, ...] = (flip, cut, repeat, insert, number, number, words, words, lines, lines, splice)
TOML: tuple[Change, ...] = (*TEXT, toml_value, toml_value, toml_value, toml_value)
JSON: tuple[Change, ...] = (*TEXT, *(json_value,) * 8)
TENSORS: tuple[Change, ...] = (flip, cut, insert, splice, repeat, *(safetensors_header,) * 8)
DATABASE: tuple[Change, ...] = (flip, flip, cut, insert, *(database_cell,) * 8)
