"""What tables of pairs are worth, by regression: a surface through the outcomes of all searches so far.

The outcome of a search is mostly chance, and steps that follow a few dozen of them wander. Thousands of searches with
tables that differ widely say together what each pair adds to the cost, and how that grows or fades with its share; the
table to take is then where the fitted surface is low, and where there were searches enough to say so.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dacalns.selectors.actor_critic import LearningState

Array = npt.NDArray[np.float64]

SIBLINGS = 8
"""Searches on one instance, each with a table of its own: only their differences count."""

# The table is the mean of the best of so many random ones: the middle of the region that is as good as any.
CANDIDATES, KEPT = 20_000, 100


@dataclass(frozen=True)
class Surface:
    """Sums over all searches: all that a quadratic fit needs of them.

    Parameters
    ----------
    products
        (terms, terms) of the terms of a table with one another, as differences from the siblings' mean.
    with_costs
        (terms,) of the terms with the cost in percent, likewise.
    squares
        Of the costs, likewise.
    terms
        (terms,) the sum of the terms.
    searches
        How many there were.
    """

    products: Array
    with_costs: Array
    squares: float
    terms: Array
    searches: float

    @classmethod
    def of(cls, state: LearningState, pairs: int) -> "Surface":
        """As it stands in the state of a training."""
        if state.step == 0:
            zeros = np.zeros(2 * pairs)
            return cls(np.zeros((2 * pairs, 2 * pairs)), zeros, 0.0, zeros, 0.0)
        with_costs, terms = state.mean.astype(np.float64).reshape(2, -1)
        products = state.square.astype(np.float64).reshape(2 * pairs, 2 * pairs)
        return cls(products, with_costs, state.spread, terms, state.step)

    def state(self, parameters: npt.NDArray[np.float32]) -> LearningState:
        """As a state with these parameters."""
        means = np.concatenate([self.with_costs, self.terms]).astype(np.float32)
        return LearningState(parameters, means, self.products.ravel().astype(np.float32), self.searches, self.squares)

    def with_searches(self, tables: Array, costs: Array, margin: float) -> "Surface":
        """With more searches, :data:`SIBLINGS` in a row on each instance.

        A cost further than ``margin`` from its siblings' median, as a part of it, counts as that far: a customer who is
        left out would outweigh a thousand searches.
        """
        groups = costs.reshape(-1, SIBLINGS)
        middle = np.median(groups, axis=1, keepdims=True)
        percent = 100 * np.clip(groups / np.maximum(middle, 1e-9) - 1, -margin, margin)
        apart = (percent - percent.mean(axis=1, keepdims=True)).ravel()
        terms = terms_of(tables)
        families = terms.reshape(-1, SIBLINGS, terms.shape[1])
        differences = (families - families.mean(axis=1, keepdims=True)).reshape(terms.shape)
        return Surface(
            self.products + differences.T @ differences,
            self.with_costs + differences.T @ apart,
            self.squares + float(apart @ apart),
            self.terms + terms.sum(axis=0),
            self.searches + len(costs),
        )

    def best_table(self, around: Array, deviation: float) -> Array:
        """The table where the surface is low, by what is certain of it, among random ones ``around`` one.

        How low is judged by the estimate and one standard error above it, as a difference from the mean search: where
        there were few searches, it would have to be much lower.
        """
        pairs = len(around)
        generator = np.random.Generator(np.random.Philox(pairs))
        # Half of them near the given table, half near none in particular.
        centres = np.log(np.vstack([np.maximum(around, 1e-3), np.full(pairs, 1 / pairs)]))
        logits = np.repeat(centres, CANDIDATES // 2, axis=0) + deviation * generator.normal(size=(CANDIDATES, pairs))
        tables = np.exp(logits)
        tables /= tables.sum(axis=1, keepdims=True)
        inverse = np.linalg.pinv(self.products, rcond=1e-9, hermitian=True)
        effects = inverse @ self.with_costs
        freedom = max(1.0, self.searches * (1 - 1 / SIBLINGS) - len(effects))
        variance = max(0.0, self.squares - float(effects @ self.with_costs)) / freedom
        differences = terms_of(tables) - self.terms / self.searches
        errors = np.sqrt(variance * np.maximum(0.0, np.einsum("ij,jk,ik->i", differences, inverse, differences)))
        best = np.argsort(differences @ effects + errors, kind="stable")[:KEPT]
        return np.asarray(tables[best].mean(axis=0))


def terms_of(tables: Array) -> Array:
    """The share of each pair, and its square."""
    return np.hstack([tables, tables**2])
