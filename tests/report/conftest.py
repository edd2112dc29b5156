import dataclasses

import pytest

import dacalns
from dacalns.search.result import NewBest

ITERATIONS = dacalns.MaxIterations(300)


@pytest.fixture(scope="session")
def instance():
    return dacalns.read("A-n32-k5")


@pytest.fixture(scope="session")
def result(instance):
    return dacalns.solve(instance, portfolio="paper", stop=ITERATIONS, seed=1)


@pytest.fixture(scope="session")
def infeasible(instance, result):
    """The result as if its last route could not be served."""
    *routes, left_out = result.routes
    history = [dataclasses.replace(event, unserved=len(left_out)) for event in result.history]
    return dataclasses.replace(
        result, routes=routes, unserved=sorted(left_out), feasible=False, gap_percent=None, history=history
    )


@pytest.fixture(scope="session")
def without_coordinates():
    """A problem with a matrix only, and a result of it."""
    original = dacalns.read("P-n16-k8")
    explicit = dacalns.Instance(
        name="matrix", matrix=original.distances, demands=original.demands, capacity=original.capacity
    )
    return explicit, dacalns.solve(explicit, portfolio="paper", stop=ITERATIONS)


def with_operators(result, rows, columns):
    """The result as if so many operators had been used."""
    table = [[row * columns + column for column in range(columns)] for row in range(rows)]
    use = dataclasses.replace(
        result.operators,
        destroy=[f"destroy_{row}" for row in range(rows)],
        repair=[f"repair_{column}" for column in range(columns)],
        uses=table,
        accepted=[[uses // 2 for uses in row] for row in table],
        new_best=[[uses // 3 for uses in row] for row in table],
    )
    return dataclasses.replace(result, operators=use)


def with_history(result, *events):
    """The result as if its new bests were ``events``: (seconds, cost, unserved)."""
    history = [NewBest(k, seconds, cost, unserved) for k, (seconds, cost, unserved) in enumerate(events)]
    return dataclasses.replace(result, history=history, cost=history[-1].cost)
