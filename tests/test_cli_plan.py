"""Tables, maps and pages from the command line."""

import csv
import json
import sys

import pytest

import dacalns
from dacalns import cli
from search.test_tables import town

pytestmark = pytest.mark.slow_without_jit


@pytest.fixture
def dac_alns(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capfd.readouterr()
        return exit_.value.code or 0, out, "".join(line for line in err.splitlines(True) if "Compiling" not in line)

    return run


def test_all_files_of_a_plan(dac_alns, tmp_path):
    paths = [tmp_path / f"plan.{suffix}" for suffix in ("csv", "html", "json")]
    code, out, err = dac_alns(
        "solve", "P-n16-k8", "--iterations", 50, "--table", paths[0], "--html", paths[1], "--json", paths[2]
    )
    assert (code, err) == (0, "")
    assert all(f"wrote {path}" in out for path in paths)
    with paths[0].open(newline="") as stream:
        rows = [*csv.DictReader(stream)]
    result = dacalns.Result.from_json(paths[2], "P-n16-k8")
    assert [int(row["node"]) for row in rows] == [*result.stops()["node"]]
    page = paths[1].read_text(encoding="utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert len(data["frames"]) == len(result.history)
    assert data["title"] == "P-n16-k8"


def test_tables_and_pages_go_to_standard_output(dac_alns):
    code, out, err = dac_alns("solve", "P-n16-k8", "--iterations", 50, "--table", "-")
    assert out.startswith("route,vehicle,sequence,kind,customer,node,arrival,")
    assert "8 routes, feasible" in err
    code, out, _ = dac_alns("solve", "P-n16-k8", "--iterations", 50, "--html", "-")
    assert (code, out.startswith("<!doctype html>")) == (0, True)


def test_a_map_of_a_plane_is_refused_before_the_search(dac_alns, tmp_path):
    path = tmp_path / "plan.geojson"
    code, out, err = dac_alns("solve", "P-n16-k8", "--time", 1000, "--geojson", path)
    assert (code, out) == (2, "")
    assert err.startswith("Error: P-n16-k8 has coordinates in a plane and no longitudes and latitudes; expected those")
    assert not path.exists()


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--table", "plan.txt", "expected .csv for the stops, or .xlsx"),
        ("--table", "none/plan.csv", "there is no folder"),
        ("--html", "none/plan.html", "there is no folder"),
        ("--html", ".", "this is a folder"),
    ],
)
def test_paths_are_checked_before_the_search(dac_alns, tmp_path, option, name, message):
    code, out, err = dac_alns("solve", "P-n16-k8", "--time", 1000, option, tmp_path / name)
    assert (code, out) == (2, "")
    assert message in err


def test_no_file_is_written_over_another(dac_alns, tmp_path):
    instance = tmp_path / "a.json"
    dacalns.write_instance(dacalns.read("P-n16-k8"), instance)
    before = instance.read_text()
    for option in ("--html", "--geojson"):
        code, _, err = dac_alns("solve", instance, "--iterations", 5, option, instance)
        assert (code, "is the file that INSTANCE reads" in err) == (2, True)
    assert instance.read_text() == before
    both = tmp_path / "both.csv"
    code, _, err = dac_alns("solve", instance, "--iterations", 5, "--table", both, "--html", both)
    assert (code, "is the file that --table writes" in err) == (2, True)


def test_a_workbook_without_openpyxl(dac_alns, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    code, _, err = dac_alns("solve", "P-n16-k8", "--time", 1000, "--table", tmp_path / "plan.xlsx")
    assert code == 2
    assert err.rstrip().endswith('run: pip install "dac-alns[tables]"')


def test_names_and_markup_are_printed_as_they_are(capsys):
    from dacalns.cli.answer import Delivery

    instance = town(names=["Depot", "[bold]Süd", "a\x1b[31mred", ":smile:", "far"])
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(30))
    assert Delivery(instance, result, [], quiet=False).hand_over() == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("    1:"))
    assert line.endswith("  [bold]Süd a\\x1b[31mred :smile:")
