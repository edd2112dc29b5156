import numpy as np
import pytest
from matplotlib.figure import Figure

import dacalns
from dacalns.report import plot_routes
from dacalns.report.figure import COLOURS, LINES, MARKERS


def tours(axes):
    return {line.get_gid(): line for line in axes.get_lines() if line.get_gid()}


def test_every_route_is_drawn_through_its_customers(instance, result):
    axes = plot_routes(instance, result)
    drawn = tours(axes)
    assert set(drawn) == {f"route {number}" for number in range(1, len(result.routes) + 1)}
    for number, route in enumerate(result.routes, start=1):
        assert np.array_equal(np.column_stack(drawn[f"route {number}"].get_data()), instance.coordinates[route])


def test_the_depot_is_marked_and_the_aspect_is_equal(instance, result):
    axes = plot_routes(instance, result)
    depot = next(line for line in axes.get_lines() if line.get_label() == "depot")
    assert np.array_equal(np.ravel(depot.get_data()), instance.coordinates[0])
    assert axes.get_aspect() == 1


def test_the_title_says_cost_and_number_of_routes(instance, result):
    title = plot_routes(instance, result).get_title()
    assert title == f"A-n32-k5: cost {result.cost:g}, {len(result.routes)} routes"


def test_unserved_customers_are_marked_and_named_in_the_title(instance, infeasible):
    axes = plot_routes(instance, infeasible)
    count = len(infeasible.unserved)
    marked = next(line for line in axes.get_lines() if line.get_label() == f"not served ({count})")
    assert np.array_equal(np.column_stack(marked.get_data()), instance.coordinates[infeasible.unserved])
    assert f"INFEASIBLE: {count} customer" in axes.get_title()


def test_routes_that_break_a_limit_are_drawn_and_the_title_says_which(instance):
    axes = plot_routes(instance, [list(range(1, 32))])
    assert "INFEASIBLE: Route 1 carries 410" in axes.get_title()


def test_plain_routes_will_do_and_empty_ones_are_left_out(instance, result):
    assert len(tours(plot_routes(instance, [*map(tuple, result.routes), ()]))) == len(result.routes)


def test_no_routes_at_all(instance):
    assert "INFEASIBLE: 31 customers not served" in plot_routes(instance, []).get_title()


@pytest.mark.parametrize("count", range(1, 28))
def test_up_to_twenty_seven_routes_all_look_different(count):
    instance = dacalns.generate_cvrp(count, seed=1)
    lines = tours(plot_routes(instance, [[customer] for customer in range(1, count + 1)])).values()
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == count
    assert len(COLOURS) * len(LINES) == len(COLOURS) * len(MARKERS) == 27


@pytest.mark.parametrize("customers", [1, 30, 1000])
def test_dots_have_a_sensible_size(customers):
    instance = dacalns.generate_cvrp(customers, seed=1)
    (line,) = tours(plot_routes(instance, [list(range(1, customers + 1))])).values()
    assert 2 <= line.get_markersize() <= 9


def test_it_draws_on_axes_of_the_user(instance, result):
    axes = Figure().add_subplot()
    assert plot_routes(instance, result, axes) is axes


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        ([[1, 99]], "Route 1 visits 99; customers are 1 to 31. Are these routes of another instance?"),
        (5, "routes is a int; expected a Result or lists of customers"),
        ([5], "expected a Result or lists of customers"),
        ([["x"]], "not a whole number"),
    ],
)
def test_routes_that_cannot_be_of_the_instance(instance, routes, message):
    with pytest.raises(dacalns.InputError, match=message):
        plot_routes(instance, routes)


def test_a_result_of_another_instance(result):
    with pytest.raises(
        dacalns.InputError, match=r"the result is of A-n32-k5 with 31 customers; expected one of P-n16-k8"
    ):
        plot_routes(dacalns.read("P-n16-k8"), result)


def test_no_coordinates(without_coordinates):
    with pytest.raises(dacalns.InputError, match="matrix has a distance matrix and no coordinates"):
        plot_routes(*without_coordinates)


def test_something_that_is_no_axes(instance, result):
    with pytest.raises(dacalns.InputError, match="ax is a str; expected Matplotlib axes"):
        plot_routes(instance, result, "axes")
