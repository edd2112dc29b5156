"""The page on adding a variant: its example without code, and its patch, applied to a copy of the package and run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dacalns.instances.features import FEATURES

ROOT = Path(__file__).parents[2]
PATCH = ROOT / "examples" / "most_colours.patch"
PAGE = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
ADDED = [line[1:] for line in PATCH.read_text(encoding="utf-8").splitlines() if re.match(r"\+(?!\+\+ )", line)]

TRIAL = """
import itertools, random
import dacalns
from dacalns.instances import VehicleType

def drawn(seed, *types, customers=6):
    dice = random.Random(seed)
    model = dacalns.Model("colours")
    model.add_depot(50, 50)
    for number in range(customers):
        model.add_customer(dice.randrange(100), dice.randrange(100), delivery=1, colour=1 + number % 3)
    for each in types:
        model.add_vehicle_type(**each)
    return model.instance()

def tour(instance, nodes):
    legs = instance.distances
    ways = itertools.permutations(nodes)
    return min(sum(legs[a, b] for a, b in zip((0, *way), (*way, 0))) for way in ways)

def parts(nodes):
    if not nodes:
        yield []
        return
    first, *others = nodes
    for count in range(len(others) + 1):
        for beside in itertools.combinations(others, count):
            for rest in parts([node for node in others if node not in beside]):
                yield [(first, *beside), *rest]

stop = dacalns.MaxIterations(60)
for seed in range(4):
    costs = []
    for most in (1, 2, 3):
        instance = drawn(seed, {"num_available": None, "capacity": 3, "max_colours": most})
        assert instance.features == {"colours"}
        colours = {node: instance.colours[node] for node in instance.customer_nodes}
        fit = {
            nodes: tour(instance, nodes)
            for count in (1, 2, 3)
            for nodes in itertools.combinations(colours, count)
            if len({colours[node] for node in nodes}) <= most
        }
        least = min(sum(map(fit.get, made)) for made in parts(list(colours)) if all(route in fit for route in made))
        result = dacalns.solve(instance, stop=stop, seed=seed)
        assert result.feasible and abs(result.cost - least) < 1e-9 * least, (seed, most, result.cost, least)
        assert not dacalns.check(instance, result.routes).violations
        costs.append(result.cost)
    assert costs == sorted(costs, reverse=True)

# A cheap type with one compartment, and a dear one: routes change their vehicles.
instance = drawn(9, {"num_available": 2, "capacity": 4, "max_colours": 1},
                 {"num_available": 2, "capacity": 4, "unit_distance_cost": 1.5}, customers=9)
result = dacalns.solve(instance, stop=stop, seed=1)
assert result.feasible and not dacalns.check(instance, result.routes, result.vehicle_types).violations
given = dacalns.solve(instance, start=result, stop=stop, seed=2)
assert given.feasible and given.cost <= result.cost

# Trips: what a vehicle carries is another colour after it has loaded again.
model = dacalns.Model("trips")
depot = model.add_depot(0, 0)
for number in range(6):
    model.add_customer(number, 9, delivery=1, colour=1 + number % 2)
model.add_vehicle_type(capacity=3, max_colours=1, reload_depots=[depot])
result = model.solve(stop=stop)
assert result.feasible and sum(node == 0 for node in result.routes[0]) == 1, result.routes

# One vehicle with one compartment: results say why they do not serve everybody.
result = dacalns.solve(drawn(1, {"num_available": 1, "capacity": 9, "max_colours": 1}), stop=stop)
assert len(result.unserved) == 4
reason = result.reasons[result.unserved[0]]
assert reason.main == "fleet"
assert (reason.nearest, reason.counts, reason.places) == ("colours", {"colours": 3, "fleet": 1}, 3)
assert "fits into no route: a rule about colours is broken at 3 of 3 places, no other vehicle is free." in str(result)

verdict = dacalns.check(drawn(1, {"num_available": None, "capacity": 3, "max_colours": 2}), [[1, 2, 3], [4, 5, 6]])
print(verdict.violations[0])
instance = drawn(1, {"num_available": None, "capacity": 3, "max_colours": 2})
assert dacalns.Instance.from_parts("colours", instance.parts).same_content(instance)
assert not instance.same_content(instance.with_(colours=None))
dacalns.write_instance(instance, "colours.json")
assert "max_colours" in open("colours.json").read()
assert dacalns.read("colours.json").same_content(instance)
assert "max_colours" not in str(instance.with_(vehicle_types=(VehicleType(num_available=None, capacity=3),)).features)
for refused in (lambda: dacalns.write_instance(instance, "colours.vrp"), lambda: dacalns.Model("m").add_customer(
        1, 2, colour=-1), lambda: dacalns.to_pyvrp(instance)):
    try:
        refused()
    except dacalns.InputError as error:
        print(error)
"""


@pytest.fixture
def patched(tmp_path):
    """A copy of the package with the patch applied."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    subprocess.run(["git", "apply", PATCH], cwd=tmp_path, check=True, env={**os.environ, "GIT_DIR": os.devnull})
    return tmp_path


def test_the_patch_adds_a_rule_that_search_and_checker_know(patched):
    environment = {**os.environ, "PYTHONPATH": str(patched / "src"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", TRIAL], cwd=patched, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Route 1 has 3 colours on a trip, 1 more than it may."
    for word, line in zip(("colours", "colour", "PyVRP cannot say"), lines[1:], strict=True):
        assert word in line


def test_the_patch_is_short_and_leaves_the_kernels_alone():
    assert len(ADDED) < 60
    files = re.findall(r"^\+\+\+ b/src/dacalns/(\S+)", PATCH.read_text(encoding="utf-8"), re.MULTILINE)
    assert {file for file in files if file.startswith("core/")} == {"core/rich.py", "core/rich_terms.py"}
    assert f"takes {len(ADDED)} lines" in PAGE
    for file in files:
        assert f"`{Path(file).name}`" in PAGE or f"`{file}`" in PAGE


def test_the_page_shows_what_the_patch_adds():
    added = "\n".join(ADDED)
    shown = re.findall(r"^```text\n((?:@kernel\n)?def .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for block in shown:
        assert block.strip() in added


def test_the_example_on_the_page_is_the_file():
    example = (ROOT / "examples" / "colours.py").read_text(encoding="utf-8")
    assert example[example.index("import dacalns") :] in PAGE


def test_the_page_on_problems_names_every_feature():
    page = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
    assert [feature for feature in FEATURES if page.count(f"| `{feature}` | ") != 1] == []
    assert f"has {len(FEATURES)} features" in PAGE
