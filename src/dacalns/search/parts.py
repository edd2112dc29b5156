"""The parts that the code of a search consists of: which of them there are, and which are still to be compiled.

A part is a kernel that is compiled on its own, for arguments of given types. Each can be compiled in another process,
which keeps the code where this one finds it (`search/helpers.py`). What is missing here is compiled when it is needed.
"""

import inspect
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numba
from numba import types
from numba.core.registry import cpu_target

from dacalns.core import construction, fleet, loop, repairs, rich_insertions, routes
from dacalns.core import selection as selection_kernels
from dacalns.core.code_cache import CodeCache
from dacalns.core.distances import RICH, told_apart
from dacalns.core.jit import LOAD, called_by, load_callees, pluggable
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.selection import MEMORY, RNG
from dacalns.core.stepper import new_progress
from dacalns.search.draft import KERNELS
from dacalns.search.operators import SIGNATURES, PythonDestroy, PythonRepair
from dacalns.search.portfolio import Portfolio
from dacalns.search.selector import Selector

# Seconds of one core that parts take where that is more than a little, and how they are called. Only the order in which
# parts are compiled and the progress that is shown depend on it.
LITTLE = 0.3
LONG = {
    "dacalns.core.loop.run": 8.0,
    "dacalns.core.construction.complete": 7.5,
    "dacalns.core.construction.place_routes": 3.5,
    "dacalns.core.construction.join_routes": 1.5,
    "dacalns.core.fleet.serve_all": 6.0,
    "dacalns.core.repairs.polished_blink_repair": 6.0,
    "dacalns.core.repairs.regret_repair": 4.0,
    "dacalns.core.repairs.greedy_repair": 1.5,
    "dacalns.core.blinks.blink_repair": 1.7,
    "dacalns.core.related_removals.related_removal": 1.3,
    "dacalns.core.string_removals.string_removal": 0.9,
    "dacalns.core.network.forward_encoder": 2.8,
    "dacalns.core.network.backward_encoder": 3.0,
    "dacalns.core.network.forward_head": 0.7,
    "dacalns.core.judging.encode_state": 1.6,
    "dacalns.core.judging.score_full": 2.6,
    "dacalns.core.learning.learn": 4.0,
    "dacalns.core.rich_terms._compute": 2.0,
    "dacalns.core.routes._link": 1.3,
    "dacalns.core.rich_vehicles.suit_vehicles": 1.4,
    "dacalns.core.rich_vehicles.drop_dear": 1.3,
    "dacalns.core.rich_insertions.open_route": 1.4,
    "dacalns.core.rich_insertions.serve_line": 4.9,
    "dacalns.core.rich_insertions.fill_from_bank": 2.9,
    "dacalns.core.rich_insertions.place_given_routes": 2.2,
    "dacalns.core.rich_insertions.complete": 3.3,
    "dacalns.core.rich_search._relocate_within": 2.1,
    "dacalns.core.by_hand.put_in": 1.5,
    "dacalns.core.by_hand.list_places": 1.5,
    "dacalns.core.rich_search._exchange_ends": 1.5,
}
NAMES = {
    "dacalns.core.loop.run": "the loop of the search",
    "dacalns.core.construction.complete": "first solutions",
    "dacalns.core.construction.place_routes": "given routes",
    "dacalns.core.construction.list_savings": "savings",
    "dacalns.core.construction.join_routes": "joining of routes",
    "dacalns.core.fleet.serve_all": "the search for fewer vehicles",
    "dacalns.core.network.forward_encoder": "the network",
    "dacalns.core.network.forward_head": "the network's answers",
    "dacalns.core.network.backward_encoder": "the network's gradients",
    "dacalns.core.judging.encode_state": "what the network sees",
    "dacalns.core.judging.score_full": "the policy",
    "dacalns.core.rich_insertions.complete": "first solutions",
    "dacalns.core.rich_insertions.place_given_routes": "given routes",
}


@dataclass(frozen=True, eq=False)
class Part:
    """A kernel that is compiled on its own.

    Parameters
    ----------
    function
        The kernel, as its module has it.
    signature
        The types of its arguments.
    compiled_as
        Other types for which it is compiled instead, which look the same in memory; None: the same.
    direct
        True if Python calls it, False if compiled code does, by its address.
    """

    function: Any
    signature: Any
    compiled_as: Any = None
    direct: bool = False

    @property
    def _plain(self) -> Any:
        return getattr(self.function, "py_func", self.function)

    @property
    def _path(self) -> str:
        return f"{self._plain.__module__}.{self._plain.__qualname__}"

    @property
    def key(self) -> tuple[Any, ...]:
        """Tell it from others."""
        return self._path, self.direct, self.compiled_as or self.signature

    @property
    def name(self) -> str:
        """How it is called where progress is shown."""
        return NAMES.get(self._path, f"{self._plain.__name__}".strip("_").replace("_", " "))

    @property
    def seconds(self) -> float:
        """About how long it takes to compile."""
        return LONG.get(self._path, LITTLE)

    def is_kept(self) -> bool:
        """Tell whether its code is on the disk."""
        return self.origin() is not None

    def origin(self) -> str | None:
        """Tell where its code is, in a wheel or in a cache; None if it is to be compiled."""
        wanted = self.compiled_as or self.signature
        processor = cpu_target.target_context.codegen().magic_tuple()
        found: str | None = CodeCache(self._plain).origin(wanted.args if self.direct else wanted, processor)
        return found

    def compile(self) -> None:
        """Compile it, or load its code."""
        if self.direct:
            load_callees(self._plain, self.signature.args)
            self.function.compile(self.signature.args)
        else:
            pluggable(self.function, self.signature, self.compiled_as)

    def reference(self) -> tuple[Any, ...] | None:
        """What another process finds it by; None if it is not in this package, or not by its own name."""
        module, name = self._plain.__module__, self._plain.__name__
        found = getattr(sys.modules.get(module), name, None)
        if not module.startswith("dacalns.") or getattr(found, "py_func", found) is not self._plain:
            return None
        return module, name, self.signature, self.compiled_as, self.direct

    @classmethod
    def referred_to(cls, reference: tuple[Any, ...]) -> "Part":
        """Return the part that a reference from another process means."""
        module, name, *rest = reference
        found = getattr(import_module(module), name)
        return cls(found.compiled_for[0][0] if hasattr(found, LOAD) else found, *rest)


