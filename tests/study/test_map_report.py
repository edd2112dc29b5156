"""Reports of maps: whole, with runs missing, and without any."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dacalns.study.report.contents import report_of
from dacalns.study.report.document import Document, Picture
from dacalns.study.report.figures import HeatMap, draw_heat_map, saved_figure
from dacalns.study.report.html import to_html
from dacalns.study.report.latex import to_latex
from dacalns.study.report.markdown import to_markdown

from .map_study import loaded, made_up
from .synthetic_study import study_of
from .test_report import markdown_tables, table_with


def gap(kind: str, levels: dict[str, str], dataset: str) -> float:
    if kind not in ("DAC", "AC"):
        return 0.0
    wins = dataset == "CVRP" or levels["acceptance"] == "climbing"
    return (-1.0 if wins else 0.4) - 0.5 * (kind == "AC")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return report_of([made_up(loaded(tmp_path_factory.mktemp("map")), gap)])


@pytest.fixture(scope="module")
def text(whole: Document) -> str:
    return to_markdown(whole, None)


def test_claims_have_verdicts_over_readings(text: str) -> None:
    rows = {row["Claim of the paper"]: row for row in table_with(text, "Verdict", "Holds where")}
    everywhere = rows["DAC is better than ALNS on CVRP Large"]
    assert everywhere["Verdict"] == "**holds under every reading tried (22)**"
    assert everywhere["Holds under"] == everywhere["Uncorrected"] == "22 of 22 (100 %)"
    depends = rows["DAC is better than ALNS on VRPTW Medium"]
    assert depends["Verdict"] == "**depends on acceptance: holds under 11 of 22**"
    assert depends["Holds where"] == "acceptance: climbing 11/11, others 0/11"
    assert depends["Instances"] == "12"
    assert rows["DAC is better than AC on VRPTW"]["Verdict"] == (
        "**contradicted: holds under none of 22 readings tried**"
    )
    assert rows["DAC is better than ALNS on VRPTW Large"]["Verdict"] == "no data"
    summary = next(line for line in text.splitlines() if line.startswith("- The paper's claims"))
    assert "**holds under every reading tried: 2**" in summary
    assert "no data: 2" in summary


def test_what_any_reading_beats(text: str) -> None:
    rows = table_with(text, "Better", "Worse", "Best reading")
    assert [(row["Budget"], row["Dataset"]) for row in rows] == [
        (budget, dataset) for budget in ("Equal iterations", "Equal time")
        for _ in ("ALNS", "Always") for dataset in ("CVRP", "VRPTW")
    ]  # fmt: skip
    assert (rows[0]["Better"], rows[0]["Worse"]) == ("22 of 22", "0 of 22")
    assert (rows[1]["Better"], rows[1]["Worse"]) == ("11 of 22", "11 of 22")
    assert rows[0]["Does any reading of DAC beat"] == "**ALNS: yes**"


def test_effects_of_every_level(text: str) -> None:
    tables = [rows for head, _, *rows in markdown_tables(text) if "Same direction" in head]
    # DAC against the baselines and against AC, on two datasets.
    assert len(tables) == 4
    vrptw = {(row[0], row[1]): row for row in tables[1]}
    assert float(vrptw["acceptance", "climbing"][3].split(" ")[0]) == pytest.approx(-1.4, abs=0.1)
    assert float(vrptw["acceptance", "calibrated"][4]) < 0.01
    assert vrptw["acceptance", "calibrated"][-1] == "yes"
    assert ("target x acceptance", "all combinations") in vrptw


def test_every_reading_is_listed_and_no_method(text: str) -> None:
    rows = table_with(text, "Reading", "What differs from our choice")
    assert [row["Reading"] for row in rows] == [f"R{number:02d}" for number in range(1, 23)]
    assert rows[0]["What differs from our choice"] == "everything as we choose"
    assert rows[0]["DAC vs ALNS: CVRP"].endswith("\\*")
    assert rows[0]["DAC vs ALNS: VRPTW"].endswith("+")
    assert "Mean rank" not in text
    assert "DAC R01" not in text
    assert "- Methods: ALNS = roulette, Always = weights:1,0/0,0,1, DAC under every reading = dac" in text


def test_tables_have_as_many_cells_as_headings(text: str) -> None:
    for head, _, *rows in markdown_tables(text):
        assert {len(row) for row in rows} <= {len(head)}


def rendered(document: Document) -> dict[str, tuple[str, list[str]]]:
    """The report in every format, and the names of the figures that it wanted."""
    found: dict[str, tuple[str, list[str]]] = {"html": (to_html(document), [])}
    for kind, render in (("md", to_markdown), ("latex", to_latex)):
        drawn: list[str] = []

        def draw(picture: Picture, drawn: list[str] = drawn) -> str:
            saved_figure(picture.draw(), "png")
            drawn.append(picture.name)
            return f"{picture.name}.png"

        found[kind] = render(document, draw), drawn
    return found


def test_every_format(whole: Document) -> None:
    found = rendered(whole)
    names = [f"map-heat-dac-{other}-{dataset}" for other in ("alns", "ac") for dataset in ("cvrp", "vrptw")]
    for text, drawn in found.values():
        assert "nan" not in text.lower().split()
        assert "depends on acceptance: holds under 11 of 22" in text
        assert drawn in ([], names)
    drawings = re.findall(r"<svg.*?</svg>", found["html"][0], flags=re.DOTALL)
    assert len(drawings) == 4
    for each in drawings:
        ElementTree.fromstring(each.replace("xlink:href", "href"))
    plain = found["latex"][0].replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


def test_runs_may_be_missing(tmp_path: Path) -> None:
    protocol = loaded(tmp_path)
    most = made_up(protocol, gap, left_out=lambda member: member.instance.endswith("1") or "R1" in member.method)
    nothing = made_up(protocol, gap, instances=1, left_out=lambda _: True)
    empty = replace(nothing, members=[])
    for studies in ([most], [nothing], [empty], [study_of({"a": {"X": [1, 1]}}), nothing]):
        for text, _ in rendered(report_of(studies)).values():
            assert "The map" in text
            assert "nan" not in text.lower().split()
    text = to_markdown(report_of([most]), None)
    row = {row["Claim of the paper"]: row for row in table_with(text, "Claim of the paper")}
    large = row["DAC is better than ALNS on CVRP Large"]
    assert large["Verdict"] == "**holds under every reading tried (12)**"
    assert large["Holds under"] == "12 of 12 (100 %) (12 of 22)"
    assert large["Instances"] == "10 of 12"
    assert "Not enough runs to tell." in text
    # Methods of a group share a line.
    assert len(table_with(text, "Missing", "Which methods")) == 10


def test_a_heat_map_says_what_is_in_it() -> None:
    gaps = np.array([[-1.0, 0.5, np.nan]])
    counts = np.array([[2, 0, 0]])
    shown = HeatMap(("target", ["two-step"]), ("acceptance", ["record-to-record", "b", "c"]), gaps, counts, counts + 1)
    figure = draw_heat_map(shown, 1.0)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["-1.00", "2 of 3", "+0.50", "0 of 1", "-"]
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["record-to-\nrecord", "b", "c"]
    left, right = figure.axes[0].collections[0].get_clim()
    assert left == -right == -1.0
