import dataclasses

import pytest

from dacalns.report import plot_operators
from report.conftest import with_operators


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_each_pair_has_its_share_its_acceptance_and_its_new_bests(result):
    axes = plot_operators(with_operators(result, 2, 3))
    assert words(axes)[:4] == ["0 %", "never used", "6.7 %", "0 % accepted\n0 new bests"]
    assert words(axes)[-2:] == ["33 %", "40 % accepted\n1 new best"]


def test_rows_are_destroy_and_columns_repair_operators_from_the_top(result):
    axes = plot_operators(result)
    assert [label.get_text().split("\n")[0] for label in axes.get_yticklabels()] == ["random removal", "worst removal"]
    names = [label.get_text().split("\n")[0] for label in axes.get_xticklabels()]
    assert names == ["random repair", "greedy repair", "regret repair"]
    assert axes.yaxis_inverted()


def test_shares_of_rows_and_columns_add_up(result):
    axes = plot_operators(result)
    for labels in (axes.get_yticklabels(), axes.get_xticklabels()):
        assert sum(int(label.get_text().split("\n")[1].rstrip(" %")) for label in labels) in (99, 100, 101)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (8, 8), (32, 32)])
def test_any_number_of_operators(result, rows, columns):
    axes = plot_operators(with_operators(result, rows, columns))
    assert (len(axes.get_yticklabels()), len(axes.get_xticklabels())) == (rows, columns)
    (mesh,) = axes.collections
    assert mesh.get_array().size == rows * columns
    axes.figure.canvas.draw()


def test_eight_by_eight_still_has_details_and_the_largest_has_shares_only(result):
    assert any("accepted" in entry for entry in words(plot_operators(with_operators(result, 8, 8))))
    assert not any("accepted" in entry for entry in words(plot_operators(with_operators(result, 32, 32))))


def test_text_stays_within_the_cells(result):
    for rows, columns in ((2, 3), (8, 8), (32, 32)):
        axes = plot_operators(with_operators(result, rows, columns))
        axes.figure.canvas.draw()
        cell = axes.bbox.width / columns
        assert max(text.get_window_extent().width for text in axes.texts) <= cell


def test_a_search_of_no_iterations(result):
    never = with_operators(result, 2, 2)
    zeros = [[0, 0], [0, 0]]
    never = dataclasses.replace(never, operators=dataclasses.replace(never.operators, uses=zeros))
    assert words(plot_operators(never)) == ["0 %", "never used"] * 4
