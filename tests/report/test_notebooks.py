"""The notebooks of the documentation run from the first cell to the last, and show pictures."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.slow_without_jit


def test_there_are_seven():
    assert len(NOTEBOOKS) == 7


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_what_it_printed(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    first = book["cells"][0]
    assert first["cell_type"] == "markdown"
    assert first["source"][0].startswith("# ")
    for cell in book["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


def run(source: str, file: Path, names: dict[str, object]) -> object:
    """Run a cell, and return the value that Jupyter shows below it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(file), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(file), "eval"), names) if isinstance(last, ast.Expr) else None


def is_picture(value: object) -> bool:
    """Return True if Jupyter shows a value as a picture."""
    picture = getattr(value, "_repr_png_", None)
    return picture is not None and picture() is not None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_a_picture(path, tmp_path, monkeypatch):
    """Each cell is a file of its own, since operators are compiled from their source, as Jupyter does it."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "notebook"}
    pictures = 0
    try:
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] != "code":
                continue
            source = "".join(cell["source"])
            file = tmp_path / f"cell_{number}.py"
            file.write_text(source, encoding="utf-8")
            pictures += is_picture(run(source, file, names))
            for drawn in pyplot.get_fignums():
                pyplot.figure(drawn).canvas.draw()
                pictures += 1
            pyplot.close("all")
    finally:
        pyplot.close("all")
    assert pictures >= 1
