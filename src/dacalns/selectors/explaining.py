"""Which selectors have a policy that can be explained."""

from typing import Any

from dacalns.errors import InputError
from dacalns.selectors.by_name import SELECTORS, as_selector
from dacalns.shown import shown


def require_explaining(given: Any) -> None:
    """Check, before a long search, that its result will have an explanation.

    A selector whose attribute ``explains`` is true has a policy, and logs what it thought.

    Parameters
    ----------
    given
        The selector, or its name.

    Raises
    ------
    InputError
        If there is no such selector, or it has no policy.
    """
    selector = as_selector(given)
    if getattr(selector, "explains", False):
        return
    learned = [name for name, kind in SELECTORS.items() if getattr(kind, "explains", False)]
    expected = f"one of {', '.join(learned)}" if learned else "a learned selector"
    name = getattr(selector, "name", type(selector).__name__)
    raise InputError(
        f"selector {shown(name)} has no policy to explain; expected {expected}; choose it, or explain nothing."
    )
