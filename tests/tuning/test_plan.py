"""What a tuning's file says, and mistakes in it."""

from pathlib import Path
from typing import Any

import pytest

import dacalns
from dacalns.tuning import load_plan
from dacalns.tuning.ranges import Choice, NumberRange
from tuning.conftest import TUNING

HEAD = """[tune]
instances = ["generated-cvrp-n10-s1"]
iterations = 10
"""


def test_ranges_have_the_names_of_their_settings(write: Any) -> None:
    plan = load_plan(write())
    assert plan.ranges == {
        "acceptance.start": NumberRange(0.5, 8.0, log=True),
        "selector.segment": NumberRange(10, 90, step=20),
    }
    assert (plan.name, plan.seeds, plan.iterations, plan.time, plan.trials) == ("mine", 2, 100, None, 8)
    drawn = plan.settings({"acceptance.start": 2.0, "selector.segment": 30})
    assert drawn.acceptance == dacalns.LocalAnnealing(2.0, 0.1)
    assert drawn.selector == dacalns.SelectorSettings("roulette", values={"segment": 30})
    assert plan.defaults.acceptance == dacalns.LocalAnnealing(end=0.1)
    assert plan.defaults.selector == dacalns.SelectorSettings("roulette")


def test_what_does_not_belong_to_the_choice_is_left_out(write: Any) -> None:
    plan = load_plan(
        write(
            HEAD
            + """
[selector]
name = { choices = ["roulette", "ucb", "dac"] }
segment = { low = 10, high = 90 }
scores = [{ low = 1, high = 9 }, 5, 2, 0]
alpha = 0.1

[learning]
rate = { low = 1e-4, high = 1e-2, log = true }
"""
        )
    )
    values = {"selector.segment": 20, "selector.scores.0": 7, "learning.rate": 0.001}
    wheel, ucb, dac = (plan.settings(values | {"selector.name": name}) for name in ("roulette", "ucb", "dac"))
    assert wheel.selector == dacalns.SelectorSettings("roulette", values={"segment": 20, "scores": (7, 5, 2, 0)})
    assert ucb.selector == dacalns.SelectorSettings("ucb", values={"scores": (7, 5, 2, 0), "alpha": 0.1})
    assert wheel.learning is ucb.learning is None
    assert dac.selector == dacalns.SelectorSettings("dac")
    assert dac.learning is not None
    assert dac.learning.rate == 0.001
    assert plan.defaults == dacalns.Settings()


