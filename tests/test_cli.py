"""The command line, called as users call it."""

import dataclasses
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dacalns
from dacalns import cli
from dacalns.cli import console

pytestmark = pytest.mark.slow_without_jit


def run(monkeypatch, capsys, *arguments):
    """Run the command in this process; return exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["dac-alns", *map(str, arguments)])
    monkeypatch.setattr(console.out, "_width", 200)
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    captured = capsys.readouterr()
    return exit_.value.code or 0, captured.out, captured.err


@pytest.fixture
def dac_alns(monkeypatch, capsys):
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


def test_solve_writes_what_it_is_asked_for(dac_alns, tmp_path):
    sol, report, picture = tmp_path / "x.sol", tmp_path / "x.json", tmp_path / "x.png"
    code, out, _ = dac_alns(
        "solve", "A-n32-k5", "--iterations", 2000, "--seed", 3, "--out", sol, "--json", report, "--plot", picture
    )
    assert code == 0
    data = json.loads(report.read_text())
    wanted = (
        "instance cost best_known gap_percent feasible routes seed selector portfolio iterations seconds "
        "iterations_per_second version"
    )
    assert set(wanted.split()) <= set(data)
    assert (data["instance"], data["seed"], data["iterations"], data["best_known"]) == ("A-n32-k5", 3, 2000, 784)
    routes, cost = dacalns.read_solution(sol)
    verdict = dacalns.check(dacalns.read("A-n32-k5"), routes)
    assert verdict.feasible
    assert verdict.cost == cost == data["cost"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "gap" in out
    assert "784" in out


def test_time_zero_returns_the_initial_solution(dac_alns, tmp_path):
    code, _, _ = dac_alns("solve", "C101", "--time", 0, "--json", tmp_path / "x.json")
    assert code == 0
    result = dacalns.Result.from_json(tmp_path / "x.json")
    assert result.iterations == 0
    assert result.cost == result.start_cost


def test_quiet_prints_nothing(dac_alns):
    assert dac_alns("solve", "A-n32-k5", "--iterations", 10, "--quiet") == (0, "", "")


def test_start_file_is_never_made_worse(dac_alns, tmp_path):
    sol, better = tmp_path / "start.sol", tmp_path / "better.sol"
    dac_alns("solve", "A-n45-k6", "--iterations", 3000, "--out", sol)
    dac_alns("solve", "A-n45-k6", "--iterations", 5, "--seed", 9, "--start", sol, "--out", better)
    assert dacalns.read_solution(better)[1] <= dacalns.read_solution(sol)[1]


def test_rounding_and_fleet_reach_the_instance(dac_alns, tmp_path):
    dac_alns(
        "solve", "B-n31-k5", "--iterations", 50, "--rounding", "trunc", "--fleet", "free", "--json", tmp_path / "x.json"
    )
    result = dacalns.Result.from_json(tmp_path / "x.json")
    assert (result.rounding, result.fleet, result.best_known) == ("trunc", None, None)


@pytest.mark.parametrize("selector", ["random", "roulette", "ucb", "weights:1,0,0,0/0,1,0"])
def test_selectors_by_name(dac_alns, tmp_path, selector):
    code, _, _ = dac_alns(
        "solve", "A-n32-k5", "--iterations", 50, "--selector", selector, "--json", tmp_path / "x.json"
    )
    assert code == 0
    assert dacalns.Result.from_json(tmp_path / "x.json").selector == selector.partition(":")[0]


def test_settings_from_a_file_and_options_that_win(dac_alns, tmp_path):
    file, report = tmp_path / "x.toml", tmp_path / "x.json"
    file.write_text(
        '[search]\nseed = 5\n[stop]\niterations = 30\n[acceptance]\ntype = "HillClimbing"\n'
        '[selector]\nname = "ucb"\nalpha = 0.5\n'
    )

    def told(*options):
        assert dac_alns("solve", "P-n16-k8", "--settings", file, "--json", report, *options)[0] == 0
        result = dacalns.Result.from_json(report)
        assert result.settings["acceptance"] == {"type": "HillClimbing"}
        return result.iterations, result.seed, result.selector, result.settings["selector"].get("alpha")

    assert told() == (30, 5, "ucb", 0.5)
    assert told("--iterations", 40, "--seed", 0) == (40, 0, "ucb", 0.5)
    assert told("--selector", "random") == (30, 5, "random", None)


def test_mistakes_in_a_settings_file_name_the_line(dac_alns, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text("[stop]\nitertions = 30\n")
    code, out, err = dac_alns("solve", "P-n16-k8", "--settings", file)
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {file}:2: ")
    assert "did you mean 'iterations'?" in err


def test_jobs_from_the_command_line_and_from_a_file(dac_alns, tmp_path):
    file, report = tmp_path / "x.toml", tmp_path / "x.json"
    file.write_text("[search]\njobs = 3\n[stop]\niterations = 40\n")
    for options, jobs in (((), 3), (("--jobs", 2), 2), (("--jobs", 1), 1)):
        code, out, _ = dac_alns("solve", "P-n16-k8", "--settings", file, "--json", report, *options)
        assert code == 0
        result = dacalns.Result.from_json(report)
        assert (result.jobs, result.iterations) == (jobs, 40 * jobs)
        assert (f"{jobs} jobs" in out) == (jobs > 1)


def test_the_objective_reaches_the_search(dac_alns, tmp_path):
    file, report = tmp_path / "x.toml", tmp_path / "x.json"
    wanted = "vehicles-then-distance"
    code, out, _ = dac_alns(
        "solve", "R211", "--rounding", "exact", "--iterations", 300, "--objective", wanted, "--json", report
    )
    assert code == 0
    result = dacalns.Result.from_json(report)
    assert (result.objective, result.best_known_vehicles) == (wanted, 2)
    assert f"{len(result.routes)} routes (best-known 2, at least 2 needed), feasible" in out
    file.write_text(f'[search]\nobjective = "{wanted}"\n')
    for options, objective in (((), wanted), (("--objective", "distance"), "distance")):
        assert dac_alns("solve", "P-n16-k8", "--iterations", 9, "--settings", file, "--json", report, *options)[0] == 0
        assert dacalns.Result.from_json(report).objective == objective


def test_a_fleet_that_is_too_small_has_its_exit_code_with_either_objective(dac_alns, tmp_path):
    instance = dacalns.Instance(
        name="misfit", coordinates=[[0, 0], *([k, 1] for k in range(7))], demands=[0] + [4] * 7, capacity=10, fleet=3
    )
    path = tmp_path / "misfit.vrp"
    dacalns.write_instance(instance, path)
    for objective in ("distance", "vehicles-then-distance"):
        code, out, _ = dac_alns("solve", path, "--iterations", 50, "--objective", objective)
        assert code == 1
        assert "INFEASIBLE: unserved customer " in out
        assert " fits into no route: the capacity is exceeded at 9 of 9 places, no other vehicle is free; near" in out


BAD = [
    (("solve", "A-n32-k5", "--settings", "missing.toml"), "missing.toml"),
    (("solve", "A-n32-k9"), "A-n32-k9"),
    (("solve", "A-n32-k5", "--selector", "roulete"), "did you mean 'roulette'"),
    (("solve", "A-n32-k5", "--selector", "weights:1/1"), "weights"),
    (("solve", "A-n32-k5", "--selector", "weights:a"), "weights:1,0/0,1,2"),
    (("solve", "A-n32-k5", "--portfolio", "papper"), "did you mean 'paper'"),
    (("solve", "A-n32-k5", "--objective", "vehicles"), "expected one of distance, vehicles-then-distance"),
    (("solve", "A-n32-k5", "--portfolio", "missing.py"), "missing.py"),
    (("solve", "A-n32-k5", "--fleet", "many"), "'many'"),
    (("solve", "A-n32-k5", "--fleet", "0"), "0"),
    (("solve", "A-n32-k5", "--fleet", "4"), "4"),
    (("solve", "A-n32-k5", "--time", "-1"), "-1"),
    (("solve", "A-n32-k5", "--time", "nan"), "nan"),
    (("solve", "A-n32-k5", "--iterations", "-5"), "-5"),
    (("solve", "A-n32-k5", "--seed", "-1"), "-1"),
    (("solve", "A-n32-k5", "--jobs", "0"), "jobs is 0; expected a whole number from 1 to 1024"),
    (("solve", "A-n32-k5", "--jobs", "-1"), "-1"),
    (("solve", "A-n32-k5", "--jobs", "1.5"), "--jobs"),
    (("solve", "A-n32-k5", "--jobs", "100000"), "100000"),
    (("solve", "A-n32-k5", "--start", "missing.sol"), "missing.sol"),
    (("solve", "A-n32-k5", "--out", "no/such/folder/x.sol"), "no/such/folder"),
    (("solve", "A-n32-k5", "--plot", "x.gif"), "gif"),
    (("solve", "A-n32-k5", "--explain", "x.gif"), "gif"),
    (("solve", "A-n32-k5", "--explain", "no/such/folder/x.png"), "no/such/folder"),
    (
        ("solve", "A-n32-k5", "--selector", "roulette", "--explain", "x.png"),
        "selector 'roulette' has no policy to explain",
    ),
    (("solve", "A-n32-k5", "--time", "abc"), "--time"),
    (("solve", "A-n32-k5", "--rounding", "up"), "--rounding"),
    (("solve", "A-n32-k5", "--tme", "1"), "--tme"),
    (("solve",), "INSTANCE"),
    (("slove",), "slove"),
    (("check", "A-n32-k5", "missing.sol"), "missing.sol"),
    (("instances", "cvrp-larg"), "did you mean 'cvrp-large'"),
    (("generate", "cvrp", "--positions", "everywhere"), "everywhere"),
    (("generate", "cvrp", "-n", "0"), "0"),
    (("generate", "sample", "R101", "-n", "101"), "101"),
]


@pytest.mark.parametrize(("arguments", "named"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_gives_one_sentence_and_exit_code_2(dac_alns, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    code, out, err = dac_alns(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert named in err
    assert not list(tmp_path.iterdir())


@pytest.fixture
def thinking(monkeypatch):
    """The random selector as if it had a policy: even odds, no critic."""

    class Thinking(dacalns.UniformRandom):
        explains = True

    plain = sys.modules["dacalns.solve"].solve_validated

    def solve(*arguments, **options):
        result = plain(*arguments, **options)
        if not result.iterations:
            return result
        rows, columns = len(result.operators.destroy), len(result.operators.repair)
        explanation = dacalns.Explanation(
            iterations=[result.iterations],
            destroy_probabilities=np.full((1, rows), 1 / rows),
            repair_probabilities=np.full((1, columns), 1 / columns),
            destroy_entropy=[np.log(rows)],
            repair_entropy=[np.log(columns)],
            destroy_value=[],
            repair_value=[],
            repair_given_destroy=np.full((rows, columns), 1 / columns),
            exploration=0,
        )
        return dataclasses.replace(result, explanation=explanation)

    monkeypatch.setitem(dacalns.SELECTORS, "random", Thinking)
    monkeypatch.setattr(sys.modules["dacalns.solve"], "solve_validated", solve)


@pytest.mark.usefixtures("thinking")
def test_explain_draws_the_explanation_of_a_policy(dac_alns, tmp_path):
    picture, report = tmp_path / "x.png", tmp_path / "x.json"
    code, out, _ = dac_alns(
        "solve", "A-n32-k5", "--iterations", 20, "--selector", "random", "--explain", picture, "--json", report
    )
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"wrote {picture}" in out
    assert dacalns.Result.from_json(report).explanation.iterations == [20]


@pytest.mark.usefixtures("thinking")
def test_a_selector_without_a_policy_is_told_which_have_one(dac_alns, tmp_path):
    code, out, err = dac_alns("solve", "A-n32-k5", "--selector", "ucb", "--explain", tmp_path / "x.png")
    assert (code, out) == (2, "")
    assert "selector 'ucb' has no policy to explain; expected one of random" in err


@pytest.mark.usefixtures("thinking")
def test_explain_without_an_iteration_still_prints_the_result(dac_alns, tmp_path):
    picture = tmp_path / "x.png"
    code, out, err = dac_alns("solve", "A-n32-k5", "--time", 0, "--selector", "random", "--explain", picture)
    assert code == 2
    assert out.startswith("A-n32-k5: CVRP")
    assert "nothing to draw after 0 iterations" in err
    assert not picture.exists()


def test_check_names_every_violation(dac_alns, tmp_path):
    sol = tmp_path / "x.sol"
    dacalns.write_solution(sol, [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]], 5)
    code, out, _ = dac_alns("check", "A-n32-k5", sol)
    assert code == 1
    assert "INFEASIBLE" in out
    assert "14" in out
    assert "the file says Cost 5" in out


def test_check_accepts_a_feasible_solution(dac_alns):
    data = Path(__file__).parent / "data" / "solomon-sol" / "R101.sol"
    code, out, _ = dac_alns("check", "R101", data)
    assert code == 0
    assert "1637.7" in out


def test_instances_lists_sets_and_members(dac_alns):
    _, out, _ = dac_alns("instances")
    assert "vrptw-large" in out
    _, out, _ = dac_alns("instances", "cvrp-large")
    assert sum("cvrp" in line for line in out.splitlines()) == 18
    assert "1763*" in out
    _, out, _ = dac_alns("instances", "vrptw-small")
    assert sum("†" in line for line in out.splitlines()) == 18 + 1, "all members and the caption"


@pytest.mark.parametrize("kind", ["cvrp", "vrptw"])
def test_generated_files_can_be_solved(dac_alns, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    code, _, _ = dac_alns("generate", kind, "-n", 25, "--seed", 4)
    assert code == 0
    (path,) = tmp_path.iterdir()
    code, out, _ = dac_alns("solve", path.name, "--iterations", 100)
    assert code == 0
    assert "feasible" in out


def test_sample_is_the_instance_of_that_name(dac_alns, tmp_path):
    path = tmp_path / "R105-n67-s3.vrp"
    dac_alns("generate", "sample", "R105", "-n", 67, "--seed", 3, "--out", path)
    assert dacalns.read(path) == dacalns.read("R105-n67-s3")


def test_version(dac_alns):
    assert dac_alns("--version")[1] == f"dac-alns {dacalns.__version__}\n"


class Terminal:
    """The command in a process of its own, on a pseudo-terminal."""

    def __init__(self, *arguments):
        self.parent, child = pty.openpty()
        command = [sys.executable, "-m", "dacalns", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=child, stderr=child, env=os.environ | {"TERM": "xterm"})
        os.close(child)
        self.shown = b""

    def read_until(self, part=None):
        """Read until ``part`` is shown, or to the end."""
        while part is None or part not in self.shown:
            try:
                piece = os.read(self.parent, 65536)
            except OSError:  # how Linux ends a pseudo-terminal
                piece = b""
            if not piece:
                assert part is None, self.shown
                os.close(self.parent)
                return
            self.shown += piece


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_search_with_the_best_so_far(tmp_path, number):
    sol = tmp_path / "x.sol"
    terminal = Terminal("solve", "A-n80-k10", "--time", 300, "--out", sol)
    terminal.read_until(b"it/s")
    terminal.process.send_signal(number)
    terminal.read_until()
    assert terminal.process.wait() == 0
    assert b"stopped by interrupt" in terminal.shown
    assert dacalns.check(dacalns.read("A-n80-k10"), dacalns.read_solution(sol)[0]).feasible


@pytest.mark.parametrize("jobs", [1, 2])
def test_live_display_shows_the_search_on_a_terminal(jobs):
    terminal = Terminal("solve", "A-n80-k10", "--time", 1.5, "--jobs", jobs)
    terminal.read_until()
    assert terminal.process.wait() == 0
    for part in (b"it/s", b"best-known 1763", b"string_removal", b"regret_repair", b"stopped by criterion"):
        assert part in terminal.shown
    assert (b"seed 0  2 jobs" in terminal.shown) == (jobs == 2)
