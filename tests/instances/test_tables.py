"""Tables of customers, vehicles and depots: what they say, and what is said about those that cannot be."""

import datetime
import logging

import numpy as np
import pytest

import dacalns
from dacalns.instances import Instance, VehicleType
from dacalns.instances.table_columns import load_of, plain_word
from dacalns.instances.table_problem import parse_tables
from dacalns.util.errors import InputError

SHOPS = "name,lat,lon,demand,open,close,service\n"
TOWN = SHOPS + "Mitte,52.53,13.38,3,08:30,10:00,5\nTegel,52.58,13.28,4,,,0:10\nBuch,52.63,13.49,2,9:00,12:00,5\n"
VANS = "name,number,capacity,fixed_cost,start,end\nvan,2,5,20,08:00,16:00\ntruck,1,12,50,07:00,15:00\n"
DEPOT = (52.52, 13.40)


@pytest.fixture
def write(tmp_path):
    def written(text, name="customers.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return written


def made(text, write, vehicles=None, depot=None, **options):
    fields, _ = parse_tables(write(text), vehicles, depot, **options)
    return Instance(**fields)


def refused(text, write, vehicles=None, depot=None, **options):
    """Return what is said against a table, without the folder."""
    path = write(text)
    with pytest.raises(InputError) as error:
        parse_tables(path, vehicles, depot, **options)
    assert len(str(error.value)) <= 300
    return str(error.value).replace(f"{path.parent}/", "")


def test_the_columns_that_everybody_has_are_understood_as_they_stand(write):
    instance = Instance.from_frame(write(TOWN), write(VANS, "vehicles.csv"), "52.52,13.40")
    assert instance.names == ("depot", "Mitte", "Tegel", "Buch")
    assert instance.vehicle_names == ("van", "truck")
    assert [instance.name_of(1), instance.vehicle_name_of(1)] == ["Mitte", "truck"]
    assert instance.time_unit == "min"
    assert instance.windows.tolist()[1] == [510, 600]
    assert instance.service.tolist() == [0, 5, 10, 5]
    assert instance.demands.tolist() == [0, 3, 4, 2]
    van, truck = instance.types
    assert (van.num_available, van.capacity, van.fixed_cost, van.tw_early, van.tw_late) == (2, (5.0,), 20, 480, 960)
    assert (truck.num_available, truck.capacity, truck.fixed_cost, truck.tw_early) == (1, (12.0,), 50, 420)
    assert instance.lonlat.tolist() == [[13.40, 52.52], [13.38, 52.53], [13.28, 52.58], [13.49, 52.63]]


def test_distances_on_a_map_are_kilometres_with_a_detour_and_times_minutes(write):
    instance = made(TOWN, write, depot=DEPOT, capacity=9, detour=1.0, speed=30)
    # One degree of latitude is 111.195 km on the sphere; Mitte is 0.01 degrees north and 0.02 west of the depot.
    north, west = 111.195 * 0.01, 111.195 * 0.02 * np.cos(np.radians(52.525))
    assert instance.matrix[0, 1] == pytest.approx(np.hypot(north, west), abs=0.001)
    assert instance.durations[0, 1] == pytest.approx(instance.matrix[0, 1] * 2, abs=0.001)
    usual = made(TOWN, write, depot=DEPOT, capacity=9)
    assert usual.matrix[0, 3] == pytest.approx(1.3 * instance.matrix[0, 3], abs=0.001)
    assert usual.durations[0, 3] == pytest.approx(usual.matrix[0, 3] * 60 / 50, abs=0.001)
    assert usual.rounding == "milli"
    assert made(TOWN, write, depot=DEPOT, capacity=9, time_unit="s").windows[1].tolist() == [30600, 36000]


def test_a_map_without_times_is_a_plain_problem(write):
    instance = made("name,lat,lon,demand\ndepot,52,13,\nA,52.1,13,3\n", write, capacity=9)
    assert instance.is_plain
    assert instance.durations is None
    assert instance.time_unit == ""


def test_what_was_planned_keeps_to_the_tables(write):
    instance = Instance.from_frame(write(TOWN), write(VANS, "vehicles.csv"), DEPOT)
    result = dacalns.solve(instance, stop=dacalns.MaxIterations(300), seed=1)
    assert result.feasible
    for plan in result.plans:
        for stop in plan.stops:
            opens, closes = instance.windows[stop.node]
            assert opens <= stop.start <= closes
            assert stop.departure - stop.start == (instance.service[stop.node] if stop.node else 0)
        assert plan.start >= (480, 420)[plan.vehicle_type]


def test_frames_lists_and_columns_say_the_same_as_files(write):
    pandas = pytest.importorskip("pandas")
    path = write(TOWN)
    of_file = Instance.from_frame(path, write(VANS, "vehicles.csv"), DEPOT)
    frame, vans = pandas.read_csv(path), pandas.read_csv(write(VANS, "vehicles.csv"))
    assert Instance.from_frame(frame, vans, DEPOT) == of_file
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert Instance.from_frame(rows, vans.to_dict("records"), [DEPOT]) == of_file
    assert Instance.from_frame(frame.to_dict("list"), vans.to_dict("list"), DEPOT) == of_file


def test_frames_have_times_of_their_own_types():
    pandas = pytest.importorskip("pandas")
    day = pandas.Timestamp("2026-05-04")
    frame = pandas.DataFrame(
        {
            "x": [0, 3, 4], "y": [0, 4, 3], "name": ["depot", "A", "B"],
            "open": [pandas.NaT, day + pandas.Timedelta(hours=8, minutes=30), day + pandas.Timedelta(hours=9)],
            "service": [None, datetime.time(0, 10), pandas.Timedelta(minutes=5)],
        }
    )  # fmt: skip
    instance = Instance.from_frame(frame, speed=60)
    assert instance.windows[:, 0].tolist() == [0, 510, 540]
    assert instance.service.tolist() == [0, 10, 5]
    assert instance.durations[0, 1] == 5


def test_excel_files_have_sheets_for_customers_vehicles_and_depots(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Customers"
    for row in (("name", "lat", "lon", "demand", "open"), ("A", 52.5, 13.4, 3, datetime.time(8, 30)), ("B", 52, 13, 4)):
        book.active.append(row)
    book.create_sheet("vehicles").append(("name", "capacity", "depot"))
    book["vehicles"].append(("van", 9, "North"))
    book.create_sheet("depots").append(("name", "lat", "lon"))
    book["depots"].append(("South", 52.1, 13.1))
    book["depots"].append(("North", 52.2, 13.1))
    book.save(tmp_path / "plan.xlsx")
    instance = dacalns.read(tmp_path / "plan.xlsx")
    assert instance.names == ("South", "North", "A", "B")
    assert instance.windows[2, 0] == 510
    assert instance.types[0].start_depot == instance.types[0].end_depot == 1
    book["Customers"]["D3"] = "four"
    book.save(tmp_path / "plan.xlsx")
    with pytest.raises(InputError, match=r"plan\.xlsx, row 3: column 'demand' is 'four'; expected a number"):
        dacalns.read(tmp_path / "plan.xlsx")
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(InputError, match="cannot be read as Excel"):
        dacalns.read(tmp_path / "bad.xlsx")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("name;x;y;demand\ndepot;0;0;\n\n;;;\nÄrger;1,5;2;3\n", "utf-8-sig"),
        ("name;x;y;demand\r\ndepot;0;0;\r\nÄrger;1,5;2;3\r\n", "cp1252"),
        ('"name","x","y","demand"\n"depot","0","0",""\n"Ärger","1.5","2","3"\n', "utf-8"),
        ("name\tx\ty\tdemand\ndepot\t0\t0\t\nÄrger\t1.5\t2\t3\n", "utf-16"),
        (",demand,y,x,Name\n0,,0,0,depot\n1,3,2,1.5,Ärger\n", "utf-8"),
    ],
)
def test_files_of_any_spreadsheet_are_read(text, encoding, write):
    instance = Instance.from_frame(write(text, encoding=encoding), capacity=9)
    assert instance.names == ("depot", "Ärger")
    assert instance.coordinates.tolist() == [[0, 0], [1.5, 2]]
    assert instance.demands.tolist() == [0, 3]


