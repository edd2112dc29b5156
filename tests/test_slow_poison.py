"""Short inputs that took minutes: time is linear in the length of what is read.

Each takes about a tenth of a second now, and took more than a minute of processor time when it was quadratic. The limit
lies between.
"""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dacalns.instances import generate_cvrp, read, read_solution
from dacalns.selectors.by_name import as_selector
from dacalns.settings.toml_file import TomlFile
from dacalns.study import task
from dacalns.study.load_protocol import load_protocol
from dacalns.util.errors import InputError
from dacalns.util.values import did_you_mean

LIMIT = 10.0


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    def over(*_: object) -> None:
        raise TimeoutError(f"over {LIMIT:g} s of processor time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    "text", ["route" + " " * 200_000 + "x", "route #" + " " * 200_000 + "1", "route" * 100_000], ids=len
)
def test_a_solution(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="expected a route such as"):
        read_solution(written(tmp_path, "x.sol", text))


def test_a_route_with_a_long_number(tmp_path: Path) -> None:
    path = written(tmp_path, "x.sol", f"Route {'1' * 50_000}: {'1 ' * 20_000}\n")
    assert read_solution(path) == ([[1] * 20_000], None)


@pytest.mark.parametrize(
    "text",
    [
        "NAME : x\nA" + " " * 200_000 + "B",
        "NAME : x\nA" + "_SECTION" * 50_000 + "!",
        "NAME : x\n" + "COMMENT : y\n" * 100_000,
        "NAME : x\n" + "".join(f"CAPACTY{number} : y\n" for number in range(100_000)),
        "NAME : x\n" + "".join(f"A{number} : y\n" for number in range(100_000)),
    ],
    ids=len,
)
def test_an_instance(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read(written(tmp_path, "x.vrp", text))


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nb = [\n" + "1,\n" * 20_000 + "]\nc = 1\n",
        "[a]\nb = '''\n" + "x\n" * 20_000 + "'''\nc = 1\n",
        '[a]\nb = """\n' + '\\"x\n' * 20_000 + '"""\nc = 1\n',
        "[a]\nb = [" + "[],\n" * 20_000 + "]\nc = 1\n",
    ],
    ids=len,
)
def test_toml_over_many_lines(tmp_path: Path, text: str) -> None:
    file = TomlFile.load(written(tmp_path, "x.toml", text))
    assert file.lines["a", "c"] == text.count("\n")


def test_toml_keys_of_many_parts(tmp_path: Path) -> None:
    for text in ("a." * 50_000 + "a = 1", "x = 1\n[" + '"a" . ' * 50_000 + "a]", "'a'." * 50_000 + "a = 1"):
        with pytest.raises(InputError, match=r"x\.toml:[12]: the key has over 32 parts"):
            TomlFile.load(written(tmp_path, "x.toml", text))
    inner = "{" + "a." * 500 + "a = 1}"
    TomlFile.load(written(tmp_path, "x.toml", "x = [" + f"{inner},\n" * 50 + "]"))


def test_a_protocol_of_many_files_and_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Reading thousands of files is no matter of the protocol.
    monkeypatch.setattr(sys.modules[load_protocol.__module__], "known_instance", lambda _: None)
    files = "".join(f"  'i{number}.vrp',\n" for number in range(20_000))
    methods = "".join(f"[methods.m{number}]\nportfolio = 'paper'\n" for number in range(2_000))
    protocol = load_protocol(written(tmp_path, "x.toml", f"[groups.g]\ninstances = [\n{files}]\n{methods}"))
    assert protocol.runs == 20_000 * 2_000
    text = f"[groups.g]\ninstances = [\n{files}'i19999.vrp']\n{methods}"
    with pytest.raises(InputError, match=r"x\.toml:2: instances has i19999.vrp twice"):
        load_protocol(written(tmp_path, "x.toml", text))


def test_a_set_that_is_named_again_and_again_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(name: str) -> object:
        read.append(name)
        return generate_cvrp(4, seed=1)

    monkeypatch.setattr(task, "read", noted)
    task._unchanged.cache_clear()
    twice = "[groups.g]\ninstances = ['RC1', 'RC1']\n[methods.m]\n"
    with pytest.raises(InputError, match="instances has RC101 twice"):
        load_protocol(written(tmp_path, "x.toml", twice))
    assert read == []
    groups = "".join(f"[groups.g{number}]\ninstances = ['RC1']\n" for number in range(50))
    load_protocol(written(tmp_path, "y.toml", f"{groups}[methods.m]\n"))
    assert len(read) == len(set(read)) == 8


def test_parts_of_a_file_share_its_lines(tmp_path: Path) -> None:
    file = TomlFile.load(written(tmp_path, "x.toml", "[a.b]\nc = {d = 1}\n"))
    part = file.part("a").part("b")
    assert part.lines is file.lines
    assert str(part.error(("c", "d"), "no.")).endswith("x.toml:2: no.")
    assert str(part.error(("x",), "no.")).endswith("x.toml:1: no.")


def test_suggestions_for_long_words() -> None:
    assert did_you_mean("ab" * 10**6, ["ab" * 10**5, "abab"]) == ""


def test_many_weights() -> None:
    with pytest.raises(InputError, match="20001 destroy operators"):
        as_selector("weights:" + "1," * 20_000 + "1/" + "1," * 20_000 + "1")
