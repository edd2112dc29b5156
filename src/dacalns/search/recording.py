"""The routes of every new best, for a history that has them."""

from collections.abc import Callable
from dataclasses import replace

from dacalns.search.result import NewBest, Result

Label = tuple[int, float, float, int]


def _label(event: NewBest) -> Label:
    return event.iteration, event.seconds, event.cost, event.unserved


class Recorder:
    """Keeps the routes of new bests: give it to a search in place of ``on_best``.

    Parameters
    ----------
    listener
        What the user wants to be called besides.
    """

    def __init__(self, listener: Callable[[NewBest], None] | None = None) -> None:
        self._listener = listener
        self._events: dict[Label, NewBest] = {}
        self._known: dict[tuple[int, ...], list[int]] = {}

    def __call__(self, event: NewBest) -> None:
        """Keep a new best, and pass it on."""
        # A new best shares most of its routes with the one before, and so do the lists.
        latest = {tuple(route): route for route in event.routes}
        known = {key: self._known.get(key, [*key]) for key in latest}
        routes = [known[tuple(route)] for route in event.routes]
        self._events[_label(event)] = replace(event, routes=routes, vehicle_types=[*event.vehicle_types])
        self._known = known
        if self._listener is not None:
            self._listener(event)

    def recorded(self, result: Result) -> Result:
        """Return the result with routes in its history."""
        return replace(result, history=[self._events.get(_label(event), event) for event in result.history])
