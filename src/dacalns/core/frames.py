"""What a search consists of, kept at addresses, so that compiled code finds the searches of a whole batch by itself.

Numba looks at every array that Python hands to a kernel, which takes longer than a hundred iterations on a small
instance: a problem, three solutions and the progress have more than a hundred. So these tuples are written once, as
compiled code has them, into memory of their own, and Python hands over one row of addresses for each search: a frame.
As plain Python, a tuple stands for its own address.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from dacalns.core.graph import Graph
from dacalns.core.jit import jit_enabled, kernel
from dacalns.core.memory import Referenced, load_constant
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.records import numbered
from dacalns.core.rich import RICH_PROBLEM, RICH_SOLUTION
from dacalns.core.stepper import new_progress


class Engine(NamedTuple):
    """What drives a search, beside its problem, solutions and progress."""

    destroy_operators: np.ndarray  #: their addresses
    scales: np.ndarray  #: (destroys, 2) see `dacalns.core.stepper.destroy_step`
    repair_operators: np.ndarray  #: their addresses
    accept_memory: np.ndarray  #: the numbers of the criterion
    rng: np.ndarray
    notes: np.ndarray  #: see `Note`


class Note(NamedTuple):
    """The positions in `Engine.notes`."""

    budget: int  #: iterations after which the budget is used up; infinite where nobody has set one
    removed: int  #: customers that the last destroy operator took out
    phase: int  #: see `Phase`
    best_at: int  #: the fraction of the budget at which the best solution was found
    acceptance_rate: int  #: how often solutions changed, over about the last thousand iterations
    improvement_rate: int  #: how often they were better than the current one
    coldest: int  #: the last temperature, or allowance, as a part of the first; 0 where there is none
    linear: int  #: 1 where it falls in a line to that, 0 where it falls by a factor


NOTE = numbered(Note)


class Phase(NamedTuple):
    """What `NOTE.phase` may be."""

    whole: int  #: an iteration may begin
    destroyed: int
    repaired: int


PHASE = numbered(Phase)


class Frame(NamedTuple):
    """The columns of a frame: addresses."""

    problem: int
    current: int
    candidate: int
    best: int
    progress: int
    engine: int
    graph: int  #: 0 until somebody wants to see the search
    accept: int  #: the criterion
    move: int  #: what goes a step, compiled for this kind of problem
    see: int  #: what shows the search, likewise; 0 until somebody wants to


FRAME = numbered(Frame)

# The types of what lies at the addresses.
PROGRESS = numba.typeof(new_progress(1, 1))
_WHOLES, _REALS, _SINGLES = types.int64[::1], types.float64[::1], types.float32[::1]
ENGINE = types.NamedTuple((_WHOLES, types.int64[:, ::1], _WHOLES, _REALS, types.uint64[::1], _REALS), Engine)
GRAPH = types.NamedTuple((_WHOLES, _WHOLES, _SINGLES, _SINGLES, types.float32[:, ::1], types.float64), Graph)


def _value_type(kind):
    context = cpu_target.target_context
    return context.get_value_type(kind.whole if isinstance(kind, Referenced) else kind)


@intrinsic
def _put(typingctx, value, place):
    """Write a tuple to an address."""

    def codegen(context, builder, signature, args):
        whole = builder.load(args[0]) if isinstance(value, Referenced) else args[0]
        builder.store(whole, builder.inttoptr(args[1], whole.type.as_pointer()))
        return context.get_dummy_value()

    return types.void(value, types.int64), codegen


@kernel
def put(value, place):
    """Write a tuple to an address; the arrays in it must live as long as anybody reads them there."""
    _put(value, place)


def keep(value: Any) -> tuple[Any, Any]:
    """Return the address of a tuple, and what must live as long as it is used; for Python, not compiled."""
    if not jit_enabled():
        return value, value
    size = cpu_target.target_context.get_abi_sizeof(_value_type(numba.typeof(value)))
    memory = np.zeros(-(-size // 8), dtype=np.int64)
    put(value, memory.ctypes.data)
    return memory.ctypes.data, (memory, value)


def frame_rows(rows: list[list[Any]]) -> np.ndarray:
    """Return the frames of several searches as kernels want them: one behind the other."""
    if jit_enabled():
        return np.array(rows, dtype=np.int64).ravel()
    flat = np.empty(len(rows) * len(FRAME), dtype=object)
    for place, cell in enumerate(cell for row in rows for cell in row):
        flat[place] = cell
    return flat


def _found(kind):
    """A function for kernels that returns the tuple of this type at an address."""
    if not jit_enabled():
        return lambda thing: thing

    @intrinsic
    def found(typingctx, address):
        def codegen(context, builder, signature, args):
            if isinstance(kind, Referenced):
                return builder.inttoptr(args[0], context.get_value_type(kind))
            return load_constant(builder, builder.inttoptr(args[0], context.get_value_type(kind).as_pointer()))

        return kind(types.int64), codegen

    return found


problem_at, solution_at = _found(PROBLEM), _found(SOLUTION)
rich_problem_at, rich_solution_at = _found(RICH_PROBLEM), _found(RICH_SOLUTION)
progress_at, engine_at, graph_at = _found(PROGRESS), _found(ENGINE), _found(GRAPH)
