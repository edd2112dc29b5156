"""Compile ahead of time what searches ordinarily need: for images, for wheels, for a machine without time to wait."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dacalns.core.distances import MATRIX, PLANE, RICH
from dacalns.core.jit import jit_enabled
from dacalns.instances import Instance, generate_cvrp
from dacalns.search.helpers import Progress, compile_missing, listening
from dacalns.search.kernels import Announcement, Loading, load_kernels
from dacalns.search.parallel import MOST_JOBS
from dacalns.search.parts import Part, parts_of
from dacalns.search.portfolio import PORTFOLIOS, Portfolio
from dacalns.search.selector import Selector
from dacalns.search.start import MOST_STORED, tiny_instance, tiny_rich_instance
from dacalns.selectors import as_selector
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import require_choice, whole_number

KINDS = ("plain", "rich", "large")
"""CVRP and VRPTW up to some thousand customers; all other problems; CVRP and VRPTW with more customers."""

ORDINARY = ("plain", "rich")
SELECTORS = ("dac-t", "roulette", "dac", "random")
PORTFOLIO_NAMES = ("full", "paper")
_FORMS = {"plain": MATRIX, "rich": RICH, "large": PLANE}


@dataclass(frozen=True)
class _Search:
    """One search whose code is wanted."""

    form: str
    portfolio: Portfolio
    selector: Selector


def warm_up(
    kinds: Iterable[str] = ORDINARY,
    selectors: Iterable[str] = SELECTORS,
    *,
    portfolios: Iterable[str] = PORTFOLIO_NAMES,
    fewest_vehicles: bool = True,
    jobs: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> int:
    """Compile what searches need, or find that it is there.

    Parameters
    ----------
    kinds
        The kinds of problems: ``"plain"`` for CVRP and VRPTW, ``"rich"`` for all others, ``"large"`` for CVRP and VRPTW
        with more than 4,000 customers.
    selectors
        Their names. What a portfolio uses by itself is always among them.
    portfolios
        Names of portfolios: ``"full"``, ``"paper"``.
    fewest_vehicles
        True to include the objective ``"vehicles-then-distance"``.
    jobs
        How many processes compile; if left out, one for each core, but four at most.
    on_progress
        Is called when compiling begins; the object that it gets stays up to date.

    Returns
    -------
    int
        How many parts were compiled; 0 if all of them were there.

    Raises
    ------
    InputError
        If there is no such kind, selector or portfolio.
    """
    if not jit_enabled():
        raise InputError("NUMBA_DISABLE_JIT is set; expected compiled code to warm up; unset the variable.")
    searches = _searches(list(kinds), list(selectors), list(portfolios))
    if jobs is not None:
        jobs = whole_number("jobs", jobs, minimum=1, maximum=MOST_JOBS)
    parts = _parts_of(searches, fewest_vehicles)
    missing = [part for part in parts if not part.is_kept()]
    with listening(on_progress), Announcement(_nothing), Loading():
        compile_missing(parts, _nothing, jobs)
        # What is small, and what could not be compiled aside, is compiled while it is loaded.
        for each in searches:
            load_kernels(
                each.portfolio, each.selector, each.portfolio.acceptance, _instance(each.form),
                fewest_vehicles=fewest_vehicles,
            )  # fmt: skip
    return len(missing)


def parts_of_kind(kind: str) -> list[Part]:
    """Return the parts of searches of a kind of problem with the default portfolio and selector."""
    return _parts_of(_searches([kind], [], ["full"]), fewest_vehicles=False)


def _parts_of(searches: "list[_Search]", fewest_vehicles: bool) -> list[Part]:
    """The parts of all searches, those that take longest first."""
    parts: dict[object, Part] = {}
    for each in searches:
        for part in parts_of(
            each.portfolio, each.selector, each.form, fewest_vehicles=fewest_vehicles, large=each.form == PLANE
        ):
            parts.setdefault(part.key, part)
    return sorted(parts.values(), key=lambda part: -part.seconds)


def _nothing() -> None:
    """Stay silent."""


def _searches(kinds: list[str], selectors: list[str], portfolios: list[str]) -> list[_Search]:
    found: dict[tuple[str, str, str], _Search] = {}
    for kind in kinds:
        form = _FORMS[require_choice("kind", kind, KINDS)]
        features = _instance(form).features
        for name in portfolios:
            portfolio = PORTFOLIOS[require_choice("portfolio", name, tuple(PORTFOLIOS))]
            both = [portfolio.for_features(features), portfolio.for_features(frozenset({"windows", *features}))]
            for chosen in (both[0].selector, *selectors):
                if not isinstance(chosen, str):
                    raise InputError(f"selector is {shown(chosen)}; expected a name such as 'roulette'; give that.")
                for fit in both:
                    selector = as_selector(chosen)
                    names = " ".join(operator.name for operator in (*fit.destroy, *fit.repair))
                    found.setdefault((form, names, chosen), _Search(form, fit, selector))
    return list(found.values())


def _instance(form: str) -> Instance:
    """What stands for the instances of a form."""
    if form == RICH:
        return tiny_rich_instance()
    return generate_cvrp(MOST_STORED + 1, seed=0) if form == PLANE else tiny_instance()
