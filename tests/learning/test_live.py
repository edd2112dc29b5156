"""What a training shows while it runs."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from dacalns.learning.live import LiveTraining, TrainingLines, duration
from dacalns.learning.monitor import TrainingProgress
from dacalns.learning.validation import Validation

SHARES = {"destroy/a": 0.25, "destroy/b": 0.75, "repair/c": 1}
METRICS = {"round": 7, "return": 0.5, "loss": 1.25, "entropy": 0.75, **SHARES}


def progress(phase="training", validation=None, **given):
    return TrainingProgress(
        phase, 7, 1500, 3000, 61.0, given.get("to_go", 3661.0), 12.5, given.get("metrics", METRICS), validation
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0:00"), (61, "1:01"), (3661, "1:01:01")])
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_the_display_has_all_there_is_to_know():
    screen = io.StringIO()
    with LiveTraining(Console(file=screen, force_terminal=True, width=90, no_color=True), "a title") as show:
        show(progress(validation=Validation(5, -0.25, 40, 20, 4)))
    text = screen.getvalue()
    for part in (
        "a title", "7", "1,500 of 3,000", "1:01, 12.5 episodes/s", "1:01:01 to go", "return 0.5", "loss 1.25",
        "entropy 0.75", "round 5: -0.250 % against roulette (40 wins, 20 losses, 4 ties)", "25 %", "75 %", "100 %",
    ):  # fmt: skip
        assert part in text


@pytest.mark.parametrize("phase", ["training", "validation", "critic"])
def test_there_is_something_to_show_before_the_first_round(phase):
    screen = io.StringIO()
    with LiveTraining(Console(file=screen, force_terminal=True, width=90), "a title") as show:
        show(progress(phase, metrics={}, to_go=None))
    assert "not validated yet" in screen.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_it_is_said_once_what_is_trained(terminal):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=60)
    first = progress(metrics={}, to_go=None)
    with LiveTraining(console, "a title") if terminal else TrainingLines(console) as show:
        for _ in range(3):
            show(replace(first, about="Training dac for cvrp"))
    assert screen.getvalue().count("Training dac for cvrp") == 1


def test_without_a_terminal_there_is_a_line_for_each_validation():
    screen = io.StringIO()
    with TrainingLines(Console(file=screen, width=40)) as show:
        show(progress())
        for number in (5, 5, 7):
            show(progress(validation=Validation(number, 0.5, 1, 2, 3)))
    assert screen.getvalue().splitlines() == [
        f"round {number}  steps 1,500  61 s  +0.500 % against roulette (1 wins, 2 losses, 3 ties)" for number in (5, 7)
    ]


def test_without_a_terminal_fitting_the_critic_is_told_once():
    screen = io.StringIO()
    with TrainingLines(Console(file=screen, width=40)) as show:
        for _ in range(3):
            show(replace(progress(), phase="critic"))
    assert screen.getvalue().splitlines() == [
        "fitting the critic to the policy, which may take minutes; the policy itself is ready"
    ]
