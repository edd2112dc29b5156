"""The page of a plan: what is in it, that nothing in it runs or asks for anything, and how it works in a browser."""

import base64
import dataclasses
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import dacalns
from browser import Browser, needs_browser
from dacalns import MaxIterations, Result, solve
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.output import page as module

pytestmark = pytest.mark.slow_without_jit

EVIL = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def city(**changes: object) -> Instance:
    """Customers around a town, with windows in minutes, names that are no friends, and one who is left out."""
    east = [13.4, 13.3, 13.35, 13.42, 13.5, 13.55, 13.45, 13.9]
    north = [52.5, 52.45, 52.6, 52.62, 52.58, 52.5, 52.42, 52.9]
    places = [*zip(east, north, strict=True)]
    fields: dict[str, object] = {
        "name": f"city {EVIL}", "coordinates": [[100 * (x - 13.4), 160 * (y - 52.5)] for x, y in places],
        "lonlat": places, "rounding": "none", "demands": [0, 1, 2, 3, 1, 2, 3, 1], "time_unit": "min",
        "names": ["Depot {{SCRIPT}}", EVIL, "b & c", "{{DATA}}", "Café", "", "'; alert(1)//", "far away \u00fc"],
        "windows": [[0, 1400], *([480, 600 + 10 * k] for k in range(7))], "service": [10, *([5] * 7)],
        "optional": [0] * 7 + [1], "prizes": [0] * 7 + [1],
        "vehicle_types": (VehicleType(capacity=6, num_available=2), VehicleType(capacity=7, fixed_cost=5)),
    }  # fmt: skip
    return Instance(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def result() -> Result:
    return solve(city(), stop=MaxIterations(300), record_routes=True)


def data_of(text: str) -> Any:
    return json.loads(DATA.search(text)[1])  # type: ignore[index]


# Without a browser.


def test_a_page_asks_for_nothing_and_runs_nothing_but_its_own(result: Result) -> None:
    text = result.to_html()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    style, script = (re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1] for tag in ("style", "script"))  # type: ignore[index]
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, content in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    outside = re.sub("<title>.*</title>", "", DATA.sub("", text))
    assert not re.findall(r"https?:|//[\w.]+\.\w|@import|url\(|\bfetch\b|XMLHttp|WebSocket|src=|href=", outside)
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", outside)
    assert text.count("<script") == text.count("</script") == 2


def test_names_cannot_leave_the_data(result: Result) -> None:
    text = result.to_html()
    assert EVIL not in text
    inside = DATA.search(text)[1]  # type: ignore[index]
    assert not set("<>&") & set(inside)
    data = data_of(text)
    assert data["names"] == [*city().names]
    assert data["title"] == city().name
    assert f"<title>{html.escape(city().name)}: " in text


def test_the_last_frame_is_the_answer_and_the_others_its_history(result: Result) -> None:
    data = data_of(result.to_html())
    assert len(data["frames"]) == len(result.history) == data["bests"] > 1
    for frame, event in zip(data["frames"], result.history, strict=True):
        nodes = [[node for node in data["pool"][number]["s"] if node] for number in frame["r"]]
        assert nodes == event.routes
        assert [data["pool"][number]["t"] for number in frame["r"]] == (event.vehicle_types or [0] * len(nodes))
        assert frame["cost"] == pytest.approx(event.cost, abs=1e-3)
    stops = result.stops(clock=False)
    for number, frame_route in enumerate(data["frames"][-1]["r"], start=1):
        route, own = data["pool"][frame_route], stops[stops["route"] == number]
        assert route["a"] == pytest.approx([*own["arrival"]], abs=1e-3)
        assert route.get("b", route["a"]) == pytest.approx([*own["start"]], abs=1e-3)
        assert route["k"] == pytest.approx([*own["slack"]], abs=1e-3)
        assert route["l"] == pytest.approx([*own["load"]])
        assert route["m"] == pytest.approx([*own["distance"]], abs=1e-3)


