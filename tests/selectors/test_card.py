"""Cards: what they accept, their way to text and back, and whether a policy fits a search."""

import json
from dataclasses import asdict, replace

import pytest

import dacalns
from dacalns import (
    Card,
    InputError,
    LearningSettings,
    NetworkSettings,
    Portfolio,
    Rewards,
    Scale,
    TrainedPortfolio,
    bundled_policy,
    load_checkpoint,
)
from dacalns.core.graph import RICH_FEATURES
from dacalns.instances.features import FEATURES
from dacalns.selectors.card import FORMAT, node_features, require_match

PAPER = dacalns.PORTFOLIOS["paper"]
CARD = Card(
    "cvrp",
    "dac",
    ("x", "y", "demand", "served"),
    TrainedPortfolio.of(PAPER, frozenset()),
    NetworkSettings(hidden=8, context="search"),
    Rewards(beta=1 / 3),
    LearningSettings(rate=2e-3, normalise_advantage=True),
    "improved",
    {"set": "cvrp-small", "steps": 7, "seeds": (1, 2), "command": "dac-alns train é"},
    {"gap_percent": 1.25},
)


def test_to_text_and_back():
    assert Card.from_json(CARD.to_json()) == CARD
    assert CARD.training["seeds"] == [1, 2]
    assert CARD.version == dacalns.__version__
    wheel = Card("vrptw", "wheel", (), TrainedPortfolio.of(PAPER, {"windows"}))
    assert Card.from_json(wheel.to_json()) == wheel


def test_the_dictionaries_are_copies():
    training = {"steps": 1}
    card = replace(CARD, training=training)
    training["steps"] = 2
    assert card.training == {"steps": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"problem": "tsp"}, "problem is 'tsp'; expected one of cvrp, vrptw"),
        ({"kind": "dca"}, "kind is 'dca'"),
        ({"preset": "papper"}, "did you mean 'paper'"),
        ({"features": ()}, "features are .* at least one for kind dac"),
        ({"kind": "wheel"}, "features are .* none for a wheel"),
        ({"features": ("x", "x")}, "features are .* names that differ"),
        ({"features": "xy"}, "features are 'xy'"),
        ({"features": ("x", 1)}, "features are"),
        ({"network": Rewards()}, "network is .* NetworkSettings"),
        ({"portfolio": PAPER}, "portfolio is .* TrainedPortfolio"),
        ({"training": [1]}, "training is"),
        ({"training": {"x": object()}}, "training is .* JSON can hold"),
        ({"validation": {"gap": float("nan")}}, "validation is .* without NaN"),
        ({"version": ""}, "version is empty"),
        ({"format": FORMAT + 1}, "format is"),
        ({"format": 0}, "format is 0"),
    ],
)
def test_cards_that_make_no_sense(changes, message):
    with pytest.raises(InputError, match=message):
        replace(CARD, **changes)


@pytest.mark.parametrize(
    ("destroy", "repair"),
    [
        ((), ("a",)),
        ((("a", Scale(1, 2)),), ()),
        (("a",), ("b",)),
        ((("a", (1, 2)),), ("b",)),
        (((1, Scale(1, 2)),), ("b",)),
        ((("a", Scale(1, 2)),), "b"),
        (None, None),
    ],
)
def test_operators_that_make_no_sense(destroy, repair):
    with pytest.raises(InputError, match="portfolio has destroy operators"):
        TrainedPortfolio(destroy, repair)


def changed(**changes):
    return json.dumps({**json.loads(CARD.to_json()), **changes})


