"""`Selector`, the base class of objects that choose operators: the hooks that a search calls, with their defaults."""

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
    """The least that an object must have to be used as a compiled selector; `Selector` has all hooks."""

    @property
    def name(self) -> str:
        """The name of the selector in results and on the command line."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """``select_destroy``, ``select_repair`` and ``update``, as :mod:`dacalns.core.selection` describes them."""


class SelectorRun:
    """The state of a selector in one run.

    Parameters
    ----------
    memory
        The arrays that its kernels read and write.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.failure: BaseException | None = None  #: the exception that the selector's own code has raised

    def start(self, seed: int) -> None:
        """Prepare for the first iteration; by default nothing is done."""


class Selector:
    """The base class of selectors, with a default for every hook.

    A compiled selector defines :attr:`name`, :attr:`kernels` and :meth:`memory`, or :meth:`memory_for` if it needs to
    know more than the numbers of operators. All other hooks have defaults that suit most selectors. One object serves
    many runs, even several at the same time, so everything that changes during a run belongs in the memory.

    A selector in plain Python defines ``select_destroy``, ``select_repair`` and ``update`` instead of the kernels, see
    `PythonSelector`. An object of another class is accepted, too, if it has the methods of one of the two kinds.

    `dacalns.solve` calls the hooks in this order: :meth:`made_for` if no portfolio is given, :meth:`prepare`,
    :meth:`load_kernels`, :meth:`for_another_search` for each search but the first, :meth:`begin` for each search,
    :meth:`moved` whenever a search takes over the solution of another, and at the end :meth:`explain` and
    :meth:`seconds`.
    """

    #: The name of the selector in results and on the command line; by default the name of the class.
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
        """Return the name of the portfolio that the selector was made for; by default None, which means any.

        `dacalns.solve` calls this only if it is given no portfolio.

        Parameters
        ----------
        features
            The features of the instance, such as ``"windows"``.
        """
        return None

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> "Selector":  # noqa: ARG002
        """Return the selector that the searches of one `dacalns.solve` use; by default the selector itself.

        It is called once in a solve, before the clock starts. Work that takes long or can fail belongs here, such as
        reading a policy from its file and checking that it matches the portfolio.

        Parameters
        ----------
        instance
            The instance to be solved.
        portfolio
            The operators of the search: only those that support all features of the instance.
        budget
            The stopping criterion.

        Raises
        ------
        InputError
            If the selector cannot be used with this instance and this portfolio.
        """
        return self

    def load_kernels(self) -> None:
        """Compile the kernels that :meth:`memory_for` calls, or load them from the cache; by default there are none.

        It is called before the clock of the search starts. The kernels in :attr:`kernels` need no mention here.
        """

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return ``memory.table`` at the start of a run with these numbers of destroy and repair operators."""
        raise NotImplementedError("define memory(self, destroys, repairs), which returns the table of the kernels")

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:  # noqa: ARG002
        """Return the whole memory at the start of a run with this seed; by default only :meth:`memory`."""
        return new_memory(self.memory(len(portfolio.destroy), len(portfolio.repair)))

    def begin(self, stepper: Stepper, seed: int) -> SelectorRun:
        """Return the state of the selector in one run; by default it has :meth:`memory_for` and nothing else."""
        return SelectorRun(self.memory_for(stepper.instance, stepper.portfolio, seed))

    def moved(self, memory: Memory) -> None:
        """Update the memory after the solution of another search replaces the current one; by default do nothing."""

    def explain(self, memory: Memory) -> Explanation | None:  # noqa: ARG002
        """Return the explanation of a run from the memory after it; by default None."""
        return None

    def seconds(self, memory: Memory) -> dict[str, float]:  # noqa: ARG002
        """Return the seconds spent on ``features``, ``forward`` and ``backward`` of `TimeSplit`; by default none."""
        return {}

    def for_another_search(self) -> "Selector":
        """Return the selector for a parallel search; by default the selector itself: its state is in the memory."""
        return self

    @property
    def foreign(self) -> bool:
        """True if the selector runs code from outside of this package, which may fail or not return."""
        return any(map(is_foreign, self.kernels))

    @property
    def origin(self) -> Any:
        """The object that the user gave: the selector itself, unless it stands for an object of another class."""
        return self
