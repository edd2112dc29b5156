"""Pictures of problems with depots, open routes, several trips, vehicle types, and customers who are left out."""

import numpy as np
import pytest

import dacalns
from dacalns import InputError, Instance
from dacalns.instances.parts import Group, VehicleType
from dacalns.report import plot_routes, save_picture


def vans(**more):
    """Two depots, three types: one goes home, one loads again at the second depot, one does not go home."""
    fields = {
        "depots": 2,
        "demands": [0, 0] + [1] * 8,
        "optional": [0] * 9 + [1],
        "vehicle_types": (
            VehicleType(capacity=3, num_available=2),
            VehicleType(capacity=2, reload_depots=(1,)),
            VehicleType(capacity=9, end_depot=None),
        ),
    }
    places = [[0, 0], [9, 0], [1, 5], [2, 6], [4, 1], [5, 2], [7, 1], [8, -3], [-3, -3], [-5, -4]]
    return Instance(**({"name": "vans", "coordinates": places} | fields | more))


ROUTES, TYPES = [[2, 3], [4, 5, 1, 6], [7]], [0, 1, 2]


def lines_of(axes):
    return {line.get_gid(): line for line in axes.get_lines() if line.get_gid()}


def labels_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def legs_of(axes):
    """The faint legs, each as a set of two places."""
    return [
        {*map(tuple, np.column_stack(line.get_data()).tolist())}
        for line in axes.get_lines()
        if line.get_alpha() == 0.35
    ]


def labelled(axes, label):
    return next(np.column_stack(line.get_data()) for line in axes.get_lines() if line.get_label() == label)


def test_trips_are_lines_of_one_colour_and_no_line_leads_through_a_depot():
    instance = vans()
    drawn = lines_of(plot_routes(instance, ROUTES, types=TYPES))
    assert set(drawn) == {"route 1", "route 2", "route 2, trip 2", "route 3"}
    assert drawn["route 2"].get_color() == drawn["route 2, trip 2"].get_color() != drawn["route 1"].get_color()
    for name, stops in (("route 1", [2, 3]), ("route 2", [4, 5]), ("route 2, trip 2", [6])):
        assert np.array_equal(np.column_stack(drawn[name].get_data()), instance.coordinates[stops])


def test_legs_lead_to_the_depots_of_the_route_and_open_routes_lack_one():
    axes = plot_routes(vans(), ROUTES, types=TYPES)
    expected = [
        ((0, 0), (1, 5)), ((2, 6), (0, 0)),
        ((0, 0), (4, 1)), ((5, 2), (9, 0)), ((9, 0), (7, 1)), ((7, 1), (0, 0)),
        ((0, 0), (8, -3)),
    ]  # fmt: skip
    assert sorted(map(sorted, legs_of(axes))) == sorted(sorted(map(tuple, leg)) for leg in expected)


def test_the_legend_tells_depots_types_and_who_is_left_out():
    axes = plot_routes(vans(), ROUTES, types=TYPES)
    assert labels_of(axes) == [
        "left out (1)", "not served (1)", "depots (2)", "from and to depots", "vehicle type 0 (1 route)",
        "vehicle type 1 (1 route)", "vehicle type 2 (1 route)",
    ]  # fmt: skip
    assert np.array_equal(labelled(axes, "left out (1)"), [[-5, -4]])
    assert np.array_equal(labelled(axes, "not served (1)"), [[-3, -3]])
    assert np.array_equal(labelled(axes, "depots (2)"), [[0, 0], [9, 0]])
    markers = {name: line.get_marker() for name, line in lines_of(axes).items()}
    assert len(set(markers.values())) == 3
    assert markers["route 2"] == markers["route 2, trip 2"]
    assert "INFEASIBLE: 1 customer not served" in axes.get_title()


def test_of_a_group_the_others_are_not_missing():
    groups = (Group(customers=(7, 8)), Group(customers=(9, 6), required=False))
    axes = plot_routes(vans(optional=None, groups=groups), [[2, 3], [4, 5], [7]], types=TYPES)
    assert np.array_equal(labelled(axes, "another one of the group is served (1)"), [[-3, -3]])
    assert np.array_equal(labelled(axes, "left out (2)"), [[7, 1], [-5, -4]])


def test_too_many_types_to_tell_apart_have_the_markers_of_plain_routes():
    kinds = tuple(VehicleType(capacity=1, fixed_cost=kind) for kind in range(13))
    places = [[k, k * k] for k in range(14)]
    instance = Instance(name="many", coordinates=places, demands=[0] + [1] * 13, vehicle_types=kinds)
    axes = plot_routes(instance, [[k] for k in range(1, 14)], types=list(range(13)))
    assert labels_of(axes) == ["depot", "from and to the depot"]


def test_routes_that_begin_and_end_anywhere_have_no_legs():
    nowhere = (VehicleType(capacity=9, start_depot=None, end_depot=None),)
    axes = plot_routes(vans(vehicle_types=nowhere), [[2, 3, 4, 5], [6, 7, 8, 9]])
    assert labels_of(axes) == ["depots (2)"]
    assert legs_of(axes) == []


def test_lists_of_several_types_need_them():
    with pytest.raises(InputError, match="types is None, and vans has 3 vehicle types"):
        plot_routes(vans(), ROUTES)


def test_a_picture_of_a_result(tmp_path):
    instance = vans()
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(50))
    save_picture(instance, result, tmp_path / "vans.svg")
    text = (tmp_path / "vans.svg").read_text()
    assert text.count("<svg") == 1
    axes = plot_routes(instance, result)
    assert axes.get_title().startswith(f"vans: cost {result.cost:.2f}".rstrip("0"))


def test_without_coordinates_there_is_a_picture_without_a_map(tmp_path):
    instance = vans(coordinates=None, matrix=vans().distances / 1000)
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(50))
    save_picture(instance, result, tmp_path / "vans.png")
    with pytest.raises(InputError, match="a distance matrix and no coordinates"):
        plot_routes(instance, result)


def _named(customers):
    model = dacalns.Model("named")
    model.add_depot(0, 0, name="yard")
    for number in range(customers):
        model.add_customer(number, 1, delivery=1, name=f"${number}$ with a name that is long")
    model.add_vehicle_type(1, capacity=customers, name="van")
    model.add_vehicle_type(1, capacity=customers)
    return model.instance()


def test_customers_and_vehicle_types_are_called_by_their_names():
    axes = plot_routes(_named(4), [[1, 2], [3, 4]], types=[0, 1])
    assert [text.get_text() for text in axes.texts] == ["yard", *(f"${k}$ with a n… long" for k in range(4))]
    axes.figure.canvas.draw()  # and dollar signs are no formulas
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert told[-2:] == ["van (1 route)", "vehicle type 1 (1 route)"]


def test_many_names_are_left_out():
    assert not plot_routes(_named(61), [[*range(1, 62)]], types=[0]).texts
    assert not plot_routes(dacalns.read("P-n16-k8")).texts
