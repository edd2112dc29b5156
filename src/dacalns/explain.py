"""Why somebody is not served, and the smallest change with which he would be."""

import os

from dacalns.instances import Instance, preflight, read
from dacalns.search.kernels import Announcement, Loading, load_kernels
from dacalns.search.portfolio import as_portfolio
from dacalns.search.result import Result
from dacalns.search.run import Search
from dacalns.search.smallest_change import Answer
from dacalns.search.start import Start
from dacalns.search.stopping import MaxIterations, StoppingCriterion
from dacalns.search.why_not import WhyNot, why_not
from dacalns.selectors import as_selector
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

SHORT = 5000
"""The iterations of a short search."""


def explain_unserved(
    instance: Instance | str | os.PathLike[str],
    result: Result | None = None,
    *,
    most: int = 3,
    customers: int | None = None,
    iterations: int = SHORT,
) -> WhyNot:
    """Tell why customers are not served, and the smallest single changes of the problem with which they would be.

    Parameters
    ----------
    instance
        The problem, or a path or name that `dacalns.read` takes.
    result
        An answer of it. Left out: that of a short search, which is made even where the pre-flight proves that nobody
        can serve everybody.
    most
        The most changes for each customer, pair or group.
    customers
        The most customers, pairs and groups to explain; all if left out.
    iterations
        How long short searches are. They are made where putting a customer into a route of the answer does not tell
        whether a change is enough; 0 for none.

    Returns
    -------
    WhyNot
        A `Reason` for each, with its `Relaxation` objects, the smallest first.

    Raises
    ------
    InputError
        If something given cannot be used, or the result is of another problem.

    Examples
    --------
    >>> import dacalns
    >>> instance = dacalns.read("A-n32-k5", fleet=4)
    >>> print(dacalns.explain_unserved(instance).reasons[0].relaxations[1])
    1 vehicle more (5 instead of 4).
    """
    if not isinstance(instance, Instance):
        instance = read(instance)
    if result is not None and not isinstance(result, Result):
        raise InputError(f"result is {shown(result)}; expected a Result, as solve returns it; give that.")
    most = whole_number("most", most, minimum=1)
    iterations = whole_number("iterations", iterations, minimum=0)
    customers = None if customers is None else whole_number("customers", customers, minimum=1)
    proofs = [] if result is not None and result.feasible else preflight(instance)
    if result is None:
        result = _search(instance, None, MaxIterations(iterations))

    def searcher(relaxed: Instance, answer: Answer) -> Answer:
        found = _search(relaxed, Start(*answer), MaxIterations(iterations))
        return found.routes, found.vehicle_types

    return why_not(instance, result, proofs, searcher if iterations else None, most, customers)


def _search(instance: Instance, start: Start | None, stop: StoppingCriterion) -> Result:
    """Search, even where it is proven that nobody can serve everybody."""
    operators = as_portfolio("full").for_features(instance.features)
    chooser = as_selector(operators.selector)
    chooser = as_selector(chooser.prepare(instance, operators, stop))
    criterion = operators.acceptance
    with Announcement(None, instance), Loading():
        load_kernels(operators, chooser, criterion, instance)
    return Search(instance, operators, chooser, criterion, stop, 0, start, even_infeasible=True).run()
