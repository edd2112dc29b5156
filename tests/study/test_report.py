"""Whole reports: of studies in good order, of studies in disorder, and of none."""

import csv
import io
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dacalns.study.cases import cases_of
from dacalns.study.curves import profile
from dacalns.study.paper_tables import EXPERIMENTS, experiment
from dacalns.study.report import FORMATS, write_report
from dacalns.study.report.figures import draw_profile
from dacalns.study.rows import Study
from dacalns.util.errors import InputError

from .synthetic_study import stored, study_of

ODD = "_odd|_<b>&${x}$\\^~%#'\"*`é→中"


def in_disorder(name: str = "made up") -> Study:
    """Every kind of run that can go wrong, names that no format likes, and a comparison with a method nobody has."""
    costs = {
        "a": {"ALNS": [100, 100], "DAC": [90, 90], ODD: [95, 95]},
        "b": {"ALNS": [100, 100], "DAC": [99, None], ODD: [90, 90]},
        "c": {"ALNS": [100, 100], "DAC": ["failed", 100], ODD: [100, 100]},
        "d": {"ALNS": [100, 100], "DAC": [100, "infeasible"], ODD: [101, 101]},
        "e": {"ALNS": [None, None], "DAC": [1, 1], ODD: ["failed", "failed"]},
    }
    groups = {"CVRP Small": ("CVRP", "Small", "abcd"), "VRPTW Large": ("VRPTW", "Large", "e")}
    return study_of(
        costs, groups=groups, budgets=("iterations", "time"), paper="comparative", best_known={"a": 92}, name=name,
        comparisons=[("DAC", "ALNS"), (ODD, "ALNS"), ("DAC", "nobody")],
    )  # fmt: skip


@pytest.fixture
def disorder(tmp_path: Path) -> Path:
    return stored(tmp_path / "study", in_disorder())


def markdown_tables(text: str) -> list[list[list[str]]]:
    """The cells of each table."""
    tables: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            tables.append([])
            inside = True
        tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return tables


def table_with(text: str, *headings: str) -> list[dict[str, str]]:
    """The first table with these columns, row by row."""
    for head, _, *rows in markdown_tables(text):
        if set(headings) <= set(head):
            return [dict(zip(head, row, strict=True)) for row in rows]
    raise AssertionError(f"no table has {headings}")


def test_every_cell_over_fewer_instances_says_so(disorder: Path) -> None:
    text = write_report(disorder, "md")
    assert isinstance(text, str)
    rows = {(row["Comparison"], row["Instances"]): row for row in table_with(text, "Comparison", "Holm")}
    small = rows["DAC vs ALNS", "CVRP Small"]
    # Only a has all runs feasible: 90 against 100. d is lost for a run that leaves customers unserved.
    assert small["Gap of averages, %"] == "-10.000 (1 of 4)"
    assert small["Gap of bests, %"] == "-10.000 (1 of 4)"
    assert small["W / L / T"] == "1 / 1 / 0 (2 of 4)"
    assert small["p"] == small["exact p"] == "0.5000 (1 of 4)"
    assert small["Effect"] == "+1.00 (1 of 4)"
    assert small["95 % interval"] == "- (1 of 4)"
    assert small["Time"] == "1.00 (2 of 4)"
    large = rows["DAC vs ALNS", "VRPTW Large"]
    assert {large[name] for name in large if name not in ("Comparison", "Instances")} == {"- (0 of 1)"}
    nobody = rows["DAC vs nobody", "CVRP Small"]
    assert {nobody[name] for name in nobody if name not in ("Comparison", "Instances")} == {"-"}


def test_methods_in_disorder(disorder: Path) -> None:
    text = str(write_report(disorder, "md"))
    rows = {(row["Instances"], row["Method"]): row for row in table_with(text, "Mean rank")}
    dac, alns = rows["CVRP Small", "DAC"], rows["VRPTW Large", "ALNS"]
    assert dac["Gap to best-known, %"] == "-2.174 (1 of 4)"
    assert dac["Feasible runs"] == "5 of 6 (8 expected)"
    assert dac["Iterations/s"] == "2,000 (6 of 8)"
    assert alns["Feasible runs"] == "- (2 expected)"
    assert alns["Time, s"] == "- (0 of 2)"


