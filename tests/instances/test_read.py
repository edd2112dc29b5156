"""Reading: formats, names, the choice of rounding and fleet."""

from pathlib import Path

import numpy as np
import pytest

from dacalns.instances import read
from dacalns.util.errors import InputError

PLAIN = """NAME : tiny
COMMENT : by hand: yes
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
2 3 4
3 6 8.5
4 0 5
DEMAND_SECTION
1 0
2 3
3 4
4 5
DEPOT_SECTION
 1
 -1
EOF
"""

EXPLICIT = """NAME : tiny
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : {layout}
CAPACITY : 10
EDGE_WEIGHT_SECTION
{weights}
DEMAND_SECTION
1 0
2 3
3 4
4 5
"""

SOLOMON = """tiny

VEHICLE
NUMBER     CAPACITY
  3         20

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      0         0          0          0       100          0
    1      3         4          5         10        20.5        3
    2      6         8          6          0        80          4
"""


def put(folder: Path, text: str, name: str = "tiny.vrp") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_vrplib(tmp_path: Path) -> None:
    instance = read(put(tmp_path, PLAIN))
    assert instance.name == "tiny"
    assert instance.comment == "by hand: yes"
    assert instance.capacity == 10
    assert instance.rounding == "round"
    assert instance.fleet is None
    assert instance.best_known is None
    assert instance.demands.tolist() == [0, 3, 4, 5]
    assert instance.distances[0].tolist() == [0, 5, 10, 5]


def test_line_ends_blank_lines_order_and_case_do_not_matter(tmp_path: Path) -> None:
    expected = read(put(tmp_path, PLAIN))
    shuffled = PLAIN.replace("2 3 4\n3 6 8.5\n", "\n\t3\t6   8.5e0\n 2 3 4\n").replace("\n", "\r\n")
    shuffled = "\ufeff" + shuffled.replace("DIMENSION :", "Dimension:").replace("DEMAND_SECTION", "DEMAND_SECTION :")
    assert read(put(tmp_path, shuffled)) == expected
    assert read(str(put(tmp_path, PLAIN.replace("EOF\n", "")))) == expected
    assert read(put(tmp_path, PLAIN + "rubbish after the end\n")) == expected


def test_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    extra = "NODE_COORD_TYPE : TWOD_COORDS\nBEST_KNOWN : 3\nDISPLAY_DATA_TYPE: COORD_DISPLAY\nCOMMENT : two\n"
    assert read(put(tmp_path, extra + PLAIN)).with_(comment="by hand: yes") == read(put(tmp_path, PLAIN))


def test_name_falls_back_to_the_file(tmp_path: Path) -> None:
    assert read(put(tmp_path, PLAIN.replace("NAME : tiny\n", ""), "other.vrp")).name == "other"


@pytest.mark.parametrize(
    ("layout", "weights"),
    [
        ("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0"),
        ("LOWER_ROW", "1\n2 4\n3 5 6"),
        ("LOWER_ROW", "1 2 4 3\n5 6"),
        ("UPPER_ROW", "1 2 3\n4 5\n6"),
        ("LOWER_DIAG_ROW", "0\n1 0\n2 4 0\n3 5 6 0"),
        ("UPPER_DIAG_ROW", "0 1 2 3 0 4 5 0\n6 0"),
    ],
)
def test_explicit_layouts(tmp_path: Path, layout: str, weights: str) -> None:
    instance = read(put(tmp_path, EXPLICIT.format(layout=layout, weights=weights)))
    assert instance.distances.tolist() == [[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]]
    assert instance.rounding == "none"
    assert instance.coordinates is None
    assert instance.symmetric


def test_explicit_keeps_coordinates_for_drawing_and_rounds_on_request(tmp_path: Path) -> None:
    text = EXPLICIT.format(layout="LOWER_ROW", weights="1.5 2 4 3 5.25 6")
    places = "DISPLAY_DATA_SECTION\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n"
    path = put(tmp_path, text + places)
    instance = read(path)
    assert instance.coordinates is not None
    assert instance.coordinates[3].tolist() == [1, 1]
    assert instance.distances[0, 1] == 1.5
    assert read(path, rounding="round").distances[0, 1] == 2
    assert read(path, rounding="trunc").distances[1, 3] == 5
    assert read(path, rounding="dimacs").distances[1, 3] == 52


def test_solomon(tmp_path: Path) -> None:
    instance = read(put(tmp_path, SOLOMON, "tiny.txt"))
    assert (instance.name, instance.problem, instance.rounding) == ("tiny", "vrptw", "dimacs")
    assert (instance.fleet, instance.capacity) == (3, 20)
    assert instance.windows is not None
    assert instance.windows.tolist() == [[0, 100], [10, 20.5], [0, 80]]
    assert instance.service.tolist() == [0, 3, 4]
    assert instance.distances[0].tolist() == [0, 50, 100]