# What Python calls of a search, and with what: whole numbers, real numbers, and arrays of them.
_WHOLE, _WHOLES, _REALS = types.int64, types.int64[::1], types.float64[::1]
_PROGRAM = (_WHOLES, _REALS, _REALS)
_ENDS = types.int32[::1]
_PROGRESS = numba.typeof(new_progress(1, 1))
_LOOP = types.void(
    PROBLEM, SOLUTION, SOLUTION, SOLUTION, _PROGRESS, _WHOLES, types.int64[:, ::1], _WHOLES,
    _WHOLE, _WHOLE, _WHOLE, MEMORY, _WHOLE, _REALS, *_PROGRAM, RNG, _WHOLE, _WHOLE, types.boolean,
)  # fmt: skip
_FINGERPRINT = types.void(PROBLEM, SOLUTION)
_COMPLETE = types.void(PROBLEM, SOLUTION, SOLUTION, _WHOLE, RNG)
_PLACE = types.void(PROBLEM, SOLUTION, _WHOLES, _WHOLES)
_PLACE_GIVEN = types.void(PROBLEM, SOLUTION, _WHOLES, _WHOLES, _WHOLES)
_SAVINGS = types.void(PROBLEM, _WHOLE, _ENDS, _ENDS, _REALS)
_JOIN = types.void(PROBLEM, SOLUTION, _ENDS, _ENDS)
_NEAR = types.void(PROBLEM, SOLUTION, RNG)
_FLEET = types.void(PROBLEM, SOLUTION, SOLUTION, SOLUTION, _WHOLES, _WHOLES, _REALS, *_PROGRAM, RNG, _WHOLE)
_CLOSE = types.void(PROBLEM, SOLUTION, _WHOLES, types.boolean, RNG)


def _called_by_python(form: str, *, savings: bool, large: bool, fewest_vehicles: bool) -> list[Part]:
    """The kernels that Python calls, whatever the operators and the selector."""
    if form == RICH:
        called = [(loop.run, _LOOP), (routes.fingerprint, _FINGERPRINT), (rich_insertions.complete, _COMPLETE)]
        called += [(rich_insertions.place_given_routes, _PLACE_GIVEN)]
        called += [(fleet.serve_all, _FLEET)] if fewest_vehicles else []
        return [Part(kernel, told_apart(signature, RICH), direct=True) for kernel, signature in called]
    found = [Part(loop.run, _LOOP, direct=True), Part(routes.fingerprint, _FINGERPRINT, direct=True)]
    if fewest_vehicles:
        found += [Part(fleet.serve_all, _FLEET, direct=True), Part(fleet.close_a_route, _CLOSE, direct=True)]
    called = [(construction.complete, _COMPLETE), (construction.place_routes, _PLACE)]
    if savings or large:
        called += [(construction.list_savings, _SAVINGS), (construction.join_routes, _JOIN)]
    if large:
        called += [(repairs.near_repair, _NEAR)]
    return found + [Part(kernel, told_apart(signature, form), direct=True) for kernel, signature in called]


def parts_of(
    portfolio: Portfolio, selector: Selector, form: str, *, fewest_vehicles: bool = False, large: bool = False
) -> list[Part]:
    """Return the parts of a search, those that take longest first; the code of users is not among them.

    Parameters
    ----------
    portfolio, selector
        The operators, and what chooses between them.
    form
        The form of the problem: with a distance matrix, without, or rich.
    fewest_vehicles
        True to include the search for fewer vehicles.
    large
        True to include what only large instances need.
    """
    rich = form == RICH
    listed = _called_by_python(
        form, savings=portfolio.construction == "savings", large=large, fewest_vehicles=fewest_vehicles
    )
    for kind, operators in (("destroy", portfolio.destroy), ("repair", portfolio.repair)):
        signature = SIGNATURES[kind]
        for operator in operators:
            if isinstance(operator, PythonDestroy | PythonRepair):  # what it calls on drafts is compiled
                listed += [Part(called, wanted, told_apart(wanted, form)) for called, wanted, _ in KERNELS.values()]
            else:
                listed.append(Part(operator.function, signature, told_apart(signature, form)))
    signatures = (selection_kernels.SELECT_DESTROY, selection_kernels.SELECT_REPAIR, selection_kernels.UPDATE)
    for kernel, signature in zip(selector.kernels, signatures, strict=True):
        listed.append(Part(kernel, signature, told_apart(signature, RICH) if rich else None))
    found: dict[Any, Part] = {}
    for part in listed:
        if not inspect.isfunction(part._plain):  # of a user, who is told what is wrong where it is compiled
            continue
        for each in (part, *(Part(*pair) for pair in called_by(part.function, rich))):
            if each.reference() is not None:
                found.setdefault(each.key, each)
    return sorted(found.values(), key=lambda part: -part.seconds)