def without(key):
    return json.dumps({name: value for name, value in json.loads(CARD.to_json()).items() if name != key})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        (changed(format=FORMAT + 1, colour=1), f"format {FORMAT + 1}; expected at most {FORMAT}; install a newer"),
        (changed(format="1"), "format is '1'"),
        (changed(colour=1), "the card has 'colour'; expected features, format"),
        (without("kind"), "the card has no 'kind'"),
        (without("format"), "the card has no 'format'"),
        (changed(network={"hidden": 8}), "network of the card has no 'context', no 'critic', no 'neighbours'"),
        (changed(rewards=3), "rewards of the card has no 'alpha1'"),
        (changed(network=asdict(CARD.network) | {"hidden": 7}), "hidden is 7"),
        (changed(portfolio=3), "portfolio of the card is not understood"),
        (
            changed(portfolio={"destroy": [{"name": "a", "scale": {"low": 1}}], "repair": ["b"]}),
            "portfolio of the card",
        ),
        (changed(portfolio={"destroy": [], "repair": ["b"]}), "portfolio has destroy operators"),
        (changed(features=3), "features are 3"),
    ],
    ids=range(15),
)
def test_text_that_is_no_card(text, message):
    with pytest.raises(InputError, match=message):
        Card.from_json(text)


class TestMatch:
    def test_the_same_problem_and_portfolio(self):
        require_match(CARD, frozenset(), PAPER)
        require_match(CARD, frozenset(), Portfolio(PAPER.destroy, PAPER.repair, "copy"))

    def test_operators_for_another_problem_do_not_count(self):
        only_timed = replace(dacalns.greedy_repair, name="timed", needs=frozenset({"windows"}))
        more = Portfolio(PAPER.destroy, (*PAPER.repair, only_timed), "more")
        require_match(CARD, frozenset(), more.for_features(frozenset()))

    def test_another_problem(self):
        with pytest.raises(InputError) as caught:
            require_match(CARD, {"windows"}, PAPER)
        assert str(caught.value) == (
            "the policy was trained for cvrp, but the instance is a vrptw; expected a policy for vrptw; choose or "
            "train one."
        )

    def test_another_scale(self):
        scaled = Portfolio(
            (replace(PAPER.destroy[0], scale=Scale(0.1, 0.3, fraction=True)), PAPER.destroy[1]), PAPER.repair
        )
        with pytest.raises(InputError) as caught:
            require_match(CARD, frozenset(), scaled)
        assert str(caught.value) == (
            "destroy operator 1 of portfolio 'custom' is random_removal (10 to 30 %); expected random_removal "
            "(10 to 40 %), as in the training; choose that portfolio or train anew."
        )

    def test_fewer_repair_operators(self):
        expected = (
            "has 2 repair operators; expected the 3 of the training, random_repair, greedy_repair, regret_repair;"
        )
        with pytest.raises(InputError, match=expected):
            require_match(CARD, frozenset(), Portfolio(PAPER.destroy, PAPER.repair[:2]))

    def test_another_order(self):
        with pytest.raises(
            InputError, match="repair operator 1 of portfolio 'custom' is regret_repair; expected random_"
        ):
            require_match(CARD, frozenset(), Portfolio(PAPER.destroy, PAPER.repair[::-1]))

    def test_other_destroy_operators(self):
        with pytest.raises(InputError, match=r"^portfolio 'custom' has 1 destroy operators; expected the 2 of the"):
            require_match(CARD, frozenset(), Portfolio(("worst_removal",), PAPER.repair))


FULL = dacalns.PORTFOLIOS["full"]


def rich_card(problem, kind="dac"):
    operators = TrainedPortfolio.of(FULL, {"pairs"})
    return Card(problem, kind, () if kind == "wheel" else RICH_FEATURES, operators)


