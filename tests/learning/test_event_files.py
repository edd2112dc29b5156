"""Event files for TensorBoard, read back by a strict parser of their format.

The format is that of TFRecord: length, checksum of the length, an event in protobuf, checksum of the event. The checks
are CRC-32C, masked. TensorBoard's own reader is not a dependency of the tests.
"""

import struct
import sys

import pytest

import dacalns
from dacalns.learning.monitor import EventFiles, require_event_files

pytestmark = pytest.mark.slow_without_jit


def masked_checksum(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(content):
    while content:
        (length,), (check,) = struct.unpack("<Q", content[:8]), struct.unpack("<I", content[8:12])
        assert check == masked_checksum(content[:8])
        data, content = content[12 : 12 + length], content[12 + length :]
        assert len(data) == length
        (check,) = struct.unpack("<I", content[:4])
        assert check == masked_checksum(data)
        yield data
        content = content[4:]


def fields(data):
    """The fields of a protobuf message: number and value."""

    def varint():
        nonlocal data
        value = shift = 0
        while True:
            byte, data = data[0], data[1:]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while data:
        key = varint()
        size = {0: None, 1: 8, 5: 4, 2: None}[key & 7]
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if size is None else size
        value, data = data[:size], data[size:]
        assert len(value) == size
        yield key >> 3, value


def scalars(folder):
    """Step, tag and value of every scalar, and the steps from which earlier events are void."""
    found, purged = [], []
    for file in sorted(folder.iterdir()):
        for record in records(file.read_bytes()):
            event = dict(fields(record))
            step = event.get(2, 0)
            if 5 in event:  # summary
                for number, value in fields(event[5]):
                    assert number == 1
                    entry = dict(fields(value))
                    found.append((step, entry[1].decode(), struct.unpack("<f", entry[2])[0]))
            if 7 in event:  # session log: a start
                purged.append(step)
    return found, purged


def test_what_is_written_is_read_back(tmp_path):
    events = EventFiles(tmp_path, ["round", "entropy", "pair/a@5-20%/b", "validation_gap"], 2)
    events.add((3, 0.5, 0.25, None))
    events.add((4, 1.5, 0.75, -0.125))
    events.close()
    found, purged = scalars(tmp_path)
    assert found == [
        (3, "entropy", 0.5),
        (3, "pair/a_5-20_/b", 0.25),
        (4, "entropy", 1.5),
        (4, "pair/a_5-20_/b", 0.75),
        (4, "validation_gap", -0.125),
    ]
    assert purged == [3]


def test_a_training_and_its_resumption_share_a_folder(train, tmp_path):
    train(rounds=2, log=tmp_path / "log")
    train(rounds=3, log=tmp_path / "log", resume=True)
    found, _ = scalars(tmp_path / "log")
    assert [step for step, tag, _ in found if tag == "entropy"] == [1, 2, 3]
    assert [step for step, tag, _ in found if tag == "validation_gap"] == [2, 3]


def test_without_the_extra_the_line_to_install_it_is_told(train, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(dacalns.InputError, match=r'run: pip install "dac-alns\[train\]"$'):
        train(log=tmp_path / "log")
    assert list(tmp_path.iterdir()) == []
    train(rounds=1)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(dacalns.InputError, match="cannot be made a folder"):
        require_event_files(tmp_path / "file")
