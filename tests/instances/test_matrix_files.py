"""Matrices from files: the answers of routing services, NumPy and CSV."""

import json

import numpy as np
import pytest

from dacalns.instances.matrix_files import Ways, read_ways, require_reachable
from dacalns.util.errors import InputError

METRES = [[0, 1500, 2000], [1600, 0, 500], [2000, 500, 0]]
SECONDS = [[0, 60, 90], [66, 0, 45], [90, 45, 0]]
ANSWERS = {
    "osrm": {"code": "Ok", "distances": METRES, "durations": SECONDS, "sources": [], "destinations": []},
    "graphhopper": {"distances": METRES, "times": SECONDS, "weights": SECONDS, "info": {"took": 3}},
    "valhalla": {
        "units": "kilometers",
        "sources_to_targets": [
            [{"distance": METRES[a][b] / 1000, "time": SECONDS[a][b], "from_index": a, "to_index": b} for b in range(3)]
            for a in range(3)
        ],
    },
    "valhalla, short": {
        "sources_to_targets": {"distances": (np.array(METRES) / 1000).tolist(), "durations": SECONDS}
    },
    "valhalla, miles": {
        "units": "miles",
        "sources_to_targets": {"distances": (np.array(METRES) / 1609.344).tolist(), "durations": SECONDS},
    },
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answers_of_routing_services_become_kilometres_and_seconds(answer, tmp_path):
    path = tmp_path / "matrix.json"
    path.write_text(json.dumps(answer))
    for ways in (read_ways(path), read_ways(answer)):
        assert ways.metric
        np.testing.assert_allclose(ways.distances, np.array(METRES) / 1000, atol=1e-6)
        assert ways.durations.tolist() == SECONDS
        assert ways.durations_in("min")[1, 0] == 1.1


def test_numpy_and_csv_keep_their_units(tmp_path):
    np.save(tmp_path / "a.npy", np.array(METRES))
    (tmp_path / "b.csv").write_text("0;60,5;90\n66;0;45\n\n90;45;0\n")
    ways = read_ways(tmp_path / "a.npy", tmp_path / "b.csv")
    assert not ways.metric
    assert ways.distances.tolist() == METRES
    assert ways.durations_in("min").tolist() == [[0, 60.5, 90], [66, 0, 45], [90, 45, 0]]


def test_places_without_a_way_are_named():
    lacking = [[0, 60, None], [66, 0, 45], [90, 45, 0]]
    require_reachable(read_ways(METRES), ["x", "y", "z"])
    with pytest.raises(InputError, match=r"no way leads from 'x' to 'z' \(null\), one of 1 such pairs"):
        require_reachable(read_ways({"durations": lacking}), ["x", "y", "z"])
    island = np.array(METRES, dtype=float)
    island[2, :] = island[:, 2] = np.nan
    with pytest.raises(InputError, match=r"no way leads to or from 'z' \(null\); expected a distance"):
        require_reachable(Ways("m", island, None), ["x", "y", "z"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("{", "m.json:1: Expecting property name"),
        ('{"code": "InvalidQuery"}', "the answer has the code 'InvalidQuery', and no matrix"),
        ("{}", "has neither distances nor durations, times or sources_to_targets"),
        ('{"durations": [[0, 1], [1]]}', "row 1 has 1 numbers, and row 0 has 2"),
        ('{"durations": [[0, 1]]}', "is of shape (1, 2); expected a row and a column for each place"),
        ('{"durations": [["a"]]}', "is no matrix of numbers"),
        ('{"durations": [[0, -1], [1, 0]]}', "has -1 in row 0, column 1 (from 0); expected numbers of 0 or more"),
        ('{"durations": [[0]], "distances": [[0, 1], [1, 0]]}', "has 2 rows of distances and 1 of durations"),
        ('{"sources_to_targets": [[{"time": 3}]]}', "expected lists of objects with distance and time"),
        ("0,1\nx,0\n", "m.json:2: 'x' in column 1; expected a number; a matrix in CSV has numbers only"),
        ("\x93NUMPY", "is no"),
    ],
)
def test_what_is_no_matrix_is_refused(text, said, tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_ways(path)
    assert said in str(error.value)


def test_two_files_must_belong_together(tmp_path):
    with pytest.raises(InputError, match="has driving times, and so has durations"):
        read_ways(ANSWERS["osrm"], SECONDS)
    with pytest.raises(InputError, match="has 2 rows, and matrix has 3"):
        read_ways(METRES, [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="expected two of a kind"):
        read_ways({"distances": METRES}, SECONDS)
    with pytest.raises(InputError, match="there is no such file; expected a matrix as OSRM"):
        read_ways(tmp_path / "nothing.npy")