class TestMatchOfRichProblems:
    @pytest.mark.parametrize(
        ("problem", "features"),
        [
            ("pairs+windows,prizes", {"pairs", "windows"}),
            ("pairs+windows,prizes", {"prizes"}),
            ("pairs+windows,prizes", {"pairs"}),
            ("pairs+windows,prizes", {"pairs", "prizes", "windows"}),
            ("depots", {"vehicle-types"}),
            ("rich", set(FEATURES)),
            ("rich", {"groups"}),
        ],
    )
    def test_features_within_those_of_the_training(self, problem, features):
        for kind in ("dac", "ac", "wheel"):
            require_match(rich_card(problem, kind), features, FULL.for_features(features))

    @pytest.mark.parametrize(
        ("problem", "features", "sentence"),
        [
            (
                "pairs+windows,prizes",
                {"pairs", "depots", "groups"},
                "the policy was trained on pairs, prizes, windows, but the instance has depots, groups; expected a "
                "policy that was trained on that, too; choose or train one.",
            ),
            (
                "pairs+windows",
                {"windows"},
                "the policy was trained for problems with pairs, windows, but the instance is a vrptw; expected a "
                "policy for vrptw; choose or train one.",
            ),
            (
                "rich",
                set(),
                "the policy was trained for problems with backhauls-last, depot-service, depots, distance-costs and 23 "
                "more, but the instance is a cvrp; expected a policy for cvrp; choose or train one.",
            ),
        ],
    )
    def test_other_features(self, problem, features, sentence):
        for kind in ("dac", "wheel"):
            with pytest.raises(InputError) as caught:
                require_match(rich_card(problem, kind), features, FULL.for_features(features))
            assert str(caught.value) == sentence

    def test_a_policy_for_a_plain_problem(self):
        with pytest.raises(InputError, match="trained for cvrp, but the instance is a vrp with pairs; expected"):
            require_match(CARD, {"pairs"}, PAPER.for_features({"pairs"}))

    def test_sentences_stay_short(self):
        card = rich_card(",".join(sorted(set(FEATURES) - {"windows", "pairs", "overtime"})))
        for features in ({"pairs", "overtime"}, {"windows"}):
            with pytest.raises(InputError) as caught:
                require_match(card, features, FULL.for_features(features))
            assert len(str(caught.value)) <= 300

    def test_other_operators(self):
        with pytest.raises(InputError, match="has 2 destroy operators; expected the 4 of the training"):
            require_match(rich_card("pairs"), {"pairs"}, PAPER.for_features({"pairs"}))

    def test_columns_that_this_version_does_not_show(self):
        for features, said in (
            (RICH_FEATURES[:-1], "no limit"),
            ((*RICH_FEATURES, "colour"), "colour"),
            (RICH_FEATURES[::-1], "the same in another order"),
        ):
            card = replace(rich_card("pairs"), features=features)
            with pytest.raises(InputError, match=f"the policy sees {said} of a node; expected x, y, demand"):
                require_match(card, {"pairs"}, FULL.for_features({"pairs"}))


def test_a_card_names_its_sets_in_one_way():
    assert rich_card("windows+pairs, depots").problem == "depots+vehicle-types,pairs+windows"
    everything = rich_card("rich").problem
    assert everything.startswith("backhauls-last+pickups,depot-service,depots+vehicle-types,distance-costs,")
    assert set(everything.replace("+", ",").split(",")) == set(FEATURES), "what is new later is not among them"
    for problem in ("windows+pairs, depots", "rich"):
        assert Card.from_json(rich_card(problem).to_json()) == rich_card(problem)
    assert node_features("cvrp") == ("x", "y", "demand", "served")
    assert (len(node_features("vrptw")), node_features("pairs"), node_features("rich")) == (10, *[RICH_FEATURES] * 2)


def test_cards_of_the_first_format_say_what_there_was_no_other_way_of() -> None:
    old = json.loads(replace(CARD, preset="paper").to_json()) | {"format": 1}
    for part, name in (("learning", "target"), ("learning", "choice"), ("network", "critic")):
        del old[part][name]
    card = Card.from_json(json.dumps(old))
    assert card == replace(CARD, preset="one-step", learning=replace(CARD.learning, target="one-step"))
    assert Card.from_json(card.to_json()) == card


def test_the_policies_in_the_package_were_taught_one_step() -> None:
    card = load_checkpoint(bundled_policy("cvrp"))[1]
    assert (card.format, card.learning.target, card.network.critic) == (FORMAT, "one-step", "state")
