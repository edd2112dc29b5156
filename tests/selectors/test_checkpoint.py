"""Policies in files: bit for bit there and back, and one sentence for whatever is wrong."""

import json
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import dacalns
from dacalns import Card, InputError, TrainedPortfolio, load_checkpoint, save_checkpoint
from dacalns.selectors.card import FORMAT
from dacalns.selectors.checkpoint import KEY
from dacalns.selectors.frozen_policy import tensor_shapes

CARD = Card("cvrp", "dac", ("x", "y"), TrainedPortfolio.of(dacalns.PORTFOLIOS["paper"], frozenset()))
ODD = np.array([0.0, -0.0, 1e-45, 1 / 3, np.finfo(np.float32).max, -1.1754942e-38], dtype=np.float32)
TENSORS = {
    "encoder.weight": np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32),
    "actor": ODD,
    "scalar": np.array(2.5, dtype=np.float32),
    "empty": np.zeros((0, 3), dtype=np.float32),
}
SHAPES = {name: tensor.shape for name, tensor in TENSORS.items()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "policy.safetensors"


def bits(tensors):
    return {name: (tensor.shape, tensor.dtype, tensor.tobytes()) for name, tensor in tensors.items()}


def test_bit_for_bit_there_and_back(path):
    save_checkpoint(path, TENSORS, CARD)
    tensors, card = load_checkpoint(path, SHAPES)
    assert bits(tensors) == bits(TENSORS)
    assert card == CARD
    assert all(tensor.flags.writeable and tensor.flags.owndata for tensor in tensors.values())


def test_views_are_saved_as_they_look(path):
    square = np.arange(12, dtype=np.float32).reshape(3, 4)
    save_checkpoint(path, {"turned": square.T, "part": square[::2, 1:3]}, CARD)
    tensors, _ = load_checkpoint(path)
    assert np.array_equal(tensors["turned"], square.T)
    assert np.array_equal(tensors["part"], square[::2, 1:3])


def test_the_same_policy_gives_the_same_bytes(path):
    save_checkpoint(path, TENSORS, CARD)
    first = path.read_bytes()
    save_checkpoint(path, dict(reversed(TENSORS.items())), CARD)
    assert path.read_bytes() == first


def test_others_can_read_it(path):
    save_checkpoint(path, TENSORS, CARD)
    assert bits(safetensors.numpy.load_file(path)) == bits(TENSORS)


def test_shapes_may_follow_from_the_card(path):
    save_checkpoint(path, {"w": np.ones((2, 64), np.float32)}, CARD)
    load_checkpoint(path, lambda card: {"w": (len(card.features), card.network.hidden)})
    with pytest.raises(InputError, match=r"'w' has shape \(2, 64\); expected \(64, 2\)"):
        load_checkpoint(path, lambda card: {"w": (card.network.hidden, len(card.features))})


@pytest.mark.parametrize(
    ("tensors", "card", "message"),
    [
        ({}, CARD, "no tensor to save"),
        ({"w": np.ones(2)}, CARD, "tensor 'w' is of type float64; expected an array of float32"),
        ({"w": [1.0]}, CARD, "tensor 'w' is of type list"),
        ({"w": np.array([1, np.nan], np.float32)}, CARD, "tensor 'w' holds NaN or infinity"),
        ({"w": np.array([1, -np.inf], np.float32)}, CARD, "tensor 'w' holds NaN or infinity"),
        ({"w": np.ones(2, np.float32)}, {}, "card is {}; expected a Card"),
    ],
)
def test_what_cannot_be_saved_leaves_the_old_file(path, tensors, card, message):
    save_checkpoint(path, TENSORS, CARD)
    before = path.read_bytes()
    with pytest.raises(InputError, match=message) as caught:
        save_checkpoint(path, tensors, card)
    assert str(caught.value).startswith(f"{path}: ")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_failure_while_writing_leaves_the_old_file(path, monkeypatch):
    save_checkpoint(path, TENSORS, CARD)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        save_checkpoint(path, {"w": np.ones(3, np.float32)}, CARD)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        save_checkpoint(tmp_path / "no" / "x.safetensors", TENSORS, CARD)


def test_every_truncation_is_told(path):
    save_checkpoint(path, TENSORS, CARD)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        message = "not a safetensors file" if size <= 8 else f"truncated after {size} bytes"
        with pytest.raises(InputError, match=message):
            load_checkpoint(path)


TEXT = CARD.to_json()


def saved(tensors=TENSORS, card=TEXT, key=KEY):
    return safetensors.numpy.save(tensors, metadata={key: card})


NEWER = json.dumps({**json.loads(CARD.to_json()), "format": FORMAT + 1})
HEADER = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a safetensors file"),
        (b"hello world, this is a text file", "not a safetensors file"),
        (pickle.dumps(TENSORS), "not a safetensors file"),
        (b"\xff" * 8 + b"{}", "not a safetensors file"),
        (saved() + b"more", "the file is damaged"),
        (len(HEADER).to_bytes(8, "little") + HEADER + b"\0" * 12, "the file is damaged"),
        ((2).to_bytes(8, "little") + b"{]" + b"\0" * 12, "the file is damaged"),
        (safetensors.numpy.save(TENSORS), "the file has no card"),
        (saved(key="format"), "the file has no card"),
        (saved(card="{"), "the card is not a JSON object"),
        (saved(card=NEWER), f"the card has format {FORMAT + 1}; expected at most {FORMAT}; install a newer"),
        (saved({"encoder.weight": TENSORS["encoder.weight"]}), "lacks tensor 'actor'; expected encoder.weight, actor"),
        (saved({**TENSORS, "more": ODD}), "has an unknown tensor 'more'"),
        (saved({**TENSORS, "actor": ODD[:3]}), r"'actor' has shape \(3,\); expected \(6,\)"),
        (saved({**TENSORS, "actor": ODD.astype(np.float64)}), "'actor' is of type F64; expected F32"),
        (saved({**TENSORS, "actor": np.full(6, np.nan, np.float32)}), "'actor' holds NaN or infinity"),
    ],
    ids=range(16),
)
def test_files_that_are_no_policy(path, content, message):
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_checkpoint(path, SHAPES)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert len(text.splitlines()) == 1
    assert text.endswith(".")


