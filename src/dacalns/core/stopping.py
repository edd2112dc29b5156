"""When to stop: a small postfix program whose value is the fraction of the budget used; at 1 the search stops."""

from dacalns.core.jit import kernel

# Tokens that push a fraction …
ITERATIONS, SECONDS, STALL, TARGET, PATIENCE = 0, 1, 2, 3, 6
# … and tokens that replace the topmost ones by their largest or smallest.
ANY, ALL = 4, 5


@kernel
def used_fraction(kinds, values, stack, iteration, seconds, stalled, start, best):
    """Evaluate the program: ``kinds`` with their limits (or, for ANY and ALL, how many fractions to combine)."""
    top = 0
    for k in range(len(kinds)):
        kind, limit = kinds[k], values[k]
        if kind <= STALL:
            amount = float(iteration if kind == ITERATIONS else stalled)
            if kind == SECONDS:
                amount = seconds
            fraction = amount / limit if amount < limit else 1.0
        elif kind == PATIENCE:
            fraction = 1.0 if stalled >= limit else 0.0
        elif kind == TARGET:
            fraction = 1.0 if best <= limit else 0.0
            if best > limit and start > best:
                fraction = (start - best) / (start - limit)
        else:
            combined = int(limit)
            top -= combined
            fraction = stack[top]
            for other in range(top + 1, top + combined):
                fraction = max(fraction, stack[other]) if kind == ANY else min(fraction, stack[other])
        stack[top] = fraction
        top += 1
    return stack[0]
