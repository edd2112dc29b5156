"""The two reward functions of the paper."""

from dacalns.core.jit import kernel
from dacalns.core.policy_table import ALPHA_1, ALPHA_2, BETA, DELTA, R_BEST, R_BETTER, R_OTHER, USES
from dacalns.core.selection import HEADER, REPAIRS


@kernel
def destroy_reward(table, before, destroyed, best):
    """R_destroy of the paper."""
    potential = table[HEADER, BETA] * (best - destroyed) / max(1e-9, best)
    if destroyed <= best:
        return table[HEADER, ALPHA_2] + potential
    if destroyed < before:
        return table[HEADER, ALPHA_1] + potential
    return 0.0


@kernel
def repair_reward(table, before, after, best, repair):
    """R_repair of the paper; the uses of the repair operators are those before this one."""
    tier = table[HEADER, R_OTHER]
    if after < best:
        tier = table[HEADER, R_BEST]
    elif after < before:
        tier = table[HEADER, R_BETTER]
    most = 0.0
    for k in range(int(table[HEADER, REPAIRS])):
        most = max(most, table[USES, k])
    return tier + table[HEADER, DELTA] * (1.0 - table[USES, repair] / max(1.0, most))
