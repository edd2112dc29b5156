"""Files of others: what they say is never run, and names in them lead nowhere else."""

import csv
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from dacalns.cli.command import app
from dacalns.engines import Processes
from dacalns.engines import processes as own_core
from dacalns.settings import load_settings
from dacalns.study import trained_policy
from dacalns.study.load_protocol import load_protocol
from dacalns.study.protocol import PolicyTraining
from dacalns.study.report import write_report
from dacalns.study.store import Store
from dacalns.util.errors import InputError
from dacalns.util.files import MOST_BYTES, csv_text, file_name, private_folder
from study.synthetic_study import stored, study_of

START = '[groups.g]\ninstances = ["P-n16-k8"]\n[methods.ALNS]\nselector = "roulette"\n'
TRAINING = '[trainings.t]\nproblem = "cvrp"\nsteps = 60\n'
EVIL = "from pathlib import Path\nPath(__file__).with_name('was_run').touch()\n"


@pytest.mark.parametrize(
    "protocol",
    [
        START + TRAINING + 'portfolio = "evil.py"\n',
        START + TRAINING + 'settings = "settings.toml"\n',
        START + TRAINING + 'portfolio = "evil.py:mine"\nstart_from = "no.safetensors"\n',
        'portfolio = "evil.py"\n' + START + TRAINING,
        START + '[methods.Mine]\nselector = "evil.py:Mine"\n',
        START + '[methods.Mine]\nportfolio = "evil.py"\n',
        START + '[methods.Mine]\nportfolio = "evil.py"\n[methods.Mine.selector]\nname = "evil.py:Mine"\n',
    ],
)
def test_a_protocol_that_is_shown_runs_no_python(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL)
    Path("settings.toml").write_text('[search]\nportfolio = "evil.py"\n')
    Path("study.toml").write_text(protocol)
    shown = CliRunner().invoke(app, ["study", "show", "study.toml"])
    assert shown.exit_code == 0, shown.output
    assert not Path("was_run").exists()


def test_settings_that_are_loaded_run_no_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL)
    Path("settings.toml").write_text('[search]\nportfolio = "evil.py"\n[selector]\nname = "evil.py:Mine"\n')
    load_settings("settings.toml")
    assert not Path("was_run").exists()


