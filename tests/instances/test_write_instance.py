"""Writing an instance and reading it back."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dacalns.instances import Instance, generate_cvrp, instance_names, read, write_instance
from dacalns.instances.fields import LEAST_CAPACITY
from dacalns.util.errors import InputError

numbers = st.floats(0, 1e9, allow_nan=False) | st.integers(0, 1000).map(float)
places = st.floats(-1e9, 1e9, allow_nan=False) | st.integers(-1000, 1000).map(float)
names = st.text(st.sampled_from("abcXYZ019-_. é"), min_size=1, max_size=12).map(str.strip).filter(bool)


@st.composite
def instances(draw: st.DrawFn, solomon: bool = False) -> Instance:
    nodes = draw(st.integers(2, 6))

    def row(values: st.SearchStrategy[float], size: int = nodes) -> list[float]:
        return draw(st.lists(values, min_size=size, max_size=size))

    explicit = not solomon and draw(st.booleans())
    timed = solomon or draw(st.booleans())
    uniform = draw(st.booleans())
    service = [0.0, *([draw(numbers)] * (nodes - 1) if uniform else row(numbers, nodes - 1))]
    return Instance(  # type: ignore[arg-type]
        name=draw(names),
        coordinates=None if explicit and draw(st.booleans()) else [row(places, 2) for _ in range(nodes)],
        matrix=[row(numbers) for _ in range(nodes)] if explicit else None,
        demands=[0.0, *row(numbers, nodes - 1)],
        capacity=draw(numbers.filter(lambda number: number >= LEAST_CAPACITY)),
        windows=[sorted(row(numbers, 2)) for _ in range(nodes)] if timed else None,
        service=service,
        fleet=draw(st.integers(1, 99) if solomon else st.none() | st.integers(1, 99)),
        comment="" if solomon else draw(st.just("") | names),
        rounding=draw(st.sampled_from(["round", "trunc", "dimacs", "exact", "none"])),
    )


@settings(max_examples=100, deadline=None)
@given(instances())
def test_vrplib_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.vrp"
    write_instance(instance, path)
    assert read(path, rounding=instance.rounding) == instance


@settings(max_examples=100, deadline=None)
@given(instances(solomon=True))
def test_solomon_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.txt"
    write_instance(instance, path)
    assert read(path, rounding=instance.rounding) == instance


@pytest.mark.parametrize("name", ["A-n32-k5", "P-n101-k4", "R101", "RC208"])
def test_bundled_round_trip_keeps_the_best_known_value(tmp_path: Path, name: str) -> None:
    instance = read(name)
    suffixes = [".vrp"] if instance.problem == "cvrp" else [".vrp", ".txt"]
    for suffix in suffixes:
        path = tmp_path / f"copy{suffix}"
        write_instance(instance, path)
        assert read(path) == instance
        assert instance.best_known is not None


def test_a_file_for_reading_by_people(tmp_path: Path) -> None:
    path = tmp_path / "two.vrp"
    instance = Instance(  # type: ignore[arg-type]
        name="two", coordinates=[[0, 0], [1.5, 2], [3, 4]], demands=[0, 1, 2], capacity=3, fleet=2
    )
    write_instance(instance, path)
    assert path.read_text() == (
        "NAME : two\nTYPE : CVRP\nDIMENSION : 3\nVEHICLES : 2\nCAPACITY : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
        "NODE_COORD_SECTION\n1 0 0\n2 1.5 2\n3 3 4\nDEMAND_SECTION\n1 0\n2 1\n3 2\n"
        "DEPOT_SECTION\n1\n-1\nEOF\n"
    )


def test_what_cannot_be_written(tmp_path: Path) -> None:
    cvrp = generate_cvrp(5)
    free = read(instance_names("R1")[0], fleet="free")
    for instance, target, fragment in [
        (cvrp, tmp_path / "x.csv", "the suffix is '.csv'; expected .vrp, .json or .txt"),
        (cvrp, tmp_path / "x", "the suffix is ''"),
        (cvrp, tmp_path / "x.txt", "time windows and a fleet"),
        (free, tmp_path / "x.txt", "R101 does not go by a fleet"),
        (cvrp, tmp_path / "no" / "x.vrp", "there is no folder"),
    ]:
        with pytest.raises(InputError) as caught:
            write_instance(instance, target)
        assert fragment in str(caught.value)
        assert str(target) in str(caught.value)
    (tmp_path / "folder.vrp").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        write_instance(cvrp, tmp_path / "folder.vrp")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.vrp"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.vrp"
    write_instance(generate_cvrp(5), path)
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)"):
        write_instance(generate_cvrp(9), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
