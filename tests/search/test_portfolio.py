"""Portfolios by name, from files, and what is wrong with some."""

from pathlib import Path

import pytest

from core.oracle import random_instance
from dacalns import MaxIterations, insert, remove, solve
from dacalns.search.checker import check
from dacalns.search.operators import destroy_operator, repair_operator
from dacalns.search.portfolio import (
    DESTROY_OPERATORS,
    PORTFOLIOS,
    REPAIR_OPERATORS,
    Portfolio,
    as_portfolio,
    greedy_repair,
    paper_readings,
    random_removal,
    regret_repair,
)
from dacalns.util.errors import InputError

SOURCE = '''
import dacalns
import numpy as np

@dacalns.destroy_operator(fraction=(0.1, 0.5))
def one_route(problem, solution, count, rng):
    """Empty the route of a random customer, but no more than so many."""
    customer = 1 + dacalns.random_int(rng, len(problem.demand) - 1)
    route = solution.route[customer]
    if route >= 0:
        node = solution.first[route]
        while node and count:
            following = solution.succ[node]
            dacalns.remove(problem, solution, node)
            node = following
            count -= 1

@dacalns.repair_operator()
def in_order(problem, solution, rng):
    """Serve the bank from its end, each customer in its cheapest route."""
    k = solution.counts[1] - 1
    while k >= 0:
        customer = solution.bank[k]
        best, chosen, where = np.inf, 0, 0
        for route in range(min(solution.counts[0] + 1, problem.fleet)):
            delta, place = dacalns.cheapest_position(problem, solution, customer, route)
            if delta < best:
                best, chosen, where = delta, route, place
        if best < np.inf:
            dacalns.insert(problem, solution, customer, chosen, where)
        k -= 1

MINE = dacalns.Portfolio([one_route, dacalns.worst_removal], [in_order], name="mine")
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("suffix", ["", ":MINE"])
def test_a_file_of_operators_end_to_end(source: Path, timed: bool, suffix: str) -> None:
    instance = random_instance(6, 10, timed=timed, rounding="round")
    start = [[customer] for customer in range(1, 11)]
    result = solve(instance, portfolio=f"{source}{suffix}", stop=MaxIterations(40), seed=1, start=start)
    verdict = check(instance, result.routes)
    assert verdict.feasible
    assert verdict.cost == result.cost < result.start_cost
    assert result.portfolio == "mine"
    assert result.operators.destroy == ["one_route", "worst_removal"]
    assert min(result.operators.destroy_uses) > 0
    assert result.operators.mean_removed[0] > 0


@pytest.mark.parametrize("timed", [False, True])
def test_inline_operators_end_to_end(timed: bool) -> None:
    @destroy_operator(count=(2, 4), name="every other")
    def every_other(problem, solution, count, rng):  # type: ignore[no-untyped-def]
        for customer in range(1, len(problem.demand)):
            if customer % 2 and count:
                remove(problem, solution, customer)
                count -= 1

    @repair_operator()
    def alone(problem, solution, rng):  # type: ignore[no-untyped-def]
        while solution.counts[1]:
            if not insert(problem, solution, solution.bank[0], solution.counts[0], 0):
                break

    instance = random_instance(6, 10, timed=timed)
    portfolio = Portfolio([every_other, random_removal], [alone, greedy_repair])
    result = solve(instance, portfolio=portfolio, stop=MaxIterations(40), seed=1)
    assert check(instance, result.routes).feasible
    assert result.operators.destroy == ["every other", "random_removal"]
    assert 2 <= result.operators.mean_removed[0] <= 4
    assert result.cost <= result.start_cost


def test_by_name() -> None:
    assert as_portfolio("paper") is PORTFOLIOS["paper"]
    with pytest.raises(InputError, match=r"portfolio is 'papre'; .*paper"):
        as_portfolio("papre")


@pytest.mark.parametrize("timed", [False, True])
def test_every_registered_operator_runs(timed: bool) -> None:
    instance = random_instance(3, 12, timed=timed)
    everything = Portfolio(tuple(DESTROY_OPERATORS), tuple(REPAIR_OPERATORS))
    result = solve(instance, portfolio=everything, selector="random", stop=MaxIterations(300), seed=1)
    assert check(instance, result.routes).feasible
    assert len(result.operators.destroy) == len(DESTROY_OPERATORS) - (0 if timed else 2) - 3  # those of rich problems
    assert len(result.operators.repair) == len(REPAIR_OPERATORS) - (0 if timed else 3)


def test_a_folder_whose_name_looks_like_a_file(tmp_path: Path) -> None:
    folder = tmp_path / ".pyenv"
    folder.mkdir()
    (folder / "mine.py").write_text(SOURCE)
    assert as_portfolio(f"{folder / 'mine.py'}").name == "mine"
    assert as_portfolio(f"{folder / 'mine.py'}:MINE").name == "mine"


@pytest.mark.parametrize(
    ("text", "suffix", "message"),
    [
        ("", "", "defines 0 portfolios; expected exactly one"),
        (
            "from dacalns import PORTFOLIOS\none = PORTFOLIOS['paper']",
            ":two",
            "no Portfolio 'two'; expected one of: one",
        ),
        ("1 / 0", "", "raised ZeroDivisionError: division by zero"),
        ("def broken(:", "", "raised SyntaxError"),
        ("import absent_module", "", "raised ModuleNotFoundError"),
        ("raise ValueError('one line\\nand another')", "", "raised ValueError"),
    ],
)
def test_files_that_are_no_portfolio(tmp_path: Path, text: str, suffix: str, message: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        as_portfolio(f"{path}{suffix}")
    assert "\n" not in str(caught.value)


def test_a_file_that_does_not_exist() -> None:
    with pytest.raises(InputError, match="does not exist"):
        as_portfolio("absent.py")


def test_errors_of_operators_in_a_file_come_through(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("import dacalns\n@dacalns.repair_operator()\ndef short(problem): pass\n")
    with pytest.raises(InputError, match=r"repair operator 'short' takes \(problem\)"):
        as_portfolio(str(path))


def test_names_must_differ() -> None:
    with pytest.raises(InputError, match="2 destroy operators named 'random_removal'") as caught:
        Portfolio([random_removal, random_removal], [regret_repair])
    assert "\n" not in str(caught.value)


def test_both_kinds_are_needed_and_in_their_places() -> None:
    with pytest.raises(InputError, match="has 0 repair operators"):
        Portfolio([random_removal], [])
    with pytest.raises(InputError, match="among its repair operators; expected one made with @repair_operator"):
        Portfolio([random_removal], [random_removal])  # type: ignore[list-item]


def test_a_construction_that_there_is_not() -> None:
    with pytest.raises(InputError, match="construction is 'sweep'; expected one of regret, savings"):
        Portfolio([random_removal], [regret_repair], construction="sweep")


def test_operators_for_the_other_problem_are_left_out() -> None:
    def idle(problem, solution, rng):  # type: ignore[no-untyped-def]
        pass

    portfolio = Portfolio([random_removal], [repair_operator(needs=["windows"])(idle), regret_repair])
    assert [operator.name for operator in portfolio.for_features(frozenset()).repair] == ["regret_repair"]
    assert len(portfolio.for_features({"windows"}).repair) == 2
    only = Portfolio([random_removal], [repair_operator(needs=["windows"])(idle)])
    with pytest.raises(InputError, match="has no repair operator for cvrp"):
        only.for_features(frozenset())


# --- readings of the paper ---------------------------------------------------------------------------------------


def test_readings_of_the_paper() -> None:
    def scales(name: str) -> list[tuple[str, tuple[int, int]]]:
        return [(operator.name, operator.scale.customers(100)) for operator in as_portfolio(name).destroy]

    assert scales("paper") == [("random_removal", (10, 40)), ("worst_removal", (5, 20))]
    assert scales("paper:ratio") == [("random_removal", (10, 40)), ("worst_removal@10%-40%", (10, 40))]
    assert [ends for _, ends in scales("paper:scales")] == [(10, 20), (20, 30), (30, 40), (5, 10), (11, 15), (16, 20)]
    assert [ends for _, ends in scales("paper:ratio,scales")] == 2 * [(10, 20), (20, 30), (30, 40)]
    assert [operator.name for operator in as_portfolio("paper:anywhere").repair] == [
        "random_place_repair", "greedy_repair", "regret_repair",
    ]  # fmt: skip


def test_the_order_of_readings_makes_no_difference() -> None:
    assert as_portfolio("paper:scales,ratio") == as_portfolio("paper:ratio,scales")
    assert as_portfolio("paper:scales,ratio").name == "paper:ratio,scales"
    assert len({portfolio.name for portfolio in paper_readings()}) == 7


@pytest.mark.parametrize("name", ["paper:", "paper:scale", "paper:ratio,", "full:ratio", "papers"])
def test_readings_that_do_not_exist(name: str) -> None:
    with pytest.raises(InputError, match=r"(reading of portfolio paper|portfolio) is ") as caught:
        as_portfolio(name)
    assert "\n" not in str(caught.value)


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("selector", ["roulette", "dac", "ac"])
@pytest.mark.parametrize("timed", [False, True])
def test_scales_are_chosen_by_every_selector(selector: str, timed: bool) -> None:
    instance = random_instance(3, 25, timed=timed)
    result = solve(instance, portfolio="paper:ratio,anywhere,scales", selector=selector, stop=MaxIterations(300))
    assert check(instance, result.routes).cost == pytest.approx(result.cost)
    assert len(result.operators.destroy) == 6
    assert min(map(sum, result.operators.uses)) > 0
    assert result.portfolio == "paper:ratio,anywhere,scales"


def test_the_papers_budget_is_that_of_all_its_readings() -> None:
    assert solve("P-n16-k8", portfolio="paper:ratio").iterations == 2000
