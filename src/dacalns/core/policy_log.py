"""What a policy decided, and for how many iterations: the log in its table.

A decision is logged when the next one is made, so that the iterations for which it is held cost nothing.
"""

from dacalns.core.jit import shared
from dacalns.core.policy_table import (
    DECISION,
    LOG,
    LOG_POINTS,
    ROW,
    SETTING,
    STATUS,
    decision_column,
    first_log_row,
    repair_row,
    sums_row,
)
from dacalns.core.selection import HEADER, SIZE


@shared
def log_decision(table):
    """Log the probabilities that the table holds, as often as they were used."""
    destroys, repairs = int(table[HEADER, SIZE.destroys]), int(table[HEADER, SIZE.repairs])
    point, times = (
        first_log_row(destroys) + int(table[ROW.status, STATUS.log_filled]),
        table[ROW.destroy_probabilities, decision_column(table, DECISION.used)],
    )
    if times == 0.0:
        return
    table[point, LOG.iterations] += times
    table[point, LOG.entropy_destroy] += (
        times * table[ROW.destroy_probabilities, decision_column(table, DECISION.entropy)]
    )
    table[point, LOG.value_destroy] += times * table[ROW.destroy_probabilities, decision_column(table, DECISION.value)]
    for destroy in range(destroys):
        row, sums = repair_row(destroy), sums_row(destroys, destroy)
        if table[HEADER, SETTING.paired] > 0.0:
            for repair in range(repairs):
                share = times * table[ROW.destroy_probabilities, destroy * repairs + repair]
                table[point, len(LOG) + destroy] += share
                table[point, len(LOG) + destroys + repair] += share
                table[sums, repair] += share
        else:
            used = table[row, decision_column(table, DECISION.used)]
            table[point, len(LOG) + destroy] += times * table[ROW.destroy_probabilities, destroy]
            table[point, LOG.entropy_repair] += used * table[row, decision_column(table, DECISION.entropy)]
            table[point, LOG.value_repair] += used * table[row, decision_column(table, DECISION.value)]
            for repair in range(repairs):
                table[point, len(LOG) + destroys + repair] += used * table[row, repair]
                table[sums, repair] += used * table[row, repair]
    end_of_decision(table)


@shared
def end_of_decision(table):
    """Count the decision; when the log is full, join its points two by two and go on half as fine."""
    status = table[ROW.status]
    status[STATUS.log_in_point] += 1.0
    if status[STATUS.log_in_point] < status[STATUS.log_stride]:
        return
    status[STATUS.log_in_point] = 0.0
    status[STATUS.log_filled] += 1.0
    if int(status[STATUS.log_filled]) < LOG_POINTS:
        return
    first = first_log_row(int(table[HEADER, SIZE.destroys]))
    for point in range(LOG_POINTS):
        for k in range(table.shape[1]):
            value = table[first + point, k]
            table[first + point, k] = 0.0
            table[first + point // 2, k] += value
    status[STATUS.log_filled] = LOG_POINTS // 2
    status[STATUS.log_stride] *= 2.0
