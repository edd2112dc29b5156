"""Plans as DataFrames, text with commas, workbooks and GeoJSON."""

import csv
import json
import math
import sys
from pathlib import Path

import pytest

import dacalns
from dacalns import InputError, MaxIterations, Result, check, solve
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from search.rich_cases import draw

pytestmark = pytest.mark.slow_without_jit

FEW = MaxIterations(30)


def town(**changes: object) -> Instance:
    """Four customers in a row, in minutes from midnight, with names that tables must take as they are."""
    fields: dict[str, object] = {
        "name": "town", "coordinates": [[0, 0], [10, 0], [20, 0], [30, 0], [0, 900]], "rounding": "round",
        "demands": [0, 1, 2, 3, 1], "windows": [[0, 2000], [480, 500], [505, 515], [520, 700], [480, 500]],
        "service": [0, 5, 5, 5, 0], "names": ["Depot", "Café, Süd", "=1+1", '"x"', "far"], "time_unit": "min",
        "lonlat": [[13.4, 52.5], [13.5, 52.5], [13.6, 52.5], [13.7, 52.5], [13.4, 53.5]], "optional": [0, 0, 0, 0, 1],
        "prizes": [0, 0, 0, 0, 3],
        "vehicle_types": (VehicleType(capacity=9, num_available=3, fixed_cost=2),),
    }  # fmt: skip
    return Instance(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def result() -> Result:
    return solve(town(), stop=FEW)


def test_stops(result: Result) -> None:
    stops = result.stops()
    assert [*stops.columns] == [
        "route", "vehicle", "sequence", "kind", "customer", "node", "arrival", "waiting", "start", "departure",
        "slack", "load", "distance", "travelled", "cost",
    ]  # fmt: skip
    assert result.routes == [[1, 2, 3]]
    assert [*stops["customer"]] == ["Depot", "Café, Süd", "=1+1", '"x"', "Depot"]
    assert [*stops["arrival"]][1:3] == [*stops["start"]][1:3]
    numbers = result.stops(clock=False)
    assert numbers["departure"].tolist() == [*numbers["start"][:1], *(numbers["start"][1:4] + 5), numbers["start"][4]]
    for name in ("arrival", "start", "departure"):
        clocks = [f"{int(time) // 60:02d}:{int(time) % 60:02d}" for time in numbers[name]]
        assert clocks == [*stops[name]]
    assert numbers["cost"].sum() + 3 == result.cost == check(town(), result.routes, result.vehicle_types).cost
    assert numbers["distance"].sum() == numbers["travelled"].iloc[-1] == 60


def test_routes(result: Result) -> None:
    routes = result.routes_table(clock=False)
    assert len(routes) == 1
    row = routes.iloc[0]
    assert (row.customers, row.trips, row.distance, row.load, row.capacity) == (3, 1, 60, 6, 9)
    assert (row.cost, row.fixed_cost, row.distance_cost, row.duration_cost, row.overtime_cost) == (62, 2, 60, 0, 0)
    assert row.duration == row.end - row.start == row.distance + row.service + row.waiting
    assert result.routes_table().start[0].count(":") == 1


def solved(seed: int) -> tuple[Instance, Result] | None:
    """A random problem with an answer; None where the pre-flight says that there is none."""
    instance = draw(seed, 8)
    try:
        return instance, solve(instance, stop=MaxIterations(5))
    except InputError:
        return None


def test_tables_of_random_problems_agree_with_the_checker() -> None:
    found = [*filter(None, map(solved, range(80)))]
    assert len(found) > 50
    for instance, result in found:
        require_agreement(instance, result)


def require_agreement(instance: Instance, result: Result) -> None:
    verdict = check(instance, result.routes, result.vehicle_types)
    stops, routes = result.stops(), result.routes_table()
    assert stops["cost"].sum() + verdict.cost_parts.get("prizes", 0) == pytest.approx(verdict.cost, abs=1e-6)
    assert routes["cost"].sum() == pytest.approx(stops["cost"].sum())
    visited = [node for node in stops["node"] if node >= instance.depots]
    assert visited == [node for route in result.routes for node in route if node >= instance.depots]
    assert routes["customers"].sum() == len(visited)
    dims = 1 if instance.demands.ndim == 1 else instance.demands.shape[1]
    names = ["load"] if dims == 1 and instance.demands.ndim == 1 else [f"load_{k}" for k in range(dims)]
    for name in names:
        # What is on board at an open start is seen in no stop.
        starts = stops[stops["kind"] == "start"]["route"]
        most = stops.groupby("route")[name].max()[starts]
        assert [*most] == pytest.approx([*routes.set_index("route")[name][starts]])
        if not [each for each in verdict.violations if each.kind == "capacity"]:
            assert (routes[name] <= routes[name.replace("load", "capacity")] + 1e-9).all()
    assert (stops["slack"] >= 0).all()


def test_times_after_midnight_go_on_and_seconds_are_told_where_there_are_any() -> None:
    from dacalns.util.clock import clock_text

    assert clock_text(1510, "min") == "25:10"
    assert clock_text(-30, "min") == "-00:30"
    assert clock_text(8.5, "h") == "08:30"
    assert clock_text(59.6 * 60, "s", seconds=False) == "01:00"
    late = solve(town(time_unit="s", service=[0, 5, 5, 5, 0]), stop=FEW)
    assert late.stops()["arrival"].str.fullmatch(r"\d\d:\d\d:\d\d").all()


def test_clock_needs_a_unit() -> None:
    result = solve(town(time_unit=""), stop=FEW)
    assert result.stops()["arrival"].dtype == float
    with pytest.raises(InputError, match=r"clock is True, and town does not say.*expected a time_unit"):
        result.stops(clock=True)
    with pytest.raises(InputError, match=r"clock is 'yes'; expected True, False, or None"):
        result.stops(clock="yes")  # type: ignore[arg-type]


# What a result from JSON lacks.


def test_a_result_from_json_needs_its_instance(result: Result, tmp_path: Path) -> None:
    text = result.to_json()
    assert "Café" not in text
    again = Result.from_json(text)
    for call in (again.stops, again.routes_table, lambda: again.to_table(tmp_path / "x.csv"), again.to_html):
        with pytest.raises(InputError, match="need the instance, which a result from JSON does not have"):
            call()
    assert again.stops(town()).equals(result.stops())
    knows = Result.from_json(text, town())
    assert knows.stops().equals(result.stops())
    assert knows == again == result
    assert str(knows) == str(result)
    assert "Café" not in str(again)
    with pytest.raises(InputError, match="the result is of town with 4 customers; expected one of A-n32-k5 with 31"):
        again.stops("A-n32-k5")
    with pytest.raises(InputError, match="'solved' is not known"):
        Result.from_dict(json.loads(text) | {"solved": {}})


def test_a_changed_result_is_told_from_its_instance(result: Result) -> None:
    import copy
    import dataclasses
    import pickle

    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result)), dataclasses.replace(result, seed=4)):
        assert again.stops().equals(result.stops())
    for changes, message in (
        ({"routes": [[1, 2, 7]]}, "visits node 7 on route 1"),
        ({"vehicle_types": [1]}, "vehicle type 1, and town has types 0 to 0"),
        ({"routes": [[0]]}, "no customer on route 1"),
    ):
        changed = dataclasses.replace(result, **changes)
        with pytest.raises(InputError, match=message):
            changed.stops()
        assert "1:" in str(changed)  # printing never fails
        assert "<table" not in changed._repr_html_()