def test_what_users_should_know_is_logged(write, caplog):
    text = "name,x,y,demand,phone,Notes\ndepot,0,0,,,\nÄ,1,1,3,01,x\n"
    with caplog.at_level(logging.INFO, logger="dacalns"):
        Instance.from_frame(write(text, encoding="latin-1"), [{"capacity": 9, "start": "8:00"}])
    said = [(record.levelname, record.getMessage().rpartition("/")[2]) for record in caplog.records]
    assert said == [
        ("WARNING", "customers.csv: is not UTF-8; it is read as Windows-1252 (Latin-1), so check names with accents."),
        ("WARNING", "customers.csv: columns phone, Notes left out of the problem."),
        ("INFO", "vehicles: column 'start' has times of the shift."),
        ("WARNING", "customers.csv: no speed is given, so that a unit of distance takes a minute to drive."),
    ]


def test_columns_are_known_by_many_names_and_by_a_mapping(write):
    text = "Client;LNG;Latitude;Kisten;Ready Time;dueDate;serviceTime\nHQ;13;52;;;;\nA;13,1;52,1;4;8:00;9:00;7\n"
    instance = made(text, write, 1, "HQ", columns={"demand": "Kisten"}, capacity=5)
    assert instance.names == ("HQ", "A")
    assert instance.lonlat.tolist() == [[13, 52], [13.1, 52.1]]
    assert instance.windows[1].tolist() == [480, 540]
    assert instance.service[1] == 7
    assert instance.demands[1] == 4
    assert plain_word("Fixed cost (EUR)") == "fixed_cost_eur"
    assert load_of("demand2", "customer") == ("demand", "2")
    assert load_of("delivery_lat", "customer") is None
    assert load_of("service", "customer") is None