def test_what_is_missing_failed_and_infeasible_is_listed(disorder: Path) -> None:
    text = str(write_report(disorder, "md"))
    rows = {(row["Instances"], row["Method"], row["Budget"]): row for row in table_with(text, "Missing", "Infeasible")}
    dac = rows["CVRP Small", "DAC", "iterations"]
    counts = [dac[name] for name in ("Expected", "Done", "Missing", "Failed", "Infeasible")]
    assert counts == ["8", "6", "1", "1", "1"]
    assert (dac["Incomplete"], dac["With infeasible runs"]) == ("b, c", "d")
    assert rows["VRPTW Large", "ALNS", "time"]["Missing"] == "2"
    assert ("CVRP Small", "ALNS", "iterations") not in rows
    error = table_with(text, "Error")[0]
    assert error["Error"] == "`ValueError: no ¦ 'such' <thing> at all`"
    assert error["First of them"] == "c, seed 0, 2 attempts"


def test_runs_below_the_best_known_value_are_pointed_out(disorder: Path) -> None:
    (row,) = table_with(str(write_report(disorder, "md")), "Listed")
    assert (row["Instance"], row["Listed"], row["Found"], row["Method"]) == ("a", "92", "90", "DAC")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_papers_value_stands_in_every_cell(tmp_path: Path, name: str) -> None:
    printed = experiment(name)
    places = [*next(iter(printed.performance.values()))]
    methods = dict.fromkeys(method for pair in printed.performance for method in pair)
    costs = {" ".join(place): {method: [100 + k, 100 + k] for k, method in enumerate(methods)} for place in places}
    groups = {" ".join(place): (*place, [" ".join(place)]) for place in places}
    text = str(write_report(stored(tmp_path, study_of(costs, groups=groups, paper=name)), "md"))
    expected = {}
    for pair, cells in printed.performance.items():
        for place, cell in cells.items():
            for what, value in zip(("Best", "Avg", "Time"), vars(cell).values(), strict=True):
                expected[place, f"{pair[0]} vs {pair[1]}: {what}"] = value
    for pair, tests in printed.tests.items():
        for place, test in tests.items():
            expected[place, f"{pair[0]} vs {pair[1]}: p"] = test.p_value
    found = {}
    for head, _, *rows in markdown_tables(text):
        for row in rows if " vs " in head[-1] else []:
            place = (row[0], row[1]) if name == "comparative" else (row[1], row[0])
            for heading, cell in zip(head, row, strict=True):
                if heading.endswith((": Best", ": Avg", ": Time", ": p")):
                    found[place, heading] = float(cell.split("[")[1].rstrip("\\]"))
    assert found == expected
    verdicts = table_with(text, "Verdict")
    assert len(verdicts) == len(printed.claims)


def test_verdicts_of_a_clear_case(tmp_path: Path) -> None:
    costs = {f"i{k}": {"DAC": [100 - k, 100 - k], "AC": [110, 110], "ALNS": [90 - k, 90 - k]} for k in range(8)}
    study = study_of(costs, groups={"VRPTW Medium": ("VRPTW", "Medium", costs)}, paper="comparative")
    text = str(write_report(stored(tmp_path, study), "md"))
    words = {row["Claim of the paper"]: row["Verdict"] for row in table_with(text, "Verdict")}
    assert words["DAC is better than AC on VRPTW Medium"] == "**holds here**"
    assert words["DAC is better than ALNS on VRPTW Medium"] == "**the opposite here**"
    # One study is one reading of the paper, which cannot contradict it.
    assert "contradict" not in text
    assert "Over which readings a claim holds, the map says (dac-alns study run map)." in text
    assert "- The paper's claims: **holds here: 3**, **the opposite here: 3**, no data: 5, not tested: 2" in text
    assert words["DAC is better than ALNS on VRPTW Large"] == "no data"
    assert words["time of DAC by that of AC on VRPTW Medium"] == "not tested"


