"""What compiled policies logged, as an explanation."""

import numpy as np
import numpy.typing as npt

from dacalns.core import actor_critic as kernels
from dacalns.core.selection import DESTROYS, HEADER, REPAIRS
from dacalns.search.explanation import Explanation


def explanation_of(table: npt.NDArray[np.float64]) -> Explanation | None:
    """The explanation in a learned selector's table; None before the first iteration.

    One actor over pairs has one entropy, that of the pair; what is shown is that of its mean probabilities of the
    destroy operators, and of the repair operators.
    """
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    log = table[kernels.first_log_row(destroys) :]
    log = log[log[:, kernels.COUNT] > 0]
    if not len(log):
        return None
    counts = log[:, [kernels.COUNT]]
    means = log[:, : kernels.LOGGED + destroys + repairs] / counts
    sums = table[kernels.AFTER_DESTROY + destroys : kernels.AFTER_DESTROY + 2 * destroys]
    paired = bool(table[HEADER, kernels.PAIRED])
    if paired:
        # The entropy of a pair can exceed that of even odds on destroy operators; show each part's own.
        destroy_entropy = _entropies(means[:, kernels.LOGGED : kernels.LOGGED + destroys])
        repair_entropy = _entropies(means[:, kernels.LOGGED + destroys : kernels.LOGGED + destroys + repairs])
    else:
        destroy_entropy, repair_entropy = means[:, kernels.ENTROPY_DESTROY], means[:, kernels.ENTROPY_REPAIR]
    return Explanation(
        iterations=np.cumsum(counts).astype(int).tolist(),
        destroy_probabilities=_distributions(means[:, kernels.LOGGED : kernels.LOGGED + destroys]).tolist(),
        repair_probabilities=_distributions(
            means[:, kernels.LOGGED + destroys : kernels.LOGGED + destroys + repairs]
        ).tolist(),
        destroy_entropy=destroy_entropy.tolist(),
        repair_entropy=repair_entropy.tolist(),
        destroy_value=means[:, kernels.VALUE_DESTROY].tolist(),
        repair_value=[] if paired else means[:, kernels.VALUE_REPAIR].tolist(),
        repair_given_destroy=_distributions(sums[:, :repairs]).tolist(),
        exploration=float(table[HEADER, kernels.EXPLORATION]),
    )


def _distributions(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    totals = rows.sum(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0)
    return shares


def _entropies(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares = _distributions(rows)
    return np.asarray(-np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=1))
