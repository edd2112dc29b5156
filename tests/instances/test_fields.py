"""A field added to an instance is forgotten by nobody, and a feature that nobody knows is refused by name."""

import importlib.util
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns.bench.peers import Hgs, OrTools, Ours, PyVrp, with_hgs, with_ortools, with_pyvrp
from dacalns.instances import Instance, features, pyvrp_data, read, sample, write, write_instance
from dacalns.instances import instance_file as instance_file_module
from dacalns.instances.best_known import has_original_numbers, with_best_known
from dacalns.instances.features import FIXED_COSTS, RELEASE_TIMES
from dacalns.instances.fields import Meaning, fields_with, per_arc, per_node, per_vehicle_type, rule
from dacalns.search import operators
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.selectors import card as card_module
from dacalns.selectors.card import require_match
from dacalns.selectors.checkpoint import bundled_policy, load_checkpoint, policy_file
from dacalns.study.content_key import instance_digest
from dacalns.study.task import known_instance
from dacalns.util.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Richer(Instance):
    """An instance with two fields that the package does not know, and that claim to be those of plain problems."""

    release: Any = per_node(default=None, feature=None)
    fixed_cost: float = per_vehicle_type(default=0.0, feature=None)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Asking(Instance):
    """The same, but the fields name the features that they ask for."""

    release: Any = per_node(default=None, feature=RELEASE_TIMES)
    fixed_cost: float = per_vehicle_type(default=0.0, feature=FIXED_COSTS)
    colour: str = rule(default="red", feature="colours")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Claiming(Instance):
    """An instance that claims a feature which nobody supports."""

    @property
    def features(self) -> frozenset[str]:
        return super().features | {"colours"}


def as_kind(kind: type[Instance], instance: Instance, **more: Any) -> Any:
    return kind(**{name: getattr(instance, name) for name in fields_with(instance)}, **more)


PLAIN = read("A-n32-k5")
RELEASE = np.arange(32.0)
CHANGES = [{"release": RELEASE}, {"fixed_cost": 5.0}]


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_field_counts_in_digest_equality_and_hash(change: dict[str, Any]) -> None:
    plain, changed = as_kind(Richer, PLAIN), as_kind(Richer, PLAIN, **change)
    assert instance_digest(plain) != instance_digest(changed)
    assert plain != changed
    assert changed == as_kind(Richer, PLAIN, **change)
    assert hash(changed) == hash(as_kind(Richer, PLAIN, **change))
    assert plain != PLAIN


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_field_survives_pickling(change: dict[str, Any]) -> None:
    changed = as_kind(Richer, PLAIN, **change)
    again = pickle.loads(pickle.dumps(changed))
    assert type(again) is Richer
    assert again == changed


def test_a_sample_takes_its_part_of_a_new_field() -> None:
    whole = as_kind(Richer, PLAIN, release=RELEASE, fixed_cost=5.0)
    drawn = sample(whole, 7, 1)
    kept = [int(np.flatnonzero((PLAIN.coordinates == place).all(axis=1))[0]) for place in drawn.coordinates]  # type: ignore
    assert drawn.release.tolist() == [float(node) for node in kept]  # type: ignore[attr-defined]
    assert drawn.fixed_cost == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("name", "suffix"), [("A-n32-k5", "vrp"), ("C101", "txt"), ("C101", "json")])
def test_a_writer_refuses_a_new_field_by_name(tmp_path: Path, change: dict[str, Any], name: str, suffix: str) -> None:
    target = tmp_path / f"mine.{suffix}"
    with pytest.raises(InputError, match=f"has {next(iter(change))}, which this format cannot say"):
        write_instance(as_kind(Richer, read(name), **change), target)
    assert not target.exists()
    write_instance(as_kind(Richer, read(name)), target)
    assert read(target).same_content(read(name))


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_field_makes_another_problem_of_a_famous_one(change: dict[str, Any]) -> None:
    assert has_original_numbers(as_kind(Richer, PLAIN))
    assert not has_original_numbers(as_kind(Richer, PLAIN, **change))
    unknown = replace(PLAIN, best_known=None, proven_optimal=False)
    assert with_best_known(as_kind(Richer, unknown)).best_known == PLAIN.best_known
    assert with_best_known(as_kind(Richer, unknown, **change)).best_known is None


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_new_field_forgets_the_best_known_value(change: dict[str, Any]) -> None:
    plain = as_kind(Richer, PLAIN)
    assert plain.with_(comment="other").best_known == PLAIN.best_known
    changed = plain.with_(**change)
    assert (changed.best_known, changed.proven_optimal) == (None, False)


def test_every_field_needs_a_meaning() -> None:
    @dataclass(frozen=True, kw_only=True, eq=False, repr=False)
    class Unmarked(Instance):
        colour: str = "red"

    with pytest.raises(TypeError, match="field 'colour' has no meaning"):
        instance_digest(as_kind(Unmarked, PLAIN))


