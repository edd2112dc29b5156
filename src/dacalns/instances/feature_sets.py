"""Problems that a policy is trained for: CVRP, VRPTW, sets of features, or all that can be asked.

A name such as ``"pairs+windows,prizes"`` stands for sets of features with commas between. Each is the set of some
instances; a policy may serve every rich problem that asks for nothing beyond all of them together.
"""

from collections.abc import Iterable, Set
from functools import cache

from dacalns.instances.features import (
    BACKHAULS_LAST,
    FEATURES,
    PAIRS,
    PLAIN,
    PROBLEMS,
    SEVERAL_WINDOWS,
    WINDOWS,
)
from dacalns.instances.generate_rich import DRAWN, least_customers, require_features
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import did_you_mean

RICH = "rich"
"""The name for all features that the generator knows, some of them together in each instance."""

MOST_TOGETHER = 4
"""The most features, without windows and what they imply, of an instance that is drawn for that name."""

APART = ((PAIRS, BACKHAULS_LAST), (PAIRS, SEVERAL_WINDOWS))
"""Features that no instance has together which is drawn: no search takes several windows of a pair."""


@cache
def feature_sets(problem: str) -> tuple[frozenset[str], ...]:
    """Return the sets of features that the name of a problem stands for, with what they imply.

    ``"rich"`` stands for every feature on its own; instances that are drawn for it have some of them together.

    Raises
    ------
    InputError
        If there is no such problem.

    Examples
    --------
    >>> [sorted(each) for each in feature_sets("pairs+windows,depots")]
    [['pairs', 'windows'], ['depots', 'vehicle-types']]
    """
    if problem in PROBLEMS:
        return (PROBLEMS[problem],)
    if problem == RICH:
        return tuple(require_features({feature}) for feature in sorted(DRAWN - PLAIN))
    sets: list[frozenset[str]] = []
    for part in problem.split(","):
        words = [word.strip() for word in part.split("+")]
        unknown = next((word for word in words if word not in FEATURES), None)
        if unknown is not None:
            choices = (*PROBLEMS, RICH)
            hint = did_you_mean(unknown, (*choices, *FEATURES)) or "choose one of these."
            if unknown in choices:
                hint = f"train another policy for {unknown}."
            named = "" if unknown == problem else f", which names {shown(unknown, 30)}"
            raise InputError(
                f"problem is {shown(problem)}{named}; expected one of {', '.join(choices)} alone, or features such as "
                f"pairs+windows, with commas between sets; {hint}"
            )
        features = require_features(words)
        if features <= PLAIN:
            raise InputError(
                f"problem is {shown(problem)}, which names windows alone; expected features beyond CVRP and VRPTW in "
                "every set; give vrptw."
            )
        sets.append(features)
    return tuple(dict.fromkeys(sets))


def require_problem(problem: object) -> str:
    """Return the name of a problem in its usual form: a set names all of its features, those that others imply, too.

    Raises
    ------
    InputError
        If there is no such problem.

    Examples
    --------
    >>> require_problem("windows+pairs, depots")
    'depots+vehicle-types,pairs+windows'
    """
    if not isinstance(problem, str):
        raise InputError(
            f"problem is {shown(problem)}; expected one of {', '.join((*PROBLEMS, RICH))}, or features such as "
            "pairs+windows, as text; correct it."
        )
    sets = feature_sets(problem)
    return problem if problem in (*PROBLEMS, RICH) else problem_of(sets)


def problem_of(sets: Iterable[Set[str]]) -> str:
    """Return the name of a problem from the sets of features of rich instances."""
    return ",".join(sorted({"+".join(sorted(each)) for each in sets}))


def spelled_out(problem: object) -> str:
    """Return the name of a problem as a card has it: with every feature by its name, whatever ``"rich"`` means later.

    Raises
    ------
    InputError
        If there is no such problem.
    """
    name = require_problem(problem)
    return problem_of(feature_sets(name)) if is_rich(name) else name


def is_rich(problem: str) -> bool:
    """Return True if a problem is beyond CVRP and VRPTW."""
    return problem not in PROBLEMS


def features_of(problem: str) -> frozenset[str]:
    """Return the features of all sets of a problem together: a policy that was trained for it may meet any of them."""
    return frozenset().union(*feature_sets(problem))


def drawn_features(stream: Stream, problem: str) -> frozenset[str]:
    """Draw the features of an instance of a rich problem."""
    sets = feature_sets(problem)
    if problem != RICH:
        return sets[stream.integer(0, len(sets) - 1)]
    chosen = frozenset().union(*stream.choose(sets, stream.integer(1, MOST_TOGETHER)))
    if stream.uniform() < 0.5:
        chosen |= {WINDOWS}
    for one, other in APART:
        if one in chosen:
            chosen -= {other}
    return chosen


def require_drawable(problem: str, fewest: int) -> None:
    """Raise an `InputError` if instances of a rich problem cannot be drawn with as few as ``fewest`` customers."""
    sets = feature_sets(problem)
    if unknown := features_of(problem) - DRAWN:
        raise InputError(
            f"problem is {shown(problem)}, which names {min(unknown)}; expected features that instances are generated "
            "with; leave it out, or give files."
        )
    for features in sets:
        for one, other in APART:
            if {one, other} <= features:
                raise InputError(
                    f"problem is {shown(problem)}, which names {one} and {other} together; expected sets without one "
                    "of the two, as no such instances are generated; leave one out."
                )
    if problem == RICH:
        sets = tuple(DRAWN - {each} for each in (PAIRS, BACKHAULS_LAST))
    least = max(map(least_customers, sets))
    if fewest < least:
        raise InputError(
            f"instances have {fewest} customers or more; expected at least {least} for "
            f"{shortened(problem, VALUE)}; ask for more."
        )
