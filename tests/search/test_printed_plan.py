"""What a result prints, what a notebook shows of it, and how a search is shown while it runs."""

import dataclasses
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import dacalns
from dacalns import InputError, MaxIterations, MaxTime, Result, solve
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.output.progress import NotebookDisplay, Standing
from dacalns.search.output.words import number
from dacalns.search.run import Snapshot
from search.test_tables import town

pytestmark = pytest.mark.slow_without_jit

FEW = MaxIterations(30)


def lines_of(result: Result) -> list[str]:
    """The printed lines of the routes."""
    return [line for line in str(result).splitlines() if re.match(r" +\d+:  | +and \d+ more route", line)]


def test_numbers_for_people() -> None:
    told = [number(value) for value in (885.2096166, 784.0, 0.125, 0.00123456, 1e12, -0.001, 0.0, 1234567.891)]
    assert told == ["885.21", "784", "0.125", "0.001235", "1e+12", "-0.001", "0", "1234567.89"]


def test_routes_are_printed_with_times_loads_and_names() -> None:
    result = solve(town(), stop=FEW)
    row = result.routes_table().iloc[0]
    assert lines_of(result) == [
        f'    1:  {row.start}-{row.end}  load 6/9  distance 60  Café, Süd, =1+1, "x"',
    ]
    assert "  1 route, feasible, 1 optional customer left out: far (4)" in str(result).splitlines()


def test_a_plain_problem_is_printed_without_times() -> None:
    result = solve("P-n16-k8", stop=MaxIterations(200))
    loads = result.routes_table()["load"]
    for line, route, load in zip(lines_of(result), result.routes, loads, strict=True):
        assert line.split()[1:3] == ["load", f"{load:g}/35"]
        assert line.endswith("  " + " ".join(map(str, route)))
    assert "  8 routes, feasible" in str(result).splitlines()


def test_several_types_dimensions_and_reloads() -> None:
    vehicle = VehicleType(capacity=(2, 5), reload_depots=(0,))
    instance = Instance(
        name="two", coordinates=[[0, 0], [1, 0], [2, 0], [3, 0]], demands=[[0, 0], [2, 1], [1, 1], [1, 1]],
        vehicle_types=(vehicle, VehicleType(capacity=(1, 1), fixed_cost=99)),
    )  # fmt: skip
    (line,) = lines_of(solve(instance, stop=MaxIterations(200)))
    assert re.fullmatch(r"    1:  type 0  load 2/2 [12]/5  distance 8  (1 \[0\] .*|[23] [23] \[0\] 1)", line)


def test_long_answers_are_cut() -> None:
    result = solve(dacalns.generate_cvrp(400, seed=3), stop=FEW)
    lines = lines_of(result)
    rest = len(result.routes) - 10
    assert len(lines) == 11
    assert lines[-1] == f"    and {rest} more routes"
    assert max(map(len, str(result).splitlines())) < 140
    one = Instance(name="one", coordinates=[[0, 0], *([k, 1] for k in range(90))], demands=[0] + [1] * 90, capacity=90)
    (line,) = lines_of(solve(one, stop=FEW))
    shown, rest_of_it = re.search(r"distance \S+  (.*) … (\d+) more$", line).groups()  # type: ignore[union-attr]
    assert len(shown.split()) + int(rest_of_it) == 90
    many = dataclasses.replace(result, feasible=False, unserved=[*range(1, 60)])
    assert "unserved customers 1, 2, 3, " in str(many)
    assert str(many).count("20 and 39 more") == 1


def test_repr_is_one_short_line() -> None:
    result = solve("P-n16-k8", stop=MaxIterations(200))
    assert re.fullmatch(r"Result\('P-n16-k8': cost 450, 8 routes, feasible, \d+\.\d\d s\)", repr(result))
    missing = dataclasses.replace(result, feasible=False, unserved=[3], routes=result.routes[:1])
    assert "1 route, 1 customer unserved" in repr(missing)


# Notebooks.


def parsed(html: str) -> Any:
    """It must be well-formed, but for the line breaks that HTML never closes."""
    return ElementTree.fromstring(html.replace("<br>", "<br/>"))


def test_a_notebook_shows_a_picture_and_the_routes() -> None:
    result = solve(town(names=["D", "<b>", "&", "'", '"'], name="<i>town"), stop=FEW)
    tree = parsed(result._repr_html_())
    svg = tree.find(".//{http://www.w3.org/2000/svg}svg")
    kinds = [each.tag.rpartition("}")[2] for each in svg.iter()]
    assert (kinds.count("polyline"), kinds.count("circle"), kinds.count("rect")) == (1, 3 + 1, 1)
    rows = [[cell.text for cell in row] for row in tree.iter("tr")]
    assert rows[0] == ["route", "customers", "load", "distance", "times", "cost"]
    assert rows[1][:4] == ["1", "3", "6/9", "60"]
    assert "<i>town: " in "".join(tree.find("p").itertext())
    assert "script" not in result._repr_html_()


