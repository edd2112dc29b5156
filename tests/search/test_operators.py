"""What a user may and may not make an operator of."""

import pytest

from core.oracle import random_instance
from dacalns import MaxIterations, solve
from dacalns.core.routes import insert
from dacalns.search.checker import check
from dacalns.search.operators import DestroyOperator, RepairOperator, Scale, destroy_operator, repair_operator
from dacalns.search.portfolio import Portfolio, random_removal, random_repair, regret_repair
from dacalns.util.errors import InputError


def nothing(problem, solution, rng):  # type: ignore[no-untyped-def]
    pass


def nothing_removed(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    pass


def sentence(caught: pytest.ExceptionInfo[InputError]) -> str:
    """The message, which has to be a single line that ends as a sentence does."""
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    return text


@pytest.mark.parametrize(
    "scale",
    [
        {},
        {"count": (5, 20), "fraction": (0.1, 0.2)},
        {"count": (20, 5)},
        {"count": (0, 5)},
        {"count": (-1, 5)},
        {"fraction": (0.1, 1.5)},
        {"fraction": (0.0, 0.5)},
        {"count": 5},
        {"count": (1, 2, 3)},
        {"count": ("few", "many")},
        {"count": (float("nan"), 5)},
        {"count": (1, float("inf"))},
    ],
    ids=str,
)
def test_bad_scales(scale: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        destroy_operator(**scale)  # type: ignore[arg-type]
    assert "expected" in sentence(caught)


@pytest.mark.parametrize(
    ("scale", "customers"),
    [
        (Scale(5, 20), (5, 20)),
        (Scale(5, 200), (5, 50)),
        (Scale(0.1, 0.4, fraction=True), (5, 20)),
        (Scale(0.001, 1, fraction=True), (1, 50)),
    ],
)
def test_scale_in_customers(scale: Scale, customers: tuple[int, int]) -> None:
    assert scale.customers(50) == customers


def test_the_same_operator_at_another_scale() -> None:
    assert random_removal.at(fraction=(0.05, 0.125)).name == "random_removal@5%-12.5%"
    other = random_removal.at(count=(2, 3))
    assert (other.name, other.scale.customers(50)) == ("random_removal@2-3", (2, 3))


def test_decorators_keep_name_function_and_features() -> None:
    made = repair_operator(features=())(nothing)
    assert isinstance(made, RepairOperator)
    assert (made.name, made.function, made.features) == ("nothing", nothing, frozenset())
    assert repair_operator(needs="windows")(nothing).needs == {"windows"}
    assert destroy_operator(count=(1, 2), needs=["windows"])(nothing_removed).needs == {"windows"}


def test_an_operator_supports_what_it_needs() -> None:
    with pytest.raises(InputError, match="needs windows, which is not among the features that it supports") as caught:
        repair_operator(features=(), needs="windows")(nothing)
    sentence(caught)


def test_an_operator_fits_features_that_it_lists() -> None:
    plain, timed = repair_operator(features=())(nothing), repair_operator(needs="windows")(nothing)
    assert plain.fits(frozenset())
    assert not plain.fits({"windows"})
    assert timed.fits({"windows"})
    assert not timed.fits(frozenset())
    # Operators of users support what they name; those of ours ask the terms, which hold for all problems.
    assert not any(operator.fits({"windows", "pairs"}) for operator in (plain, timed, random_repair))
    assert random_removal.fits({"windows", "pairs"})
    assert repair_operator(name="other")(nothing).name == "other"


def test_wrong_number_of_parameters() -> None:
    with pytest.raises(InputError, match=r"destroy operator 'nothing' takes \(problem, solution, rng\)") as caught:
        destroy_operator(count=(1, 2))(nothing)
    sentence(caught)
    with pytest.raises(InputError, match=r"expected \(problem, solution, rng\)"):
        repair_operator()(lambda _problem: None)
    with pytest.raises(InputError, match="3 is no function"):
        repair_operator()(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("features", ["tsp", ["windows", "tsp"], 3])
def test_unknown_features(features: object) -> None:
    with pytest.raises(InputError, match=r"features is .*; expected some of windows"):
        repair_operator(features=features)(nothing)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"needs is .*; expected some of windows"):
        repair_operator(needs=features)(nothing)  # type: ignore[arg-type]


def unknown_field(problem, solution, rng):  # type: ignore[no-untyped-def]
    solution.colour[0] = 1


def unknown_name(problem, solution, rng):  # type: ignore[no-untyped-def]
    paint(solution)  # type: ignore[name-defined]  # noqa: F821


def returns_something(problem, solution, rng):  # type: ignore[no-untyped-def]
    return 3


def changes_the_problem(problem, solution, rng):  # type: ignore[no-untyped-def]
    problem.demand[1] = 0.0


def opens_a_file(problem, solution, rng):  # type: ignore[no-untyped-def]
    with open("log") as stream:
        stream.read()


def imports(problem, solution, rng):  # type: ignore[no-untyped-def]
    import math

    solution.load[0] = math.pi


def is_a_generator(problem, solution, rng):  # type: ignore[no-untyped-def]
    yield 1


@pytest.mark.slow_without_jit
@pytest.mark.parametrize(
    "function",
    [unknown_field, unknown_name, returns_something, changes_the_problem, opens_a_file, imports, is_a_generator],
)
def test_what_does_not_compile_is_an_input_error(function: object) -> None:
    portfolio = Portfolio([random_removal], [repair_operator()(function)])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"repair operator '{function.__name__}' does not compile") as caught:  # type: ignore[attr-defined]
        solve(random_instance(1, 4), portfolio=portfolio, stop=MaxIterations(1))
    assert __file__ in sentence(caught)


@destroy_operator(count=(1, 3))
def first_in_line(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    """Takes nobody."""


@repair_operator()
def refused(problem, solution, rng):  # type: ignore[no-untyped-def]
    """Asks for what cannot be: every customer, banked or not, in every route."""
    for customer in range(1, len(problem.demand)):
        for route in range(-1, problem.fleet + 3):
            for after in range(len(problem.demand)):
                insert(problem, solution, customer, route, after)


def test_an_operator_cannot_make_a_solution_infeasible() -> None:
    instance = random_instance(4, 7, timed=True, tight=True)
    portfolio = Portfolio([random_removal, first_in_line], [refused, regret_repair])
    result = solve(instance, portfolio=portfolio, stop=MaxIterations(12), selector="random")
    kinds = {violation.kind for violation in check(instance, result.routes).violations}
    assert kinds <= {"missing"}
    assert isinstance(first_in_line, DestroyOperator)


def test_decorators_without_parentheses() -> None:
    @repair_operator
    def mine(problem, solution, rng):
        pass

    assert mine.name == "mine"
    with pytest.raises(InputError, match=r"has no scale; .*count=\(5, 20\)"):
        destroy_operator(mine.function)
