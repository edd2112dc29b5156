"""What a policy decided, and for how many iterations: the log in its table.

A decision is logged when the next one is made, so that the iterations for which it is held cost nothing.
"""

from dacalns.core.jit import shared
from dacalns.core.policy_table import (
    ACTING,
    COUNT,
    ENTROPY_DESTROY,
    ENTROPY_REPAIR,
    FILLED,
    HELD_ENTROPY,
    HELD_FOR,
    HELD_VALUE,
    IN_POINT,
    LOG_POINTS,
    LOGGED,
    PAIRED,
    STATUS,
    STRIDE,
    VALUE_DESTROY,
    VALUE_REPAIR,
    first_log_row,
    held,
    repair_row,
    sums_row,
)
from dacalns.core.selection import DESTROYS, HEADER, REPAIRS


@shared
def log_decision(table):
    """Log the probabilities that the table holds, as often as they were used."""
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    point, times = first_log_row(destroys) + int(table[STATUS, FILLED]), table[ACTING, held(table, HELD_FOR)]
    if times == 0.0:
        return
    table[point, COUNT] += times
    table[point, ENTROPY_DESTROY] += times * table[ACTING, held(table, HELD_ENTROPY)]
    table[point, VALUE_DESTROY] += times * table[ACTING, held(table, HELD_VALUE)]
    for destroy in range(destroys):
        row, sums = repair_row(destroy), sums_row(destroys, destroy)
        if table[HEADER, PAIRED] > 0.0:
            for repair in range(repairs):
                share = times * table[ACTING, destroy * repairs + repair]
                table[point, LOGGED + destroy] += share
                table[point, LOGGED + destroys + repair] += share
                table[sums, repair] += share
        else:
            used = table[row, held(table, HELD_FOR)]
            table[point, LOGGED + destroy] += times * table[ACTING, destroy]
            table[point, ENTROPY_REPAIR] += used * table[row, held(table, HELD_ENTROPY)]
            table[point, VALUE_REPAIR] += used * table[row, held(table, HELD_VALUE)]
            for repair in range(repairs):
                table[point, LOGGED + destroys + repair] += used * table[row, repair]
                table[sums, repair] += used * table[row, repair]
    end_of_decision(table)


@shared
def end_of_decision(table):
    """Count the decision; when the log is full, join its points two by two and go on half as fine."""
    status = table[STATUS]
    status[IN_POINT] += 1.0
    if status[IN_POINT] < status[STRIDE]:
        return
    status[IN_POINT] = 0.0
    status[FILLED] += 1.0
    if int(status[FILLED]) < LOG_POINTS:
        return
    first = first_log_row(int(table[HEADER, DESTROYS]))
    for point in range(LOG_POINTS):
        for k in range(table.shape[1]):
            value = table[first + point, k]
            table[first + point, k] = 0.0
            table[first + point // 2, k] += value
    status[FILLED] = LOG_POINTS // 2
    status[STRIDE] *= 2.0
