"""A field added to an instance is forgotten by nobody, and a feature that nobody knows is refused by name."""

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns.bench.peers import Hgs, OrTools, Ours, PyVrp
from dacalns.instances import Instance, read, sample, write_instance
from dacalns.instances import instance_file as instance_file_module
from dacalns.instances.best_known import has_original_numbers, with_best_known
from dacalns.instances.fields import fields_with, per_node, per_vehicle_type
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.selectors.card import require_match
from dacalns.selectors.checkpoint import bundled_policy, load_checkpoint, policy_file
from dacalns.study.content_key import instance_digest
from dacalns.study.task import known_instance
from dacalns.util.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Richer(Instance):
    """An instance with two fields that the package does not know."""

    release: Any = per_node(default=None)
    fixed_cost: float = per_vehicle_type(default=0.0)


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
