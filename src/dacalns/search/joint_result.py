"""One result for several searches side by side."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from dacalns.search.result import Improvement, OperatorUse, Result, TimeSplit


def joint_result(results: Sequence[Result], leader: int, history: list[Improvement]) -> Result:
    """The result of the search that found the best solution, with the effort of all.

    Iterations, the use of operators and the time in the parts of a search are sums; the explanation is the leader's.
    The seed is that of the first search, from which the others have theirs.
    """
    best = results[leader]
    iterations = sum(result.iterations for result in results)
    times = [result.time for result in results]
    return replace(
        best,
        jobs=len(results),
        seed=results[0].seed,
        iterations=iterations,
        iterations_per_second=iterations / best.seconds if best.seconds > 0 else 0.0,
        history=history,
        operators=_joint_use([result.operators for result in results]),
        warnings=list(dict.fromkeys(sentence for result in results for sentence in result.warnings)),
        time=TimeSplit(**{entry.name: _sum(times, entry.name) for entry in fields(TimeSplit)}),
    )


def _joint_use(uses: Sequence[OperatorUse]) -> OperatorUse:
    counts = np.array([use.destroy_uses for use in uses])
    removed = (counts * [use.mean_removed for use in uses]).sum(axis=0)
    summed = [entry.name for entry in fields(OperatorUse) if entry.name not in ("destroy", "repair", "mean_removed")]
    return replace(
        uses[0],
        **{name: _sum(uses, name) for name in summed},
        mean_removed=(removed / np.maximum(counts.sum(axis=0), 1)).tolist(),
    )


def _sum(parts: Sequence[Any], name: str) -> Any:
    return np.sum([getattr(part, name) for part in parts], axis=0).tolist()