def with_trainings() -> Study:
    """Three trainings in one group, two in another; by hand: gaps of -2, -1 and 0 %, and of +1 and +3 %."""
    costs = {
        name: {"ALNS": [100, 100], "DAC-T": {0: [97, 99], 1: [98, 100], 2: [100, 100]}, "DAC": [100, 102]}
        for name in "abcde"
    } | {name: {"ALNS": [200, 200], "DAC-T": {7: [201, 203], 8: [206, 206]}, "DAC": [200, 200]} for name in "fg"}
    groups = {"in": ("CVRP", "In-dist.", "abcde"), "out": ("CVRP", "Out-of-dist.", "fg")}
    pairs = [("DAC-T", "ALNS"), ("DAC", "ALNS"), ("DAC", "DAC-T")]
    return study_of(costs, groups=groups, paper="generalisation", comparisons=pairs)


def test_each_training_has_its_line(tmp_path: Path) -> None:
    text = str(write_report(stored(tmp_path, with_trainings()), "md"))
    rows = {(row["Comparison"], row["Instances"], row["Training"]): row for row in table_with(text, "Sign test")}
    first = rows["DAC-T vs ALNS", "in", "0"]
    assert (first["Gap of averages, %"], first["W / L / T"], first["exact p"]) == ("-2.000", "5 / 0 / 0", "0.0312")
    last = rows["DAC-T vs ALNS", "in", "all 3"]
    assert last["Gap of averages, %"] == "-1.000 ± 1.000"
    assert last["Lowest to highest"] == "-2.000 to 0.000"
    # Of three trainings one ties: two of two are better, 1/4.
    assert (last["Trainings better"], last["Sign test"]) == ("2 of 3", "0.2500")
    both = rows["DAC-T vs ALNS", "CVRP, all", "all 5"]
    # Two of four have negative gaps: (6 + 4 + 1) / 16.
    assert (both["Gap of averages, %"], both["Trainings better"], both["Sign test"]) == ("-", "2 of 5", "0.6875")
    assert both["Lowest to highest"] == "-2.000 to +3.000"
    assert not any(pair == "DAC vs ALNS" for pair, _, _ in rows)
    assert ("DAC-T vs ALNS", "CVRP, all", "0") not in rows
    assert rows["DAC vs DAC-T", "out", "7"]["Gap of averages, %"] == "-0.990"
    comparisons = {(row["Comparison"], row["Instances"]): row for row in table_with(text, "Holm", "Effect")}
    # Three trainings, drawn anew: all three the best of them with odds of 1/27, more than the 1/40 of each end.
    assert comparisons["DAC-T vs ALNS", "in"]["95 % interval"] == "-2.000 to 0.000"
    assert comparisons["DAC vs ALNS", "in"]["95 % interval"] == "+1.000 to +1.000"
    assert "of the instances and of the trainings" in text
    assert "- Trainings: for in (seeds 0, 1, 2), for out (seeds 7, 8)" in text
    assert "5 trainings" in text


def test_one_training_has_no_table_of_trainings(tmp_path: Path) -> None:
    study = study_of({name: {"ALNS": [2, 2], "DAC-T": {0: [1, 1]}} for name in "ab"})
    text = str(write_report(stored(tmp_path, study), "md"))
    assert "Each training" not in text
    assert "of the trainings" not in text


