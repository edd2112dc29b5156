"""How far a long search has come, in a few lines that remain: for logs, and above the live display."""

from collections.abc import Callable

from dacalns.search.run import Snapshot

# A line after 1, 2, 5, 10, 20, 50 … seconds.
STEPS = (1, 2, 5)


class Milestones:
    """Tells of the first feasible solution, and of the best one at times that grow; call it with every snapshot.

    Parameters
    ----------
    tell
        Is called with each line.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._found = False
        self._power, self._step = 0, 0

    def __call__(self, snapshot: Snapshot) -> None:
        """Tell what is new."""
        if not self._found and not snapshot.unserved:
            self._found = True
            self._tell(f"first feasible solution after {snapshot.seconds:.1f} s: {_standing(snapshot)}")
        due = False
        while snapshot.seconds >= STEPS[self._step] * 10**self._power:
            due = True
            self._step = (self._step + 1) % len(STEPS)
            self._power += self._step == 0
        if due and snapshot.iteration:
            self._tell(f"{snapshot.seconds:8.1f} s  {_standing(snapshot)}, {snapshot.iteration:,} iterations")


def _standing(snapshot: Snapshot) -> str:
    cost = f"cost {snapshot.cost:,.10g}"
    if snapshot.unserved:
        return f"{cost}, {snapshot.unserved} customer{'s' * (snapshot.unserved > 1)} still unserved"
    return cost if snapshot.gap_percent is None else f"{cost}, gap {snapshot.gap_percent:.2f} %"
