"""Who is compared."""

from collections.abc import Sequence

from dacalns.bench.peers import Hgs, OrTools, Ours, Peer, PyVrp
from dacalns.util.values import require_choice

CONTESTANTS: tuple[Peer, ...] = (
    # Wins and losses are counted for the first one against each of the others.
    Ours("ours", "dac-alns", {"portfolio": "full"}),
    Ours("uniform", "dac-alns, uniform choice", {"portfolio": "full", "selector": "random"}),
    Ours("paper", "dac-alns, paper's portfolio", {"portfolio": "paper"}),
    PyVrp(),
    OrTools(),
    Hgs(),
)


def chosen_contestants(keys: Sequence[str]) -> list[Peer]:
    """Return those that are named, in the order of the list; all of them if none is.

    Raises
    ------
    InputError
        If there is no such contestant.
    """
    known = [peer.key for peer in CONTESTANTS]
    for key in keys:
        require_choice("solver", key, known)
    return [peer for peer in CONTESTANTS if not keys or peer.key in keys]