def test_runs_say_which_training_they_are_of(tmp_path: Path) -> None:
    study = study_of({"a": {"DAC-T": {3: [8, 9], 4: ["failed", 9]}}}, best_known={"a": 9})
    text = str(write_report(stored(tmp_path, study), "md"))
    (below,) = table_with(text, "Listed")
    assert below["Run"] == "training 3, seed 0"
    (failed,) = table_with(text, "Error")
    assert failed["First of them"] == "a, training 4, seed 0, 2 attempts"
    rows = list(csv.DictReader(io.StringIO(str(write_report(tmp_path, "csv")))))
    assert [(row["policy"], row["training"], row["seed"]) for row in rows] == [
        ("for Tiny", "3", "0"),
        ("for Tiny", "3", "100"),
        ("for Tiny", "4", "0"),
        ("for Tiny", "4", "100"),
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_study_without_anything(tmp_path: Path, kind: str) -> None:
    empty = study_of({}, paper="comparative", comparisons=[("DAC", "ALNS")])
    unfinished = study_of({"a": {"ALNS": [None, None]}}, paper="generalisation", name="begun")
    for folder, studies in (("none", []), ("empty", [empty]), ("begun", [unfinished]), ("both", [empty, unfinished])):
        found = write_report(stored(tmp_path / folder, *studies), kind)
        text = found.read_text(encoding="utf-8") if isinstance(found, Path) else found
        assert text.endswith("\n")
        assert "nan" not in text.lower().split()


def test_a_study_without_a_paper_a_best_known_value_or_names_we_know(tmp_path: Path) -> None:
    study = study_of({"mine": {"Mine": [2, 3], "Theirs": [3, 3]}}, budgets=("five minutes",))
    text = str(write_report(stored(tmp_path, study), "md"))
    assert "The paper" not in text
    assert "## Equal time: 0.5 s" in text
    (row,) = table_with(text, "Comparison")
    assert row["Comparison"] == "Theirs vs Mine"


def test_nothing_missing_is_said_too(tmp_path: Path) -> None:
    text = str(write_report(stored(tmp_path, study_of({"a": {"X": [1, 1]}})), "md"))
    assert "every expected run is done and feasible" in text


def test_where_it_comes_from(disorder: Path) -> None:
    text = str(write_report(disorder, "md"))
    assert "- Command: `dac-alns study run made_up.toml --out results`" in text
    assert "- Machine: a machine" in text
    assert "- Version: 1.2.3+0badcafe" in text
    assert "- Seeds: 0, 100" in text
    # 5 instances, 3 methods, 2 seeds, 2 budgets.
    assert "- Runs: 60 expected, 48 done, 6 failed" in text


def test_tables_have_as_many_cells_as_headings(disorder: Path) -> None:
    tables = markdown_tables(str(write_report(disorder, "md")))
    assert len(tables) > 8
    for head, line, *rows in tables:
        assert all(re.fullmatch(r"---:?", cell) for cell in line)
        assert {len(row) for row in rows} == {len(head)} == {len(line)}


def test_markdown_links_figures_that_exist(disorder: Path, tmp_path: Path) -> None:
    path = write_report(disorder, "md", tmp_path / "results.md")
    assert path == tmp_path / "results.md"
    linked = re.findall(r"\]\(([^)]*\.png)\)", path.read_text(encoding="utf-8"))
    assert len(linked) == len(set(linked)) > 4
    for name in linked:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert "](" not in str(write_report(disorder, "md"))


@pytest.mark.filterwarnings("error")
def test_figures_of_many_methods_with_long_names_have_room(tmp_path: Path) -> None:
    methods = [f"Random and regret, acceptance {k}" for k in range(30)]
    costs = {name: {method: [1, 2] for method in methods} for name in "ab"}
    write_report(stored(tmp_path, study_of(costs)), "html")
    drawn = draw_profile(profile(cases_of(study_of(costs), "iterations")), methods)
    assert drawn.axes[0].get_legend() is None
    (legend,) = drawn.legends
    drawn.draw_without_rendering()
    assert legend.get_window_extent().x1 <= drawn.bbox.x1
    assert legend.get_window_extent().y1 < drawn.axes[0].get_window_extent().y0


class Page(HTMLParser):
    """Notes what an HTML file has, and whether every element is closed."""

    VOID = ("meta", "br", "use", "path")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.counts: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "data", "action"):
                self.links.append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    folder = stored(tmp_path, in_disorder(), in_disorder("another"))
    path = write_report(folder, "html")
    assert path == folder / "report.html"
    text = path.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links if link.startswith("#")} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)
    for outside in ("http", "//", "url(", "@import", "<script", "<link", "<img", "font-family: '"):
        if outside == "url(":
            assert set(re.findall(r"url\((.)", text)) <= {"#"}
        else:
            assert outside not in text.replace("<!DOCTYPE", ""), outside
    assert page.counts["svg"] == page.counts["figure"] > 8
    assert '<meta name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    assert "<b>&" not in text


