"""Forward against formulas, gradients against finite differences and an autodiff library, Adam against its paper."""

from typing import Any

import autograd
import numpy as np
import pytest
from autograd import numpy as anp

from core import network_oracle, oracle
from core.rich_states import rich_instance, states_of
from dacalns.core import brain, graph, learning, network
from dacalns.core import policy_table as layout
from dacalns.core.model import Solution
from dacalns.core.rich_view import Search
from dacalns.core.rng import seeded
from dacalns.core.selection import HEADER, SIZE, Memory
from dacalns.instances import Instance
from dacalns.search.start import positions_of, problem_of

HIDDEN, CONTEXT, OUTPUTS, HEADS, NEIGHBOURS = 8, 5, 4, 3, 3
STATE = brain.STATE.destroyed


class Case:
    """A small instance, a partly filled solution and a random network, in double precision."""

    def __init__(self, seed: int, customers: int, timed: bool, share: float, matrix: bool = False) -> None:
        instance = oracle.random_instance(seed, customers, timed=timed, matrix=matrix)
        self.problem = problem_of(instance)
        self._set_up(instance, oracle.filled(self.problem, seed, share), seed)

    @classmethod
    def of(cls, arguments: tuple[Any, ...]) -> "Case":
        """The plain case with these arguments, or the rich one with a seed."""
        if arguments[0] != "rich":
            return cls(*arguments)
        case = cls.__new__(cls)
        instance = rich_instance(arguments[1])
        case.problem = problem_of(instance)
        case._set_up(instance, states_of(instance)[1], arguments[1])
        return case

    def _set_up(self, instance: Instance, solution: Solution, seed: int) -> None:
        self.solution = solution
        static = graph.build_graph(self.problem, positions_of(instance), NEIGHBOURS)
        # Everything in double precision, the static graph included, or finite differences would drown.
        numbers, index = brain.new_network(static, HIDDEN, CONTEXT, HEADS, OUTPUTS)
        table = np.zeros(layout.table_shape(2, OUTPUTS))
        table[HEADER, [SIZE.destroys, SIZE.repairs]] = 2, OUTPUTS
        table[HEADER, [layout.SETTING.unit, layout.SETTING.entropy, layout.SETTING.value_weight]] = (
            static.unit,
            0.3,
            0.7,
        )
        self.memory: Memory = brain.network_memory(table, numbers.astype(np.float64), index)
        self.weights = brain.weights_in(self.memory, brain.REGION.parameters)
        brain.initialise(self.weights, seeded(seed))
        # Near-zero outputs and biases would hide mistakes.
        rng = np.random.default_rng(seed)
        self.weights.flat[:] += 0.2 * rng.standard_normal(len(self.weights.flat))
        self.state = brain.state_in(self.memory, STATE)
        self.outputs = brain.outputs_in(self.memory, STATE)
        brain.read_state(self.memory, self.problem, self.solution, static.unit, STATE)
        self.context = len(self.state.vector) - 2 * HIDDEN
        self.state.vector[2 * HIDDEN :] = rng.standard_normal(self.context)

    def forward(self) -> None:
        network.forward_encoder(self.memory, STATE)
        for head in range(HEADS):
            network.forward_head(self.memory, STATE, head)

    def expected_outputs(self, flat: Any) -> Any:
        parts = network_oracle.split(flat, self.state.features.shape[1], HIDDEN, self.context, HEADS, OUTPUTS)
        matrix = network_oracle.adjacency(self.problem, oracle.routes_in(self.solution), NEIGHBOURS)
        pooled = network_oracle.encode(parts, matrix, np.array(self.state.features))
        vector = anp.concatenate([pooled, np.array(self.state.vector[2 * HIDDEN :])])
        return [network_oracle.output(parts, vector, head) for head in range(HEADS)]


CASES: list[tuple[Any, ...]] = [
    (seed, customers, timed, share, matrix)
    for seed, customers, timed, share, matrix in (
        (1, 9, False, 0.0, False), (2, 12, False, 0.4, False), (3, 7, True, 0.0, False), (4, 13, True, 0.5, False),
        (5, 2, False, 0.0, False), (6, 10, False, 0.3, True),
    )
]  # fmt: skip
CASES += [("rich", 1), ("rich", 2)]


def test_a_rich_problem_has_a_shape_of_its_own() -> None:
    case = Case.of(CASES[-1])
    assert case.state.features.shape[1] == len(graph.RICH_FEATURES)
    assert case.context == CONTEXT + len(Search._fields)
    assert int(case.state.features.any(axis=0).sum()) > 20, "its columns take part"


@pytest.mark.parametrize("arguments", CASES, ids=str)
def test_forward_equals_the_formulas(arguments: tuple[Any, ...]) -> None:
    case = Case.of(arguments)
    case.forward()
    expected = np.array(case.expected_outputs(np.array(case.weights.flat)))
    # The static edges' weights are kept in single precision.
    np.testing.assert_allclose(np.array(case.outputs), expected, rtol=2e-5, atol=2e-5)