def test_solomon_with_other_line_ends_and_more_text(tmp_path: Path) -> None:
    expected = read(put(tmp_path, SOLOMON, "tiny.txt"))
    wordy = SOLOMON.replace("tiny\n", "tiny\ncomes from somewhere: here\n").replace("\n", "\r\n")
    assert read(put(tmp_path, wordy, "wordy.txt")) == expected
    assert read(put(tmp_path, SOLOMON.replace("\n", "\n\n"), "blank.txt")) == expected


def test_content_decides_and_not_the_suffix(tmp_path: Path) -> None:
    assert read(put(tmp_path, SOLOMON, "solomon.vrp")).problem == "vrptw"
    assert read(put(tmp_path, PLAIN, "vrplib.txt")).problem == "cvrp"


def test_vrptw_in_vrplib(tmp_path: Path) -> None:
    windows = "TIME_WINDOW_SECTION\n1 0 100\n2 0 50\n3 0 60\n4 10 20\n"
    text = PLAIN.replace("TYPE : CVRP", "TYPE : VRPTW\nVEHICLES : 2\nSERVICE_TIME : 7").replace("EOF\n", windows)
    instance = read(put(tmp_path, text))
    assert (instance.problem, instance.rounding, instance.fleet) == ("vrptw", "dimacs", 2)
    assert instance.service.tolist() == [0, 7, 7, 7]
    own = read(put(tmp_path, text + "SERVICE_TIME_SECTION\n1 0\n2 1\n3 2\n4 3\n"))
    assert own.service.tolist() == [0, 1, 2, 3]


def test_fleet_rules(tmp_path: Path) -> None:
    assert read("A-n32-k5").fleet == 5
    assert read("A-n32-k5", fleet="free").fleet is None
    assert read("A-n32-k5", fleet=7).fleet == 7
    assert read("R101").fleet == 25
    assert read(put(tmp_path, PLAIN.replace("tiny", "X-n4-k2"))).fleet is None
    assert read(put(tmp_path, PLAIN.replace("tiny", "B-n4-k2"))).fleet == 2
    stated = PLAIN.replace("NAME : tiny", "NAME : B-n4-k2\nVEHICLES : 3")
    assert read(put(tmp_path, stated)).fleet == 3


def test_best_known_only_for_the_very_rules_and_numbers(tmp_path: Path) -> None:
    assert read("A-n32-k5").best_known == 784
    assert read("A-n32-k5").proven_optimal
    assert read("A-n32-k5", fleet="free").best_known is None
    assert read("A-n32-k5", rounding="exact").best_known is None
    assert read("R101", rounding="exact").best_known is None
    assert read(put(tmp_path, PLAIN.replace("tiny", "A-n32-k5"))).best_known is None


def test_names_whatever_their_case_and_a_file_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("rc101").name == "RC101"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "R101").write_text(PLAIN)
    assert read("R101").name == "tiny"
    (tmp_path / "C101").mkdir()
    assert read("C101").name == "C101"


def test_sampled_names() -> None:
    instance = read("r105-n67-s3")
    assert (instance.name, instance.customers, instance.fleet) == ("R105-n67-s3", 67, 25)
    assert instance.best_known is None
    assert read("R105-n67-s3") == instance
    assert read("R105-n67-s4") != instance
    assert read("A-n32-k5-n20-s1").fleet == 5
    assert read("R105-n67-s3", rounding="exact", fleet=9).rounding == "exact"


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        ("R11", "did you mean 'R"),
        ("A-n32-k6", "did you mean 'A-n3"),
        ("R105x-n67-s3", "did you mean 'R105'"),
        ("R105-n101-s3", "customers is 101; expected at most the 100"),
        ("R105-n0-s3", "customers is 0"),
        ("no/such/file.vrp", "'no/such/file.vrp' is neither a file nor a bundled instance"),
        ("", "'' is neither"),
        ("\0", "is neither"),
        (5, "instance is 5; expected a path or a name"),
    ],
)
def test_names_that_do_not_exist(given: str, fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        read(given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"rounding": "ceil"}, "rounding is 'ceil'; expected one of auto, round"),
        ({"rounding": 3}, "rounding is 3"),
        ({"fleet": "fre"}, "did you mean 'free'"),
        ({"fleet": 0}, "fleet is 0"),
        ({"fleet": 1.5}, "fleet is 1.5"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, object], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        read("A-n32-k5", **options)  # type: ignore[arg-type]
    assert fragment in str(caught.value)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)


def test_agrees_with_vrplib_on_every_layout_it_knows(tmp_path: Path) -> None:
    vrplib = pytest.importorskip("vrplib")
    path = put(tmp_path, EXPLICIT.format(layout="LOWER_ROW", weights="1 2 4 3\n5 6"))
    assert np.array_equal(vrplib.read_instance(path)["edge_weight"], read(path).distances)
    path = put(tmp_path, SOLOMON.replace("20.5", "20"), "tiny.txt")
    theirs = vrplib.read_instance(path, instance_format="solomon")
    ours = read(path, rounding="exact")
    assert np.allclose(theirs["edge_weight"], ours.distances)
    assert ours.windows is not None
    assert np.array_equal(theirs["time_window"], ours.windows)
