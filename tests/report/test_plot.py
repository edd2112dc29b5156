"""One call draws what there is, and what it draws shows by itself in a notebook."""

import json
from io import BytesIO

import pytest
from matplotlib.image import imread

import dacalns
from dacalns.report import plot_convergence, plot_explanation, plot_operators, plot_routes, save_picture
from search.test_tables import town

PNG = b"\x89PNG"


def lines(axes):
    """The routes that are drawn."""
    return sorted(line.get_gid() for line in axes.get_lines() if (line.get_gid() or "").startswith("route"))


def test_a_result_is_drawn_with_all_there_is(result):
    figure = dacalns.plot(result)
    assert len(figure.axes) == 3
    assert lines(figure.axes[0]) == [f"route {k}" for k in range(1, len(result.routes) + 1)]
    assert figure._repr_png_().startswith(PNG)


def test_an_instance_is_drawn_by_its_demands(instance):
    (axes,) = dacalns.plot("A-n32-k5").axes
    assert axes.get_title() == "A-n32-k5: CVRP, 31 customers"
    (customers,) = axes.collections
    assert customers.get_offsets().tolist() == instance.coordinates[1:].tolist()
    largest, smallest = (which(range(31), key=instance.demands[1:].tolist().__getitem__) for which in (max, min))
    assert customers.get_sizes()[largest] > customers.get_sizes()[smallest] > 0
    assert lines(axes) == []
    nothing = dacalns.Instance(name="none", coordinates=[[0, 0], [1, 1]], demands=[0, 0], capacity=1)
    assert len(set(dacalns.plot(nothing).axes[0].collections[0].get_sizes())) == 1


def test_routes_are_drawn_of_an_instance_a_name_or_a_result(instance, result):
    drawn = [plot_routes(instance, result), plot_routes("A-n32-k5", result), plot_routes(result)]
    drawn += dacalns.plot("A-n32-k5", result.routes).axes
    for axes in drawn:
        assert lines(axes) == [f"route {k}" for k in range(1, len(result.routes) + 1)]
        assert axes.get_title() == drawn[0].get_title()


def test_a_result_from_json_needs_its_instance(result):
    again = dacalns.Result.from_json(result.to_json())
    with pytest.raises(dacalns.InputError, match="pictures need the instance"):
        dacalns.plot(again)
    assert len(dacalns.plot("A-n32-k5", again).axes) == 3
    with pytest.raises(dacalns.InputError, match=r"the first argument is Result.*leave out one of the two"):
        plot_routes(result, result)


def test_pictures_show_by_themselves(result, tmp_path):
    learned = dacalns.solve("P-n16-k8", stop=dacalns.MaxIterations(50))
    for shown in (plot_routes(result), plot_convergence(result), plot_operators(result), plot_explanation(learned)):
        picture = imread(BytesIO(shown._repr_png_()))
        assert picture.min() < 0.5 < picture.max()
    save_picture("A-n32-k5", result, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_places_on_earth_are_drawn_where_they_are():
    result = dacalns.solve(town(), stop=dacalns.MaxIterations(20))
    axes = plot_routes(result)
    assert axes.get_aspect() == pytest.approx(1.0 / 0.6050, rel=0.01)  # 52.7 degrees north
    (route,) = (line for line in axes.get_lines() if line.get_gid() == "route 1")
    assert route.get_xydata().tolist() == [[13.5, 52.5], [13.6, 52.5], [13.7, 52.5]]


def test_places_on_earth_are_enough():
    matrix = [[0, 2, 3], [2, 0, 4], [3, 4, 0]]
    instance = dacalns.Instance(
        name="matrix", matrix=matrix, demands=[0, 1, 1], capacity=3, lonlat=[[0, 0], [1, 1], [2, 0]]
    )
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(5))
    assert lines(dacalns.plot(result).axes[0])
    assert json.loads(result.to_geojson())["features"][0]["geometry"]["coordinates"][0] == [0, 0]
