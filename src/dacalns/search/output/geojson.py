"""A plan as GeoJSON, for programs that draw maps."""

import json
import os
from collections.abc import Sequence
from typing import Any

from dacalns.instances import Instance
from dacalns.search.output.rows import RouteRow, StopRow
from dacalns.search.output.words import in_files
from dacalns.util.clock import clock_text
from dacalns.util.errors import InputError
from dacalns.util.files import require_writable
from dacalns.util.shown import VALUE, shortened

DEGREES = 7
"""Decimals of degrees: a centimetre on the ground."""


def require_places(instance: Instance) -> None:
    """Raise an `InputError` if nobody knows where on Earth the nodes are."""
    if instance.lonlat is not None:
        return
    has = "a distance matrix" if instance.coordinates is None else "coordinates in a plane"
    raise InputError(
        f"{shortened(instance.name, VALUE)} has {has} and no longitudes and latitudes; expected those, since GeoJSON "
        "has no others; give the instance lonlat, or write a page with html, which draws a plane, too."
    )


def require_geojson(path: str | os.PathLike[str], instance: Instance) -> None:
    """Check, before a long search, that GeoJSON can be written.

    Raises
    ------
    InputError
        If it cannot be written there, or the instance has no longitudes and latitudes.
    """
    require_writable(path)
    require_places(instance)


def geojson(instance: Instance, plan: Sequence[RouteRow], unserved: Sequence[int], left_out: Sequence[int]) -> str:
    """Return a FeatureCollection: a LineString for each route, a Point for each stop and each customer not visited.

    Properties are the columns of the tables of routes and stops, with ``feature`` ``route``, ``stop`` or ``unserved``.
    Times are numbers, in the units of the file; where the instance has a unit of time, there are times of day besides,
    such as ``arrival_time``. A slack without limit is null.

    Raises
    ------
    InputError
        If the instance has no longitudes and latitudes.
    """
    require_places(instance)
    assert instance.lonlat is not None
    places = [[round(degrees, DEGREES) for degrees in place] for place in instance.lonlat.tolist()]
    features = []
    for route in plan:
        line = [places[stop.node] for stop in route.stops]
        if len(line) == 1:  # one customer, and no depot at either end: a LineString has two places
            line *= 2
        features.append(_feature("LineString", line, _of_route(instance, route)))
        features += [_feature("Point", places[stop.node], _of_stop(instance, stop)) for stop in route.stops]
    for kind, nodes in (("unserved", unserved), ("left out", left_out)):
        for node in nodes:
            known = {"feature": "unserved", "kind": kind, "customer": instance.name_of(node), "node": node}
            features.append(_feature("Point", places[node], known))
    collection = {"type": "FeatureCollection", "features": features}
    return json.dumps(collection, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _feature(kind: str, coordinates: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def _of_route(instance: Instance, route: RouteRow) -> dict[str, Any]:
    numbers = {
        name: in_files(getattr(route, name))
        for name in ("customers", "trips", "start", "end", "distance", "duration", "waiting", "service", "overtime")
    }
    return {
        "feature": "route",
        "route": route.route,
        "vehicle": instance.vehicle_label(route.vehicle),
        **numbers,
        **_times(instance, {"start": route.start, "end": route.end}),
        "load": _amounts(route.load),
        "capacity": _amounts(route.capacity),
        "cost": in_files(route.cost),
        **{f"{part}_cost": in_files(cost) for part, cost in route.costs.items()},
    }


def _of_stop(instance: Instance, stop: StopRow) -> dict[str, Any]:
    names = ("arrival", "waiting", "start", "departure", "slack", "distance", "travelled", "cost")
    times = {"arrival": stop.arrival, "start": stop.start, "departure": stop.departure}
    return {
        "feature": "stop",
        "route": stop.route,
        "vehicle": instance.vehicle_label(stop.vehicle),
        "sequence": stop.sequence,
        "kind": stop.kind,
        "customer": stop.name,
        "node": stop.node,
        **{name: in_files(getattr(stop, name)) for name in names},
        "load": _amounts(stop.load),
        **_times(instance, times),
    }


def _times(instance: Instance, times: dict[str, float]) -> dict[str, str]:
    unit = instance.time_unit
    return {f"{name}_time": clock_text(time, unit, seconds=True) for name, time in times.items()} if unit else {}


def _amounts(loads: Sequence[float]) -> Any:
    """One number, or a list of several dimensions."""
    return in_files(loads[0]) if len(loads) == 1 else [in_files(load) for load in loads]
