"""A prior is a learned table of pair probabilities with which a network begins instead of from nothing."""

import os
from collections.abc import Set

import numpy as np
import numpy.typing as npt

from dacalns.core.arithmetic import logarithm, of_each
from dacalns.core.brain import HEAD, REGION, weights_in
from dacalns.core.policy_table import SETTING
from dacalns.core.selection import HEADER, Memory
from dacalns.instances.features import problem_called
from dacalns.search.portfolio import Portfolio
from dacalns.selectors.card import Card, require_match
from dacalns.selectors.checkpoint import bundled_policy, load_checkpoint
from dacalns.util.errors import InputError

WHEEL = "wheel"
# A pair that a table never draws still needs a finite output, and one from which learning can bring it back.
LEAST = 1e-3

Outputs = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""The outputs of the destroy actor, and of the repair actor after each destroy operator."""


def table_outputs(pairs: npt.NDArray[np.floating]) -> Outputs:
    """Return the outputs of the two actors that have the probabilities of a table."""
    shares = _shares(pairs)
    destroy = shares.sum(axis=1)
    return of_each(logarithm, destroy), of_each(logarithm, shares / destroy[:, None])


def _shares(pairs: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    shares = np.maximum(np.asarray(pairs, dtype=np.float64), LEAST)
    return np.asarray(shares / shares.sum())


def begin_with_table(memory: Memory, pairs: npt.NDArray[np.floating]) -> None:
    """Set the output biases of a network so that its actors begin with the probabilities of a table in every state.

    The other parameters stay as they are; the output weights are small at first, so that they change little.
    """
    biases = weights_in(memory, REGION.parameters).bias
    destroy, repair = table_outputs(pairs)
    if memory.table[HEADER, SETTING.paired]:
        biases[HEAD.destroy_actor, : pairs.size] = (destroy[:, None] + repair).ravel()
        return
    biases[HEAD.destroy_actor, : len(destroy)] = destroy
    # Without outputs of its own after each destroy operator, the repair actor begins with their mean.
    blocks = repair if memory.table[HEADER, SETTING.repair_blocks] else of_each(logarithm, _shares(pairs).sum(axis=0))
    biases[HEAD.repair_actor, : blocks.size] = blocks.ravel()


def prior_table(prior: str | os.PathLike[str], features: Set[str], portfolio: Portfolio) -> npt.NDArray[np.floating]:
    """Return the table in a file, or with ``"wheel"`` the one in the package for the problem.

    Raises
    ------
    InputError
        If the file has no table, or one for another problem or other operators.
    """
    path = bundled_policy(problem_called(features), WHEEL, portfolio.name) if prior == WHEEL else prior

    def shapes(card: Card) -> dict[str, tuple[int, ...]]:
        if card.kind != WHEEL:
            raise InputError(
                f"{os.fspath(path)}: this policy is of kind {card.kind}; expected a wheel to begin with; take one."
            )
        return {"pairs": (len(card.portfolio.destroy), len(card.portfolio.repair))}

    tensors, card = load_checkpoint(path, shapes)
    try:
        require_match(card, features, portfolio)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None
    return tensors["pairs"]
