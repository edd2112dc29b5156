"""The log of a compiled policy becomes an explanation of what it did."""

import numpy as np
import numpy.typing as npt

from dacalns.core import policy_table as layout
from dacalns.core.arithmetic import logarithm, of_each
from dacalns.core.policy_table import log_decision
from dacalns.core.selection import HEADER, SIZE
from dacalns.search.policy_view import Explanation


def explanation_of(table: npt.NDArray[np.float64]) -> Explanation | None:
    """Return the explanation in a learned selector's table; None before the first iteration.

    An actor that chooses pairs has one entropy, that of the pairs. The explanation has two instead: those of its mean
    probabilities of destroy operators and of repair operators.
    """
    destroys, repairs = int(table[HEADER, SIZE.destroys]), int(table[HEADER, SIZE.repairs])
    table = table.copy()
    log_decision(table)  # a decision is logged when the next one is made; this logs the last one
    log = table[layout.first_log_row(destroys) :]
    log = log[log[:, layout.LOG.iterations] > 0]
    if not len(log):
        return None
    counts = log[:, [layout.LOG.iterations]]
    means = log[:, : len(layout.LOG) + destroys + repairs] / counts
    sums = table[[layout.sums_row(destroys, destroy) for destroy in range(destroys)]]
    paired = bool(table[HEADER, layout.SETTING.paired])
    if paired:
        # The entropy of pairs can exceed that of equal probabilities of destroy operators, so each part has its own.
        destroy_entropy = _entropies(means[:, len(layout.LOG) : len(layout.LOG) + destroys])
        repair_entropy = _entropies(means[:, len(layout.LOG) + destroys : len(layout.LOG) + destroys + repairs])
    else:
        destroy_entropy, repair_entropy = means[:, layout.LOG.entropy_destroy], means[:, layout.LOG.entropy_repair]
    return Explanation(
        iterations=np.cumsum(counts).astype(int).tolist(),
        destroy_probabilities=_distributions(means[:, len(layout.LOG) : len(layout.LOG) + destroys]).tolist(),
        repair_probabilities=_distributions(
            means[:, len(layout.LOG) + destroys : len(layout.LOG) + destroys + repairs]
        ).tolist(),
        destroy_entropy=destroy_entropy.tolist(),
        repair_entropy=repair_entropy.tolist(),
        destroy_value=means[:, layout.LOG.value_destroy].tolist(),
        repair_value=[] if paired else means[:, layout.LOG.value_repair].tolist(),
        repair_given_destroy=_distributions(sums[:, :repairs]).tolist(),
        exploration=float(table[HEADER, layout.SETTING.exploration]),
    )


def _distributions(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    totals = rows.sum(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0)
    return shares


def _entropies(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares = _distributions(rows)
    return np.asarray(-np.sum(shares * of_each(logarithm, np.where(shares > 0, shares, 1.0)), axis=1))