def test_operators_and_scales(write: Any) -> None:
    plan = load_plan(
        write(
            HEAD
            + """
[destroy]
random_removal = { percent = { low = 5, high = 40 } }
worst_removal = { use = { choices = [true, false] }, least = { low = 2, high = 12 }, most = { low = 8, high = 30 } }
string_removal = { count = 12 }
route_removal = false

[repair]
blink_repair = true
regret_repair = { choices = [true, false] }
"""
        )
    )
    assert set(plan.ranges) == {
        "destroy.random_removal.percent", "destroy.worst_removal.use", "destroy.worst_removal.least",
        "destroy.worst_removal.most", "repair.regret_repair.use",
    }  # fmt: skip
    assert plan.ranges["repair.regret_repair.use"] == Choice((True, False))
    values = {
        "destroy.random_removal.percent": 20, "destroy.worst_removal.use": True, "destroy.worst_removal.least": 10,
        "destroy.worst_removal.most": 9, "repair.regret_repair.use": False,
    }  # fmt: skip
    search = plan.settings(values).search
    assert search is not None
    assert search.destroy == ("random_removal@20%", "worst_removal@10", "string_removal@12")
    assert search.repair == ("blink_repair",)
    portfolio = plan.settings(values).options()["portfolio"]
    assert [operator.scale.customers(100) for operator in portfolio.destroy] == [(20, 20), (10, 10), (12, 12)]
    assert plan.defaults == dacalns.Settings()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[tune]\ninstances = []\niterations = 5", 2, "instances is []; expected a list of sets, names or files"),
        ('[tune]\ninstances = ["nowhere"]\niterations = 5', 2, "nowhere"),
        (HEAD + "tirals = 5", 4, "[tune] has no key 'tirals'; expected one of instances"),
        (HEAD + "tirals = 5", 4, "did you mean 'trials'?"),
        (HEAD + "time = 1", 1, "[tune] has no budget, or two"),
        (HEAD + "seeds = 0", 4, "seeds is 0"),
        (HEAD + 'sampler = "grid"', 4, "sampler is 'grid'; expected one of tpe, random"),
        (HEAD + 'prune = "no"', 4, "prune is 'no'"),
        (HEAD, 1, "there is no range to tune"),
        (HEAD + "[stop]\ntime = 1", 4, "expected the budget in [tune]"),
        (HEAD + "[acceptence]\nstart = 1", 4, "did you mean 'acceptance'?"),
        (HEAD + "[search]\nseed = 3", 5, "[tune] seed and seeds say what is drawn"),
        (HEAD + '[search]\nobjective = "vehicles-then-distance"', 5, "expected 'distance'"),
        (HEAD + "[acceptance]\nstrat = {low = 1, high = 2}", 5, "did you mean 'start'?"),
        (HEAD + "[acceptance]\nstart = {low = 1}", 5, "acceptance.start is from 1 to None"),
        (HEAD + "[acceptance]\nstart = {low = 2, high = 1}", 5, "expected low and high, numbers with low < high"),
        (HEAD + "[acceptance]\nstart = {lo = 2, high = 1}", 5, "did you mean 'low' or 'log'?"),
        (HEAD + "[acceptance]\nstart = {low = 0, high = 1, log = true}", 5, "expected true with low above 0"),
        (HEAD + "[acceptance]\nend = 0.01\nstart = {low = -3.0, high = 1.0}", 6, "start -3.0"),
        (HEAD + "[selector]\nsegment = {low = 0, high = 9}", 5, "segment is 0; expected a whole number of 1 or more"),
        (HEAD + "[selector]\nsegment = {low = 1.0, high = 9.0}", 5, "segment is"),
        (HEAD + '[selector]\nname = {choices = ["ucb", "rulette"]}', 5, "selector is 'rulette'"),
        (HEAD + '[selector]\nname = {choices = ["ucb"]}', 5, "expected a list of two or more"),
        (
            HEAD + '[selector]\nname = {choices = ["ucb", "roulette"]}\nsegmnt = {low = 1, high = 9}',
            6,
            "has no key 'segmnt' for any of these choices",
        ),
        (HEAD + '[selector]\nname = {choices = ["ucb", "roulette"]}\nsegmnt = 9', 6, "did you mean 'segment'?"),
        (HEAD + '[selector]\nname = {choices = ["ucb", "dac"]}\n[learning]\nrate = {low = -1, high = 1}', 7, "rate is"),
        (HEAD + "[destroy]\nrandom_removl = true", 5, "did you mean 'random_removal'"),
        (HEAD + "[destroy]\nrandom_removal = {choices = [true, false]}", 4, "may leave out every operator"),
        (HEAD + "[destroy]\nrandom_removal = {scale = 3}", 5, "has a key 'scale'; expected one of use, count"),
        (HEAD + "[destroy]\nrandom_removal = {count = {low = 0, high = 3}}", 5, "expected 0 < low <= high"),
        (HEAD + "[destroy]\nrandom_removal = {percent = {low = 5, high = 300}}", 5, "expected 0 < low <= high <= 1"),
        (HEAD + "[destroy]\nrandom_removal = {least = 3}", 5, "least and most together"),
        (HEAD + "[destroy]\nrandom_removal = 3", 5, "expected true, false or {choices = [true, false]}"),
        (HEAD + "[repair]\ngreedy_repair = {count = 3}", 5, "has a key 'count'; expected one of use"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, line: int, message: str, write: Any) -> None:
    path = write(text)
    with pytest.raises(dacalns.InputError) as raised:
        load_plan(path)
    told = str(raised.value)
    assert f"mine.toml:{line}: " in told
    assert message in told
    assert len(told) <= 300


def test_the_digest_is_of_all_but_the_number_of_trials(write: Any) -> None:
    digest = load_plan(write()).digest
    assert load_plan(write(TUNING.replace("trials = 8", "trials = 99"), "other.toml")).digest == digest
    for old, new in (("seeds = 2", "seeds = 3"), ("high = 8.0", "high = 9.0"), ("end = 0.1", "end = 0.2")):
        assert load_plan(write(TUNING.replace(old, new))).digest != digest


def test_files_are_seen_from_the_folder_of_the_tuning(write: Any, tmp_path: Path, monkeypatch: Any) -> None:
    dacalns.write_instance(dacalns.generate_cvrp(8, seed=1), tmp_path / "mine.vrp")
    path = write(HEAD.replace("generated-cvrp-n10-s1", "mine.vrp") + "[acceptance]\nstart = {low = 0.1, high = 0.2}")
    assert load_plan(path).instances[0].customers == 8


def test_settings_name_operators_at_other_scales() -> None:
    settings = dacalns.Settings(search=dacalns.SearchSettings(destroy=["worst_removal@5-9"], repair=["greedy_repair"]))
    result = dacalns.solve("P-n16-k8", stop=dacalns.MaxIterations(50), **settings.options())
    assert result.operators.destroy == ["worst_removal@5-9"]
    assert result.settings["selector"]["type"] == "Roulette"
    for wrong, message in (
        (["worst_removl"], "did you mean 'worst_removal"),
        (["worst_removal@9-5"], "expected 0 < low <= high"),
        (["worst_removal@x"], "expected customers or percent"),
        ("worst_removal", "expected a list of names"),
    ):
        with pytest.raises(dacalns.InputError, match=message):
            dacalns.SearchSettings(destroy=wrong)
    with pytest.raises(dacalns.InputError, match="expected a name alone"):
        dacalns.SearchSettings(repair=["greedy_repair@5"])
