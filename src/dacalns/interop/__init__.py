"""Other packages and other problems: our selectors in ``alns``, and states of any kind in our search."""

from dacalns.interop.adapters import AlnsAcceptance, AlnsStop, from_alns_acceptance, from_alns_stop
from dacalns.interop.any_problem import AnyResult, solve
from dacalns.interop.chooser import StateView
from dacalns.interop.selection import Selection

__all__ = [
    "AlnsAcceptance",
    "AlnsStop",
    "AnyResult",
    "Selection",
    "StateView",
    "from_alns_acceptance",
    "from_alns_stop",
    "solve",
]