@pytest.mark.parametrize(
    "mistaken",
    [
        TRAINING + 'portfolio = "none.py"\n',
        '[methods.Mine]\nselector = "none.py:Mine"\n',
        '[methods.Mine]\nportfolio = "none.py"\n',
    ],
)
def test_a_python_file_of_a_protocol_must_be_there(mistaken: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(START + mistaken)
    line = (START + mistaken).count("\n")
    with pytest.raises(InputError, match=rf"study\.toml:{line}: .*none\.py' does not exist"):
        load_protocol(file)


@pytest.mark.parametrize(
    "name",
    ["../../x", "/etc/x", "..", ".", "", "a/b", "a\\b", "C:x", ".hidden", "-rf", "a\0b", "a\nb", "x.", "con", "NUL",
     "com1.x", "LPT9", "aux.", "é" * 200, "x" * 5000, "\ud800", "a b", "\x1b[2J", "x:y", "x*?"],
)  # fmt: skip
def test_a_name_becomes_that_of_a_file_in_its_folder(name: str, tmp_path: Path) -> None:
    safe = file_name(name)
    assert safe != name
    assert safe.isprintable()
    assert len(safe.encode()) <= MOST_BYTES + 9
    assert not set('/\\:*?"<>| ') & set(safe)
    assert safe[0] not in "-." and safe[-1] not in ". "  # noqa: PT018
    assert safe.split(".")[0].casefold() not in ("con", "nul", "aux", "com1", "lpt9")
    (tmp_path / f"{safe}.vrp").touch()
    assert [entry.name for entry in tmp_path.iterdir()] == [f"{safe}.vrp"]


@pytest.mark.parametrize("name", ["A-n80-k10", "R101", "X-n100-k5-n67-s3", "Löß", "A+", "A-", "v1.2", "console"])
def test_a_name_that_may_be_that_of_a_file_stays(name: str) -> None:
    assert file_name(name) == name


def test_names_that_look_alike_in_files_have_different_ones() -> None:
    names = ["a/b", "a\\b", "a:b", "a b", "a-b", "a--b", "../a-b", "x" * 500, "x" * 501, "con", "con.", "con.x"]
    assert len({file_name(name).casefold() for name in names}) == len(names)


@pytest.mark.parametrize("name", ["../../x", "/tmp/dac-alns-nowhere/x"])
def test_a_sample_is_written_into_the_current_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert CliRunner().invoke(app, ["generate", "cvrp", "-n", "5", "--out", "f.vrp"]).exit_code == 0
    text = Path("f.vrp").read_text()
    Path("f.vrp").write_text("\n".join(f"NAME : {name}" if "NAME" in line else line for line in text.splitlines()))
    done = CliRunner().invoke(app, ["generate", "sample", "f.vrp", "-n", "2"])
    assert done.exit_code == 0, done.output
    assert len([*inner.iterdir()]) == 2
    assert [entry for entry in tmp_path.rglob("*.vrp") if entry.parent != inner] == []


def test_policies_of_a_training_stay_in_the_folder_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []

    def train(*, out: Path, **_: object) -> SimpleNamespace:
        written.append(out.resolve())
        return SimpleNamespace(finished=True)

    monkeypatch.setattr(trained_policy, "train", train)
    folder = tmp_path / "in" / "study"
    with Store(folder, create=True) as store:
        for name in ("../../up", str(tmp_path / "up"), "a/b", "a\\b"):
            training = PolicyTraining(name, {"problem": "cvrp", "steps": 1})
            trained_policy.trained_policies(store, training, Processes(1))
    assert {path.parent for path in written} == {folder / "policies"}
    assert len(set(written)) == 4


def of_two_datasets(folder: Path) -> Path:
    """A study of datasets whose names differ in signs only."""
    costs = {instance: {"ALNS": [100, 101], "DAC": [90, 91]} for instance in "ab"}
    groups = {"one": ("A+", "Small", "a"), "two": ("A-", "Small", "b")}
    return stored(folder, study_of(costs, groups=groups))


FIGURES = [f"made-up-iterations-{kind}-a{n}" for kind in ("convergence", "profile", "operators") for n in ("", "-2")]


def test_datasets_whose_names_differ_in_signs_have_different_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dacalns.study.report.files.saved_figure", lambda *_, **__: b"")
    write_report(of_two_datasets(tmp_path / "study"), "md", tmp_path / "report.md")
    assert sorted(file.stem for file in (tmp_path / "report_figures").iterdir()) == sorted(FIGURES)
    assert all(f"report_figures/{name}.png" in (tmp_path / "report.md").read_text() for name in FIGURES)


def test_figures_of_a_page_have_marks_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    monkeypatch.setattr("dacalns.study.report.html.inline_svg", lambda _, name, __: names.append(name) or "")
    write_report(of_two_datasets(tmp_path / "study"), "html", tmp_path / "report.html")
    assert sorted(names) == sorted(FIGURES)


@pytest.mark.parametrize("kind", ["md", "latex", "html", "csv"])
def test_reports_hold_nothing_that_a_terminal_obeys(kind: str, tmp_path: Path) -> None:
    odd = "\x1b]0;title\x07\x9b2J\u202egnp\r\n# heading\x00"
    costs = {"a": {"ALNS": [100, 101], odd: [90, 91]}, "b": {"ALNS": [100, 101], odd: [90, "failed"]}}
    study = study_of(costs, groups={odd: (odd, odd, "ab")}, name=odd)
    written = write_report(stored(tmp_path / "study", study), kind, tmp_path / f"report.{kind}")
    assert isinstance(written, Path)
    text = written.read_bytes().decode()
    assert not set(text) & {*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160)), "\u202e"}
    if kind == "md":
        assert not [line for line in text.splitlines() if line == "# heading"]


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1"])
def test_a_spreadsheet_calculates_nothing(text: str) -> None:
    (row,) = csv.reader(io.StringIO(csv_text([[text, "fine"]]), newline=""))
    assert row == ["'" + text.replace("\r", "\n"), "fine"]


def test_numbers_stay_numbers_in_tables() -> None:
    assert csv_text([[-1, -1.5, "-2.5", "+3", None, float("-inf"), "a=b"]]) == "-1,-1.5,-2.5,+3,,-inf,a=b\n"


def test_names_of_a_study_are_no_formulas_in_its_table(tmp_path: Path) -> None:
    study = study_of({"=a": {"=ALNS": [100, 101]}}, groups={"@g": ("+d", "-s", ["=a"])}, name="=HYPERLINK(1)")
    text = write_report(stored(tmp_path / "study", study), "csv")
    assert isinstance(text, str)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {"'=a", "'=ALNS", "'@g", "'+d", "'-s", "'=HYPERLINK(1)"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that all users share."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(own_core, "_held", None)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None, raising=False)
    private_folder.cache_clear()
    yield tmp_path
    private_folder.cache_clear()
    if own_core._held is not None:
        os.close(own_core._held)


needs_locks = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="there is no such thing")


@needs_locks
def test_cores_are_locked_in_a_folder_of_the_users_own(shared: Path) -> None:
    core = own_core.take_own_core()
    assert core is not None
    assert [entry.name for entry in shared.iterdir()] == [f"dac-alns-{os.getuid()}"]
    lock = shared / f"dac-alns-{os.getuid()}" / f"core-{core}.lock"
    assert lock.stat().st_mode & 0o777 == 0o600


@needs_locks
def test_a_lock_that_is_a_link_is_not_followed(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_core, "usable_cores", lambda: [0])
    folder = private_folder()
    assert folder is not None
    (folder / "core-0.lock").symlink_to(shared / "target")
    assert own_core.take_own_core() is None
    assert not (shared / "target").exists()