def test_ids_go_beside_names(write):
    text = "id,name,x,y,pickup_of,demand\n1,depot,0,0,,\n2,A,1,1,3,5\n3,A,2,2,,\n"
    instance = made(text, write, capacity=5)
    assert instance.names == ("depot", "A", "A")
    assert instance.pairs.tolist() == [[1, 2]]


def test_several_loads_belong_to_capacities_by_their_names(write):
    text = "name,x,y,demand_kg,demand_m3,pickup_kg\ndepot,0,0,,,\nA,1,1,3,0.5,\nB,2,2,,,7\n"
    vans = [{"capacity_m3": 2, "capacity_kg": 9}]
    instance = made(text, write, vans)
    assert instance.demands.tolist() == [[0, 0], [3, 0.5], [0, 0]]
    assert instance.pickups.tolist() == [[0, 0], [0, 0], [7, 0]]
    assert instance.types[0].capacity == (9, 2)
    assert made(text, write, capacity={"kg": 9, "m3": 2}).demands.tolist() == instance.demands.tolist()
    assert "has no column capacity_m3" in refused(text, write, [{"capacity_kg": 9}])
    assert "has no column demand_t" in refused(text, write, [{"capacity_m3": 2, "capacity_kg": 9, "capacity_t": 1}])
    assert "nothing says what a vehicle holds" in refused(text, write)


