"""Operators as the user sees them: a name, a function, and what they declare of themselves.

A compiled destroy operator is a function ``(problem, solution, count, rng)`` that removes about ``count`` customers; a
repair operator is ``(problem, solution, rng)`` and serves the customers in the bank. Both are plain Python within what
Numba compiles, and both run inside the compiled loop. Any other Python is ``(draft, rng)``, and the compiled loop calls
it back. See ``docs/operators.md``.
"""

import re
from collections.abc import Callable, Collection, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast, overload

from dacalns.core.distances import MATRIX, PLANE, told_apart
from dacalns.core.stepper import DESTROY_SIGNATURE, REPAIR_SIGNATURE
from dacalns.instances.features import FEATURES, PLAIN
from dacalns.search.draft import calls_for
from dacalns.search.user_code import (
    called,
    compiled_for_loop,
    copied,
    is_foreign,
    require_callable,
    require_function,
)
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown

AnyOperator = TypeVar("AnyOperator", bound="Operator")
SIGNATURES = {"destroy": DESTROY_SIGNATURE, "repair": REPAIR_SIGNATURE}


@dataclass(frozen=True)
class Scale:
    """How many customers a destroy operator is asked to remove, drawn evenly from a range each time.

    Parameters
    ----------
    low, high
        The ends of the range, both included.
    fraction
        Whether they are fractions of all customers rather than numbers of customers.
    """

    low: float
    high: float
    fraction: bool = False

    def __post_init__(self) -> None:
        limit = 1 if self.fraction else 1e9
        if not 0 < self.low <= self.high <= limit:
            unit, most = ("fraction", " <= 1") if self.fraction else ("count", "")
            raise InputError(f"{unit} is ({self.low}, {self.high}); expected 0 < low <= high{most}; correct the range.")

    def customers(self, total: int) -> tuple[int, int]:
        """The range in customers, for an instance with ``total`` of them."""
        factor = total if self.fraction else 1
        low, high = (max(1, min(total, round(end * factor))) for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Operator:
    """What destroy and repair operators share.

    Parameters
    ----------
    name
        Unique within a portfolio.
    function
        The Python function, or one already compiled by Numba.
    features
        The features of instances that it supports; a search of an instance that has others leaves it out.
    needs
        The features that an instance must have for it to make sense.
    """

    name: str
    function: Callable[..., Any]
    features: frozenset[str] = PLAIN
    needs: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for what in ("features", "needs"):
            object.__setattr__(self, what, _known_features(what, getattr(self, what)))
        if not self.needs <= self.features:
            raise InputError(
                f"operator {shown(self.name)} needs {listed(sorted(self.needs - self.features))}, which is not among "
                "the features that it supports; expected it there; add it."
            )

    @property
    def foreign(self) -> bool:
        """True if it runs code from outside of this package, whose work is checked."""
        return is_foreign(self.function)

    def fits(self, features: Set[str]) -> bool:
        """Return True if the operator supports all of an instance's features, and has those that it needs."""
        return self.needs <= features <= self.features

    def compiled(self, form: str = MATRIX) -> Any:
        """The function as the loop calls it; compiled at the first call and cached on disk.

        It is another one for each form of problems: plain ones with a distance matrix or without, and rich ones.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class DestroyOperator(Operator):
    """An operator that removes customers, and the scale it is used at."""

    scale: Scale = Scale(0.1, 0.4, fraction=True)

    def compiled(self, form: str = MATRIX) -> Any:
        """The function as the loop calls it; compiled at the first call and cached on disk.

        It is another one for each form of problems: plain ones with a distance matrix or without, and rich ones.
        """
        return _compiled("destroy", self.name, self.function, form)

    def at(
        self, *, count: tuple[float, float] | None = None, fraction: tuple[float, float] | None = None
    ) -> "DestroyOperator":
        """The same operator at another scale, named after it."""
        scale = _scale(count, fraction)
        low, high = (f"{100 * end:g}%" if scale.fraction else f"{end:g}" for end in (scale.low, scale.high))
        at = low if low == high else f"{low}-{high}"
        return replace(self, name=f"{self.name}@{at}", scale=scale)


SCALE = re.compile(r"(\d+(?:\.\d+)?(?:e-?\d+)?)(%?)(?:-(\d+(?:\.\d+)?(?:e-?\d+)?)(%?))?")


def scale_called(text: str) -> Scale:
    """Return the scale that a text means, as `DestroyOperator.at` writes it: ``15``, ``5-20``, ``10%-40%``.

    Raises
    ------
    InputError
        If it is no scale.
    """
    found = SCALE.fullmatch(text)
    if not found or (found[3] and found[2] != found[4]):
        raise InputError(f"scale is {shown(text)}; expected customers or percent, such as 15, 5-20 or 10%-40%.")
    low, high = float(found[1]), float(found[3] or found[1])
    return Scale(low / 100, high / 100, fraction=True) if found[2] else Scale(low, high)


@dataclass(frozen=True)
class RepairOperator(Operator):
    """An operator that serves the customers in the bank."""

    def compiled(self, form: str = MATRIX) -> Any:
        """The function as the loop calls it; compiled at the first call and cached on disk.

        It is another one for each form of problems: plain ones with a distance matrix or without, and rich ones.
        """
        return _compiled("repair", self.name, self.function, form)


# In plain Python. The decorators below say what they need when it is a callable that only runs as such.

ALL = frozenset(FEATURES)
PARAMETERS = ("draft", "rng")
# Of a callable that says nothing else.
USUAL_SCALE = Scale(5, 20)


@dataclass(frozen=True)
class PythonDestroy(DestroyOperator):
    """A destroy operator in plain Python: any callable ``(draft, rng)``, see `Draft`."""

    scale: Scale = USUAL_SCALE

    @property
    def foreign(self) -> bool:
        """True, as it may call anything."""
        return True

    def compiled(self, form: str = MATRIX) -> Any:
        """Compile what drafts need for a form of problems, or load it from the cache."""
        return calls_for(form)


@dataclass(frozen=True)
class PythonRepair(RepairOperator):
    """A repair operator in plain Python: any callable ``(draft, rng)``, see `Draft`."""

    @property
    def foreign(self) -> bool:
        """True, as it may call anything."""
        return True

    def compiled(self, form: str = MATRIX) -> Any:
        """Compile what drafts need for a form of problems, or load it from the cache."""
        return calls_for(form)


def as_operator(kind: str, given: Any) -> Any:
    """Return an operator in plain Python for any callable; whatever else is given, as it is."""
    if isinstance(given, Operator) or not callable(given):
        return given
    return _in_python(kind, given, None, USUAL_SCALE, None, ())


def _in_python(
    kind: str,
    function: Callable[..., Any],
    name: str | None,
    scale: Scale,
    features: Collection[str] | None,
    needs: Collection[str],
) -> PythonDestroy | PythonRepair:
    rng = "problem, solution, count, rng" if kind == "destroy" else "problem, solution, rng"
    hint = f"; one that takes ({rng}) is compiled, and needs the decorator @dacalns.{kind}_operator"
    require_callable(f"{kind} operator", function, PARAMETERS, hint)
    known = ALL if features is None else _known_features("features", features)
    wanted = _known_features("needs", needs)
    if kind == "destroy":
        return PythonDestroy(name or called(function), function, known, wanted, scale)
    return PythonRepair(name or called(function), function, known, wanted)


def in_another_search(operator: AnyOperator) -> AnyOperator:
    """Return an operator for a search beside the first one; one in plain Python is copied, as it may keep something."""
    if not isinstance(operator, PythonDestroy | PythonRepair):
        return operator
    kind = "destroy" if isinstance(operator, DestroyOperator) else "repair"
    return replace(operator, function=copied(f"{kind} operator {operator.name!r}", operator.function))


def destroy_operator(
    function: None = None,
    /,
    *,
    count: tuple[float, float] | None = None,
    fraction: tuple[float, float] | None = None,
    name: str | None = None,
    features: Collection[str] | None = None,
    needs: Collection[str] = (),
    compiled: bool = True,
) -> Callable[[Callable[..., Any]], DestroyOperator]:
    """Make a destroy operator of a function ``(problem, solution, count, rng)``, or in Python of ``(draft, rng)``.

    Parameters
    ----------
    count, fraction
        The scale: how many customers to remove, from … to, or what fraction of all. Give one of the two.
    name
        How it is called in results; the function's name if left out.
    features
        The features of instances that it supports: ``("windows",)``, as if left out, or ``()`` if it would break time
        windows. In plain Python it supports all of them if this is left out.
    needs
        The features that an instance must have: ``("windows",)`` if it makes sense with time windows only.
    compiled
        False for any callable ``(draft, rng)`` in plain Python. Without this decorator it is one, too, at the scale of
        5 to 20 customers.

    Raises
    ------
    InputError
        If the scale or a feature makes no sense, or the function takes other parameters.
    """
    if function is not None:
        raise InputError("@destroy_operator has no scale; expected one, such as @destroy_operator(count=(5, 20)).")
    scale = _scale(count, fraction)

    def decorate(function: Callable[..., Any]) -> DestroyOperator:
        if not compiled:
            return cast(DestroyOperator, _in_python("destroy", function, name, scale, features, needs))
        require_function("destroy operator", function, ("problem", "solution", "count", "rng"))
        return DestroyOperator(
            name or function.__name__,
            function,
            _known_features("features", PLAIN if features is None else features),
            _known_features("needs", needs),
            scale,
        )

    return decorate


@overload
def repair_operator(function: Callable[..., Any], /) -> RepairOperator: ...


@overload
def repair_operator(
    *,
    name: str | None = None,
    features: Collection[str] | None = None,
    needs: Collection[str] = (),
    compiled: bool = True,
) -> Callable[[Callable[..., Any]], RepairOperator]: ...


def repair_operator(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    features: Collection[str] | None = None,
    needs: Collection[str] = (),
    compiled: bool = True,
) -> RepairOperator | Callable[[Callable[..., Any]], RepairOperator]:
    """Make a repair operator of a function ``(problem, solution, rng)``; as a decorator, with or without parentheses.

    In plain Python the function takes ``(draft, rng)``.

    Parameters
    ----------
    name
        How it is called in results; the function's name if left out.
    features
        The features of instances that it supports: ``("windows",)``, as if left out, or ``()`` if it would break time
        windows. In plain Python it supports all of them if this is left out.
    needs
        The features that an instance must have: ``("windows",)`` if it makes sense with time windows only.
    compiled
        False for any callable ``(draft, rng)`` in plain Python; without this decorator it is one, too.

    Raises
    ------
    InputError
        If a feature is unknown, or the function takes other parameters.
    """

    def decorate(function: Callable[..., Any]) -> RepairOperator:
        if not compiled:
            return cast(RepairOperator, _in_python("repair", function, name, USUAL_SCALE, features, needs))
        require_function("repair operator", function, ("problem", "solution", "rng"))
        return RepairOperator(
            name or function.__name__,
            function,
            _known_features("features", PLAIN if features is None else features),
            _known_features("needs", needs),
        )

    return decorate if function is None else decorate(function)


@cache
def _compiled(kind: str, name: str, function: Callable[..., Any], form: str) -> Any:
    """Found by what is quickly compared: a signature is a tree of types, and looking one up takes long."""
    what, signature = f"{kind} operator {name!r}", SIGNATURES[kind]
    try:
        return compiled_for_loop(what, function, signature, told_apart(signature, form))
    except InputError as error:
        if form != PLANE or "Unknown attribute 'distance'" not in str(error.__cause__):
            raise
        raise InputError(
            f"{what} reads problem.distance, and an instance as large as this has no distance matrix; expected "
            "distances from dacalns.between(problem, i, j), which works with and without one; call that instead."
        ) from error


def _scale(count: tuple[float, float] | None, fraction: tuple[float, float] | None) -> Scale:
    given = count if fraction is None else fraction
    if given is None or (count is not None and fraction is not None):
        raise InputError(
            f"count is {count} and fraction is {fraction}; expected exactly one of the two, such as count=(5, 20)."
        )
    try:
        low, high = given
        return Scale(float(low), float(high), fraction=fraction is not None)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"scale is {shown(given)}; expected a pair of numbers, such as (5, 20).") from None


def _known_features(what: str, given: Collection[str]) -> frozenset[str]:
    try:
        chosen = frozenset({given} if isinstance(given, str) else given)
    except TypeError:
        chosen = frozenset({""})
    if not chosen <= set(FEATURES):
        raise InputError(f"{what} is {shown(given)}; expected some of {', '.join(FEATURES)}, or none; correct it.")
    return chosen
