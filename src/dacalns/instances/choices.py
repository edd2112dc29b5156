"""Check that a named option is one of those that exist."""

from collections.abc import Sequence

from dacalns.errors import InputError
from dacalns.instances.suggest import did_you_mean
from dacalns.shown import VALUE, listed, shortened, shown


def require_choice(option: str, given: object, choices: Sequence[str]) -> str:
    """Return the choice given, or say which choices there are.

    Parameters
    ----------
    option
        The name of the option, for the message.
    given
        What the user gave.
    choices
        What is accepted.

    Returns
    -------
    str
        ``given``, when it is one of ``choices``.

    Raises
    ------
    InputError
        When it is not.
    """
    if isinstance(given, str) and given in choices:
        return given
    hint = did_you_mean(given, choices) if isinstance(given, str) else ""
    raise InputError(
        f"{shortened(option, VALUE)} is {shown(given)}; expected one of {listed(choices)}; "
        f"{hint or 'choose one of these.'}"
    )