def test_prizes_priorities_and_groups(write):
    text = (
        "name,x,y,prize,optional,priority,group\ndepot,0,0,,,,\nA,1,1,5,,,\nB,2,2,,yes,7,\nC,3,3,,no,,g\nD,4,4,,,,g\n"
    )
    instance = made(text, write)
    assert instance.optional.tolist() == [False, True, True, False, False]
    assert instance.prizes.tolist() == [0, 5, 0, 0, 0]
    assert instance.priorities.tolist() == [0, 0, 7, 0, 0]
    assert [(group.customers, group.required) for group in instance.groups] == [((3, 4), True)]
    assert "column 'priority' is '3'; expected 0, as nothing says" in refused(
        "name,x,y,priority\ndepot,0,0,\nA,1,1,3\n", write
    )
    assert "a group of at least two rows" in refused("name,x,y,group\ndepot,0,0,\nA,1,1,g\n", write)


@pytest.mark.parametrize(
    "text",
    [
        "name,x,y,demand,pair\ndepot,0,0,,\nB,1,1,5,s\nX,9,9,1,\nA,2,2,,S\n",
        "name,x,y,demand,shipment,type\ndepot,0,0,,,depot\nA,2,2,,s,delivery\nX,9,9,1,,\nB,1,1,5,s,pickup\n",
        "name,x,y,demand,pickup_of\ndepot,0,0,,\nB,1,1,5,a\nX,9,9,1,\nA,2,2,-5,\n",
        "name,x,y,demand,delivery_of\ndepot,0,0,,\nX,9,9,1,\nA,2,2,5,B\nB,1,1,5,\n",
    ],
)
def test_pairs_join_rows_in_any_of_four_ways(text, write):
    instance = made(text, write, 2, capacity=9)
    ((pickup, delivery),) = instance.pairs.tolist()
    assert (instance.names[pickup], instance.names[delivery]) == ("B", "A")
    assert instance.demands[[pickup, delivery]].tolist() == [5, 0]
    assert instance.coordinates[delivery].tolist() == [2, 2]
    assert instance.demands[instance.names.index("X")] == 1


def test_several_windows_in_one_cell_or_in_columns(write):
    one = made('name,x,y,windows\ndepot,0,0,\nA,1,1,"8:00-9:00, 14:00 \u2013 15:30"\n', write)
    two = made("name,x,y,open,close,open2,close2\ndepot,0,0,,,,\nA,1,1,8:00,9:00,14:00,15:30\n", write)
    for instance in (one, two):
        assert instance.windows[1].tolist() == [480, 540]
        assert instance.more_windows == ((1, 840, 930),)


def test_vehicles_say_costs_limits_skills_and_depots(write):
    text = "name,lat,lon,demand,skills\nN,52.1,13,,\nS,52,13,,\nA,52.2,13,1,cold\nB,52.3,13,1,\n"
    vans = [
        {
            "vehicle": "truck", "count": 2, "capacity": 5, "start": "S", "end": "N", "cost_per_km": 0.5,
            "cost_per_hour": 30, "max_hours": 8, "max_distance": 200, "max_stops": 9, "speed": 40, "skills": "cold",
        },
        {"vehicle": "van", "count": "unlimited", "capacity": 3, "start": "N", "end": "open", "cost_per_hour": 60},
    ]  # fmt: skip
    instance = made(text, write, vans, ["N", "S"])
    assert instance.types == (
        VehicleType(
            num_available=2, capacity=(5.0,), start_depot=1, end_depot=0, unit_distance_cost=0.5,
            unit_duration_cost=0.5, shift_duration=480, max_distance=200, max_stops=9, speed=0.8,
        ),
        VehicleType(
            num_available=None, capacity=(3.0,), start_depot=0, end_depot=None, unit_distance_cost=0,
            unit_duration_cost=1, allowed_customers=(3,),
        ),
    )  # fmt: skip