def test_who_is_not_served_stands_there_with_the_reason(result: Result) -> None:
    data = data_of(result.to_html())
    assert result.left_out == data["left_out"] == [7]
    assert data["missing_title"] == "1 optional customer left out"
    assert data["missing"] == [f"far away \u00fc: {result.reasons[7].sentence}"]


def test_what_identifies_the_run_is_there(result: Result) -> None:
    data = data_of(result.to_html())
    run = dict(data["run"])
    assert (run["seed"], run["version"]) == ("0", f"dac-alns {dacalns.__version__}")
    assert run["selector"] == f"{result.selector} ({result.selector_note})"
    assert json.loads(data["settings"]) == json.loads(result.to_json())["settings"]
    assert sum(map(sum, data["operators"]["uses"])) == result.iterations


def test_many_bests_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    result = solve("A-n32-k5", stop=MaxIterations(400), record_routes=True)
    assert len(result.history) > 8
    monkeypatch.setattr(module, "MOST_FRAMES", 5)
    data = data_of(result.to_html())
    numbers = [frame["number"] for frame in data["frames"]]
    assert (len(numbers), numbers[0], numbers[-1]) == (5, 1, len(result.history))
    assert numbers == sorted(set(numbers))
    monkeypatch.setattr(module, "MOST_STOPS", 60)
    fewer = data_of(result.to_html())
    kept = {number for frame in fewer["frames"][:-1] for number in frame["r"]} - {*fewer["frames"][-1]["r"]}
    assert sum(len(fewer["pool"][number]["s"]) - 2 for number in kept) <= 60
    assert len(fewer["frames"]) < 5


def test_without_recorded_routes_there_is_one_frame() -> None:
    data = data_of(solve("A-n32-k5", stop=MaxIterations(50)).to_html())
    assert (len(data["frames"]), data["xy"][0], data["unit"]) == (1, [82, 76], "")
    assert data["gantt_hint"].endswith("a unit of distance takes a unit of time.")


def test_a_problem_without_places_has_no_map() -> None:
    matrix = Instance(name="matrix", matrix=[[0, 2, 3], [2, 0, 4], [3, 4, 0]], demands=[0, 1, 1], capacity=3)
    assert data_of(solve(matrix, stop=MaxIterations(5)).to_html())["xy"] is None


def test_the_poles_are_on_the_map() -> None:
    instance = city(lonlat=[[0, 90], [0, -90], *([k, 0] for k in range(6))])
    data = data_of(solve(instance, stop=MaxIterations(5)).to_html())
    assert data["xy"][0][1] == -data["xy"][1][1] < 200
    assert data["xy"][2] == [0, 0]


