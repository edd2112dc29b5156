"""Tunings find what is best, go on where they were stopped, and keep what they found."""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns.engines import WorkerDied
from dacalns.tuning import run
from dacalns.tuning.evaluation import Answer, Evaluation
from tuning.conftest import TUNING, Here, made_up

pytest.importorskip("optuna", reason="Optuna is not installed")
pytestmark = pytest.mark.slow_without_jit


def study_of(storage: str, name: str = "mine") -> Any:
    import optuna

    if storage.endswith(".log"):
        journal = optuna.storages.journal
        return optuna.load_study(study_name=name, storage=journal.JournalStorage(journal.JournalFileBackend(storage)))
    return optuna.load_study(study_name=name, storage=storage)


def trials_of(storage: str) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = study_of(storage).trials
    return [(trial.number, trial.state.name, trial.params, trial.value, trial.intermediate_values) for trial in found]


@pytest.mark.usefixtures("no_searches")
def test_the_best_settings_are_found_and_written(write: Any, tmp_path: Path) -> None:
    told: list[dacalns.TuningProgress] = []
    path = write(TUNING.replace("trials = 8", "trials = 20"))
    result = dacalns.tune(path, out=tmp_path / "out", engine=Here(), on_progress=told.append)
    assert result.trials == 20 == told[-1].done
    assert result.pruned > 0
    assert result.settings.selector is not None
    assert result.settings.selector.values["segment"] == 50
    assert result.settings.acceptance.start == pytest.approx(3.0, rel=0.5)  # type: ignore[union-attr]
    assert result.gap < 0 < result.default_gap
    assert dacalns.load_settings(result.file) == result.settings
    best = [progress.best for progress in told if progress.best is not None]
    assert best == sorted(best, reverse=True)
    assert best[-1] == result.gap
    assert f"best: {result.gap:.3f} % by trial {result.best_trial}" in str(result)


@pytest.mark.usefixtures("no_searches")
@pytest.mark.parametrize("storage", [None, "journal.log"])
def test_what_was_stopped_goes_on_as_if_it_had_not_been(write: Any, tmp_path: Path, storage: str | None) -> None:
    def storage_of(out: str) -> str | None:
        return storage and str(tmp_path / f"{out}-{storage}")

    path = write()
    whole = dacalns.tune(path, out=tmp_path / "whole", engine=Here(), storage=storage_of("whole"))
    for stop in (5, 20, 14):
        with pytest.raises(KeyboardInterrupt):
            dacalns.tune(path, out=tmp_path / "parts", engine=Here(fails_after=stop), storage=storage_of("parts"))
    assert any(state == "RUNNING" for _, state, *_ in trials_of(storage_of("parts") or whole_of(tmp_path, "parts")))
    part = dacalns.tune(path, out=tmp_path / "parts", engine=Here(), storage=storage_of("parts"))
    assert trials_of(part.storage) == trials_of(whole.storage)
    assert (tmp_path / "parts" / "best.toml").read_text() == (tmp_path / "whole" / "best.toml").read_text()
    engine = Here()
    again = dacalns.tune(path, out=tmp_path / "parts", engine=engine, storage=storage_of("parts"))
    assert (again, engine.calls) == (part, 0)
    more = dacalns.tune(path, out=tmp_path / "parts", engine=Here(), storage=storage_of("parts"), trials=9)
    assert more.trials == 9
    assert trials_of(more.storage)[:8] == trials_of(whole.storage)


def whole_of(folder: Path, out: str) -> str:
    return f"sqlite:///{folder / out / 'study.db'}"


@pytest.mark.usefixtures("no_searches")
def test_several_at_a_time_and_a_random_sampler(write: Any, tmp_path: Path) -> None:
    path = write(TUNING.replace("trials = 8", 'trials = 8\nsampler = "random"\nprune = false'))
    alone = dacalns.tune(path, out=tmp_path / "alone", engine=Here())
    wide = dacalns.tune(path, out=tmp_path / "wide", engine=Here(slots=5))
    assert alone.pruned == wide.pruned == 0
    assert trials_of(wide.storage) == trials_of(alone.storage)


