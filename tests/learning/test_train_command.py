"""dac-alns train, called as users call it."""

import os
import signal
import subprocess
import sys
import time

import pytest

import dacalns
from dacalns import cli
from dacalns.learning.standing import load_standing

pytestmark = pytest.mark.slow_without_jit

TOML = "[selector]\nname = 'dac'\n[network]\nhidden = 8\n"


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The words of a small training, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(TOML)

    def words(steps, *more, out="p.safetensors", jobs=1):
        return [
            "train", "--problem", "cvrp", "--instances", "generated:5-8", "--steps", str(steps), "--out", out,
            "--settings", "s.toml", "--episodes", "4", "--jobs", str(jobs), "--validation-instances", "3",
            "--validate-every", "3", *more,
        ]  # fmt: skip

    return words


@pytest.fixture
def dac_alns(monkeypatch, capsys):
    def run(arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *arguments])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        captured = capsys.readouterr()
        return exit_.value.code or 0, captured.out, captured.err

    return run


def test_it_trains_and_says_what_came_of_it(dac_alns, command, tmp_path):
    code, out, err = dac_alns(command(16_001))
    assert code == 0
    assert out.startswith("p.safetensors: ")
    assert "against roulette" in out
    lines = err.splitlines()
    assert lines[0].startswith("Training dac for cvrp: method whole, preset custom, portfolio full")
    assert lines[1].startswith("round 3 ")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "p.safetensors", "p.safetensors.csv", "p.safetensors.state", "s.toml",
    ]  # fmt: skip
    assert dac_alns(["solve", "P-n16-k8", "--selector", "dac-t:p.safetensors", "--iterations", "100"])[0] == 0


def test_quiet_prints_nothing(dac_alns, command):
    assert dac_alns(command(300, "--quiet")) == (0, "", "")


def test_resuming_and_refusing(dac_alns, command):
    dac_alns(command(300))
    code, out, err = dac_alns(command(600))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "there already" in err
    assert dac_alns(command(600, "--resume"))[0] == 0
    code, _, err = dac_alns(command(600, "--resume", "--seed", "1"))
    assert code == 2
    assert "seed 0, not 1" in err
    assert dac_alns(command(300, "--force"))[0] == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--kind", "wheel", "--method", "online"], "expected 'whole' or 'surface' for a wheel"),
        (["--instances", "nowhere"], "nowhere"),
        (["--method", "hole"], "did you mean 'whole'"),
        (["--settings", "none.toml"], "no such file"),
        (["--out", "nowhere/p"], "no folder"),
    ],
)
def test_mistakes_are_one_sentence(dac_alns, command, more, message):
    code, out, err = dac_alns(command(300, *more))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_after_ctrl_c_it_goes_on_to_the_same_policy(command, dac_alns, tmp_path):
    """Ctrl-C reaches every process of a terminal; the round in flight is finished and nothing is lost."""
    words = command(10_000_000, "--method", "online", jobs=2)
    process = subprocess.Popen(
        [sys.executable, "-m", "dacalns", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    metrics = tmp_path / "p.safetensors.csv"
    patience = time.monotonic() + 120
    while not (metrics.exists() and metrics.read_text().count("\n") > 4):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < patience
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped by  interrupt" in out
    assert "give the same command with --resume" in err
    assert "Traceback" not in err

    _, card = dacalns.load_checkpoint("p.safetensors")
    assert not card.training["finished"]
    steps = card.training["steps"] + 400
    assert dac_alns(command(steps, "--method", "online", "--resume"))[0] == 0
    assert dac_alns(command(steps, "--method", "online", out="q.safetensors"))[0] == 0
    for suffix in ("", ".state"):
        assert (tmp_path / f"p.safetensors{suffix}").exists()
    assert (tmp_path / "p.safetensors").read_bytes() == (tmp_path / "q.safetensors").read_bytes()
    rounds = [line.split(",")[0] for line in metrics.read_text().splitlines()[1:]]
    assert rounds == [str(number + 1) for number in range(len(rounds))]


def test_processes_of_a_training_that_was_killed_end_too(command, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "dacalns", *command(10_000_000, jobs=2, out="k")], stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    patience = time.monotonic() + 120
    while not ((tmp_path / "k.csv").exists() and (tmp_path / "k.csv").read_text().count("\n") > 1):
        assert time.monotonic() < patience
        time.sleep(0.05)
    process.kill()
    process.wait()
    while _group_is_alive(process.pid):
        assert time.monotonic() < patience
        time.sleep(0.05)
    assert (tmp_path / "k.state").exists()


def _group_is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_state_is_of_its_plan(command, dac_alns, tmp_path):
    dac_alns(command(300))
    with pytest.raises(dacalns.InputError, match="not none"):
        load_standing(tmp_path / "p.safetensors.state", {})
