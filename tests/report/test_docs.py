"""Run what the documentation shows: its Python blocks, its commands, and the example.

The blocks of a page run one after the other in one module, in a folder of their own. A ``text`` block right after a
Python block is what that block prints, to the letter; right after a command, it is what that prints but for the
numbers, which depend on the machine.
"""

import contextlib
import importlib.util
import io
import re
import shlex
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dacalns
import dacalns.engines
import dacalns.gym
import dacalns.interop
import dacalns.report
import dacalns.study

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
]
PYTHON = re.compile(r"^```python\n(?P<code>.*?)^```$(\n\n```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)
BASH = re.compile(
    r"^```(?:bash|sh|console)\n(?P<lines>.*?)^```$(\n\n```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
NUMBER = re.compile(r"\d[\d,.]*")
TOO_LONG = ("dac-alns bench", "dac-alns tune examples/tuning.toml")
STUDIES = ("run acceptance", "run comparative", "run extended", "run generalisation", "run map", "run quick")
STUDIES += ("report quick", "report study")
TOO_LONG += tuple(f"dac-alns study {what}" for what in STUDIES)
ELSEWHERE = "--engine ray"
# Blocks that show another solver run where it is installed.
PEERS = re.compile(r"^(?:import|from) (pyvrp|ortools|alns|gymnasium|pettingzoo|torch)\b", re.MULTILINE)
# Pictures that the build of the site makes.
GALLERY = re.compile(r"gallery/\w+\.svg")
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def names(paths):
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder with the examples in it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_python_blocks_run_and_print_what_the_page_says(page, folder, monkeypatch):
    module = types.ModuleType(f"blocks_of_{page.stem.lower()}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    text = page.read_text(encoding="utf-8")
    copy = shutil.copy(page, folder)  # Numba caches operators beside the file that they seem to come from
    for block in PYTHON.finditer(text):
        # As many empty lines before the code as there are on the page: tracebacks name the page's own lines.
        lines_before = text[: block.start("code")].count("\n")
        printed = io.StringIO()
        if (peer := PEERS.search(block["code"])) and importlib.util.find_spec(peer[1]) is None:
            break
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * lines_before + block["code"], copy, "exec"), vars(module))
        if block["output"] is not None:
            assert printed.getvalue() == block["output"], f"{page.name}:{lines_before}"


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_commands_succeed(page, folder):
    from dacalns.cli.command import app

    for block in BASH.finditer(page.read_text(encoding="utf-8")):
        printed = ""
        for line in block["lines"].splitlines():
            command = line.removeprefix("$ ").strip()
            if command.startswith("dac-alns ") and not command.startswith(TOO_LONG) and ELSEWHERE not in command:
                done = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
                assert done.exit_code == 0, f"{command}: {done.exception or done.output}"
                printed += done.output
        if block["output"] is not None:
            told = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
            assert NUMBER.sub("#", told) == NUMBER.sub("#", block["output"]), block["lines"]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert GALLERY.fullmatch(target) or (page.parent / target).exists(), target


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = {*re.findall(r"^::: [\w.]+\.(\w+)$", page, re.MULTILINE), *re.findall(r"`(\w+)`", page)}
    rooms = (dacalns, dacalns.report, dacalns.study, dacalns.engines, dacalns.gym, dacalns.interop)
    assert {name for room in rooms for name in room.__all__} - named == {"__version__"}


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")):
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in menu


def test_the_walks_through_the_code_name_what_is_there():
    page = (ROOT / "docs" / "flow.md").read_text(encoding="utf-8")
    cells = [row.strip("| ").split(" | ") for row in page.splitlines() if row.startswith("| `")]
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in row[:2]] for row in cells]
    steps = [(files, names) for files, names in rows if files[0].endswith(".py")]
    assert len(steps) > 40
    for files, names in steps:
        source = "".join((ROOT / "src" / "dacalns" / file).read_text(encoding="utf-8") for file in files)
        for name in names:
            assert re.search(rf"^ *(def|class) {name}\b", source, re.MULTILINE), (files, name)
    for test in re.findall(r"`(tests/[^`]+)`", page):
        assert (ROOT / test).is_file(), test


def test_the_readme_is_short():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 100
    introduction = page[page.index("\n") : page.index("```")].strip()
    assert len(introduction.splitlines()) <= 3
    assert page.index("pip install") < page.index("```python") < page.index("![")
    code = [line for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) for line in block.split("\n") if line]
    assert 1 <= len(code) <= 5


@pytest.mark.parametrize("example", EXAMPLES, ids=names(EXAMPLES))
def test_examples_run_as_scripts(example, folder):
    script = folder / "examples" / example.name
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "feasible" in done.stdout


def test_the_gallery_shows_every_picture_of_its_program():
    program = (ROOT / "examples" / "gallery.py").read_text(encoding="utf-8")
    drawn = re.search(r"^PICTURES = \((.*)\)$", program, re.MULTILINE)[1].split(", ")
    shown = re.findall(r"\(gallery/(\w+)\.svg\)", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(drawn)


def test_the_example_on_the_page_is_the_file():
    example = (ROOT / "examples" / "own_operator.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    operator = re.search(r"    centre = .*?nearest\)\n(?=\n)", example, re.DOTALL)[0]
    assert operator in page
    assert len(example.splitlines()) <= 30


def test_the_selector_on_the_page_is_the_file():
    example = (ROOT / "examples" / "own_selector.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "selectors.md").read_text(encoding="utf-8")
    assert re.search(r"class EpsilonGreedy.*?(?=\n\n\n)", example, re.DOTALL)[0] in page
    assert len(example.splitlines()) <= 30
