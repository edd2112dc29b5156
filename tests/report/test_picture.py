import dataclasses
import subprocess
import sys

import pytest
from matplotlib.figure import Figure

import dacalns
from dacalns.report import figure as canvas
from dacalns.report import require_plotting, save_picture
from report.conftest import with_operators

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "PNG"])
def test_it_writes_every_format(instance, result, tmp_path, suffix):
    path = tmp_path / f"picture.{suffix}"
    save_picture(instance, result, path)
    content = path.read_bytes()
    assert content.startswith(BEGINNINGS[suffix.lower()])
    assert len(content) > 20_000


@pytest.fixture
def saved(monkeypatch):
    """The figures that are saved."""
    figures = []
    plain = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **kw: (figures.append(self), plain(self, *args, **kw)))
    return figures


def words(figure):
    return [text.get_text() for text in figure.texts]


def test_the_titles_hold_what_identifies_the_run(instance, result, tmp_path, saved):
    save_picture(instance, result, str(tmp_path / "picture.png"))
    title, facts = words(saved[0])
    assert title == f"A-n32-k5: cost {result.cost:g}, gap {result.gap_percent:.2f} % to the best-known 784"
    for fact in ("31 customers", "selector roulette", "portfolio paper", "seed 1", f"dac-alns {dacalns.__version__}"):
        assert fact in facts
    assert len(saved[0].axes) == 3


def test_nothing_sticks_out_of_the_figure(instance, result, infeasible, tmp_path, saved):
    for one in (result, infeasible, with_operators(result, 8, 8), with_operators(result, 32, 32)):
        save_picture(instance, one, tmp_path / "picture.png")
        figure = saved.pop()
        inside = figure.bbox.padded(1)
        for axes in figure.axes:
            box = axes.get_tightbbox()
            assert inside.contains(*box.min), axes.get_title(loc="left")
            assert inside.contains(*box.max), axes.get_title(loc="left")


def test_an_infeasible_result_says_so(instance, infeasible, tmp_path, saved):
    save_picture(instance, infeasible, tmp_path / "picture.png")
    assert f"INFEASIBLE: {len(infeasible.unserved)} customer" in words(saved[0])[0]


def test_a_gap_below_zero_is_an_alarm(instance, result, tmp_path, saved):
    save_picture(instance, dataclasses.replace(result, gap_percent=-0.5), tmp_path / "picture.png")
    assert "gap -0.50 % (negative: check it)" in words(saved[0])[0]


def test_without_coordinates_there_are_two_panels_and_a_note(without_coordinates, tmp_path, saved):
    save_picture(*without_coordinates, tmp_path / "picture.png")
    assert len(saved[0].axes) == 2
    assert "no coordinates, so no map of the routes" in words(saved[0])[1]


@pytest.mark.parametrize("name", ["picture.gif", "picture", "picture.png.txt"])
def test_an_unknown_suffix(instance, result, tmp_path, name):
    with pytest.raises(dacalns.InputError, match=r"expected one of \.png, \.svg, \.pdf"):
        save_picture(instance, result, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist(instance, result, tmp_path):
    with pytest.raises(dacalns.InputError, match="there is no folder"):
        save_picture(instance, result, tmp_path / "none" / "picture.png")


def test_a_path_that_is_a_folder(tmp_path):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(dacalns.InputError, match="this is a folder"):
        require_plotting(tmp_path / "folder.png")


def test_a_disk_that_refuses(instance, result, tmp_path, monkeypatch):
    def refuse(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dacalns.util.files.open", refuse, raising=False)
    with pytest.raises(dacalns.InputError, match=r"picture\.png: cannot be written \(No space left on device\)"):
        save_picture(instance, result, tmp_path / "picture.png")


def test_a_result_of_another_instance(result, tmp_path):
    with pytest.raises(dacalns.InputError, match="the result is of A-n32-k5"):
        save_picture(dacalns.read("P-n16-k8"), result, tmp_path / "picture.png")


def test_without_matplotlib_the_error_has_the_line_that_installs_it(instance, result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(dacalns.InputError, match=r'run: pip install "dac-alns\[plot\]"$'):
        require_plotting(tmp_path / "picture.png")
    with pytest.raises(dacalns.InputError, match="Pictures need Matplotlib"):
        canvas.new_figure(1, 1)


def test_importing_the_package_does_not_import_matplotlib():
    script = "import dacalns, dacalns.report, sys; print([name for name in sys.modules if 'matplotlib' in name])"
    assert _output(script) == "[]"


def test_a_picture_leaves_pyplot_and_the_settings_alone(instance, result, tmp_path):
    result.to_json(tmp_path / "result.json")
    script = f"""
import sys, matplotlib, dacalns
# Past RcParams.__getitem__, which imports pyplot to find a backend.
before = repr([*dict.items(matplotlib.rcParams)])
from dacalns.report import save_picture
path = {str(tmp_path)!r}
save_picture(dacalns.read("A-n32-k5"), dacalns.Result.from_json(path + "/result.json"), path + "/picture.png")
print("matplotlib.pyplot" in sys.modules, repr([*dict.items(matplotlib.rcParams)]) == before)
"""
    assert _output(script) == "False True"


def _output(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip()