@pytest.mark.parametrize(("name", "message"), [("missing", "there is no such file"), (".", "this is a folder")])
def test_files_that_cannot_be_read(tmp_path, name, message):
    with pytest.raises(InputError, match=message) as caught:
        load_checkpoint(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_nothing_in_the_package_unpickles_but_compiled_code_and_what_a_process_tells_its_helpers():
    """The former is code in any case, and lies where only its owner may write; the latter is read from no file."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in Path(dacalns.__file__).parent.rglob("*.py")}
    unpickles = re.compile(r"pickle\.load|Unpickler|(from|import) (pickle\b.*(,| as )|cloudpickle|dill)|from pickle")
    assert {name for name, text in texts.items() if unpickles.search(text)} == {"code_cache.py", "helpers.py"}
    assert not any("allow_pickle=True" in text for text in texts.values())


def test_metadata_that_is_nothing(path):
    path.write_bytes((21).to_bytes(8, "little") + b'{"__metadata__":null}')
    with pytest.raises(InputError, match="the file has no card"):
        load_checkpoint(path)


def with_card(path, **changes):
    """A file whose card has other values."""
    data = json.loads(CARD.to_json())
    for part, values in changes.items():
        data[part] = data.get(part, {}) | values if isinstance(values, dict) else values
    text = json.dumps(data).replace("Infinity", "1e400")
    path.write_bytes(safetensors.numpy.save(TENSORS, metadata={KEY: text}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": {"hidden": 8_000_000_000_000}}, "hidden is 8000000000000"),
        ({"training": {"x": float("inf")}}, "training is .*without NaN"),
        ({"training": {"x": float("nan")}}, "training is .*without NaN"),
        ({"rewards": {"alpha1": float("inf")}}, "alpha1 is inf"),
        (
            {"portfolio": {"destroy": [{"name": "a", "scale": {"low": 1, "high": 2, "fraction": None}}]}},
            "fraction is None",
        ),
        ({"portfolio": {"destroy": [{"name": "a", "scale": {"low": "1", "high": 2}}]}}, "low is '1'"),
        ({"portfolio": {"destroy": 5}}, "portfolio of the card is not understood"),
        ({"format": 10**400}, "install a newer dac-alns"),
        ({"features": ["x" * 500] * 2}, "features are"),
        ({"a" * 500: {}}, "the card has"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_cards_that_make_no_sense(path, changes, message):
    with_card(path, **changes)
    with pytest.raises(InputError, match=message) as caught:
        load_checkpoint(path)
    assert len(str(caught.value)) <= 300


def test_a_card_of_a_network_that_no_machine_has_room_for(path):
    portfolio = {"destroy": [{"name": f"d{n}", "scale": {"low": 1, "high": 2, "fraction": False}} for n in range(5000)]}
    with_card(path, portfolio=portfolio, network={"hidden": 1024, "repair_blocks": True})
    with pytest.raises(InputError, match=r"a network with .* parameters; expected at most"):
        load_checkpoint(path, tensor_shapes)
