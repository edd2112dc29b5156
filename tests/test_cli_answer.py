"""What becomes of an answer whose files, or whose words, cannot be written."""

import io
import json
import os
import re
import sys

import pytest

import dacalns
from dacalns import cli

pytestmark = pytest.mark.slow_without_jit
# Restores the terminal's title, rings, and is no markup that Rich knows.
NAME = "[bold]x [/red] \x1b]0;evil\x9c ü :smile:"


@pytest.fixture
def dac_alns(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capfd.readouterr()
        return exit_.value.code or 0, out, "".join(line for line in err.splitlines(True) if "Compiling" not in line)

    return run


def test_every_file_is_tried_and_every_failure_told(dac_alns, tmp_path, monkeypatch):
    def refuse(*_):
        raise ValueError("no colours left")

    monkeypatch.setattr("dacalns.report.save_picture", refuse)
    report, picture = tmp_path / "x.json", tmp_path / "x.png"
    code, out, err = dac_alns(
        "solve", "P-n16-k8", "--iterations", 20, "--out", "/dev/full", "--json", report, "--plot", picture
    )
    assert code == 2
    assert out.startswith("P-n16-k8: CVRP, 15 customers")
    assert f"wrote {report}" in out
    assert "Route #1" not in out
    assert [line.partition("(")[0] for line in err.splitlines()] == [
        f"Error: {picture}: cannot be written ",
        "Error: /dev/full: cannot be written ",
    ]
    assert dacalns.Result.from_json(report).feasible


def test_routes_that_no_file_could_take_are_printed_even_if_quiet(dac_alns, tmp_path):
    code, out, err = dac_alns("solve", "P-n16-k8", "--iterations", 20, "--quiet", "--out", "/dev/full")
    assert code == 2
    assert err.startswith("Error: /dev/full: cannot be written (No space left on device)")
    assert err.count("\n") == 1
    (tmp_path / "again.sol").write_text(out[out.index("Route #1") :])
    routes, cost = dacalns.read_solution(tmp_path / "again.sol")
    verdict = dacalns.check(dacalns.read("P-n16-k8"), routes)
    assert verdict.feasible
    assert verdict.cost == cost


def test_a_result_that_is_no_json_costs_only_that_file(dac_alns, tmp_path, monkeypatch):
    def refuse(_self, _path=None):
        raise ValueError("Out of range float values are not JSON compliant")

    monkeypatch.setattr(dacalns.Result, "to_json", refuse)
    sol = tmp_path / "x.sol"
    code, out, err = dac_alns("solve", "P-n16-k8", "--iterations", 20, "--out", sol, "--json", tmp_path / "x.json")
    assert code == 2
    assert f"wrote {sol}" in out
    assert "x.json: cannot be written (ValueError: Out of range float" in err


@pytest.mark.parametrize("option", ["--out", "--json"])
def test_files_that_are_read_are_never_written(dac_alns, tmp_path, option):
    instance, settings, start = tmp_path / "a.vrp", tmp_path / "s.toml", tmp_path / "a.sol"
    dacalns.write_instance(dacalns.read("P-n16-k8"), instance)
    settings.write_text("[search]\nseed = 1\n")
    dac_alns("solve", instance, "--iterations", 20, "--out", start)
    link = tmp_path / "link"
    for source in (instance, settings, start):
        before = source.read_text()
        os.link(source, link)
        for target in (source, link):
            arguments = ["--settings", settings, "--start", start, "--iterations", 5, option, target]
            code, out, err = dac_alns("solve", instance, *arguments)
            assert (code, out) == (2, "")
            assert "reads; expected another one" in err
        assert source.read_text() == before
        link.unlink()


def test_a_sample_is_not_written_over_its_instance(dac_alns, tmp_path):
    path = tmp_path / "a.vrp"
    dacalns.write_instance(dacalns.read("P-n16-k8"), path)
    code, _, err = dac_alns("generate", "sample", path, "-n", 5, "--out", path)
    assert code == 2
    assert "is the file that INSTANCE reads" in err


def test_a_training_is_not_written_over_its_settings(dac_alns, tmp_path):
    settings = tmp_path / "s.toml"
    settings.write_text("[learning]\nrate = 0.001\n")
    words = ("train", "--problem", "cvrp", "--steps", 9, "--settings", settings, "--force", "--out")
    code, _, err = dac_alns(*words, settings)
    assert code == 2
    assert "is the file that the training" in err
    assert settings.exists()
    assert "a device or a pipe" in dac_alns(*words, os.devnull)[2]


@pytest.fixture
def strange(tmp_path):
    plain = tmp_path / "plain.vrp"
    dacalns.write_instance(dacalns.read("P-n16-k8"), plain)
    path = tmp_path / "strange.vrp"
    path.write_text(plain.read_text().replace("NAME : P-n16-k8", f"NAME : {NAME}"), encoding="utf-8")
    return path


@pytest.mark.parametrize(("encoding", "letter"), [("utf-8", "ü"), ("latin-1", "ü"), ("ascii", "\\xfc")])
def test_any_name_can_be_printed_and_none_reaches_the_terminal_as_it_is(
    dac_alns, strange, tmp_path, monkeypatch, encoding, letter
):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    sol = tmp_path / os.fsdecode(b"not-utf-8-\xff.sol")
    monkeypatch.setattr(sys, "stdout", stream)
    assert dac_alns("solve", strange, "--iterations", 5, "--out", sol)[0] == 0
    assert dac_alns("check", strange, sol)[0] == 0
    printed = stream.buffer.getvalue().decode(encoding)
    shown = f"[bold]x [/red] \\x1b]0;evil\\x9c {letter} :smile:"
    assert printed.startswith(f"{shown}: CVRP")
    assert f"\n{shown}: cost" in printed
    assert "not-utf-8-\\udcff.sol" in printed


def test_a_live_display_quotes_names(strange):
    from dacalns.cli.console import PlainConsole
    from dacalns.search.display import LiveDisplay
    from dacalns.search.run import Snapshot

    console = PlainConsole()
    shown = LiveDisplay(console, dacalns.read(strange), NAME)
    shown(Snapshot(1, 1.0, 0.5, 9.0, 0, None, {NAME: 1}, {"[/b]\x07": 1}, 2))
    lines = "".join(segment.text for segment in console.render(shown._live.renderable))
    assert "\x1b" not in lines
    assert "[bold]x [/red] \\x1b]0;evil" in lines


def test_standard_output_as_a_file(dac_alns):
    code, out, err = dac_alns("solve", "P-n16-k8", "--iterations", 5, "--json", "-")
    assert (code, err.partition(":")[0]) == (0, "P-n16-k8")
    assert json.loads(out)["instance"] == "P-n16-k8"
    code, out, err = dac_alns("generate", "cvrp", "-n", 3, "--out", "-")
    assert (code, out.splitlines()[0]) == (0, "NAME : cvrp-n3-s0")
    assert "written to /dev/stdout" in err


def test_a_long_search_is_not_silent_where_there_is_no_terminal(dac_alns, monkeypatch):
    monkeypatch.setattr("dacalns.search.display.STEPS", (0.1, 0.2, 0.5))
    assert dac_alns("solve", "P-n16-k8", "--time", 0.3)[2] == ""
    monkeypatch.setattr("dacalns.search.display.QUIET_AT_FIRST", 0.15)
    code, out, err = dac_alns("solve", "P-n16-k8", "--time", 0.4)
    assert code == 0
    assert out.startswith("P-n16-k8: CVRP")
    (line,) = err.splitlines()
    assert re.fullmatch(r" +0\.[23] s  cost 450, gap 0\.00 %, [\d,]+ iterations", line)
    assert dac_alns("solve", "P-n16-k8", "--time", 0.4, "--quiet")[1:] == ("", "")