@pytest.mark.parametrize("declare", [per_node, per_arc, per_vehicle_type, rule])
def test_a_field_cannot_be_declared_without_a_word_on_features(declare: Any) -> None:
    with pytest.raises(TypeError, match="'feature'"):
        declare(default=None)


def test_a_field_without_a_word_on_features_is_not_solved_as_if_it_were_absent() -> None:
    @dataclass(frozen=True, kw_only=True, eq=False, repr=False)
    class Silent(Instance):
        fixed_cost: float = field(default=0.0, metadata={"meaning": Meaning.VEHICLE_TYPE})

    with pytest.raises(TypeError, match="field 'fixed_cost' says nothing about features"):
        dacalns.solve(as_kind(Silent, PLAIN, fixed_cost=5.0), stop=dacalns.MaxIterations(1))


def test_a_new_field_is_asked_for_by_its_feature() -> None:
    assert as_kind(Asking, PLAIN).features == as_kind(Asking, PLAIN, colour="red").features == frozenset()
    assert as_kind(Asking, PLAIN, fixed_cost=5.0).features == {FIXED_COSTS}
    assert as_kind(Asking, PLAIN, fixed_cost=5.0, release=RELEASE).features == {FIXED_COSTS, RELEASE_TIMES}
    blue = as_kind(Asking, PLAIN, colour="blue")
    assert blue.features == {"colours"}
    with pytest.raises(InputError, match=r"no destroy operator for .*colours"):
        dacalns.solve(blue, stop=dacalns.MaxIterations(1), selector="roulette")


def test_a_feature_that_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    instance = as_kind(Claiming, PLAIN)
    assert "colours" in instance.problem
    with pytest.raises(InputError, match=r"portfolio 'full' has no destroy operator for .*colours"):
        dacalns.solve(instance, stop=dacalns.MaxIterations(1), selector="roulette")
    card = load_checkpoint(bundled_policy("cvrp"))[1]
    with pytest.raises(InputError, match=r"trained for cvrp, but the instance is a .*colours"):
        require_match(card, instance.features, PORTFOLIOS["paper"])
    with pytest.raises(InputError, match="colours"):
        policy_file(None, instance.features, "dac", "paper")
    with pytest.raises(InputError, match="has colours, which this format cannot say"):
        write_instance(instance, tmp_path / "mine.vrp")
    with pytest.raises(InputError, match="has colours, which this format cannot say"):
        write_instance(instance, tmp_path / "mine.json")
    for peer in (Hgs(), OrTools(), PyVrp(), Ours("ours", "ours")):
        assert peer.refuses(instance) == "it knows no colours"


@pytest.fixture
def read_anew(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModuleType], Any]:
    """The package has learned a feature, ``colours``; returns a module as Python would read it now."""
    monkeypatch.setitem(features.FEATURE_WORDS, "colours", "colours")
    monkeypatch.setattr(features, "FEATURES", (*features.FEATURES, "colours"))

    def read(module: ModuleType) -> ModuleType:
        spec = importlib.util.find_spec(module.__name__)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    return read


@pytest.mark.parametrize(("module", "peer"), [(with_hgs, "Hgs"), (with_ortools, "OrTools"), (with_pyvrp, "PyVrp")])
def test_a_feature_that_is_new_is_refused_by_other_solvers(module: ModuleType, peer: str, read_anew: Any) -> None:
    assert getattr(read_anew(module), peer)().refuses(as_kind(Claiming, PLAIN)) == "it knows no colours"


def test_a_feature_that_is_new_is_not_left_out_of_the_data_for_pyvrp(read_anew: Any) -> None:
    made = read_anew(pyvrp_data)
    assert made.PYVRP_FEATURES == pyvrp_data.PYVRP_FEATURES
    with pytest.raises(InputError, match="mine: has colours, which PyVRP cannot say"):
        made._require_sayable("mine", as_kind(Claiming, PLAIN))


@pytest.mark.parametrize("suffix", ["vrp", "txt"])
def test_a_feature_that_is_new_is_refused_by_writers(suffix: str, tmp_path: Path, read_anew: Any) -> None:
    with pytest.raises(InputError, match="has colours, which this format cannot say"):
        read_anew(write).write_instance(as_kind(Claiming, read("R101")), tmp_path / f"mine.{suffix}")


