"""Where a learned selector keeps what in its table: settings, probabilities and the log of what it decided."""

import numpy as np

from dacalns.core.jit import shared

# Row 0: settings. `dacalns.selectors.actor_critic` maps the fields of rewards and learning to these columns.
LEARNING, PAIRED, HOLD, UNIT = 2, 3, 4, 5
ALPHA_1, ALPHA_2, BETA, DELTA, R_BEST, R_BETTER, R_OTHER = 6, 7, 8, 9, 10, 11, 12
RATE, DISCOUNT, ENTROPY, EXPLORATION, VALUE_WEIGHT = 13, 14, 15, 16, 17
CLIP, REWARD_SCALE, NORMALISE, CREDIT, TRACED, BLOCKED = 18, 19, 20, 21, 22, 23
TARGET, ACTION_VALUES, GREEDY = 24, 25, 26
# What LEARNING may be: a frozen policy; all of it learns; the critic's head alone.
FROZEN, WHOLE, CRITIC_ALONE = 0, 1, 2
# What TARGET may be: what an actor's decision is judged by, see `dacalns.core.learning`.
ONE_STEP, TWO_STEP, JOINT, INDEPENDENT = 0, 1, 2, 3
# Row 1: where the learner stands.
PENDING, FRESH, STEP, SPREAD, ACTED_DESTROY, ACTED_REPAIR, REWARD_DESTROY, REWARD_REPAIR = 0, 1, 2, 3, 4, 5, 6, 7
MOVED, FRACTION_USED, GAP, BEST_AT, AGE, SKIPPED = 8, 9, 10, 11, 12, 13
FEATURE_TIME, FORWARD_TIME, BACKWARD_TIME = 14, 15, 16
TOTAL_REWARD, TOTAL_LOSS, UPDATES, STRIDE, FILLED, IN_POINT = 17, 18, 19, 20, 21, 22
ACCEPTANCE_RATE, IMPROVEMENT_RATE = 23, 24
COLUMNS = 27
# Row 2: how often each repair operator was used. Row 3: probabilities of the destroy operators, or of pairs. Then the
# rows that the functions below find.
STATUS, USES, ACTING, AFTER_DESTROY = 1, 2, np.int64(3), 4
# Behind the probabilities of a row, counted from its end: for how many iterations they have been used (if for none,
# they must be filled in first), their entropy, and the critic's value of the state they are for.
HELD_FOR, HELD_ENTROPY, HELD_VALUE, HELD_COLUMNS = 1, 2, 3, 3
# Columns of the log: iterations, then sums over them; behind these, those of the operators' probabilities.
LOG_POINTS = 128
COUNT, ENTROPY_DESTROY, ENTROPY_REPAIR, VALUE_DESTROY, VALUE_REPAIR, LOGGED = 0, 1, 2, 3, 4, 5


@shared
def held(table: np.ndarray, what: int) -> int:
    """The column of what is held behind the probabilities of a row."""
    return table.shape[1] - what


@shared
def repair_row(destroy: int) -> int:
    """The probabilities of the repair operators after a destroy operator."""
    return AFTER_DESTROY + destroy


@shared
def sums_row(destroys: int, destroy: int) -> int:
    """The sums of these over the run."""
    return AFTER_DESTROY + destroys + destroy


@shared
def repair_offsets_row(destroys: int, destroy: int) -> int:
    """What is added to the outputs of the repair actor after a destroy operator."""
    return AFTER_DESTROY + 2 * destroys + destroy


@shared
def destroy_offsets_row(destroys: int) -> int:
    """What is added to the outputs of the destroy actor."""
    return AFTER_DESTROY + 3 * destroys


@shared
def first_log_row(destroys: int) -> int:
    """Where the log begins."""
    return AFTER_DESTROY + 3 * destroys + 1


def table_shape(destroys: int, repairs: int) -> tuple[int, int]:
    """Rows and columns of the table."""
    columns = max(COLUMNS, LOGGED + destroys + repairs, destroys * repairs + HELD_COLUMNS)
    return first_log_row(destroys) + LOG_POINTS, columns
