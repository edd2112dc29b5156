"""What the search needs of a selector."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class CompiledSelector(Protocol):
    """A selector that runs inside the compiled loop: three kernels over its memory.

    One that must know the instance or the operators themselves has ``memory_for(instance, portfolio, seed)`` instead of
    ``memory``, and returns a whole :class:`dacalns.core.selection.Memory`.
    """

    @property
    def name(self) -> str:
        """How it is called in results and on the command line."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """``select_destroy``, ``select_repair`` and ``update``, as :mod:`dacalns.core.selection` describes them."""

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """``memory.table`` at the start, for so many operators of each kind."""
