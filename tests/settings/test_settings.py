"""One object for all settings: options for a search, overriding, and the way to a file and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

import dacalns
from dacalns import InputError, SearchSettings, SelectorSettings, Settings, StopSettings, load_settings

numbers = some.floats(-1e6, 1e6)
fractions = some.floats(0, 1)
positive = some.floats(1e-9, 1e6)


def optional(strategy):
    return some.none() | strategy


anything = some.builds(
    Settings,
    search=optional(
        some.builds(
            SearchSettings,
            portfolio=some.sampled_from([None, "paper", "a b.py:X", 'q"\\\x7f\u2028é😀.py']),
            seed=optional(some.integers(0)),
            jobs=optional(some.integers(1, 99)),
        )
    ),
    stop=optional(
        some.builds(
            StopSettings,
            time=optional(some.floats(0, 1e9)),
            iterations=optional(some.integers(0, 10**12)),
            no_improvement=optional(some.integers(1)),
            target=optional(numbers),
        )
    ),
    acceptance=some.sampled_from(
        [None, dacalns.SimulatedAnnealing(1, 1e-16), dacalns.HillClimbing(), dacalns.LateAcceptance(7)]
    ),
    selector=some.sampled_from(
        [
            None,
            SelectorSettings("random"),
            SelectorSettings("weights:1,0/0,1,2"),
            SelectorSettings("roulette", values={"scores": (5, 4.5, 1, 0), "segment": 7}),
        ]
    ),
)
learned = some.builds(
    Settings,
    rewards=optional(some.builds(dacalns.Rewards, alpha1=numbers, otherwise=numbers)),
    network=optional(some.builds(dacalns.NetworkSettings, hidden=some.just(8), context=some.just("search"))),
    learning=optional(
        some.builds(dacalns.LearningSettings, rate=positive, exploration=fractions, normalise_advantage=some.booleans())
    ),
)


@given(anything | learned)
def test_what_is_written_reads_back_the_same(tmp_path_factory, settings):
    path = tmp_path_factory.mktemp("settings") / "x.toml"
    text = settings.to_toml(path)
    assert path.read_bytes().decode() == text
    assert load_settings(path) == settings


def test_learned_selectors_read_back_the_same(write):
    settings = Settings(
        selector=SelectorSettings("learner", "improved", {"every": 2}),
        learning=dacalns.LearningSettings(rate=0.25),
    )
    assert load_settings(write(settings.to_toml())) == settings


def test_a_criterion_of_ones_own_cannot_be_written():
    class Mine:
        kernel = None

        def memory(self, reference):
            return [reference]

    with pytest.raises(InputError, match=r"acceptance is .* expected one of SimulatedAnnealing, .* to write"):
        Settings(acceptance=Mine()).to_toml()


def test_parts_must_be_of_their_kind():
    with pytest.raises(InputError, match=r"learning is Rewards\(.*expected None or an object such as LearningSettings"):
        Settings(learning=dacalns.Rewards())


def test_options_are_those_of_a_search_and_only_what_is_set():
    assert Settings().options() == {}
    assert Settings(search=SearchSettings(), stop=StopSettings()).options() == {}
    assert Settings(search=SearchSettings(seed=0)).options() == {"seed": 0}
    assert Settings(search=SearchSettings(jobs=2)).options() == {"jobs": 2}
    options = Settings(
        SearchSettings("paper", 3),
        StopSettings(time=2, target=5),
        dacalns.HillClimbing(),
        SelectorSettings("ucb", values={"alpha": 0.5}),
    ).options()
    assert options == {
        "portfolio": "paper",
        "seed": 3,
        "stop": dacalns.MaxTime(2) | dacalns.TargetCost(5),
        "acceptance": dacalns.HillClimbing(),
        "selector": dacalns.AlphaUCB(alpha=0.5),
    }


@pytest.mark.slow_without_jit
def test_a_search_takes_them():
    settings = Settings(
        SearchSettings(seed=3),
        StopSettings(iterations=20),
        dacalns.LateAcceptance(5),
        SelectorSettings("roulette", values={"segment": 7}),
    )
    result = dacalns.solve("P-n16-k8", **settings.options())
    assert (result.iterations, result.seed, result.selector) == (20, 3, "roulette")
    assert result.settings["acceptance"] == {"type": "LateAcceptance", "length": 5}
    assert result.settings["selector"]["segment"] == 7


def test_learned_selectors_get_their_parts_from_the_tables_then_from_the_preset(learner):
    rewards = dacalns.Rewards(beta=5)
    improved = dacalns.PRESETS["improved"]
    chosen = Settings(selector=SelectorSettings("learner", "improved"), rewards=rewards).options()["selector"]
    assert chosen == learner(rewards, improved.network, improved.learning)
    assert Settings(selector=SelectorSettings("learner")).options()["selector"] == learner()


class TestOverridden:
    settings = Settings(
        search=SearchSettings("paper", 3),
        stop=StopSettings(iterations=10, target=5),
        selector=SelectorSettings("roulette", values={"segment": 7}),
    )

    def test_nothing_given_changes_nothing(self):
        assert self.settings.overridden(stop=StopSettings()) == self.settings

    def test_seed_portfolio_and_jobs_one_by_one(self):
        assert self.settings.overridden(seed=0).search == SearchSettings("paper", 0)
        assert self.settings.overridden(portfolio="x.py").search == SearchSettings("x.py", 3)
        assert self.settings.overridden(jobs=2).search == SearchSettings("paper", 3, 2)
        assert Settings().overridden(seed=4).search == SearchSettings(seed=4)

    def test_a_budget_takes_the_place_of_all_budgets(self):
        assert self.settings.overridden(stop=StopSettings(time=60)).stop == StopSettings(time=60)

    def test_another_selector_drops_the_fields_of_the_old_one(self):
        assert self.settings.overridden(selector="ucb").selector == SelectorSettings("ucb")
        assert self.settings.overridden(selector="roulette") == self.settings
        assert self.settings.overridden(selector="learner").selector == SelectorSettings("learner")

    def test_a_preset_stays_with_selectors_that_learn(self, monkeypatch, learner):
        monkeypatch.setitem(dacalns.SELECTORS, "other", learner)
        settings = Settings(selector=SelectorSettings("learner", "improved", {"every": 2}))
        assert settings.overridden(selector="other").selector == SelectorSettings("other", "improved")
        assert settings.overridden(selector="ucb").selector == SelectorSettings("ucb")

    def test_bad_names(self):
        with pytest.raises(InputError, match="did you mean 'roulette'"):
            self.settings.overridden(selector="roulete")


def test_summary():
    assert Settings().summary == "seed 0"
    assert Settings(SearchSettings(seed=3), selector=SelectorSettings("ucb")).summary == "ucb  seed 3"


def test_what_stands_behind_a_selectors_name_does_not_drop_what_stands_in_tables() -> None:
    settings = Settings(learning=dacalns.LearningSettings(rate=0.5))
    with pytest.raises(InputError, match=r"selector is 'dac:one-step', but the settings have \[learning\]"):
        settings.overridden(selector="dac:one-step")
    assert settings.overridden(selector="ac").options()["selector"].learning.rate == 0.5
