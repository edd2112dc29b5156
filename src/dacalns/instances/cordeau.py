"""Parse a file in the format of Cordeau: several depots with so many vehicles each, and customers before depots."""

import numpy as np

from dacalns.instances.fields import A_CAPACITY, LEAST_CAPACITY, FloatArray
from dacalns.instances.paired_rows import require_windows
from dacalns.instances.parts import UNLIMITED, VehicleType
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.util.shown import shown

COLUMNS = ("number", "x", "y", "service time", "demand", "frequency", "number of combinations")
WINDOW = ("window opening", "window closing")
FIRST_NOT_NEGATIVE, SERVICE, DEMAND, FREQUENCY, COMBINATIONS = 3, 3, 4, 5, 6
SEVERAL_DEPOTS, WITH_WINDOWS = "2", "6"

Rows = list[tuple[int, list[str]]]


def parse_cordeau(source: SourceText) -> ParsedFile:
    """Parse an MDVRP, or an MDVRPTW.

    The first line has the type, the number of vehicles at each depot, of customers and of depots. Then comes a line for
    each depot, with the most distance and service time of a route (0 for no limit) and the capacity of a vehicle, and a
    row for each customer and each depot. Customers are nodes after the depots here; solutions call them by the numbers
    of the file.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When a row is malformed, or the file asks for several visits or for a choice of days.
    """
    (number, head), *rows = source.rows()
    if head[0] not in (SEVERAL_DEPOTS, WITH_WINDOWS):
        raise source.error(
            number,
            f"type is {shown(head[0], 40)}; expected 2 (several depots) or 6 (and time windows), as other types of "
            "Cordeau's are not supported; check the file.",
        )
    each, customers, depots = (
        int(source.number(number, word, f"number of {what}", "correct the first line", minimum=1, whole=True))
        for word, what in zip(head[1:], ("vehicles", "customers", "depots"), strict=True)
    )
    if len(rows) != 2 * depots + customers:
        raise source.error(
            number,
            f"there are {len(rows)} lines below; expected {2 * depots + customers}: one for each of {depots} depots, "
            f"then a row for each of {customers} customers and of the depots; correct the first line.",
        )
    types = tuple(_vehicle_type(source, *rows[depot], depot, each) for depot in range(depots))
    values, lines = _nodes(source, rows[depots:], customers, depots, timed=head[0] == WITH_WINDOWS)
    if timed := head[0] == WITH_WINDOWS:
        require_windows(source, values[:, -2:], lines, 1)
    order = [*range(customers, customers + depots), *range(customers)]
    fields: ParsedFile = {
        "name": source.stem,
        "coordinates": values[order, 1:3],
        "demands": values[order, DEMAND],
        "windows": values[order, -2:] if timed else None,
        "service": values[order, SERVICE],
        "fleet": None,
    }
    if depots == 1:
        (only,) = types
        if only.shift_duration == UNLIMITED:
            return fields | {"capacity": only.capacity[0], "fleet": each}
        return fields | {"vehicle_types": types}
    return fields | {"depots": depots, "vehicle_types": types, "customers_first": True}


def _vehicle_type(source: SourceText, number: int, words: list[str], depot: int, each: int) -> VehicleType:
    fix = "correct the line"
    if len(words) != 2:
        raise source.error(
            number,
            f"line of depot {depot + 1} has {len(words)} values ({shown(words[0], 40)} first); expected 2, the longest "
            f"route and the capacity; {fix}.",
        )
    longest = source.number(number, words[0], f"longest route of depot {depot + 1}", fix, minimum=0)
    capacity = source.number(number, words[1], f"capacity of depot {depot + 1}", fix, minimum=0)
    if capacity < LEAST_CAPACITY:
        raise source.error(number, f"capacity of depot {depot + 1} is {shown(words[1])}; expected {A_CAPACITY}; {fix}.")
    return VehicleType(
        num_available=each,
        capacity=(capacity,),
        start_depot=depot,
        end_depot=depot,
        shift_duration=longest or UNLIMITED,
    )


def _nodes(source: SourceText, rows: Rows, customers: int, depots: int, *, timed: bool) -> tuple[FloatArray, list[int]]:
    """Return a row of numbers for each customer and depot, as the file orders them, without the combinations."""
    columns = (*COLUMNS, *WINDOW) if timed else COLUMNS
    values = np.zeros((len(rows), len(columns)))
    for index, (number, words) in enumerate(rows):
        thing = f"customer {index + 1}" if index < customers else f"depot {index - customers + 1}"
        if words[0] != str(index + 1):
            raise source.error(
                number,
                f"number is {shown(words[0], 40)}; expected {index + 1}, {thing}, as customers and then depots are "
                "numbered from 1; renumber the rows.",
            )
        counted = words[COMBINATIONS] if len(words) > COMBINATIONS else "0"
        listed = int(counted) if counted in ("0", str(depots)) else 0
        if len(words) != len(columns) + listed:
            raise source.error(
                number,
                f"row of {thing} has {len(words)} values; expected {len(columns)} ({', '.join(columns)}) and, after "
                f"the combinations' number {shown(counted, 12)}, as many of them; correct the row.",
            )
        kept = words[: len(COLUMNS)] + words[len(COLUMNS) + listed :]
        for column, word in enumerate(kept):
            least = 0 if column >= FIRST_NOT_NEGATIVE else -np.inf
            values[index, column] = source.number(
                number, word, f"{columns[column]} of {thing}", "correct the row", minimum=least
            )
        _check_row(source, number, values[index], thing, depots, is_depot=index >= customers)
    return values, [number for number, _ in rows]


def _check_row(source: SourceText, number: int, row: FloatArray, thing: str, depots: int, *, is_depot: bool) -> None:
    expected: dict[int, tuple[float, ...]] = {FREQUENCY: (1.0,), COMBINATIONS: (0.0, float(depots))}
    if is_depot:
        expected = dict.fromkeys((SERVICE, DEMAND, FREQUENCY), (0.0,))
    for column, allowed in expected.items():
        if row[column] not in allowed:
            said = " or ".join(f"{value:g}" for value in allowed)
            why = "" if is_depot else ", as each customer is visited once, from any depot"
            raise source.error(
                number, f"{COLUMNS[column]} of {thing} is {row[column]:g}; expected {said}{why}; correct the row."
            )