def test_a_matrix_goes_by_the_order_of_rows_or_by_a_column(write):
    matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    rows = "name,demand\nA,1\ndepot,\nB,2\n"
    in_order = made(rows, write, capacity=9, matrix=matrix)
    assert in_order.names == ("depot", "A", "B")
    assert in_order.matrix.tolist() == [[0, 3, 4], [1, 0, 2], [6, 5, 0]]  # the depot is row 1 of the table
    located = made("name,demand,location\nA,1,2\ndepot,,0\nB,2,2\n", write, capacity=9, matrix=matrix)
    assert located.matrix.tolist() == [[0, 2, 2], [5, 0, 0], [5, 0, 0]]
    first = made("name,x,y\nA,1,1\nB,2,2\n", write, depot=(0, 0), matrix=matrix)
    assert first.matrix.tolist() == matrix
    assert "has 3 rows, and there are 2 depots and customers" in refused(
        "name,demand\nA,1\ndepot,\n", write, capacity=9, matrix=matrix
    )
    assert "expected a whole number from 0 to 2" in refused(
        "name,demand,location\nA,1,3\ndepot,,0\n", write, capacity=9, matrix=matrix
    )


def test_profiles_have_matrices_of_their_own(write):
    car, bike = [[0, 1], [1, 0]], [[0, 4], [4, 0]]
    vans = [{"profile": "bike", "cost_per_km": 2}, {"profile": "car", "cost_per_km": 3}]
    instance = made("name\ndepot\nA\n", write, vans, matrix={"car": car, "bike": bike})
    assert [each.profile for each in instance.types] == [1, 0]
    assert instance.distances_of(1)[0, 1] == 4
    assert "column 'profile' is 'ship'" in refused(
        "name\ndepot\nA\n", write, [{"profile": "ship"}], matrix={"car": car}
    )


HOLES = "name,x,y,demand,open,close\ndepot,0,0,,,\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "customers.csv: the file is empty; expected a line with the names of columns, then rows; check it."),
        ("name,x,y\n", "customers.csv: has no rows below the names of columns; expected at least one; add some."),
        (HOLES + "A,1,1,drei,,\n", "customers.csv:3: column 'demand' is 'drei'; expected a number of 0 or more"),
        (HOLES + "A,1,1,-3,,\n", "customers.csv:3: column 'demand' is '-3'; expected a number of 0 or more"),
        (HOLES + 'A,"1,5",1,3,,\n', "customers.csv:3: column 'x' is '1,5'; expected a number; write a decimal point"),
        (HOLES + "A,,1,3,,\n", "customers.csv:3: column 'x' is empty; expected a number; add it, or take the row out."),
        (HOLES + "A,1,1,3\n", "customers.csv:3: has 4 cells, and there are 6 columns; expected as many"),
        (HOLES + '"A,1,1,3,,\n', "customers.csv:3: unexpected end of data; expected CSV; look for a quote"),
        (HOLES + "\nA,1,1,3,8:30,25:99\n", "customers.csv:4: column 'close' is '25:99'; expected a time such as 08:30"),
        (HOLES + "A,1,1,3,8:30,7:00\n", "customers.csv:3: column 'close' is '7:00'; expected a time after 8:30"),
        (HOLES + "A,1,1,3,8:30,12\n", "customers.csv:3: column 'close' is '12'; expected a time such as 08:30, as"),
        (HOLES + "A,1,1,3,2026-05-04 08:00,2026-05-05 09:00\n", "expected a time on 2026-05-04, the day in"),
        ("name,x,y,demand\nA,1,1,3\n", "customers.csv: nothing says where the depot is; expected a row named 'depot'"),
        ("name,x,demand\nA,1,3\n", "customers.csv:1: has a column 'x' and none for y; expected both"),
        ("name,demand\nA,3\n", "customers.csv:1: no columns say where customers are; expected lat and lon, or x and y"),
        ("name,lat,lon\nA,91,3\n", "customers.csv:2: column 'lat' is '91'; expected degrees from -90 to 90"),
        ("name,x,y,lat,lon\nA,1,1,1,1\n", "customers.csv:1: has lat, lon and x, y; expected one of the two; ignore"),
        ("name,x,y,colr\ndepot,0,0,red\n", "customers.csv:1: column 'colr' is not known; expected the likes of name"),
        ("name,x,y,x\ndepot,0,0,1\n", "customers.csv:1: has two columns 'x'; expected each name once; rename one."),
        ("name,x,y,demand,qty\ndepot,0,0,1,1\n", "customers.csv:1: columns 'demand' and 'qty' both mean demand"),
        ("name,x,y,\ndepot,0,0,b\n", "customers.csv:1: a column has no name, and 'b' stands in it"),
        ("name;x;y\ndepot;0;0\nA;1.234;1\nB;1,5;2\n", "customers.csv:3: column 'x' is '1.234'; expected a decimal"),
        ("name,x,y,type\ndepot,0,0,boat\n", "customers.csv:2: column 'type' is 'boat'; expected depot, customer"),
        ("name,x,y,pair\ndepot,0,0,\nA,1,1,p\n", "customers.csv:3: column 'pair' is 'p'; expected a label that two"),
        ("name,x,y,pickup_of\ndepot,0,0,\nA,1,1,Z\n", "customers.csv:3: column 'pickup_of' is 'Z'; expected the name"),
        ("name,x,y,optional\ndepot,0,0,\nA,1,1,perhaps\n", "column 'optional' is 'perhaps'; expected yes or no"),
        ("name,x,y,pickup_lat\ndepot,0,0,1\n", "give pickup and delivery a row each, joined by a column 'pair'"),
    ],
)  # fmt: skip
def test_mistakes_in_a_table_are_told_with_file_row_and_column(text, said, write):
    assert said in refused(text, write, 2, capacity=9)