def test_without_pandas_the_install_line_is_told(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r'need pandas.*run: pip install "dac-alns\[tables\]"$'):
        result.stops()


# Files.


def test_csv(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    result.to_table(path)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    stops = result.stops()
    assert [row["customer"] for row in rows] == ["Depot", "Café, Süd", "'=1+1", '"x"', "Depot"]
    assert [row["arrival"] for row in rows] == [*stops["arrival"]]
    assert [float(row["slack"]) for row in rows] == pytest.approx([*stops["slack"]])
    assert [*rows[0]] == [*stops.columns]


def test_an_unlimited_slack_is_an_empty_cell(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    solve("P-n16-k8", stop=FEW).to_table(path)
    assert {row.split(",")[10] for row in path.read_text().splitlines()[1:]} == {""}


def test_a_workbook_has_two_sheets_and_no_formula(result: Result, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "plan.XLSX"
    result.to_table(path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["stops", "routes"]
    cells = [[cell.value for cell in row] for row in book["stops"]]
    assert cells[0] == [*result.stops().columns]
    assert [row[4] for row in cells[1:]] == ["Depot", "Café, Süd", "=1+1", '"x"', "Depot"]
    assert {cell.data_type for row in book["stops"] for cell in row} == {"s", "n"}
    assert book["stops"]["E4"].data_type == "s"
    assert [cell.value for cell in book["routes"][2]][:4] == [1, 0, 3, 1]
    book.close()


def test_names_that_no_workbook_can_hold(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "plan.xlsx"
    solve(town(names=["Depot", "a\x07b", "c", "d", "e"]), stop=FEW).to_table(path)
    book = openpyxl.load_workbook(path)
    assert book["stops"]["E3"].value == "a\ufffdb"
    book.close()


def test_paths_of_tables(result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"the suffix is '.txt'; expected .csv"):
        result.to_table(tmp_path / "x.txt")
    with pytest.raises(InputError, match="there is no folder"):
        result.to_table(tmp_path / "none" / "x.csv")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r'Workbooks need openpyxl.*run: pip install "dac-alns\[tables\]"$'):
        result.to_table(tmp_path / "x.xlsx")
    assert not [*tmp_path.iterdir()]


def test_geojson(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "plan.geojson"
    text = result.to_geojson(path)
    assert path.read_text(encoding="utf-8") == text
    collection = json.loads(text)
    assert collection["type"] == "FeatureCollection"
    line, *points = collection["features"]
    assert line["geometry"] == {
        "type": "LineString", "coordinates": [[13.4, 52.5], [13.5, 52.5], [13.6, 52.5], [13.7, 52.5], [13.4, 52.5]],
    }  # fmt: skip
    assert (line["properties"]["load"], line["properties"]["distance"], line["properties"]["cost"]) == (6, 60, 62)
    told = [point["properties"] for point in points[:-1]]
    stops, numbers = result.stops(), result.stops(clock=False)
    assert [each["customer"] for each in told] == [*stops["customer"]]
    assert [each["arrival"] for each in told] == [*numbers["arrival"]]
    assert [each["arrival_time"][:5] for each in told] == [*stops["arrival"]]
    assert [each["load"] for each in told] == [*numbers["load"]]
    assert points[-1]["properties"] == {"feature": "unserved", "kind": "left out", "customer": "far", "node": 4}
    assert all(point["geometry"]["type"] == "Point" for point in points)


def test_geojson_of_a_plane_is_refused() -> None:
    result = solve("P-n16-k8", stop=FEW)
    with pytest.raises(
        InputError, match=r"P-n16-k8 has coordinates in a plane and no longitudes.*give the instance lon"
    ):
        result.to_geojson()


def test_geojson_without_limits_has_null_and_two_ends() -> None:
    instance = Instance(
        name="open", coordinates=[[0, 0], [3, 4]], demands=[0, 1], lonlat=[[0, 0], [1, 1]],
        vehicle_types=(VehicleType(capacity=9, start_depot=None, end_depot=None),),
    )  # fmt: skip
    features = json.loads(solve(instance, stop=FEW).to_geojson())["features"]
    assert features[0]["geometry"]["coordinates"] == [[1, 1], [1, 1]]
    assert features[1]["properties"]["slack"] is None
    assert math.isinf(solve(instance, stop=FEW).stops()["slack"][0])


def test_tables_of_no_routes() -> None:
    instance = town(optional=[0, 1, 1, 1, 1], prizes=[0, 0, 0, 0, 0])
    result = solve(instance, stop=FEW)
    assert (result.routes, len(result.stops()), len(result.routes_table())) == ([], 0, 0)
    assert len(json.loads(result.to_geojson())["features"]) == 4
    assert "0 routes" in str(result)
    assert "0 routes" in result.to_html()


def test_importing_the_package_imports_no_table_library() -> None:
    import subprocess

    code = "import dacalns, sys; print({'pandas', 'openpyxl', 'matplotlib', 'IPython'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_recorded_routes_are_those_of_each_new_best() -> None:
    told = []
    result = solve("A-n32-k5", stop=MaxIterations(300), seed=1, record_routes=True, on_best=told.append)
    plain = solve("A-n32-k5", stop=MaxIterations(300), seed=1)
    assert len(result.history) == len(plain.history) > 5
    assert result.routes == plain.routes
    instance = dacalns.read("A-n32-k5")
    for event, heard in zip(result.history, told, strict=True):
        assert check(instance, event.routes).cost == pytest.approx(event.cost)
        assert (event.routes, event.vehicle_types) == (heard.routes, heard.vehicle_types)
    assert all(not event.routes for event in plain.history)
    assert "routes" not in json.loads(result.to_json())["history"][0]
    for given in ({"jobs": 2}, {"objective": "vehicles-then-distance"}):
        other = solve("A-n32-k5", stop=MaxIterations(100), record_routes=True, **given)  # type: ignore[arg-type]
        assert [check(instance, event.routes).cost for event in other.history] == pytest.approx(
            [event.cost for event in other.history]
        )
    with pytest.raises(InputError, match="record_routes is 'yes'"):
        solve("A-n32-k5", stop=FEW, record_routes="yes")  # type: ignore[arg-type]
