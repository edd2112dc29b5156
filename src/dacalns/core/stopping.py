"""When to stop: a small postfix program whose value is the fraction of the budget used; at 1 the search stops."""

from typing import NamedTuple

from dacalns.core.jit import kernel
from dacalns.core.records import numbered


class Token(NamedTuple):
    """What a program consists of; all push a fraction but ``any`` and ``all``, which combine the topmost ones."""

    iterations: int
    seconds: int
    stall: int
    target: int
    any: int  #: the largest of them
    all: int  #: the smallest of them
    patience: int


TOKEN = numbered(Token)


@kernel
def used_fraction(kinds, values, stack, iteration, seconds, stalled, start, best):
    """Evaluate the program: ``kinds`` with their limits (or, for ANY and ALL, how many fractions to combine)."""
    top = 0
    for k in range(len(kinds)):
        kind, limit = kinds[k], values[k]
        if kind <= TOKEN.stall:
            amount = float(iteration if kind == TOKEN.iterations else stalled)
            if kind == TOKEN.seconds:
                amount = seconds
            fraction = amount / limit if amount < limit else 1.0
        elif kind == TOKEN.patience:
            fraction = 1.0 if stalled >= limit else 0.0
        elif kind == TOKEN.target:
            fraction = 1.0 if best <= limit else 0.0
            if best > limit and start > best:
                fraction = (start - best) / (start - limit)
        else:
            combined = int(limit)
            top -= combined
            fraction = stack[top]
            for other in range(top + 1, top + combined):
                fraction = max(fraction, stack[other]) if kind == TOKEN.any else min(fraction, stack[other])
        stack[top] = fraction
        top += 1
    return stack[0]