def test_a_notebook_shows_less_where_there_is_less_or_much_more() -> None:
    result = solve(dacalns.generate_cvrp(400, seed=3), stop=FEW)
    html = result._repr_html_()
    parsed(html)
    assert len(html) < 60_000
    assert f"and {len(result.routes) - 15} more routes" in html
    again = Result.from_json(result.to_json())._repr_html_()
    assert "<svg" not in again
    assert "<table" not in again
    large = solve(dacalns.generate_cvrp(2500, seed=3), stop=0.0)
    assert "<svg" not in large._repr_html_()
    nothing = solve(town(optional=[0] + [1] * 4, prizes=[0] * 5), stop=FEW)
    assert "polyline" not in nothing._repr_html_()


def snapshot(seconds: float, **changes: Any) -> Snapshot:
    known: dict[str, Any] = {
        "iteration": 10, "seconds": seconds, "fraction": 0.5, "cost": 12.3456, "unserved": 0, "gap_percent": None,
        "destroy_uses": {}, "repair_uses": {}, "vehicles": 1,
    }  # fmt: skip
    return Snapshot(**known | changes)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """As if a notebook ran this: what it is told to show, with whether it is shown anew."""
    told: list[Any] = []

    def display(thing: Any, display_id: bool) -> Any:
        told.append(("new", thing))
        return SimpleNamespace(update=lambda other: told.append(("update", other)))

    shell = SimpleNamespace(kernel=object())
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    return told


def test_a_notebook_gets_one_output_that_is_renewed_seldom(notebook: list[Any]) -> None:
    with NotebookDisplay(town(name="<x>")) as screen:
        for step in range(200):
            screen(snapshot(step * 0.02))
    assert [what for what, _ in notebook] == ["new", *["update"] * (len(notebook) - 1)]
    assert 10 < len(notebook) < 20
    assert "<progress" in notebook[0][1]._repr_html_()
    assert notebook[-1][1]._repr_html_() == "<div>&lt;x&gt;: cost 12.35, 1 route, 10 iterations in 4.0 s</div>"


def test_a_short_search_shows_nothing(notebook: list[Any]) -> None:
    solve("P-n16-k8", stop=MaxIterations(20))
    assert notebook == []


def test_searches_in_notebooks_are_shown_unless_told_otherwise(notebook: list[Any]) -> None:
    heard: list[Snapshot] = []
    solve("P-n16-k8", stop=MaxTime(0.9), on_progress=heard.append)
    assert len(heard) > len(notebook) >= 2
    assert repr(notebook[-1][1]).startswith("P-n16-k8: cost 450, gap 0.00 %, 8 routes, ")
    notebook.clear()
    solve("P-n16-k8", stop=MaxTime(0.9), display=False)
    assert notebook == []


def test_what_is_said_of_unserved_customers() -> None:
    assert repr(Standing("x", snapshot(1, unserved=1), running=True)).startswith(
        "x: 1 customer still unserved, 1 route"
    )


def test_outside_of_notebooks_it_is_shown_when_asked_for() -> None:
    code = "import dacalns; dacalns.solve('P-n16-k8', stop=1.3, {})"
    for options, shown in (("", False), ("display=False", False), ("display=True", True)):
        done = subprocess.run([sys.executable, "-c", code.format(options)], capture_output=True, text=True, check=True)
        told = [line for line in done.stderr.splitlines() if "ompil" not in line]
        assert done.stdout == ""
        assert bool(told) is shown
        assert not shown or told[0].startswith("first feasible solution after ")


def test_display_is_a_truth_value() -> None:
    with pytest.raises(InputError, match=r"display is 1; expected True, False, or None"):
        solve("P-n16-k8", stop=FEW, display=1)  # type: ignore[arg-type]


def test_a_real_notebook_shows_pictures_and_results() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell.instance()
    try:
        formatter = shell.display_formatter
        result = solve("P-n16-k8", stop=FEW)
        assert {"text/plain", "text/html"} <= formatter.format(result)[0].keys()
        for shown in (
            dacalns.plot(result),
            dacalns.report.plot_routes(result),
            dacalns.report.plot_convergence(result),
        ):
            assert formatter.format(shown)[0]["image/png"].startswith(b"\x89PNG")
    finally:
        shells.InteractiveShell.clear_instance()