def test_mistakes_in_arguments(write):
    good = "name,lat,lon\nHQ,52,13\nA,52.1,13\n"
    for options, said in (
        ({"depot": "Berlin"}, "depot is 'Berlin', and no row has this name in customers.csv"),
        ({"depot": "130,13"}, "expected a latitude from -90 to 90, then a longitude; correct it, or swap the two."),
        ({"depot": 7}, "depot is 7; expected a position (lat, lon) or (x, y), the name of a row, or a table"),
        ({"depot": ["HQ", "hq"]}, "depot names 'HQ' twice"),
        ({"depot": "HQ", "columns": {"demand": "Kisten"}}, "columns names 'Kisten', and no table has such a column"),
        ({"depot": "HQ", "columns": {"demnd": "lat"}}, "column 'lat' is to mean 'demnd'; expected one of"),
        ({"depot": "HQ", "ignore": ["colour"]}, "ignore names 'colour', and no table has such a column"),
        ({"depot": "HQ", "speed": 0}, "speed is 0; expected a number over 0"),
        ({"depot": "HQ", "time_unit": "days"}, "time_unit is 'days'; expected 's', 'min' or 'h'"),
        ({"depot": "HQ", "durations": [[0]]}, "durations is given without matrix"),
        ({"depot": "HQ", "matrix": np.zeros((2, 2)), "speed": 9}, "speed is 9, and a matrix is given"),
        ({"depot": "HQ", "vehicles": [{"start": "HQ"}, {"start": "8:00"}]}, "column 'start' is 'HQ'; expected a time"),
        ({"depot": "HQ", "vehicles": [{"start": "nowhere"}]}, "expected a time of the shift such as 08:00 in all rows"),
        ({"depot": "HQ", "vehicles": [{"number": 0}]}, "vehicles, row 0: column 'number' is 0; expected a whole"),
        ({"depot": "HQ", "vehicles": [{"number": 1}], "capacity": 3}, "capacity is 3, and vehicles is a table"),
    ):  # fmt: skip
        assert said in refused(good, write, **options), options
    assert "is a depot by its name or type, and depot is given as well" in refused(
        "name,x,y\ndepot,0,0\nA,1,1\n", write, depot=(1, 1)
    )


def test_a_table_where_an_instance_is_expected_is_not_printed():
    with pytest.raises(InputError, match=r"instance is a table; .*call dacalns\.Instance\.from_frame"):
        dacalns.solve([{"x": 1}])
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match=r"instance is a DataFrame; .*call dacalns\.Instance\.from_frame"):
        dacalns.solve(pandas.DataFrame({"x": [1]}))
    with pytest.raises(InputError, match=r"vehicles is given, and 'A-n32-k5' is no table"):
        dacalns.read("A-n32-k5", vehicles=3)


