"""What the search needs of a selector that runs inside the compiled loop: three kernels and their memory."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dacalns.core.selection import Memory
from dacalns.instances import Instance
from dacalns.search.portfolio import Portfolio


class Kernels(Protocol):
    """What all compiled selectors have."""

    @property
    def name(self) -> str:
        """How it is called in results and on the command line."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """``select_destroy``, ``select_repair`` and ``update``, as :mod:`dacalns.core.selection` describes them."""


class TableSelector(Kernels, Protocol):
    """A selector that needs nothing but how many operators there are."""

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """``memory.table`` at the start."""


class InstanceSelector(Kernels, Protocol):
    """A selector that looks at the instance or the operators themselves.

    If it has ``explain(memory)``, that is asked for the result's explanation after a run, and ``seconds(memory)`` for
    the time that looking, judging and learning took. If it has ``moved(memory)``, that is called whenever the current
    solution has been replaced by that of another search, which no update tells. If it has ``load_kernels()``, that is
    called before the clock of a search starts, to compile what its memory is made by.
    """

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:
        """The whole memory at the start of a run with this seed."""


CompiledSelector = TableSelector | InstanceSelector