def slopes(case: Case, actor: int, chosen: int, error: float, begin: int = 0) -> np.ndarray:
    """Our gradient of one decision."""
    case.forward()
    gradient = brain.weights_in(case.memory, brain.REGION.gradient)
    gradient.flat[:] = 0
    network.transpose(case.weights.w2, brain.workspace_in(case.memory).transposed)
    learning.learn_state(case.memory, STATE, actor, begin, OUTPUTS - 1, chosen, error, True)
    return np.array(gradient.flat)


@pytest.mark.parametrize("arguments", CASES, ids=str)
@pytest.mark.parametrize(("actor", "begin", "chosen", "error"), [(1, 0, 0, 1.7), (2, 0, 2, -0.6), (2, 1, 2, 0.8)])
def test_gradient_equals_automatic_differentiation(
    arguments: tuple[Any, ...], actor: int, begin: int, chosen: int, error: float
) -> None:
    case = Case.of(arguments)
    ours = slopes(case, actor, chosen, error, begin)
    values = case.expected_outputs(np.array(case.weights.flat))
    target = float(values[brain.HEAD.critic][0]) + error

    def loss(flat: Any) -> Any:
        outputs = case.expected_outputs(flat)
        logs = network_oracle.log_softmax(outputs[actor][begin : begin + OUTPUTS - 1])
        entropy = -anp.sum(anp.exp(logs) * logs)
        return -error * logs[chosen] - 0.3 * entropy + 0.7 * (target - outputs[brain.HEAD.critic][0]) ** 2

    expected = autograd.grad(loss)(np.array(case.weights.flat))
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=2e-5 * np.abs(expected).max())


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("arguments", CASES, ids=str)
def test_gradient_equals_finite_differences(arguments: tuple[Any, ...]) -> None:
    case = Case.of(arguments)
    actor, chosen, error = 2, 1, 0.9
    ours = slopes(case, actor, chosen, error)
    case.forward()
    target = float(case.outputs[brain.HEAD.critic, 0]) + error

    def loss() -> float:
        case.forward()
        logs = network_oracle.log_softmax(np.array(case.outputs[actor, : OUTPUTS - 1]))
        entropy = -float(np.sum(np.exp(logs) * logs))
        value = float(case.outputs[brain.HEAD.critic, 0])
        return float(-error * logs[chosen] - 0.3 * entropy + 0.7 * (target - value) ** 2)

    flat, step = case.weights.flat, 1e-6
    wrong = 0
    for k in range(len(flat)):
        kept = flat[k]
        flat[k] = kept + step
        above = loss()
        flat[k] = kept - step
        below = loss()
        flat[k] = kept
        wrong += abs((above - below) / (2 * step) - ours[k]) > 1e-6 * (1 + abs(ours[k]))
    assert wrong <= len(flat) // 500, "but for the rare kink of a ReLU or a maximum, all agree"


@pytest.mark.parametrize(
    "shape",
    [(1, 4, 8), (4, 4, 8), (7, 10, 16), (9, 3, 8), (3, 1, 24), (10, 6, 64), (2, 3, 64), (5, 3, 72), (1, 2, 128)],
)
def test_products_of_any_shape(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    x, w, bias = rng.standard_normal((rows, inner)), rng.standard_normal((inner, columns)), rng.standard_normal(columns)
    y = np.zeros((rows, columns))
    network.multiply(x, w, bias, y, 0.0)
    np.testing.assert_allclose(y, np.maximum(x @ w + bias, 0), atol=1e-12)
    total = np.ones((inner, columns))
    network.add_outer(x, y, total)
    np.testing.assert_allclose(total, 1 + x.T @ y, atol=1e-12)


def test_adam_takes_the_published_steps() -> None:
    rng = np.random.default_rng(0)
    parameters, mean, square = rng.standard_normal(5), np.zeros(5), np.zeros(5)
    expected, m, v = parameters.copy(), np.zeros(5), np.zeros(5)
    for step in range(1, 8):
        gradient = rng.standard_normal(5)
        network.adam(parameters, gradient, mean, square, step, 0.01, 0.5)
        m = 0.9 * m + 0.1 * 0.5 * gradient
        v = 0.999 * v + 0.001 * (0.5 * gradient) ** 2
        expected -= 0.01 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    np.testing.assert_allclose(parameters, expected, rtol=1e-9)


def test_adam_leaves_no_denormal_numbers() -> None:
    parameters, mean, square = (np.full(3, value, dtype=np.float32) for value in (1.0, 1e-3, 1e-6))
    for step in range(1, 3000):
        network.adam(parameters, np.zeros(3, dtype=np.float32), mean, square, step, 1e-3, 1.0)
    assert mean.tolist() == [0, 0, 0]
    assert all(value == 0 or value >= np.finfo(np.float32).tiny for value in square.tolist())
