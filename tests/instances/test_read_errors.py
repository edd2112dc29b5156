"""Malformed files: every message is one sentence that names the value, the file and the line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dacalns.instances import Instance, read
from dacalns.util.errors import InputError

VRP = """NAME : bad
TYPE : VRPTW
DIMENSION : 3
VEHICLES : 2
CAPACITY : 10
SERVICE_TIME : 5
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 4
3 6 8
DEMAND_SECTION
1 0
2 3
3 4
TIME_WINDOW_SECTION
1 0 100
2 0 50
3 0 60
DEPOT_SECTION
1
-1
EOF
"""

MATRIX = """NAME : bad
TYPE : CVRP
DIMENSION : 3
CAPACITY : 10
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : LOWER_ROW
EDGE_WEIGHT_SECTION
1
2 3
DEMAND_SECTION
1 0
2 3
3 4
EOF
"""

SOLOMON = """bad

VEHICLE
NUMBER CAPACITY
2 10

CUSTOMER
CUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE
0 0 0 0 0 100 0
1 3 4 5 0 50 5
2 6 8 5 0 60 5
"""

# The text, what is replaced by what, the line that the message must name, a piece of the message.
CASES: dict[str, tuple[str, str, str, int, str]] = {
    "demand-text": (VRP, "2 3\n3 4\nTIME", "2 abc\n3 4\nTIME", 14, "demand of node 2 is 'abc'"),
    "demand-nan": (VRP, "2 3\n3 4\nTIME", "2 nan\n3 4\nTIME", 14, "demand of node 2 is 'nan'"),
    "demand-inf": (VRP, "2 3\n3 4\nTIME", "2 inf\n3 4\nTIME", 14, "demand of node 2 is 'inf'"),
    "demand-huge": (
        VRP,
        "2 3\n3 4\nTIME",
        "2 1e300\n3 4\nTIME",
        14,
        "'1e300'; expected a number of at most 1e+12",
    ),
    "demand-underscore": (VRP, "2 3\n3 4\nTIME", "2 1_0\n3 4\nTIME", 14, "demand of node 2 is '1_0'"),
    "demand-negative": (VRP, "2 3\n3 4\nTIME", "2 -3\n3 4\nTIME", 14, "'-3'; expected a number of 0 or more"),
    "demand-at-depot": (VRP, "SECTION\n1 0\n2 3\n", "SECTION\n1 9\n2 3\n", 13, "demand of the depot is 9"),
    "demand-two-values": (VRP, "2 3\n3 4\nTIME", "2 3 7\n3 4\nTIME", 14, "node 2 has 2 values (3 7)"),
    "demand-no-value": (VRP, "2 3\n3 4\nTIME", "2\n3 4\nTIME", 14, "node 2 has 0 values (none)"),
    "demand-row-missing": (VRP, "3 4\nTIME", "TIME", 12, "DEMAND_SECTION has 2 rows; expected 3"),
    "demand-section-missing": (VRP, "DEMAND_SECTION\n1 0\n2 3\n3 4\n", "", 1, "DEMAND_SECTION is missing"),
    "node-twice": (VRP, "2 3\n3 4\nTIME", "2 3\n2 4\nTIME", 15, "node 2 is given a second time"),
    "node-too-large": (
        VRP,
        "3 6 8",
        "4 6 8",
        11,
        "node number is '4' in NODE_COORD_SECTION; expected 1 to 3",
    ),
    "node-zero": (VRP, "1 0 0", "0 0 0", 9, "node number is '0'"),
    "node-text": (VRP, "2 3 4", "x 3 4", 10, "node number is 'x'"),
    "node-row-too-many": (VRP, "3 6 8\n", "3 6 8\n4 1 1\n", 12, "node number is '4'"),
    "coordinate-text": (VRP, "2 3 4", "2 3 north", 10, "y of node 2 is 'north'"),
    "coordinate-missing": (VRP, "2 3 4", "2 3", 10, "node 2 has 1 values (3)"),
    "coordinates-missing": (
        VRP,
        "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n",
        "",
        1,
        "NODE_COORD_SECTION is missing",
    ),
    "window-text": (VRP, "2 0 50", "2 0 noon", 18, "window closing of node 2 is 'noon'"),
    "window-negative": (VRP, "2 0 50", "2 -1 50", 18, "window opening of node 2 is '-1'"),
    "window-reversed": (VRP, "2 0 50", "2 60 50", 18, "window of node 2 is 60 to 50"),
    "window-half": (VRP, "2 0 50", "2 50", 18, "node 2 has 1 values (50)"),
    "windows-missing": (
        VRP,
        "TIME_WINDOW_SECTION\n1 0 100\n2 0 50\n3 0 60\n",
        "",
        2,
        "TYPE is 'VRPTW' but there is no TIME_WINDOW_SECTION",
    ),
    "windows-in-cvrp": (VRP, "VRPTW", "CVRP", 2, "TYPE is 'CVRP' but there is a TIME_WINDOW_SECTION"),
    "type-other": (VRP, "VRPTW", "TSP", 2, "TYPE is 'TSP'; expected CVRP or VRPTW"),
    "dimension-missing": (VRP, "DIMENSION : 3\n", "", 1, "DIMENSION is missing"),
    "dimension-text": (VRP, "DIMENSION : 3", "DIMENSION : three", 3, "DIMENSION is 'three'"),
    "dimension-fraction": (VRP, "DIMENSION : 3", "DIMENSION : 3.5", 3, "'3.5'; expected a whole number"),
    "dimension-one": (VRP, "DIMENSION : 3", "DIMENSION : 1", 3, "'1'; expected a whole number of 2 or more"),
    "dimension-too-large": (
        VRP,
        "DIMENSION : 3",
        "DIMENSION : 999999999999",
        8,
        "has 3 rows; expected 999999999999",
    ),
    "dimension-too-small": (VRP, "DIMENSION : 3", "DIMENSION : 2", 11, "node number is '3'"),
    "dimension-empty": (VRP, "DIMENSION : 3", "DIMENSION :", 3, "DIMENSION is ''"),
    "capacity-missing": (VRP, "CAPACITY : 10\n", "", 1, "CAPACITY is missing"),
    "capacity-zero": (VRP, "CAPACITY : 10", "CAPACITY : 0", 5, "CAPACITY is '0'; expected a number over 0"),
    "capacity-text": (VRP, "CAPACITY : 10", "CAPACITY : ten", 5, "CAPACITY is 'ten'"),
    "capacity-misspelt": (
        VRP,
        "CAPACITY : 10",
        "CAPCITY : 10",
        5,
        "key 'CAPCITY' is not known; expected CAPACITY",
    ),
    "capacity-twice": (VRP, "VEHICLES : 2", "CAPACITY : 9", 5, "CAPACITY is given a second time as '10'"),
    "vehicles-zero": (VRP, "VEHICLES : 2", "VEHICLES : 0", 4, "VEHICLES is '0'"),
    "vehicles-singular": (
        VRP,
        "VEHICLES : 2",
        "VEHICLE : 2",
        4,
        "key 'VEHICLE' is not known; expected VEHICLES",
    ),
    "service-text": (VRP, "TIME : 5", "TIME : long", 6, "SERVICE_TIME is 'long'"),
    "service-negative": (VRP, "TIME : 5", "TIME : -5", 6, "SERVICE_TIME is '-5'"),
    "route-length-and-windows": (VRP, "VEHICLES : 2", "DISTANCE : 200", 4, "DISTANCE is '200', a limit on distance"),
    "weight-type": (VRP, "EUC_2D", "GEO", 7, "EDGE_WEIGHT_TYPE is 'GEO'; expected EUC_2D or EXPLICIT"),
    "weight-type-missing": (VRP, "EDGE_WEIGHT_TYPE : EUC_2D\n", "", 1, "EDGE_WEIGHT_TYPE is missing"),
    "section-unknown": (VRP, "DEPOT_SECTION", "STATION_SECTION", 20, "section STATION_SECTION is not supported"),
    "section-misspelt": (VRP, "DEMAND_SECTION", "DEMANDS_SECTION", 12, "did you mean 'DEMAND_SECTION'"),
    "section-twice": (VRP, "EOF", "DEMAND_SECTION", 23, "DEMAND_SECTION is given a second time"),
    "line-stray": (VRP, "TYPE : VRPTW", "what is this", 2, "the line is 'what is this'"),
    "depot-other": (VRP, "SECTION\n1\n-1", "SECTION\n2\n-1", 21, "depot is node '2'; expected node 1"),
    "depot-two": (VRP, "SECTION\n1\n-1", "SECTION\n1\n2\n-1", 14, "demand of depot 2 is 3; expected 0"),
    "depot-not-next": (VRP, "SECTION\n1\n-1", "SECTION\n1\n3\n-1", 22, "depot is node '3'; expected node 2"),
    "depot-after-the-end": (VRP, "SECTION\n1\n-1", "SECTION\n1\n-1\n2", 23, "depot '2' stands after -1"),
    "depot-all": (VRP, "SECTION\n1\n-1", "SECTION\n1\n2\n3", 23, "all 3 nodes are depots"),
    "depot-none": (VRP, "SECTION\n1\n-1", "SECTION\n-1", 20, "DEPOT_SECTION names no depot"),
    "matrix-text": (MATRIX, "2 3\nDEMAND", "2 x\nDEMAND", 9, "distance is 'x'"),
    "matrix-negative": (MATRIX, "2 3\nDEMAND", "2 -3\nDEMAND", 9, "distance is '-3'"),
    "matrix-short": (MATRIX, "2 3\nDEMAND", "2\nDEMAND", 7, "EDGE_WEIGHT_SECTION has 2 numbers; expected 3"),
    "matrix-long": (
        MATRIX,
        "2 3\nDEMAND",
        "2 3 4\nDEMAND",
        7,
        "EDGE_WEIGHT_SECTION has 4 numbers; expected 3",
    ),
    "matrix-missing": (MATRIX, "EDGE_WEIGHT_SECTION\n1\n2 3\n", "", 1, "EDGE_WEIGHT_SECTION is missing"),
    "matrix-format": (MATRIX, "LOWER_ROW", "LOWER_COL", 6, "EDGE_WEIGHT_FORMAT is 'LOWER_COL'"),
    "matrix-format-missing": (
        MATRIX,
        "EDGE_WEIGHT_FORMAT : LOWER_ROW\n",
        "",
        1,
        "EDGE_WEIGHT_FORMAT is missing",
    ),
    "matrix-but-euclidean": (MATRIX, "EXPLICIT", "EUC_2D", 7, "EDGE_WEIGHT_SECTION contradicts"),
    "solomon-no-vehicle": (SOLOMON, "VEHICLE\n", "\n", 11, "VEHICLE block is missing"),
    "solomon-no-customer": (SOLOMON, "CUSTOMER\n", "\n", 11, "CUSTOMER block is missing"),
    "solomon-vehicle-empty": (SOLOMON, "2 10\n", "\n", 3, "VEHICLE block says 'nothing'"),
    "solomon-vehicle-short": (SOLOMON, "2 10\n", "2\n", 5, "VEHICLE block says '2'"),
    "solomon-vehicle-fraction": (SOLOMON, "2 10\n", "2.5 10\n", 5, "number of vehicles is '2.5'"),
    "solomon-capacity-zero": (SOLOMON, "2 10\n", "2 0\n", 5, "capacity is '0'"),
    "solomon-row-short": (SOLOMON, "1 3 4 5 0 50 5", "1 3 4 5 0 50", 10, "row of node 1 has 6 values"),
    "solomon-row-text": (SOLOMON, "1 3 4 5 0 50 5", "1 3 4 x 0 50 5", 10, "demand of node 1 is 'x'"),
    "solomon-row-number": (SOLOMON, "2 6 8", "3 6 8", 11, "node number is '3'; expected 2"),
    "solomon-row-negative": (SOLOMON, "1 3 4 5", "1 3 4 -5", 10, "demand of node 1 is '-5'"),
    "solomon-window": (SOLOMON, "0 50 5", "51 50 5", 10, "window of node 1 is 51 to 50"),
    "solomon-depot-demand": (SOLOMON, "0 0 0 0 0 100 0", "0 0 0 1 0 100 0", 9, "demand of the depot is 1"),
    "solomon-depot-service": (
        SOLOMON,
        "0 0 0 0 0 100 0",
        "0 0 0 0 0 100 3",
        9,
        "service time of the depot is 3",
    ),
    "solomon-stray-text": (
        SOLOMON,
        "2 6 8 5 0 60 5",
        "the end",
        11,
        "row of node 2 has 2 values ('the' first)",
    ),
    "solomon-no-rows": (
        SOLOMON,
        "0 0 0 0 0 100 0\n1 3 4 5 0 50 5\n2 6 8 5 0 60 5\n",
        "",
        7,
        "CUSTOMER block has 0 rows",
    ),
    "neither-format": (SOLOMON, SOLOMON, "hello\nworld\n", 1, "the file begins with 'hello'"),
    "empty": (SOLOMON, SOLOMON, " \n\n", 1, "the file is empty"),
    "binary": (SOLOMON, SOLOMON, "PK\0\1", 1, "holds binary data"),
}


def test_the_texts_are_sound_before_they_are_spoilt(tmp_path: Path) -> None:
    for text in (VRP, MATRIX, SOLOMON):
        path = tmp_path / "good"
        path.write_text(text)
        assert read(path).customers == 2


@pytest.mark.parametrize("case", CASES)
def test_message(case: str, tmp_path: Path) -> None:
    text, old, new, line, fragment = CASES[case]
    assert text.count(old) == 1, "the case would spoil another place than it means"
    path = tmp_path / "bad.file"
    path.write_bytes(text.replace(old, new).encode())
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert fragment in message
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 400


WORDS = st.sampled_from(["", "0", "-1", "7", "1e9", "nan", "x", ":", "EOF", "EUC_2D", "DEMAND_SECTION", "NAME : y"])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([VRP, MATRIX, SOLOMON]),
    st.lists(st.tuples(st.integers(0, 60), WORDS), max_size=4),
    st.data(),
)
def test_no_slip_ends_in_anything_but_an_instance_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, text: str, slips: list[tuple[int, str]], data: st.DataObject
) -> None:
    tokens = text.replace("\n", " \n ").split(" ")
    for position, word in slips:
        tokens[position % len(tokens)] = word
    cut = data.draw(st.integers(0, len(tokens)))
    path = tmp_path_factory.getbasetemp() / "slip"
    path.write_text(" ".join(tokens[:cut] if data.draw(st.booleans()) else tokens))
    try:
        outcome: object = read(path)
    except InputError as error:
        outcome = error
    assert isinstance(outcome, Instance) or "\n" not in str(outcome)
