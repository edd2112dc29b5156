"""A result is handed over: printed first, then written to every file that is wanted, whatever becomes of the others."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dacalns.cli.console import err, fail, out
from dacalns.cli.watch import say
from dacalns.instances.solution_file import solution_text_of
from dacalns.util.errors import InputError
from dacalns.util.files import STANDARD_OUTPUT, is_plain

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.search.result import Result


@dataclass(frozen=True)
class WantedFile:
    """A file that is wanted of a result.

    Parameters
    ----------
    path
        Where to.
    write
        Writes it there, or raises.
    picture
        True if it is a picture, which takes a while.
    """

    path: Path
    write: Callable[[Path], object]
    picture: bool = False

    @property
    def in_output(self) -> bool:
        """True if it goes to standard output."""
        return self.path == Path(STANDARD_OUTPUT)

    @property
    def waits(self) -> bool:
        """True if somebody else decides how long writing takes: a pipe, for instance, may have no reader."""
        return not self.in_output and not is_plain(self.path)


class Delivery:
    """Hands over a result.

    Parameters
    ----------
    instance
        What was solved.
    result
        What was found.
    wanted
        The files. Those with the routes are written before pictures, and plain files before pipes and devices.
    quiet
        Whether nothing is printed, unless the routes would be lost.
    more
        Returns what is printed besides; it is called once the result is printed, before files are written.
    """

    def __init__(
        self,
        instance: "Instance",
        result: "Result",
        wanted: list[WantedFile],
        quiet: bool,
        more: Callable[[], str] | None = None,
    ) -> None:
        self._more = more
        self._instance, self._result, self._quiet = instance, result, quiet
        self._wanted = wanted
        self._to_do = deque(sorted(wanted, key=lambda each: (each.waits, each.picture)))
        self._written: list[WantedFile] = []
        self._failures: list[str] = []
        # What is written to standard output should be alone there.
        self._console = err if any(each.in_output for each in wanted) else out

    def hand_over(self) -> int:
        """Print, write, say what failed, and return the exit code."""
        if not self._quiet:
            self._print_result()
        more = self._more() if self._more is not None else ""
        if more and not self._quiet:
            self._console.print(more, soft_wrap=True)
        while self._to_do:
            each = self._to_do.popleft()
            if self._write(each) and not self._quiet and not each.in_output:
                self._console.print(f"  wrote {each.path}", soft_wrap=True)
        if self._failures and self._quiet:
            self._print_result()
        for sentence in self._failures:
            fail(sentence)
        if self._lost:
            routes, types, cost = self._result.routes, self._result.vehicle_types, self._result.cost
            self._console.print(solution_text_of(self._instance, routes, types, cost), soft_wrap=True, end="")
        return self._code

    def hasten(self) -> int:
        """Write what is quickly written, in another thread than the one that hangs, and return the exit code."""
        left = [*self._to_do]
        for each in left:
            if not (each.waits or each.picture or each.in_output):
                self._write(each)
        begun = [each for each in self._wanted if each not in left and each not in self._written]
        for each in [*begun, *(each for each in left if each not in self._written)]:
            self._failures.append(f"{each.path}: not written: a signal ended the wait for it.")
        for sentence in self._failures:
            say(f"Error: {sentence}")
        return self._code

    @property
    def _code(self) -> int:
        return 2 if self._failures else 0 if self._result.feasible else 1

    @property
    def _lost(self) -> bool:
        """True if the routes were wanted in a file, and are in none."""
        lists = [each for each in self._wanted if not each.picture]
        return bool(lists) and not any(each in self._written for each in lists)

    def _write(self, wanted: WantedFile) -> bool:
        try:
            wanted.write(wanted.path)
        except BrokenPipeError:  # nobody wants it any more
            return False
        except InputError as error:
            self._failures.append(str(error))
            return False
        except Exception as error:  # whatever it is, the other files must be tried
            reason = " ".join(str(error).split())[:200]
            self._failures.append(f"{wanted.path}: cannot be written ({type(error).__name__}: {reason}).")
            return False
        self._written.append(wanted)
        return True

    def _print_result(self) -> None:
        self._console.print(str(self._result), soft_wrap=True)
        if self._result.compile_seconds >= 2:
            self._console.print(f"  compiled in {self._result.compile_seconds:.1f} s, not counted above")