def test_tables_of_other_programs_are_refused_by_name(tmp_path):
    (tmp_path / "a.ods").write_bytes(b"x")
    with pytest.raises(InputError, match=r"a\.ods: has the suffix \.ods; expected \.csv or \.xlsx; save"):
        dacalns.read(tmp_path / "a.ods")
    with pytest.raises(InputError, match=r"b\.csv: there is no such file"):
        dacalns.read(tmp_path / "b.csv")


def test_labels_survive_json(write, tmp_path):
    instance = Instance.from_frame(write(TOWN), write(VANS, "vehicles.csv"), DEPOT)
    dacalns.write_instance(instance, tmp_path / "town.json")
    again = dacalns.read(tmp_path / "town.json")
    assert again == instance
    assert (again.names, again.vehicle_names, again.time_unit) == (instance.names, instance.vehicle_names, "min")
    text = (tmp_path / "town.json").read_text()
    for right, wrong, said in (
        ('"Mitte",\n', "", "names has 3 entries; expected 4, one for each node, depots first; correct it."),
        ('"truck"', "7", "vehicle_names[1] is 7; expected text; give a string."),
        ("[13.4, 52.52]", "[52.52, 113.4]", "lonlat[0] is [52.52, 113.4]; expected a longitude from -180 to 180"),
        ('"min"', '"day"', "time_unit is 'day'; expected s, min or h; leave it out if unknown."),
    ):
        assert right in text
        (tmp_path / "slip.json").write_text(text.replace(right, wrong, 1))
        with pytest.raises(InputError) as error:
            dacalns.read(tmp_path / "slip.json")
        assert said in str(error.value)


def test_a_sample_keeps_the_names_of_its_nodes_and_vehicles(write):
    instance = Instance.from_frame(write(TOWN), write(VANS, "vehicles.csv"), DEPOT)
    part = dacalns.sample(instance, 2, seed=1)
    assert part.vehicle_names == ("van", "truck")
    assert [part.names.index(name) for name in part.names] == [0, 1, 2]
    assert set(part.names) < set(instance.names)
    assert part.lonlat.shape == (3, 2)


FRAME = {"name": ["a", "b", "c"], "lat": [52.5, 52.6, 52.4], "lon": [13.4, 13.5, 13.2], "demand": [1, 1, 1]}


@pytest.mark.parametrize(
    ("changes", "depot", "said"),
    [
        ({}, (13.4, 52.5), "customers: 'depot' lies 7,221 km from the nearest customer; look whether lat and lon"),
        ({"lat": [52.5, 52.6, 13.2], "lon": [13.4, 13.5, 52.4]}, (52.5, 13.4), "customers: 'c' lies 7,239 km from"),
        ({"lat": [52.5, 52.6, 58.4], "lon": [13.4, 13.5, 14.2]}, (52.5, 13.4), ""),
        ({"lat": [40.7, 34.1, 47.6], "lon": [-74.0, -118.2, -122.3]}, (41.9, -87.6), ""),
    ],
)
def test_places_far_from_all_others_are_told(changes, depot, said, caplog):
    Instance.from_frame(FRAME | changes, depot=depot, capacity=9)
    told = [record.getMessage() for record in caplog.records if "lies" in record.getMessage()]
    assert [each[: len(said)] for each in told] == [said] * bool(said)


def test_several_far_places_are_counted(caplog):
    frame = {name: 3 * column for name, column in FRAME.items()}
    frame["lat"][4:6], frame["lon"][4:6] = [13.2, 13.3], [52.4, 52.5]
    Instance.from_frame(frame, depot=(52.5, 13.4), capacity=9)
    assert "the nearest depot, and so do 1 more; look" in caplog.text
