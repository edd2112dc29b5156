"""Whether an instance says the same as the data that another solver's reader makes of its file."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dacalns.instances import Instance
from dacalns.instances.solution_file import types_of_vehicles

LARGE = 400
"""Distances of larger instances are not compared: they take most of the time, and the rule is the same."""


def scaled(instance: Instance, values: Any) -> Any:
    """What the other reader makes of numbers of the file."""
    return np.floor(np.asarray(values, dtype=float) * instance.scale + 1e-6 + (0.5 if instance.scale == 1000 else 0))


def require_agreement(instance: Instance, theirs: Any) -> None:
    nodes = len(instance.demands)
    assert (nodes, instance.depots) == (theirs.num_locations, theirs.num_depots)
    if instance.pairs is None:
        _same_numbers(instance, theirs)
    else:
        _same_pairs(instance, theirs)
    groups = [
        (tuple(client + instance.depots for client in group.clients), group.required) for group in theirs.groups()
    ]
    assert [(group.customers, group.required) for group in instance.groups] == groups
    _same_vehicles(instance, theirs)
    if nodes <= LARGE and not instance.backhauls_last:
        profile = next(iter(theirs.vehicle_types())).profile
        served = np.array(theirs.distance_matrix(profile))
        known = served < 2**44
        assert np.array_equal(served[known], instance.distances[known])


def _same_pairs(instance: Instance, theirs: Any) -> None:
    assert instance.pairs is not None
    assert not theirs.clients()
    windows = np.tile((0, 1e12), (len(instance.demands), 1)) if instance.windows is None else instance.windows
    for (pickup, delivery), shipment in zip(instance.pairs.tolist(), theirs.shipments(), strict=True):
        assert shipment.required
        assert shipment.amount == [scaled(instance, instance.demands[pickup])]
        for node, step in ((pickup, shipment.pickup), (delivery, shipment.delivery)):
            assert step.location == node
            assert step.service_duration == scaled(instance, instance.service[node])
            assert (step.tw_early, step.tw_late) == tuple(scaled(instance, windows[node]))


def _same_numbers(instance: Instance, theirs: Any) -> None:
    clients = theirs.clients()
    assert [client.location for client in clients] == list(instance.customer_nodes)
    expected: dict[str, Callable[[Any], Any]] = {
        "demands": lambda client: client.delivery,
        "pickups": lambda client: client.pickup,
        "service": lambda client: client.service_duration,
        "releases": lambda client: client.release_time,
        "prizes": lambda client: client.prize,
    }
    for field, value in expected.items():
        ours = getattr(instance, field)
        if ours is None:
            ours = np.zeros_like(instance.demands if field == "pickups" else instance.service)
        found = scaled(instance, ours)[instance.depots :]
        assert np.array_equal(found, np.array([value(client) for client in clients]).reshape(found.shape)), field
    if instance.windows is None:
        assert all(client.tw_early == 0 and client.tw_late >= 2**44 for client in clients)
    else:
        windows = scaled(instance, instance.windows)[instance.depots :]
        assert np.array_equal(windows, [(client.tw_early, client.tw_late) for client in clients])
    required = instance.required[instance.depots :]
    assert required.tolist() == [client.required for client in clients]
    if instance.backhauls_last:
        backhauls = np.flatnonzero(instance.pickups.any(axis=-1) if instance.pickups.ndim > 1 else instance.pickups)
        barred = np.flatnonzero(np.array(theirs.distance_matrix(0))[0] >= 2**44)
        assert backhauls.tolist() == barred.tolist()


def _same_vehicles(instance: Instance, theirs: Any) -> None:
    type_of = types_of_vehicles(instance)
    number = 0
    for kind in theirs.vehicle_types():
        for vehicle in map(int, kind.name.split(",")):
            ours = instance.types[type_of.get(vehicle, 0)]
            number += 1
            assert (ours.start_depot, ours.end_depot) == (kind.start_depot, kind.end_depot)
            assert list(scaled(instance, ours.capacity)) == kind.capacity
            assert scaled(instance, ours.fixed_cost) == kind.fixed_cost
            assert ours.unit_distance_cost == kind.unit_distance_cost
            assert set(ours.reload_depots) == set(kind.reload_depots)
            for limit, found in ((ours.shift_duration, kind.shift_duration), (ours.max_distance, kind.max_distance)):
                assert scaled(instance, limit) == found if limit < np.inf else found >= 1e12
            if ours.reload_depots:
                assert ours.max_reloads == kind.max_reloads if ours.max_reloads < np.inf else kind.max_reloads >= 1e12
            opening = (0, np.inf) if instance.windows is None else instance.windows[ours.start_depot]
            early, late = max(ours.tw_early, opening[0]), min(ours.tw_late, opening[1])
            assert scaled(instance, early) == kind.tw_early
            assert scaled(instance, late) == kind.tw_late if late < np.inf else kind.tw_late >= 2**44
            if vehicle == int(kind.name.split(",")[0]) and not instance.backhauls_last:
                barred = np.flatnonzero(np.array(theirs.distance_matrix(kind.profile))[0] >= 2**44)
                allowed = ours.allowed_customers
                assert allowed is None or [*allowed] == sorted({*instance.customer_nodes} - {*barred.tolist()})
                assert allowed is not None or not len(barred)
    assert number == (instance.customers if instance.fleet is None else instance.fleet)