def test_the_same_settings_are_not_searched_again(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    seen: list[tuple[str, str, int]] = []

    def noted(evaluation: Evaluation) -> Answer:
        seen.append((evaluation.settings.to_toml(), evaluation.instance.name, evaluation.seed))
        return made_up(evaluation)

    monkeypatch.setattr(Evaluation, "answer", noted)
    text = TUNING.replace("start = { low = 0.5, high = 8.0, log = true }", "start = 3.0")
    result = dacalns.tune(write(text), out=tmp_path, engine=Here())
    assert result.trials == 8
    assert len(seen) == len(set(seen)) + 1  # one search warms up; there are only five segments
    assert result.gap == min(value for _, _, _, value, _ in trials_of(result.storage) if value is not None)


def test_gaps_are_to_the_best_known_cost_and_dear_where_somebody_is_left(
    write: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(Evaluation, "answer", lambda evaluation: Answer(800.0, int(evaluation.seed == 1)))
    text = TUNING.replace("seeds = 2", "seeds = 2\nprune = false").replace(
        '"generated-cvrp-n10-s1", "generated-cvrp-n10-s2", "generated-cvrp-n10-s3"',
        '"A-n32-k5"',
    )
    result = dacalns.tune(write(text), out=tmp_path, engine=Here(), trials=1)
    assert result.gap == pytest.approx((100 * 16 / 784 + 1000) / 2)  # 784 is optimal


def test_the_check_compares_by_instance(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    def on_others(evaluation: Evaluation) -> Answer:
        worse = evaluation.instance.name == "generated-cvrp-n10-s8"
        return made_up(evaluation) if not worse else Answer(100.0 + (evaluation.settings.acceptance.end == 0.1), 0)  # type: ignore[union-attr]

    monkeypatch.setattr(Evaluation, "answer", on_others)
    others = (
        'check = ["generated-cvrp-n10-s5", "generated-cvrp-n10-s6", "generated-cvrp-n10-s7", "generated-cvrp-n10-s8"]'
    )
    text = TUNING.replace("seeds = 2", f"seeds = 2\n{others}").replace("end = 0.1", "end = { choices = [0.1, 0.11] }")
    result = dacalns.tune(write(text), out=tmp_path, engine=Here())
    check = result.check
    assert check is not None
    assert (check.instances, check.better + check.worse <= 4, check.better >= 3) == (4, True, True)
    assert check.change < 0
    assert "4 instances not tuned on" in str(result)
    engine = Here()
    assert dacalns.tune(write(text), out=tmp_path, engine=engine).check == check
    assert engine.calls == 0


def test_the_comparison_is_of_means_over_seeds() -> None:
    found = run._comparison([100.0, 102.0, 50.0, 50.0], [101.0, 101.0, 40.0, 50.0], seeds=2)
    assert (found.instances, found.better, found.worse, found.change) == (2, 1, 0, pytest.approx(-5.0))
    equal = run._comparison([1.0, 2.0], [1.0, 2.0], seeds=1)
    assert (equal.change, equal.p_value) == (0.0, 1.0)
    clear = run._comparison(list(np.arange(10.0, 20.0)), list(np.arange(9.0, 19.0)), seeds=1)
    assert clear.p_value == pytest.approx(2 * 0.5**10)


@pytest.mark.usefixtures("no_searches")
def test_another_tuning_by_the_same_name_is_refused(write: Any, tmp_path: Path) -> None:
    dacalns.tune(write(), out=tmp_path / "out", engine=Here(), trials=1)
    path = write(TUNING.replace("iterations = 100", "iterations = 200"))
    with pytest.raises(dacalns.InputError, match="with other instances, budget, ranges or settings"):
        dacalns.tune(path, out=tmp_path / "out", engine=Here())


def test_searches_that_fail_end_the_tuning_with_a_sentence(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    answers = iter(range(100))

    def failing(evaluation: Evaluation) -> Answer:
        if next(answers) > 9:
            raise dacalns.InputError("this operator does not fit.")
        return made_up(evaluation)

    monkeypatch.setattr(Evaluation, "answer", failing)
    with pytest.raises(
        dacalns.InputError, match=r"trial 0 \(.*acceptance.start = .*\) failed: this operator does not fit"
    ):
        dacalns.tune(write(), out=tmp_path, engine=Here())
    died = iter([False] * 9 + [True, False, False] + [True] * 9)

    def dying(evaluation: Evaluation) -> Answer:
        if next(died):
            raise WorkerDied("its process ended with code -9")
        return made_up(evaluation)

    monkeypatch.setattr(Evaluation, "answer", dying)
    with pytest.raises(dacalns.InputError, match="failed: its process ended"):  # but a first time it is tried again
        dacalns.tune(write(), out=tmp_path / "other", engine=Here())


def test_draws_that_make_no_sense_are_left_out(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Evaluation, "answer", made_up)
    text = TUNING.replace("end = 0.1", "end = { low = 0.4, high = 3.0 }")  # an end above the start is refused
    result = dacalns.tune(write(text), out=tmp_path, engine=Here())
    assert result.trials == 8
    assert len(trials_of(result.storage)) > 8


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"storage": "study"}, "expected a URL such as sqlite:///study.db, or a file that ends in .log"),
        ({"storage": "sqlite:////nowhere/at/all.db"}, "cannot be used"),
        ({"trials": 0}, "trials is 0"),
        ({"jobs": 2}, "beside an engine"),
        ({"out": "/dev/null/x"}, "where no folder can be made"),
    ],
)
@pytest.mark.usefixtures("no_searches")
def test_what_cannot_be_used(given: Any, message: str, write: Any, tmp_path: Path) -> None:
    with pytest.raises(dacalns.InputError, match=message):
        dacalns.tune(write(), **({"out": tmp_path, "engine": Here()} | given))


def test_without_optuna_the_message_has_the_command(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(dacalns.InputError, match=r'pip install "dac-alns\[tune\]"'):
        dacalns.tune(write(), out=tmp_path)


def test_the_command_searches_in_a_process_of_its_own(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    from dacalns import cli

    text = TUNING.replace("seeds = 2", 'seeds = 1\ncheck = ["P-n16-k8"]').replace("iterations = 100", "iterations = 20")
    (tmp_path / "mine.toml").write_text(text)
    monkeypatch.chdir(tmp_path)

    def dac_alns(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["dac-alns", *arguments])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        return int(str(exit_.value.code or 0))

    assert dac_alns("tune", "mine.toml", "--out", "out", "--trials", "2", "--jobs", "1") == 0
    printed = capsys.readouterr()
    assert "2 trials, 0 of them given up early" in printed.out
    assert "on 1 instances not tuned on" in printed.out
    assert "look: optuna-dashboard sqlite:///out/study.db" in printed.out
    assert "trial 0: " in printed.err
    assert dac_alns("solve", "P-n16-k8", "--iterations", "20", "--settings", "out/best.toml", "--quiet") == 0
    assert dac_alns("tune", "nowhere.toml", "--out", "out") == 2
    assert "nowhere.toml: there is no such file" in capsys.readouterr().err
