import dataclasses

import pytest

from dacalns.report import plot_convergence
from report.conftest import with_history

EARLY = ((0.0, 900.0, 0), (0.001, 850.0, 0), (0.002, 840.0, 0), (0.003, 830.0, 0))


def line(axes, label):
    return next(one for one in axes.get_lines() if one.get_label() == label)


def test_the_curve_goes_through_every_new_best_to_the_end(result):
    late = dataclasses.replace(with_history(result, (0.0, 900.0, 0), (0.4, 850.0, 0), (0.8, 840.0, 0)), seconds=1.0)
    axes = plot_convergence(late)
    assert axes.get_xscale() == "linear"
    assert line(axes, "best solution").get_xydata().tolist() == [[0, 900], [0.4, 850], [0.8, 840], [1, 840]]


def test_time_is_logarithmic_where_most_improvements_came_early(result):
    axes = plot_convergence(dataclasses.replace(with_history(result, *EARLY), seconds=1.0))
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] > 0
    assert axes.get_xlabel() == "time (logarithmic)"


def test_less_than_a_decade_of_time_has_plain_tick_labels_only(result):
    events = (0.003, 900.0, 0), (0.0031, 850.0, 0), (0.0032, 840.0, 0), (0.0033, 830.0, 0)
    axes = plot_convergence(dataclasses.replace(with_history(result, *events), seconds=0.025))
    axes.figure.canvas.draw()
    assert axes.get_xscale() == "log"
    assert not any(label.get_text() for label in axes.get_xticklabels(minor=True))
    assert any(label.get_text().endswith(" ms") for label in axes.get_xticklabels())


def test_the_best_known_value_has_a_line_and_a_label(result):
    axes = plot_convergence(result)
    assert "best-known 784" in [text.get_text() for text in axes.texts]
    assert any(set(one.get_ydata()) == {784.0} for one in axes.get_lines())
    low, high = axes.get_ylim()
    assert low < 784 < high


def test_a_reference_of_ours_is_not_called_best_known(result):
    axes = plot_convergence(dataclasses.replace(result, best_known_origin="a run"))
    assert "reference 784" in [text.get_text() for text in axes.texts]


def test_without_a_best_known_value_there_is_no_line(result):
    axes = plot_convergence(dataclasses.replace(result, best_known=None, gap_percent=None))
    assert not axes.texts
    assert not axes.child_axes


def test_a_search_that_begins_infeasible_is_grey_until_all_are_served(result):
    events = (0.0, 800.0, 2), (0.1, 700.0, 1), (0.3, 900.0, 0), (0.9, 880.0, 0)
    axes = plot_convergence(dataclasses.replace(with_history(result, *events), seconds=1.0))
    grey = line(axes, "leaves customers unserved")
    assert grey.get_linestyle() == "--"
    assert grey.get_xydata().tolist() == [[0, 800], [0.1, 700], [0.3, 700]]
    assert line(axes, "best solution").get_xydata().tolist()[0] == [0.3, 900]


def test_a_search_that_stays_infeasible_has_no_gap(infeasible):
    axes = plot_convergence(infeasible)
    assert axes.get_title(loc="left").startswith("No feasible solution in")
    assert not axes.child_axes


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 1e6])
def test_a_start_that_was_never_improved(result, seconds):
    axes = plot_convergence(dataclasses.replace(with_history(result, (0.0, 784.0, 0)), seconds=seconds))
    assert "from the start on" in axes.get_title(loc="left")
    axes.figure.canvas.draw()


def test_a_cost_below_the_best_known_value(result):
    axes = plot_convergence(dataclasses.replace(with_history(result, (0.0, 800.0, 0), (0.5, 780.0, 0)), seconds=1.0))
    axes.figure.canvas.draw()
    assert axes.get_title(loc="left") == "780 after 500 ms (iteration 1)"


def test_a_distance_with_more_vehicles_has_no_best_known_beside_it(result):
    first = dataclasses.replace(result, objective="vehicles-then-distance", best_known_vehicles=4, gap_percent=None)
    axes = plot_convergence(first)
    assert axes.get_ylabel() == "cost of the best solution, fewest vehicles first"
    assert not axes.texts
    as_few = plot_convergence(dataclasses.replace(first, gap_percent=1.0))
    assert "best-known 784" in [text.get_text() for text in as_few.texts]
