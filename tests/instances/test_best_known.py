"""References are for the sampled instances, under their very rules and numbers, and say where they come from."""

from pathlib import Path

import pytest

from dacalns.instances import instance_names, read, sample, write_instance
from dacalns.instances.best_known import (
    REFERENCES,
    best_known_values,
    best_known_word,
    read_references,
    with_best_known,
)

NAME = "R105-n62-s1"


def test_every_sampled_instance_of_the_strata_has_a_reference() -> None:
    assert sorted(read_references(REFERENCES)) == sorted(instance_names("vrptw"))
    assert not set(instance_names()) & set(read_references(REFERENCES)), "nothing goes before a published value"


@pytest.mark.parametrize("name", instance_names("vrptw"))
def test_every_reference(name: str) -> None:
    listed = best_known_values()[name]
    instance = read(name)
    assert listed.cost > 0
    assert listed.cost == round(listed.cost, 1)
    assert listed.origin.strip()
    assert (instance.rounding, instance.fleet) == (listed.rounding, listed.fleet) == ("dimacs", 25)
    assert (instance.best_known, instance.best_known_origin) == (listed.cost, listed.origin)
    assert not instance.proven_optimal


def test_other_rules_lose_the_reference() -> None:
    for other in (read(NAME, rounding="exact"), read(NAME, fleet="free"), read(NAME, fleet=24)):
        assert (other.best_known, other.best_known_origin) == (None, "")
    assert read(NAME).with_(fleet=24).best_known_origin == ""
    assert read(NAME).with_(name="renamed").best_known_origin != ""


def test_a_file_has_the_reference_as_long_as_its_numbers_are_those_of_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "mine.vrp"
    instance = read(NAME)
    write_instance(instance, path)
    assert read(path) == instance
    for field in ("coordinates", "demands", "windows", "service"):
        changed = getattr(instance, field).copy()
        changed[-1] += 1
        write_instance(instance.with_(**{field: changed}), path)
        assert read(path).name == NAME
        assert read(path).best_known is None, field
    write_instance(instance.with_(capacity=201), path)
    assert read(path).best_known is None


def test_a_sample_has_none_until_it_is_looked_up() -> None:
    drawn = sample(read("R105"), 62, 1)
    assert (drawn.best_known, drawn.best_known_origin) == (None, "")
    assert with_best_known(drawn) == read(NAME)
    assert read("R105-n62-s2").best_known is None


def test_only_what_is_published_is_called_best_known() -> None:
    assert best_known_word(read("R105").best_known_origin) == "best-known"
    assert best_known_word(read(NAME).best_known_origin) == "reference"
