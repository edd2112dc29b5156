"""Where a learned selector keeps what in its table: settings, probabilities and the log of what it decided."""

from typing import NamedTuple

import numpy as np

from dacalns.core.jit import shared
from dacalns.core.records import numbered
from dacalns.core.selection import HEADER, SIZE


class FirstRow(NamedTuple):
    """The first rows of the table; the functions below find the others."""

    header: int  #: settings: see `Setting`
    status: int  #: where the learner stands: see `Status`
    repair_uses: int  #: how often each repair operator was used
    destroy_probabilities: int  #: of the destroy operators, or of pairs
    repair_probabilities: int  #: with a destroy operator added: of the repair operators after it


ROW = numbered(FirstRow)


class Setting(NamedTuple):
    """The header: the settings of a learned selector. Those of rewards and learning have the names of their fields."""

    destroys: int
    repairs: int
    learning: int  #: see `Learns`
    paired: int  #: 1 if one actor chooses pairs, else 0
    reuse_for: int  #: for how many iterations probabilities are used
    unit: int  #: the distance that has weight one in the graph
    alpha1: int
    alpha2: int
    beta: int
    delta: int
    new_best: int
    better: int
    otherwise: int
    rate: int
    discount: int
    entropy: int
    exploration: int
    value_weight: int
    gradient_clip: int
    reward_scale: int
    normalise_advantage: int
    destroy_credit: int
    trace_every: int  #: iterations from one addition to the trace to the next; 0 for no trace
    repair_blocks: int  #: 1 if the repair actor has outputs of its own after each destroy operator
    target: int  #: see `Target`
    action_values: int  #: 1 if the critic has a value for each operator, 0 if it has one for the state
    greedy: int  #: 1 if the most probable operator is taken, 0 if it is drawn


SETTING = numbered(Setting)


class Learns(NamedTuple):
    """What `SETTING.learning` may be."""

    nothing: int  #: the policy is frozen
    everything: int
    critic_alone: int  #: the critic's head


LEARNS = numbered(Learns)


class Target(NamedTuple):
    """What `SETTING.target` may be: what an actor's decision is compared with, see `dacalns.core.learning`."""

    one_step: int
    two_step: int
    joint: int
    independent: int


TARGET = numbered(Target)


class Status(NamedTuple):
    """Where the learner stands."""

    pending: int  #: 1 if there is an iteration to learn from
    is_encoded: int  #: 1 if the current solution has been encoded
    step: int  #: steps of the optimiser
    spread: int  #: the running mean square of the advantage
    destroy: int  #: the destroy operator of the last iteration
    repair: int  #: the repair operator of the last iteration
    reward_destroy: int
    reward_repair: int
    changed: int  #: 1 if the last iteration changed the current solution
    fraction: int  #: the part of the budget that is used
    gap: int  #: of the current solution to the best, in units of 5 %
    best_at: int  #: the fraction at which the best was found
    iterations: int  #: so far
    skipped: int  #: updates whose gradient was not finite
    feature_time: int  #: nanoseconds of reading solutions
    forward_time: int  #: nanoseconds
    backward_time: int  #: nanoseconds
    total_reward: int
    total_loss: int
    updates: int
    log_stride: int  #: decisions in a point of the log
    log_filled: int  #: points of the log that are full
    log_in_point: int  #: decisions in the point that is being filled
    acceptance_rate: int
    improvement_rate: int


STATUS = numbered(Status)


class Decision(NamedTuple):
    """What is noted behind the probabilities of a row, counted from its end."""

    used: int  #: for how many iterations they have been used; if for none, they must be computed first
    entropy: int
    value: int  #: the critic's value of the state they are for


DECISION = numbered(Decision, first=1)


class Log(NamedTuple):
    """The columns of the log: iterations, and sums over them. The operators' probabilities follow."""

    iterations: int
    entropy_destroy: int
    entropy_repair: int
    value_destroy: int
    value_repair: int


LOG = numbered(Log)
LOG_POINTS = 128


@shared
def decision_column(table: np.ndarray, what: int) -> int:
    """The column of what is held behind the probabilities of a row."""
    return table.shape[1] - what


@shared
def repair_row(destroy: int) -> int:
    """The probabilities of the repair operators after a destroy operator."""
    return ROW.repair_probabilities + destroy


@shared
def sums_row(destroys: int, destroy: int) -> int:
    """The sums of these over the run."""
    return ROW.repair_probabilities + destroys + destroy


@shared
def repair_offsets_row(destroys: int, destroy: int) -> int:
    """What is added to the outputs of the repair actor after a destroy operator."""
    return ROW.repair_probabilities + 2 * destroys + destroy


@shared
def destroy_offsets_row(destroys: int) -> int:
    """What is added to the outputs of the destroy actor."""
    return ROW.repair_probabilities + 3 * destroys


@shared
def first_log_row(destroys: int) -> int:
    """Where the log begins."""
    return ROW.repair_probabilities + 3 * destroys + 1


def table_shape(destroys: int, repairs: int) -> tuple[int, int]:
    """Rows and columns of the table."""
    columns = max(len(SETTING), len(STATUS), len(LOG) + destroys + repairs, destroys * repairs + len(DECISION))
    return first_log_row(destroys) + LOG_POINTS, columns


# The log: a decision is logged when the next one is made, so that the iterations for which it is reused cost nothing.


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