def test_colours_of_figures_are_those_of_the_page(disorder: Path, tmp_path: Path) -> None:
    text = Path(write_report(disorder, "html", tmp_path / "page.html")).read_text(encoding="utf-8")
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL))
    used, known = set(re.findall(r"var\((--\w+)\)", text)), set(re.findall(r"(--[\w-]+):", text))
    assert "var(--c0)" in drawn
    assert used <= known
    assert "#222222" not in drawn


def test_latex_is_balanced_and_escaped(disorder: Path) -> None:
    text = str(write_report(disorder, "latex"))
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    for begin, end in ((r"\begin{tabular}", r"\end{tabular}"), (r"\begin{minipage}", r"\end{minipage}")):
        assert text.count(begin) == text.count(end) > 0
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    assert r"\includegraphics" not in text
    for table in re.findall(r"\\begin\{tabular\}\{(.*?)\}\n(.*?)\\end\{tabular\}", text, flags=re.DOTALL):
        rows = [line for line in table[1].splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


def has_latex() -> bool:
    """Whether there is a pdflatex with what nearly every one of them has."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    packages = [f"{name}.sty" for name in ("booktabs", "xcolor", "geometry", "graphicx")]
    return subprocess.run(["kpsewhich", *packages], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_latex(), reason="there is no pdflatex")
def test_latex_compiles_as_it_is(tmp_path: Path) -> None:
    studies = (in_disorder(), in_disorder("another"), replace(with_trainings(), outline=replace(
        with_trainings().outline, name="trained")))  # fmt: skip
    write_report(stored(tmp_path, *studies), "latex", tmp_path / "report.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_csv_has_a_line_for_each_expected_run(disorder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(str(write_report(disorder, "csv")))))
    assert len(rows) == 60
    by_key = {(row["instance"], row["method"], row["budget"], row["seed"]): row for row in rows}
    done = by_key["a", "DAC", "iterations", "100"]
    assert (done["status"], done["cost"], done["limit"], done["best_known"]) == (
        "done",
        "90.0",
        "1000 iterations",
        "92",
    )
    missing = by_key["b", "DAC", "iterations", "100"]
    assert (missing["status"], missing["cost"], missing["limit"]) == ("missing", "", "")
    assert by_key["c", "DAC", "time", "0"]["error"].startswith("ValueError")


def test_bad_input(disorder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"format is 'htm'; expected one of md, latex, html, csv; did you mean 'html'"):
        write_report(disorder, "htm")
    with pytest.raises(InputError, match=r"there is no study.sqlite in it"):
        write_report(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"there is no folder"):
        write_report(disorder, "md", tmp_path / "nowhere" / "report.md")
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(InputError, match=r'run: pip install "dac-alns\[study\]"$'):
        write_report(disorder, "md")
    assert isinstance(write_report(disorder, "csv"), str)


def test_a_brief_report_has_a_line_for_each_dataset_of_many_groups(tmp_path):
    costs = {name: {"X": [1, 2], "Y": [2, 3]} for name in "abcd"}
    groups = {f"G{name}": ("CVRP" if name != "d" else "VRPTW", name, [name]) for name in costs}
    folder = stored(tmp_path, study_of(costs, groups=groups))
    whole, brief = (str(write_report(folder, "md", brief=short)) for short in (False, True))
    assert {"Ga", "CVRP, all", "Gd", "all"} <= {row["Instances"] for row in table_with(whole, "Gap of bests, %")}
    assert {row["Instances"] for row in table_with(brief, "Gap of bests, %")} == {"CVRP, all", "Gd", "all"}
    assert "Destroy x repair" in whole
    assert "Destroy x repair" not in brief


def test_a_brief_list_of_runs_makes_no_sense(tmp_path):
    folder = stored(tmp_path, study_of({"a": {"X": [1, 2], "Y": [2, 3]}}))
    with pytest.raises(InputError, match="brief is set for format 'csv'"):
        write_report(folder, "csv", brief=True)
