"""The rewards of the paper for searches that are driven from outside: those by which our own learners learn."""

from dacalns.core.actor_critic import destroy_reward, repair_reward
from dacalns.core.jit import kernel
from dacalns.core.lockstep import ACCEPT, DESTROY, DONE
from dacalns.core.memory import view
from dacalns.core.policy_table import ROW

# Of a learner's table, as much as its rewards need: settings, and how often each repair operator was used.
ROWS = ROW.repair_uses + 1


@kernel
def pay(tables, columns, rows, phases, rewards):
    """Pay each search for the phases that it has gone; ``rows`` say what came of them, see `Done`."""
    for which in range(len(rewards)):
        table = view(tables, which * ROWS * columns, (ROWS, columns))
        row = view(rows, which * len(DONE), (len(DONE),))
        rewards[which] = 0.0
        if phases[which] & DESTROY:
            rewards[which] += destroy_reward(table, row[DONE.before], row[DONE.destroyed], row[DONE.best])
        if phases[which] & ACCEPT:
            repair = int(row[DONE.repair])
            rewards[which] += repair_reward(table, row[DONE.before], row[DONE.after], row[DONE.best], repair)
            table[ROW.repair_uses, repair] += 1.0