def test_it_is_written_whole(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    assert result.to_html(path) == path.read_text(encoding="utf-8")
    with pytest.raises(dacalns.InputError, match="there is no folder"):
        result.to_html(tmp_path / "none" / "x.html")


# In a browser.


@pytest.fixture
def opened(result: Result, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    path = tmp_path / "plan.html"
    result.to_html(path)
    with Browser(**getattr(request, "param", {})) as browser:
        browser.open(path)
        yield browser
        assert browser.complaints() == []
        assert {address.partition(":")[0] for address in browser.requests()} == {"file"}
        assert browser.run("return document.title").startswith("city </script>")


def place(browser: Browser, node: int) -> tuple[float, float]:
    """Where a node is in the window."""
    x, y, across, up, wide, high, left, top = browser.run(
        "const map = document.getElementById('map'), box = map.getBoundingClientRect();"
        "const data = JSON.parse(document.getElementById('data').textContent);"
        "return [...map.dataset.view.split(' ').slice(1).map(Number), ...data.xy[arguments[0]], box.width, box.height,"
        "box.left, box.top]",
        node,
    )
    scale = float(browser.run("return document.getElementById('map').dataset.view").split()[0])
    return left + (across - x) * scale + wide / 2, top + (y - up) * scale + high / 2


def tip(browser: Browser) -> dict[str, str]:
    lines = browser.run(
        "return [...document.querySelectorAll('#tip div')].map(each => [...each.children].map(c => c.textContent))"
    )
    return dict(lines)


@needs_browser
def test_hovering_over_a_stop_tells_about_it(opened: Browser, result: Result) -> None:
    stops = result.stops()
    row = stops[stops["node"] == 4].iloc[0]
    opened.move(*place(opened, 4))
    assert opened.run("return document.getElementById('tip').hidden") is False
    assert opened.run("return document.documentElement.dataset.hover") == "Café"
    told = tip(opened)
    assert told["route"] == f"{row.route}, stop {row.sequence}"
    assert told["load after"] == f"{row.load:g}"
    minutes = round(result.stops(clock=False)[stops["node"] == 4].iloc[0].arrival)
    assert told["arrival"] == f"{minutes // 60:02d}:{minutes % 60:02d}"
    assert told["window"] == "08:00\u201310:30"
    opened.move(*place(opened, 1))
    assert opened.run("return document.querySelector('#tip b').textContent") == EVIL
    opened.move(*place(opened, 7))
    assert tip(opened)[""] == "left out"
    opened.move(3, 3)
    assert opened.run("return document.getElementById('tip').hidden") is True


@needs_browser
def test_hovering_over_a_leg_tells_about_the_route(opened: Browser, result: Result) -> None:
    route = max(result.routes, key=len)
    (x1, y1), (x2, y2) = place(opened, route[0]), place(opened, route[1])
    opened.move((x1 + x2) / 2, (y1 + y2) / 2)
    number = result.routes.index(route) + 1
    assert opened.run("return document.documentElement.dataset.hover").startswith(f"Route {number}, vehicle type")
    assert tip(opened)["customers"] == str(len(route))


@needs_browser
def test_the_slider_leads_through_the_successive_bests(opened: Browser, result: Result) -> None:
    last = len(result.history) - 1
    told = "return document.getElementById('moment').textContent"
    assert opened.run("return document.documentElement.dataset.frame") == str(last)
    assert opened.run(told).startswith(f"Best {last + 1} of {last + 1}")
    before = opened.run("return document.getElementById('map').toDataURL()")
    opened.run(
        "const slider = document.getElementById('slider'); slider.value = 0; slider.dispatchEvent(new Event('input'))"
    )
    opened.settle()
    assert opened.run("return document.documentElement.dataset.frame") == "0"
    assert opened.run(told).startswith(f"Best 1 of {last + 1} · after ")
    assert f"{len(result.history[0].routes)} routes" in opened.run(told)
    rows = opened.run("return document.querySelectorAll('#legend li').length")
    assert rows == len(result.history[0].routes)
    assert opened.run("return document.getElementById('map').toDataURL()") != before
    opened.run("document.getElementById('play').click()")
    opened.wait("return document.documentElement.dataset.frame === arguments[0]", str(last))
    opened.settle()
    assert opened.run("return document.getElementById('map').toDataURL()") == before


@needs_browser
def test_the_map_moves_and_grows(opened: Browser) -> None:
    def view() -> list[float]:
        return [float(each) for each in opened.run("return document.getElementById('map').dataset.view").split()]

    scale, x, y = view()
    spot = place(opened, 4)
    opened.wheel(*spot, -100)
    assert view()[0] > 1.2 * scale
    assert place(opened, 4) == pytest.approx(spot, abs=1)  # what is under the pointer stays there
    opened.drag(spot[0], spot[1], spot[0] + 40, spot[1] + 30)
    assert place(opened, 4) == pytest.approx((spot[0] + 40, spot[1] + 30), abs=2)
    opened.run("document.getElementById('all').click()")
    opened.settle()
    assert view() == pytest.approx([scale, x, y])


@needs_browser
def test_a_selected_route_shows_its_stops_and_opens_in_the_times(opened: Browser, result: Result) -> None:
    high = "return document.getElementById('gantt-space').clientHeight"
    before = opened.run(high)
    assert opened.run("return document.getElementById('stops-part').hidden") is True
    opened.run("document.querySelector('#legend button').click()")
    opened.settle()
    stops = result.stops()
    own = stops[stops["route"] == 1]
    cells = opened.run("return [...document.querySelectorAll('#stops tbody tr')].map(r => r.children[1].textContent)")
    assert cells == [*own["customer"]]
    assert opened.run("return document.documentElement.dataset.selected") == "1"
    assert opened.run(high) == before + 20 * len(own)
    opened.click(*place(opened, result.routes[1][0]))
    assert opened.run("return document.documentElement.dataset.selected") == "2"
    opened.run("document.getElementById('open-all').click()")
    opened.settle()
    assert opened.run(high) == before + 20 * len(stops)


@needs_browser
def test_hovering_over_the_times_tells_about_stops_and_routes(opened: Browser, result: Result) -> None:
    opened.run("document.getElementById('gantt-part').scrollIntoView()")
    opened.settle()
    left, top = opened.run("const b = document.getElementById('gantt').getBoundingClientRect(); return [b.left, b.top]")
    opened.move(left + 40, top + 26 + 13)
    assert opened.run("return document.documentElement.dataset.hover").startswith("Route 1, vehicle type")
    opened.click(left + 40, top + 26 + 13)
    opened.move(left + 40, top + 26 + 26 + 20 + 10)  # the second stop below its route
    assert opened.run("return document.documentElement.dataset.hover") == (
        city().names[result.routes[0][0]] or str(result.routes[0][0])
    )


PHONE = {"width": 390, "height": 800, "touch": True}


@needs_browser
@pytest.mark.parametrize("opened", [PHONE, PHONE | {"dark": True}, {"width": 1280, "dark": True}], indirect=True)
def test_it_fits_phones_and_the_dark(opened: Browser, result: Result) -> None:
    wide, inner = opened.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    opened.run("document.getElementById('map').scrollIntoView()")
    opened.settle()
    node = result.routes[0][0]
    opened.click(*place(opened, node), kind="touch")
    assert opened.run("return document.documentElement.dataset.selected") == "1"
    assert opened.run("return document.documentElement.scrollWidth") <= inner


@needs_browser
@pytest.mark.parametrize("case", ["no places", "no routes", "unserved", "no iterations"])
def test_odd_answers(case: str, result: Result, tmp_path: Path) -> None:
    if case == "no places":
        matrix = Instance(name="matrix", matrix=[[0, 2, 3], [2, 0, 4], [3, 4, 0]], demands=[0, 1, 1], capacity=3)
        made = solve(matrix, stop=MaxIterations(5), record_routes=True)
    elif case == "no routes":
        made = solve(city(optional=[0] + [1] * 7, prizes=[0] * 8), stop=MaxIterations(5), record_routes=True)
    elif case == "unserved":
        made = dataclasses.replace(
            result, routes=result.routes[:1], vehicle_types=result.vehicle_types[:1], feasible=False,
            unserved=sorted(node for route in result.routes[1:] for node in route),
        )  # fmt: skip
    else:
        made = solve(city(), stop=MaxIterations(0))
    path = tmp_path / "odd.html"
    made.to_html(path)
    with Browser() as browser:
        browser.open(path)
        browser.settle()
        assert browser.complaints() == []
        assert browser.run("return document.querySelectorAll('#legend li').length") == len(made.routes)
        facts = browser.run("return document.getElementById('facts').textContent")
        assert ("not served" in facts) == (case == "unserved")
        assert browser.run("return document.getElementById('map').hidden") is (case == "no places")


@needs_browser
def test_a_thousand_customers_are_drawn_at_each_move(tmp_path: Path) -> None:
    result = solve(dacalns.generate_cvrp(1000, seed=1), stop=MaxIterations(50), record_routes=True)
    path = tmp_path / "large.html"
    assert len(result.to_html(path)) < 2_000_000
    with Browser() as browser:
        browser.open(path)
        for node in (5, 500, 900):
            browser.move(*place(browser, node))
            assert browser.run("return document.documentElement.dataset.hover")
        assert browser.complaints() == []
