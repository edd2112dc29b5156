"""``dac-alns doctor``, ``warm-up``, ``examples`` and shell completion."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import dacalns
from dacalns import doctor, examples
from dacalns.cli.command import app
from dacalns.core.jit import jit_enabled
from dacalns.core.shipped_code import Shipped
from dacalns.search import kernels
from dacalns.search.display import CompilingDisplay, CompilingLine
from dacalns.search.helpers import Progress
from dacalns.util.errors import InputError

compiled = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
RUNNER = CliRunner()
REPOSITORY = Path(__file__).parent.parent / "examples"


def findings() -> dict[str, doctor.Finding]:
    return {finding.name: finding for section in doctor.examine() for finding in section.findings}


@compiled
def test_doctor_tells_versions_folders_and_extras() -> None:
    found = findings()
    assert found["dac-alns"].says.startswith(dacalns.__version__)
    assert importlib.metadata.version("llvmlite") in found["Numba"].says
    assert "checkout" in found["of the wheel"].says
    assert any("written to" in finding.says for finding in found.values())
    assert {"plot", "ray", "train"} <= set(found)
    assert not {"test", "docs"} & set(found)


def test_doctor_gives_the_line_that_installs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    version = importlib.metadata.version

    def without_scipy(name: str) -> str:
        if name == "scipy":
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", without_scipy)
    found = {finding.name: finding.says for finding in doctor._extras()}
    assert found["study"] == 'without scipy: pip install "dac-alns[study]"'
    assert "scipy" in found["bench"]  # it includes the other
    assert found["plot"] == "installed"


@compiled
def test_doctor_says_why_the_code_of_the_wheel_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "code_of_wheel", lambda: Shipped(None, None, "this one lacks bmi2"))
    finding = findings()["of the wheel"]
    assert (finding.says, finding.fine) == ("not used: this one lacks bmi2", False)
    result = RUNNER.invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "! not used: this one lacks bmi2" in result.stdout


@compiled
def test_doctor_names_damaged_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "code_of_wheel", lambda: Shipped(tmp_path, ("triple", "cpu", ""), ""))
    monkeypatch.setattr(doctor, "damaged_files", lambda: ["core/loop.nbc"])
    finding = findings()["of the wheel"]
    assert not finding.fine
    assert "core/loop.nbc" in finding.says


@compiled
def test_doctor_says_that_no_folder_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "place_to_keep_code", lambda **_: None)
    assert any("every start compiles" in finding.says for finding in findings().values() if not finding.fine)
    monkeypatch.setattr(doctor, "code_of_wheel", lambda: Shipped(Path("wheel"), ("", "any", ""), ""))
    monkeypatch.setattr(doctor, "damaged_files", list)
    assert "what is not in the wheel is compiled" in findings()["none"].says
    assert findings()["none"].fine


def test_a_damaged_wheel_is_told_when_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "code_of_wheel", lambda: Shipped(Path("wheel"), ("", "any", ""), ""))
    monkeypatch.setattr(kernels, "damaged_files", lambda: ["core/loop.nbc"])
    assert kernels.compilation_sentence().endswith("are missing or damaged: install it anew.")
    monkeypatch.setattr(kernels, "damaged_files", list)
    assert "install" not in kernels.compilation_sentence()


def test_examples_are_those_of_the_repository() -> None:
    names = {file.relative_to(REPOSITORY).as_posix() for file in REPOSITORY.rglob("*") if file.is_file()}
    names = {name for name in names if "__pycache__" not in name}
    assert {example.name for example in examples.all_examples()} == names
    assert all(example.about for example in examples.all_examples()), "each says what it is about"
    assert {*examples.DATA} <= names
    result = RUNNER.invoke(app, ["examples"])
    assert result.exit_code == 0
    assert "own_operator.py" in result.stdout
    assert "A destroy operator of your own" in result.stdout


def test_examples_are_copied_and_never_over_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    result = RUNNER.invoke(app, ["examples", "own_selector.py", "--to", str(folder)])
    assert result.exit_code == 0
    assert (folder / "own_selector.py").read_bytes() == (REPOSITORY / "own_selector.py").read_bytes()
    (folder / "own_selector.py").write_text("changed")
    with pytest.raises(InputError, match="there already"):
        examples.copy_examples(examples.all_examples(), folder)
    assert [file.name for file in folder.iterdir()] == ["own_selector.py"]
    assert (folder / "own_selector.py").read_text() == "changed"


def test_an_example_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"no example 'own.py'; expected some of .*alns_routing.py"):
        examples.chosen_examples(["own.py"])


def test_a_folder_for_examples_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(InputError, match="cannot be written"):
        examples.copy_examples(examples.all_examples(), tmp_path / "taken")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kinds": ["plane"]}, "kind is 'plane'"),
        ({"kinds": ["plain"], "selectors": ["rulette"]}, "selector is 'rulette'"),
        ({"kinds": ["plain"], "portfolios": ["best"]}, "portfolio is 'best'"),
        ({"kinds": ["plain"], "jobs": 0}, "jobs is 0"),
    ],
)
@compiled
def test_mistakes_in_a_warm_up(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        dacalns.warm_up(**given)  # type: ignore[arg-type]


@compiled
def test_a_warm_search_compiles_nothing_afterwards() -> None:
    """The parts of the default search and of one selector more, which other tests have compiled as a rule."""
    dacalns.warm_up(["plain"], ["roulette"], portfolios=["full"], fewest_vehicles=False)
    assert dacalns.warm_up(["plain"], ["roulette"], portfolios=["full"], fewest_vehicles=False) == 0
    script = (
        "import dacalns; from dacalns.core import code_cache\n"
        "for name in ('A-n32-k5', 'R101'):\n"
        "    for selector in (None, 'roulette'):\n"
        "        dacalns.solve(name, selector=selector, stop=dacalns.MaxIterations(20))\n"
        "print(code_cache.origins['compiled'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_the_line_about_compiling_moves() -> None:
    progress = Progress(10.0, 4, 2, done=1, seconds_done=5.0)
    progress.in_hand["the loop of the search"] = 2.0, progress.began
    console = Console(width=100, force_terminal=True, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    with CompilingDisplay(console) as shown:
        shown(progress)
    line = CompilingLine(progress)
    console.print(line)
    progress.done = 3
    console.print(line)
    text = console.export_text()
    assert "1 of 4" in text
    assert "3 of 4" in text
    assert "the loop of the search" in text
    console.file.close()


def test_shells_can_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dacalns"],
        env=os.environ | {"_DAC_ALNS_COMPLETE": "complete_bash", "COMP_WORDS": "dac-alns do", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["doctor"]
    assert "--install-completion" in RUNNER.invoke(app, ["--help"]).stdout
