"""Where a training stopped, from files that are damaged in every place."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from dacalns.learning.standing import KEY, Standing, load_standing, save_standing
from dacalns.learning.validation import Validation
from dacalns.selectors.actor_critic import LearningState
from dacalns.util.errors import InputError

PLAN = {"problem": "cvrp", "portfolio": {"repair": ["a", "b"]}, "seed": 1}
VALIDATION = Validation(2, -0.5, 3, 1, 0)
STANDING = Standing(
    LearningState(*(np.full(4, value, np.float32) for value in (0.1, 0.2, 0.3)), 3.0, 1.5),
    np.full(4, 0.5), 2, 400, 1.5, ((1.0, None), (2.0, 0.5)), (VALIDATION,), VALIDATION, (100.0, 200.0), True,
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_standing(tmp_path / "p.state", STANDING, PLAN)
    return tmp_path / "p.state"


def told(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    found: dict[str, Any] = json.loads(header["__metadata__"][KEY])
    return found


def write(path: Path, data: Any, **tensors: Any) -> None:
    usual: dict[str, Any] = {name: getattr(STANDING.learner, name) for name in ("parameters", "mean", "square")}
    usual |= {"average": STANDING.average} | tensors
    there = {name: tensor for name, tensor in usual.items() if tensor is not None}
    path.write_bytes(save(there, metadata={KEY: data if isinstance(data, str) else json.dumps(data)}))


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_standing(path, PLAN)
    assert len(str(caught.value)) <= 300
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def test_what_was_saved_comes_back(path: Path) -> None:
    found = load_standing(path, PLAN)
    for name in ("round", "steps", "seconds", "rows", "validations", "latest", "reference", "finished"):
        assert getattr(found, name) == getattr(STANDING, name)
    np.testing.assert_array_equal(found.learner.parameters, STANDING.learner.parameters)


def test_every_key_is_needed(path: Path) -> None:
    whole = told(path)
    for key in whole:
        write(path, {name: value for name, value in whole.items() if name != key})
        assert key in refused(path)
    write(path, whole | {"surprise": 1})
    assert "surprise" in refused(path)


def test_every_value_is_of_its_type(path: Path) -> None:
    whole = told(path)
    for key in whole:
        for wrong in ("x", [[[]]], {"a": 1}, [1, "x"], float("nan"), float("inf"), 10**400):
            if (key == "plan" and wrong == {"a": 1}) or (key == "format" and wrong == 10**400):
                continue
            write(path, whole | {key: wrong})
            refused(path)


def test_values_inside_of_values(path: Path) -> None:
    whole = told(path)
    for change in (
        lambda data: data["validations"][0].pop("gap"),
        lambda data: data["validations"][0].update(gap="x"),
        lambda data: data["latest"].update(round=None),
        lambda data: data["latest"].update(more=1),
        lambda data: data["rows"].append(3),
        lambda data: data["rows"][0].append("x"),
        lambda data: data["reference"].append(None),
        lambda data: data.update(step=-1),
        lambda data: data.update(rounds=-1),
        lambda data: data.update(spread=-0.1),
        lambda data: data["plan"].update(seed={"a": 1}),
        lambda data: data["plan"]["portfolio"].update(repair=None),
    ):
        data = copy.deepcopy(whole)
        change(data)
        write(path, data)
        refused(path)


def test_a_newer_format_and_no_json(path: Path) -> None:
    whole = told(path)
    write(path, whole | {"format": 99})
    assert "install a newer dac-alns" in refused(path)
    for text in ("", "[", "[]", "3", "null", '{"a":' * 5000, '{"format": ' + "9" * 5000 + "}"):
        write(path, text)
        refused(path)
    path.write_bytes(b"")
    refused(path)
    path.write_bytes((21).to_bytes(8, "little") + b'{"__metadata__":null}')
    refused(path)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        np.zeros(3, np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros(4, np.float64),
        np.full(4, np.nan, np.float32),
    ],
)
def test_vectors(path: Path, wrong: Any) -> None:
    whole = told(path)
    write(path, whole, mean=wrong)
    assert "mean" in refused(path)
    write(path, whole, more=np.zeros(4, np.float32))
    assert "more" in refused(path)


def test_paths(tmp_path: Path) -> None:
    for wrong in (tmp_path / "absent", tmp_path, tmp_path / ("a" * 5000), Path("a\0b")):
        with pytest.raises(InputError) as caught:
            load_standing(wrong, PLAN)
        assert len(str(caught.value)) <= 300
