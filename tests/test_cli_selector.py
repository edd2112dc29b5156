"""A user's own selector from the command line."""

import sys
from pathlib import Path

import pytest

import dacalns
from dacalns import cli

pytestmark = pytest.mark.slow_without_jit

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_selector.py"


def run(monkeypatch, capsys, *arguments):
    """Run the command in this process; return exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["dac-alns", "solve", "A-n32-k5", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    captured = capsys.readouterr()
    return exit_.value.code or 0, captured.out, captured.err


def test_a_selector_from_a_file(monkeypatch, capsys, tmp_path):
    report = tmp_path / "x.json"
    code, out, _ = run(
        monkeypatch, capsys, "--selector", f"{EXAMPLE}:EpsilonGreedy", "--iterations", 200, "--json", report
    )
    assert code == 0
    assert "selector EpsilonGreedy" in out
    result = dacalns.Result.from_json(report)
    assert (result.selector, result.iterations, result.feasible) == ("EpsilonGreedy", 200, True)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (None, "mine", "does not exist"),
        ("mine = 3", "mine", "selector is 3; expected one of"),
        ("mine = 3", "yours", "it has no 'yours'"),
        ("class mine:\n    def update(self, outcome): pass", "mine", "has no method select_destroy(state)"),
    ],
)
def test_mistakes_get_one_sentence_and_exit_code_2(monkeypatch, capsys, tmp_path, text, name, message):
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text)
    code, out, err = run(monkeypatch, capsys, "--selector", f"{path}:{name}", "--iterations", 5)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_selector_that_fails_costs_no_solution(monkeypatch, capsys, tmp_path):
    path, solution = tmp_path / "mine.py", tmp_path / "x.sol"
    path.write_text(
        "class mine:\n"
        "    def select_destroy(self, state): return len(state.routes) / (3 - state.iteration)\n"
        "    def select_repair(self, destroyed, destroy): return 0\n"
        "    def update(self, outcome): pass"
    )
    code, out, err = run(monkeypatch, capsys, "--selector", f"{path}:mine", "--iterations", 5, "--out", solution)
    assert code == 2
    assert "stopped by user code" in out
    assert "selector 'mine' " in err
    assert "iteration" in err
    assert err.count("\n") == 1
    routes, cost = dacalns.read_solution(solution)
    assert dacalns.check(dacalns.read("A-n32-k5"), routes).cost == cost


def test_readings_of_the_paper_from_the_command_line(monkeypatch, capsys, tmp_path):
    report = tmp_path / "x.json"
    code, out, _ = run(
        monkeypatch, capsys, "--selector", "dac:target=joint,critic=state-action,alpha1=0", "--acceptance", "threshold",
        "--portfolio", "paper:ratio,anywhere,scales", "--iterations", 100, "--json", report,
    )  # fmt: skip
    assert code == 0
    assert "portfolio paper:ratio,anywhere,scales" in out
    settings = dacalns.Result.from_json(report).settings
    assert settings["acceptance"] == {"type": "Threshold", "start": 0.2, "end": 0.13, "of": "current"}
    assert settings["selector"]["learning"]["target"] == "joint"
    assert settings["selector"]["network"]["critic"] == "state-action"
    assert settings["selector"]["rewards"]["alpha1"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--acceptance", "treshold"), "did you mean 'threshold'"),
        (("--selector", "dac:targt=joint"), "did you mean 'target'"),
        (("--selector", "dac:target=jont"), "did you mean 'joint'"),
        (("--selector", "roulette:tune"), "did you mean 'tuned'"),
        (("--portfolio", "paper:scale"), "did you mean 'scales'"),
    ],
)
def test_readings_that_do_not_exist(monkeypatch, capsys, arguments, message):
    code, out, err = run(monkeypatch, capsys, *arguments, "--iterations", 5)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
