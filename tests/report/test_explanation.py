import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex

import dacalns
from dacalns.report import plot_explanation, plot_probabilities, save_explanation, save_picture
from dacalns.report.figure import COLOURS
from dacalns.search.policy_view import Explanation
from report.conftest import with_operators

SIZES = [(1, 1, 1), (1, 3, 2), (2, 3, 128), (8, 8, 5), (32, 32, 128)]


def explained(result, rows=2, columns=3, points=4, **changes):
    """The result as if a policy had chosen among so many operators."""
    draw = np.random.default_rng(rows * columns + points)

    def distributions(count, size):
        return draw.dirichlet(np.ones(size), count)

    def entropy(table):
        return -(table * np.log(table)).sum(axis=1)

    destroy, repair = distributions(points, rows), distributions(points, columns)
    given = {
        "iterations": [10 * (k + 1) for k in range(points)],
        "destroy_probabilities": destroy,
        "repair_probabilities": repair,
        "destroy_entropy": entropy(destroy),
        "repair_entropy": entropy(repair),
        "destroy_value": draw.normal(size=points),
        "repair_value": draw.normal(size=points),
        "repair_given_destroy": distributions(rows, columns),
        "exploration": 0.1,
    } | changes
    return dataclasses.replace(with_operators(result, rows, columns), selector="dac", explanation=Explanation(**given))


def panels(figure):
    return dict(zip(("destroy", "repair", "entropy", "value", "policy", "search"), figure.axes, strict=True))


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def cells(axes):
    return [text.get_text() for text in axes.texts]


def test_the_lines_are_the_probabilities_over_the_stretches(result):
    given = [[0.75, 0.25], [0.5, 0.5], [0.125, 0.875], [0.25, 0.75]]
    axes = panels(plot_explanation(explained(result, destroy_probabilities=given)))["destroy"]
    line = next(line for line in axes.lines if line.get_label() == "destroy 0")
    assert line.get_xdata().tolist() == [0, 10, 20, 30, 40]
    assert line.get_ydata().tolist() == [0.75, 0.75, 0.5, 0.125, 0.25]
    assert line.get_drawstyle() == "steps-pre"
    assert legend(axes) == ["destroy 1", "destroy 0", "even odds"]


def test_entropy_has_that_of_even_odds_beside_it(result):
    axes = panels(plot_explanation(explained(result)))["entropy"]
    heights = {line.get_label(): line.get_ydata()[-1] for line in axes.lines}
    assert heights["destroy, even odds"] == pytest.approx(np.log(2))
    assert heights["repair, even odds"] == pytest.approx(np.log(3))
    assert 0 <= heights["destroy"] <= np.log(2)


def test_values_or_a_note_that_there_is_no_critic(result):
    assert legend(panels(plot_explanation(explained(result)))["value"]) == ["full solution", "destroyed solution"]
    one = panels(plot_explanation(explained(result, repair_value=[])))["value"]
    assert legend(one) == ["full solution"]
    none = panels(plot_explanation(explained(result, destroy_value=[], repair_value=[])))["value"]
    assert cells(none) == ["no critic"]


def test_tables_hold_the_policy_and_the_uses_after_each_destroy_operator(result):
    likely = [[0.5, 0.25, 0.25], [0.02, 0.0, 0.98]]
    # Stretches of 10 and 30 iterations: (10 · 0.8 + 30 · 0.4) / 40 = 0.5.
    one = explained(
        result, points=2, iterations=[10, 40], destroy_probabilities=[[0.8, 0.2], [0.4, 0.6]],
        repair_given_destroy=likely,
    )  # fmt: skip
    figure = panels(plot_explanation(one))
    assert cells(figure["policy"]) == ["50 %", "25 %", "25 %", "2.0 %", "0 %", "98 %"]
    names = [label.get_text() for label in figure["policy"].get_yticklabels()]
    assert names == ["destroy 0  50 %", "destroy 1  50 %"]
    # Uses are 0, 1, 2 and 3, 4, 5 (conftest).
    assert cells(figure["search"]) == ["0 %", "33 %", "67 %", "25 %", "33 %", "42 %"]
    names = [label.get_text() for label in figure["search"].get_yticklabels()]
    assert names == ["destroy 0  20 %", "destroy 1  80 %"]
    assert "10 % exploration" in figure["search"].get_title(loc="left")
    assert figure["policy"].collections[0].get_clim() == figure["search"].collections[0].get_clim()


def test_an_operator_never_used(result):
    one = explained(result, repair_given_destroy=[[0.5, 0.25, 0.25], [0, 0, 0]], exploration=0)
    figure = panels(plot_explanation(one))
    assert cells(figure["policy"]) == ["50 %", "25 %", "25 %", "never used"]
    assert "no exploration" in figure["search"].get_title(loc="left")


