"""What a search may ask of the object that chooses its operators: the base class of all selectors, and its defaults."""

from collections.abc import Set
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dacalns.core.selection import Memory, new_memory
from dacalns.instances import Instance
from dacalns.search.policy_view import Explanation
from dacalns.search.portfolio import Portfolio
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import StoppingCriterion
from dacalns.search.user_code import is_foreign


class CompiledSelector(Protocol):
    """What an object must have at least to be taken for a compiled selector; `Selector` says what else it may have."""

    @property
    def name(self) -> str:
        """How results and the command line call it."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """``select_destroy``, ``select_repair`` and ``update``, as :mod:`dacalns.core.selection` describes them."""


class SelectorRun:
    """A selector at work in one run.

    Parameters
    ----------
    memory
        What its kernels read and write.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.failure: BaseException | None = None  #: what its own code has raised

    def start(self, seed: int) -> None:
        """Do what is to be done at the beginning of the run; by default nothing."""


class Selector:
    """The base class of selectors: what a search asks of them, and what it gets unless they say otherwise.

    A compiled selector defines :attr:`name`, :attr:`kernels` and :meth:`memory`, or :meth:`memory_for` if it needs to
    know more than how many operators there are. All other methods have defaults that suit most selectors. One object
    serves many runs, also several at once: what changes during a run belongs into the memory.

    A selector in plain Python defines ``select_destroy``, ``select_repair`` and ``update`` instead of the kernels, see
    `PythonSelector`. Objects of other classes that have what one of the two kinds needs are taken, too.
    """

    #: How results and the command line call the selector; the name of the class unless it says otherwise.
    name: str = ""
    #: True if :meth:`explain` returns an explanation after a run with at least one iteration.
    explains: bool = False

    def __init_subclass__(cls) -> None:
        """Name a class that does not name itself."""
        cls.name = cls.name or cls.__name__

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """``select_destroy``, ``select_repair`` and ``update``, as :mod:`dacalns.core.selection` describes them."""
        raise NotImplementedError("define kernels, a property that returns select_destroy, select_repair and update")

    def made_for(self, features: Set[str]) -> str | None:  # noqa: ARG002
        """Return the name of the portfolio that the selector needs for instances with these features.

        `dacalns.solve` asks this if it is given no portfolio. By default None: any portfolio will do.
        """
        return None

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> "Selector":  # noqa: ARG002
        """Return the selector for the searches of one `dacalns.solve`, which asks this once; by default itself.

        Whatever takes long or can fail belongs here: reading a policy from its file, and checking that it fits the
        portfolio, which has only operators that are fit for the instance.

        Raises
        ------
        InputError
            If the selector cannot be used with this instance and this portfolio.
        """
        return self

    def load_kernels(self) -> None:
        """Compile what :meth:`memory_for` calls, or load it from the cache, before the clock of a search starts."""

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return ``memory.table`` at the start of a run with so many destroy and repair operators."""
        raise NotImplementedError("define memory(self, destroys, repairs), which returns the table of the kernels")

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:  # noqa: ARG002
        """Return the whole memory at the start of a run with this seed; by default :meth:`memory` and no more."""
        return new_memory(self.memory(len(portfolio.destroy), len(portfolio.repair)))

    def begin(self, stepper: Stepper, seed: int) -> SelectorRun:
        """Return the selector at work in the run of this stepper."""
        return SelectorRun(self.memory_for(stepper.instance, stepper.portfolio, seed))

    def moved(self, memory: Memory) -> None:
        """Take note that the current solution was replaced by that of another search, of which no update tells."""

    def explain(self, memory: Memory) -> Explanation | None:  # noqa: ARG002
        """Return the explanation of a run from the memory after it; by default None."""
        return None

    def seconds(self, memory: Memory) -> dict[str, float]:  # noqa: ARG002
        """Return the seconds that ``features``, ``forward`` and ``backward`` of `TimeSplit` took; by default none."""
        return {}

    def for_another_search(self) -> "Selector":
        """Return the selector for one more search beside the first; by default itself: its state is in the memory."""
        return self

    @property
    def foreign(self) -> bool:
        """True if code from outside of this package chooses."""
        return any(map(is_foreign, self.kernels))

    @property
    def origin(self) -> Any:
        """The object that the user gave: the selector itself, unless it stands for an object of another class."""
        return self