def test_a_feature_that_is_new_is_refused_by_cards_and_by_operators_that_name_none(
    read_anew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = as_kind(Claiming, PLAIN)
    trained = load_checkpoint(bundled_policy("cvrp"))[1]
    with pytest.raises(InputError, match=r"trained for cvrp, but the instance is a .*colours"):
        read_anew(card_module).require_match(trained, instance.features, PORTFOLIOS["paper"])

    @dacalns.repair_operator
    def mine(problem, solution, rng):  # type: ignore[no-untyped-def]
        """Insert nobody."""

    assert mine.fits(PLAIN.features)
    assert not mine.fits(instance.features)
    assert not PORTFOLIOS["full"].destroy[0].fits(instance.features)  # it was read before the package learned
    monkeypatch.setattr(operators, "FEATURES", features.FEATURES)
    assert "colours" in read_anew(operators).ALL  # those that ask the terms alone learn with it


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that have been parsed, in order."""
    from dacalns.study import task

    task._unchanged.cache_clear()  # what other tests have read would not be parsed here
    seen: list[str] = []
    parse = instance_file_module._parse

    def counting(source: Any) -> Any:
        seen.append(Path(source.name).name)
        return parse(source)

    monkeypatch.setattr(instance_file_module, "_parse", counting)
    instance_file_module._parse_bundled.cache_clear()
    return seen


def test_a_bundled_instance_is_parsed_once(parsed: list[str]) -> None:
    assert read("R101").best_known is not None
    assert parsed == ["R101.txt"]


def test_a_study_parses_each_instance_once(parsed: list[str], tmp_path: Path) -> None:
    from dacalns.study.load_protocol import load_protocol
    from dacalns.study.plan import planned_runs

    write_instance(PLAIN.with_(name="mine"), tmp_path / "mine.vrp")
    (tmp_path / "p.toml").write_text(
        '[groups.g]\ninstances = ["mine.vrp", "B-n31-k5"]\n[methods.m]\nselector = "roulette"\n'
    )
    protocol = load_protocol(tmp_path / "p.toml")
    assert len(planned_runs(protocol, {})) == 2
    assert sorted(parsed) == ["B-n31-k5.vrp", "mine.vrp"]


def test_the_runs_of_a_study_parse_nothing_again(parsed: list[str], tmp_path: Path) -> None:
    from concurrent.futures import Future

    from dacalns.study.load_protocol import load_protocol
    from dacalns.study.runner import run_study

    class Here:
        """An engine in this process, where parses are counted."""

        slots = 1

        def __enter__(self) -> "Here":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, call: Any, *arguments: Any) -> "Future[Any]":
            future: Future[Any] = Future()
            future.set_result(call(*arguments))
            return future

    write_instance(PLAIN.with_(name="mine"), tmp_path / "mine.vrp")
    (tmp_path / "p.toml").write_text(
        'seeds = [0, 1]\n[budgets.b]\niterations = 20\n[groups.g]\ninstances = ["mine.vrp", "P-n16-k8"]\n'
        '[methods.m]\nselector = "roulette"\n'
    )
    assert run_study(load_protocol(tmp_path / "p.toml"), tmp_path / "study", Here()).done == 4
    assert sorted(parsed) == ["P-n16-k8.vrp", "mine.vrp"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_field_makes_other_runs_of_a_study(
    change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dacalns.study import plan
    from dacalns.study.load_protocol import load_protocol

    (tmp_path / "p.toml").write_text('[groups.g]\ninstances = ["A-n32-k5"]\n[methods.m]\nselector = "roulette"\n')
    protocol = load_protocol(tmp_path / "p.toml")

    def keys(instance: Instance) -> set[str]:
        monkeypatch.setattr(plan, "known_instance", lambda _: instance)
        return {run.member.key for run in plan.planned_runs(protocol, {})}

    assert keys(as_kind(Richer, PLAIN)) == keys(as_kind(Richer, PLAIN))
    assert keys(as_kind(Richer, PLAIN)).isdisjoint(keys(as_kind(Richer, PLAIN, **change)))


def test_a_file_that_was_written_again_is_parsed_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.vrp"
    write_instance(PLAIN.with_(name="mine"), path)
    assert known_instance(str(path)).capacity == PLAIN.capacity
    write_instance(PLAIN.with_(name="mine", capacity=123), path)
    assert known_instance(str(path)).capacity == 123


def test_training_instances_are_parsed_once_each(parsed: list[str], tmp_path: Path) -> None:
    from dacalns.learning.sources import as_source
    from dacalns.learning.validation import validation_source

    paths = [tmp_path / "one.vrp", tmp_path / "two.vrp"]
    for path in paths:
        write_instance(PLAIN.with_(name=path.stem), path)
    source = as_source("cvrp", ",".join(map(str, paths)), seed=0)
    assert [source.instance(number).name for number in range(4)] == ["one", "two", "one", "two"]
    assert validation_source(source).most == PLAIN.customers
    assert sorted(parsed) == ["one.vrp", "two.vrp"]
    write_instance(PLAIN.with_(name="other"), paths[0])
    assert source.instance(0).name == "other"