def test_of_many_operators_the_likeliest_have_colours_and_names(result):
    likely = np.full((1, 32), 0.4 / 30)
    likely[0, [3, 17]] = 0.25, 0.35
    axes = panels(plot_explanation(explained(result, 32, 32, points=1, repair_probabilities=likely)))["repair"]
    names = legend(axes)
    assert names[:2] == ["repair 17", "repair 3"]
    assert names[-2:] == ["24 others", "even odds"]
    assert len(names) == 8 + 2
    coloured = [line for line in axes.lines if to_hex(line.get_color()).upper() in COLOURS]
    assert len({line.get_color() for line in coloured}) == len(coloured) == 8
    assert len(axes.lines) == 32 + 2


@pytest.mark.parametrize(("rows", "columns", "points"), SIZES)
def test_nothing_sticks_out_or_overlaps(result, rows, columns, points):
    figure = plot_explanation(explained(result, rows, columns, points))
    figure.canvas.draw()
    inside = figure.bbox.padded(1)
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    for box in boxes:
        assert inside.contains(*box.min)
        assert inside.contains(*box.max)
    for k, box in enumerate(boxes):
        for other in boxes[k + 1 :]:
            assert not box.padded(-2).overlaps(other.padded(-2))
    for name in ("policy", "search"):
        axes = panels(figure)[name]
        widest = max(text.get_window_extent().width for text in axes.texts)
        assert widest <= axes.bbox.width / columns


def test_the_title_identifies_the_run(result):
    title, facts = (text.get_text() for text in plot_explanation(explained(result)).texts)
    assert title == "A-n32-k5: how selector dac chose"
    for fact in ("31 customers", "portfolio paper", "seed 1", f"dac-alns {dacalns.__version__}"):
        assert fact in facts


def test_it_is_written(result, tmp_path):
    for suffix, beginning in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        save_explanation(explained(result), tmp_path / f"policy.{suffix}")
        assert (tmp_path / f"policy.{suffix}").read_bytes().startswith(beginning)
    with pytest.raises(dacalns.InputError, match="expected one of"):
        save_explanation(explained(result), tmp_path / "policy.gif")


def test_a_result_without_an_explanation(result, tmp_path):
    message = r"selector 'roulette' after 300 iterations has no explanation"
    with pytest.raises(dacalns.InputError, match=message):
        plot_explanation(result)
    with pytest.raises(dacalns.InputError, match=message):
        plot_probabilities(result)
    with pytest.raises(dacalns.InputError, match=message):
        save_explanation(result, tmp_path / "policy.png")
    assert not list(tmp_path.iterdir())


def test_an_explanation_of_other_operators(result):
    other = dataclasses.replace(result, explanation=explained(result, 2, 2).explanation)
    with pytest.raises(dacalns.InputError, match="2 destroy and 2 repair operators; expected 2 and 3"):
        plot_explanation(other)


def test_one_panel_has_both_kinds_apart(result):
    axes = plot_probabilities(explained(result))
    styles = {line.get_label(): line.get_linestyle() for line in axes.lines}
    assert {name: style == "-" for name, style in styles.items()} == {
        "destroy 0": True, "destroy 1": True, "repair 0": False, "repair 1": False, "repair 2": False,
    }  # fmt: skip
    assert len({line.get_color() for line in axes.lines}) == 5


def test_the_picture_of_a_run_has_that_panel_where_it_fits(instance, result, tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr("dacalns.report.picture.write_figure", lambda figure, _: figures.append(figure))
    for one in (explained(result), explained(result, 4, 4), explained(result, 5, 3), explained(result, 8, 8), result):
        save_picture(instance, one, tmp_path / "picture.png")
    titles = [[axes.get_title(loc="left") for axes in figure.axes] for figure in figures]
    assert ["Probability of operators" in each for each in titles] == [True, True, False, False, False]
    for figure in figures[:2]:
        boxes = [axes.get_tightbbox() for axes in figure.axes]
        for k, box in enumerate(boxes):
            assert figure.bbox.padded(1).contains(*box.min)
            assert figure.bbox.padded(1).contains(*box.max)
            assert not any(box.padded(-2).overlaps(other.padded(-2)) for other in boxes[k + 1 :])


def test_pyplot_stays_out_of_it(result, tmp_path):
    explained(result).to_json(tmp_path / "result.json")
    script = f"""
import sys, dacalns
from dacalns.report import save_explanation
save_explanation(dacalns.Result.from_json({str(tmp_path / "result.json")!r}), {str(tmp_path / "policy.png")!r})
print("matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"
