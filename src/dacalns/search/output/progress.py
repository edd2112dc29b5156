"""How `solve` shows a search while it runs: one output of a notebook that is renewed, or a few lines of a terminal."""

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dacalns.instances import Instance
from dacalns.search.output.words import count, number
from dacalns.search.run import Snapshot
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

EVERY = 0.25
"""Seconds between two pictures of a search in a notebook."""
FIRST = 0.5
"""A search that takes less is not shown while it runs."""

Listener = Callable[[Snapshot], None]


@contextmanager
def showing(instance: Instance, display: bool | None, listener: Listener | None) -> Iterator[Listener | None]:
    """Show a search while entered, and yield what is to be called with every snapshot.

    Parameters
    ----------
    instance
        What is solved.
    display
        True to show it, False not to; None to show it in notebooks alone.
    listener
        What the user wants to be called besides.

    Raises
    ------
    InputError
        If ``display`` is something else.
    """
    if display is not None and not isinstance(display, bool):
        raise InputError(f"display is {shown(display)}; expected True, False, or None to show searches in notebooks.")
    if display is False or (display is None and not in_notebook()):
        yield listener
        return
    with _display_of(instance) as screen:

        def tell(snapshot: Snapshot) -> None:
            screen(snapshot)
            if listener is not None:
                listener(snapshot)

        yield tell


def in_notebook() -> bool:
    """Return True if this code runs in the kernel of a notebook; nothing is imported to find out."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return hasattr(shell, "kernel")


def _display_of(instance: Instance) -> Any:
    if in_notebook():
        return NotebookDisplay(instance)
    from rich.console import Console

    from dacalns.search.display import LiveDisplay, Milestones

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if console.is_terminal:
        return LiveDisplay(console, instance, f"dac-alns  {instance.name}")
    return _lines(Milestones(lambda line: console.print(line, soft_wrap=True)))


@contextmanager
def _lines(milestones: Listener) -> Iterator[Listener]:
    yield milestones


class NotebookDisplay:
    """Shows a search in one output of a cell, which is renewed four times a second and ends as one line.

    Parameters
    ----------
    instance
        What is solved.
    """

    def __init__(self, instance: Instance) -> None:
        self._name = instance.name
        self._handle: Any = None
        self._last: Snapshot | None = None
        self._next = FIRST

    def __enter__(self) -> "NotebookDisplay":
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None and self._last is not None:
            self._show(Standing(self._name, self._last, running=False))

    def __call__(self, snapshot: Snapshot) -> None:
        """Show where the search stands, unless it has just been shown."""
        self._last = snapshot
        if snapshot.seconds >= self._next:
            self._next = snapshot.seconds + EVERY
            self._show(Standing(self._name, snapshot, running=True))

    def _show(self, standing: "Standing") -> None:
        if self._handle is None:
            display = sys.modules["IPython"].display.display
            self._handle = display(standing, display_id=True)
        else:
            self._handle.update(standing)


class Standing:
    """Where a search stands, as a notebook shows it: in HTML, and in words where there is none.

    Parameters
    ----------
    name
        The name of the instance.
    snapshot
        Where it stands.
    running
        True while it goes on.
    """

    def __init__(self, name: str, snapshot: Snapshot, *, running: bool) -> None:
        self._name, self._snapshot, self._running = name, snapshot, running

    def __repr__(self) -> str:
        now = self._snapshot
        if now.unserved:
            facts = [f"{count(now.unserved, 'customer')} still unserved"]
        else:
            gap = [] if now.gap_percent is None else [f"gap {now.gap_percent:.2f} %"]
            facts = [f"cost {number(now.cost)}", *gap]
        facts += [count(now.vehicles, "route"), f"{now.iteration:,} iterations in {now.seconds:.1f} s"]
        return f"{self._name}: {', '.join(facts)}"

    def _repr_html_(self) -> str:
        words = html.escape(repr(self))
        if not self._running:
            return f"<div>{words}</div>"
        return f'<div><progress max="1" value="{self._snapshot.fraction:.3f}"></progress> {words}</div>'
