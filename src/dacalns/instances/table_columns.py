"""What the columns of a table mean, by the names that people give them."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dacalns.instances.clock_times import UNIT_WORDS
from dacalns.instances.tables import WARNING, Notice, Table, listed_columns
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown
from dacalns.util.values import did_you_mean

Words = Mapping[str, Sequence[str]]
"""What a column may mean, and by which names it is known. The first name is the one that documentation uses."""

PLACE_WORDS: Words = {
    "x": ("x", "x_coord", "xcoord", "coord_x", "x_coordinate", "easting"),
    "y": ("y", "y_coord", "ycoord", "coord_y", "y_coordinate", "northing"),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "long", "longitude"),
    "location": ("location", "location_index", "location_id", "matrix_index", "matrix_row"),
}
WINDOW_WORDS: Words = {
    "open": (
        "open", "opens", "opening", "open_time", "from", "time_from", "start", "begin", "ready", "ready_time",
        "earliest", "earliest_start", "tw_early", "tw_start", "tw_open", "window_start", "time_window_start",
    ),
    "close": (
        "close", "closes", "closing", "close_time", "until", "till", "to", "time_to", "end", "due", "due_date",
        "due_time", "latest", "latest_start", "tw_late", "tw_end", "tw_close", "window_end", "time_window_end",
    ),
    "service": ("service", "service_time", "service_duration", "duration", "stop_time", "handling_time"),
}  # fmt: skip

CUSTOMER_WORDS: Words = {
    "name": ("name", "customer", "client", "stop", "label", "customer_name", "client_name", "stop_name"),
    "id": ("id", "identifier", "customer_id", "client_id", "stop_id", "order_id", "no", "nr", "key"),
    "type": ("type", "kind", "role", "node_type"),
    **PLACE_WORDS,
    **WINDOW_WORDS,
    "windows": ("windows", "window", "time_window", "time_windows", "opening_hours"),
    "prize": ("prize", "penalty", "revenue", "profit"),
    "required": ("required", "mandatory"),
    "optional": ("optional",),
    "priority": ("priority",),
    "release": ("release", "release_time", "released", "available_from"),
    "group": ("group", "group_id"),
    "pair": ("pair", "pair_id", "shipment", "shipment_id"),
    "pickup_of": ("pickup_of", "pickup_for", "delivered_to"),
    "delivery_of": ("delivery_of", "delivery_for", "picked_up_at"),
    "skills": ("skills", "skill", "required_skills", "needs"),
}
DEPOT_WORDS: Words = {
    "name": ("name", "depot", "label", "depot_name"),
    "id": ("id", "identifier", "depot_id", "no", "nr", "key"),
    **PLACE_WORDS,
    **WINDOW_WORDS,
}
VEHICLE_WORDS: Words = {
    "name": ("name", "vehicle", "vehicle_type", "label", "vehicle_name"),
    "id": ("id", "identifier", "vehicle_id", "type", "no", "nr", "key"),
    "number": ("number", "count", "num", "available", "num_available", "quantity", "how_many", "vehicles", "fleet"),
    "fixed_cost": ("fixed_cost", "fixed", "cost_fixed"),
    "cost_per_km": ("cost_per_km", "per_km", "km_cost", "cost_km", "cost_per_kilometre", "cost_per_kilometer"),
    "cost_per_distance": ("cost_per_distance", "unit_distance_cost", "distance_cost"),
    "cost_per_hour": ("cost_per_hour", "per_hour", "hour_cost", "hourly_cost", "cost_hour", "wage"),
    "cost_per_minute": ("cost_per_minute", "cost_per_min", "per_minute"),
    "cost_per_duration": ("cost_per_duration", "unit_duration_cost", "duration_cost", "cost_per_time"),
    "start": ("start", "from", "begin"),
    "end": ("end", "until", "till", "to"),
    "shift_start": ("shift_start", "start_time", "earliest", "earliest_start", "tw_early", "open", "work_start"),
    "shift_end": ("shift_end", "end_time", "latest", "latest_end", "tw_late", "close", "work_end"),
    "latest_start": ("latest_start", "start_late", "latest_departure"),
    "depot": ("depot", "home", "base"),
    "start_depot": ("start_depot", "depot_start", "start_location"),
    "end_depot": ("end_depot", "depot_end", "end_location"),
    "speed": ("speed", "speed_kmh", "kmh"),
    "speed_factor": ("speed_factor",),
    "max_distance": ("max_distance", "maximum_distance", "max_km", "range", "range_km"),
    "max_duration": ("max_duration", "maximum_duration", "shift_duration", "shift_length", "max_time", "shift"),
    "max_overtime": ("max_overtime", "overtime"),
    "overtime_cost_per_hour": ("overtime_cost_per_hour", "cost_per_overtime_hour"),
    "max_stops": ("max_stops", "maximum_stops", "stops", "max_tasks", "max_customers"),
    "reload_depots": ("reload_depots", "reload_depot", "reload_at"),
    "max_reloads": ("max_reloads",),
    "profile": ("profile",),
    "skills": ("skills", "skill"),
}
TIMED = ("service", "max_duration", "max_overtime")
"""Lengths of time, whose columns may say their unit: ``service_min``."""

DELIVERY_WORDS = ("demand", "delivery", "quantity", "qty", "load", "amount", "demands", "deliveries", "units")
PICKUP_WORDS = ("pickup", "pickups", "collect", "collection")
CAPACITY_WORDS = ("capacity", "cap", "max_load", "payload", "capacities")
GOODS = ("weight", "volume", "pallets", "parcels", "boxes")
"""Loads that name their dimension themselves."""

DELIVERY, PICKUP, CAPACITY = "demand", "pickup", "capacity"
NO_LOADS = frozenset({*PLACE_WORDS, *WINDOW_WORDS, "name", "id", "time", "date", "address", "location"})
"""What follows ``pickup_`` or ``delivery_`` in tables with a row for each shipment, which have no place here."""

HARMLESS = frozenset(
    (
        "address", "street", "house_number", "city", "town", "zip", "zipcode", "zip_code", "postcode", "postal_code",
        "country", "state", "region", "note", "notes", "comment", "comments", "remark", "remarks", "description",
        "phone", "telephone", "mobile", "tel", "email", "e_mail", "mail", "contact", "contact_name", "url", "website",
        "company", "driver", "plate", "license_plate", "colour", "color",
    )
)  # fmt: skip
"""Columns that mean nothing to a plan: they are left out with a notice."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table by what they mean.

    Parameters
    ----------
    table
        The table.
    of
        The heading of each meaning that the table has.
    loads
        The headings of demands, pickups or capacities, by kind and dimension.
    units
        The unit that the heading of a length of time says.
    more_windows
        The headings of further windows, an opening and a closing each.
    notices
        What was left out.
    """

    table: Table
    of: dict[str, str] = field(default_factory=dict)
    loads: dict[tuple[str, str], str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    more_windows: list[tuple[str, str]] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def has(self, *meanings: str) -> bool:
        """Return True if the table has a column with one of the meanings."""
        return any(each in self.of for each in meanings)

    def dimensions(self, kind: str) -> list[str]:
        """Return the dimensions of a kind of load in the order of the columns."""
        return [dimension for what, dimension in self.loads if what == kind]


def plain_word(heading: str) -> str:
    """Return a heading in small letters with underscores between its words.

    >>> plain_word("Fixed cost (EUR)"), plain_word("serviceTime")
    ('fixed_cost_eur', 'service_time')
    """
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading[:200])
    return re.sub(r"\W+|_+", "_", split.casefold()).strip("_")


def recognised(
    table: Table, words: Words, *, kind: str, mapping: Mapping[str, str], ignore: Iterable[str], harmless: bool = True
) -> Columns:
    """Return what the columns of a table mean.

    Parameters
    ----------
    table
        The table.
    words
        What columns may mean.
    kind
        What has the rows, for messages: ``"customer"``, ``"vehicle"`` or ``"depot"``.
    mapping
        The heading for each meaning that users name themselves.
    ignore
        Headings that are left out.
    harmless
        False if columns such as ``address`` are refused, too.

    Raises
    ------
    InputError
        When a column is not known, or two mean the same.
    """
    found = Columns(table, notices=list(table.notices))
    left_out = {plain_word(each) for each in ignore}
    own = {plain_word(heading): meaning for meaning, heading in mapping.items()}
    kept_out = []
    for heading in table.columns:
        word = plain_word(heading)
        if word in own:
            meaning = own[word]
            if not _take(found, meaning, heading, words, kind):
                raise InputError(
                    f"{table.heading or table.name}: column {shown(heading, 40)} is to mean {shown(meaning, 40)}; "
                    f"expected one of {listed_columns(meanings(words, kind))}; "
                    f"{did_you_mean(meaning, meanings(words, kind)) or 'correct it.'}"
                )
        elif word in left_out or not word:
            continue
        elif not _take(found, word, heading, words, kind):
            if not harmless or word not in HARMLESS:
                raise _unknown(table, heading, word, words, kind)
            kept_out.append(heading)
    if kept_out:
        word = "column" if len(kept_out) == 1 else "columns"
        found.notices.append((WARNING, f"{table.name}: {word} {listed_columns(kept_out)} left out of the problem."))
    return found


def meanings(words: Words, kind: str) -> list[str]:
    """Return what a column may mean, as documentation names it."""
    loads = {"customer": [DELIVERY, PICKUP], "vehicle": [CAPACITY]}.get(kind, [])
    return [*words, *loads]


def load_of(word: str, kind: str) -> tuple[str, str] | None:
    """Return the kind and the dimension of a load; None for what is no load.

    >>> load_of("demand_kg", "customer"), load_of("weight", "customer"), load_of("volume_capacity", "vehicle")
    (('demand', 'kg'), ('demand', 'weight'), ('capacity', 'volume'))
    """
    if kind == "vehicle":
        if word.endswith("_capacity"):
            return CAPACITY, word.removesuffix("_capacity")
        if word.removeprefix("max_") in GOODS:
            return CAPACITY, word.removeprefix("max_")
        return _with_dimension(word, CAPACITY_WORDS, CAPACITY)
    if kind != "customer":
        return None
    for goods in GOODS:
        if word == goods:
            return DELIVERY, goods
        if word.startswith(f"{goods}_"):
            return DELIVERY, word.removeprefix(f"{goods}_")
    return _with_dimension(word, DELIVERY_WORDS, DELIVERY) or _with_dimension(word, PICKUP_WORDS, PICKUP)


def _with_dimension(word: str, bases: Sequence[str], kind: str) -> tuple[str, str] | None:
    for base in bases:
        if word == base:
            return kind, ""
        dimension = word.removeprefix(base).removeprefix("_")
        known = word.startswith(f"{base}_") or (word.startswith(base) and dimension.isdecimal())
        if known and dimension and not any(each in NO_LOADS for each in (dimension, *dimension.split("_"))):
            return kind, dimension
    return None


def _take(found: Columns, word: str, heading: str, words: Words, kind: str) -> bool:
    """Take a column for what its name says, and return whether it says anything."""
    meaning = next((each for each, names in words.items() if word in names), None)
    unit = ""
    if meaning is None:
        stem, _, last = word.rpartition("_")
        unit = UNIT_WORDS.get(last, "")
        if unit:
            meaning = next((each for each in TIMED if each in words and stem in words[each]), None)
        if word == "max_hours" and "max_duration" in words:
            meaning, unit = "max_duration", "h"
    if meaning is not None:
        if (other := found.of.get(meaning)) is not None:
            raise InputError(
                f"{found.table.heading or found.table.name}: columns {shown(other, 40)} and {shown(heading, 40)} both "
                f"mean {meaning}; expected one; leave one out ({_how_to_ignore(heading)})."
            )
        found.of[meaning] = heading
        if unit:
            found.units[meaning] = unit
        return True
    if kind == "customer" and (further := re.fullmatch(r"(open|close|tw_early|tw_late)_?([2-9])", word)):
        return _take_window(found, further, heading)
    if (load := load_of(word, kind)) is not None:
        if (other := found.loads.get(load)) is not None:
            raise InputError(
                f"{found.table.heading or found.table.name}: columns {shown(other, 40)} and {shown(heading, 40)} both "
                f"mean {'_'.join(filter(None, load))}; expected one; leave one out ({_how_to_ignore(heading)})."
            )
        found.loads[load] = heading
        return True
    return False


def _take_window(found: Columns, further: "re.Match[str]", heading: str) -> bool:
    opens = further[1] in ("open", "tw_early")
    pairs = (("open", "close"), ("tw_early", "tw_late"))
    other = next(pair[1 if opens else 0] for pair in pairs if further[1] in pair)
    wanted = {f"{other}{further[2]}", f"{other}_{further[2]}"}
    partner = next((each for each in found.table.columns if plain_word(each) in wanted), None)
    if partner is None:
        raise InputError(
            f"{found.table.heading or found.table.name}: column {shown(heading, 40)} has no partner; expected "
            f"{other}{further[2]} as well; add it."
        )
    if opens:
        found.more_windows.append((heading, partner))
    return True


def _unknown(table: Table, heading: str, word: str, words: Words, kind: str) -> InputError:
    names = [*meanings(words, kind), *(name for given in words.values() for name in given)]
    if word.startswith(("pickup_", "delivery_", "dropoff_")) and kind == "customer":
        fix = "give pickup and delivery a row each, joined by a column 'pair'"
    else:
        close = difflib.get_close_matches(word[:60], names, n=1, cutoff=0.75)
        fix = f"did you mean {close[0]}? else ignore it" if close else "map it, or ignore it"
    return InputError(
        f"{table.heading or table.name}: column {shown(heading, 40)} is not known; expected the likes of "
        f"{listed(meanings(words, kind), 60)}; {fix} ({_how_to_ignore(heading)})."
    )


def _how_to_ignore(heading: str) -> str:
    return f"--ignore {shown(heading, 30)}"


def text_of_cell(value: Any) -> str:
    """Return a cell as a name: text as it is, and a whole number without decimals."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split())
