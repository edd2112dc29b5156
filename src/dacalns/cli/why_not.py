"""``dac-alns solve --explain-unserved``: why customers are not served, and what would help."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from dacalns.cli.console import err, out
from dacalns.util.errors import LONGEST, InfeasibleInstanceError
from dacalns.util.files import STANDARD_OUTPUT, write_atomically
from dacalns.util.json_text import json_text

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.search.result import Result

HINT = "; --explain-unserved says what would help."


class WhyNotAsked:
    """Tells why customers of an instance are not served.

    As a context it tells so of an instance that the pre-flight refuses, too, before the error goes on.

    Parameters
    ----------
    instance
        The problem.
    wanted
        Whether that was asked for; if not, the error says how to ask, if it has room for it.
    quiet
        Whether nothing is printed.
    json
        The file for what is said of an instance that is refused; a result has its own.
    """

    def __init__(self, instance: "Instance", wanted: bool, quiet: bool, json: Path | None = None) -> None:
        self._instance, self._quiet, self._json = instance, quiet, json
        self.wanted = wanted
        #: the result with what would help, once that is known
        self.explained: Result | None = None

    def about(self, result: "Result") -> str:
        """Return what is to be printed of a result."""
        from dacalns.explain import explain_unserved

        found = explain_unserved(self._instance, result)
        self.explained = found.added_to(result)
        return "\n".join(f"  {line}" for line in ["Who is not served, and what would help:", *found.lines()])

    def __enter__(self) -> "WhyNotAsked":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, InfeasibleInstanceError):
            return
        if not self.wanted:
            if len(said := f"{str(error).rstrip('.')}{HINT}") <= LONGEST:
                raise InfeasibleInstanceError(said) from None
        elif not self._quiet or self._json is not None:
            from dacalns.explain import explain_unserved

            found = explain_unserved(self._instance)
            piped = self._json == Path(STANDARD_OUTPUT)
            if not self._quiet:
                (err if piped else out).print(str(found), soft_wrap=True)
            if self._json is not None:
                told = {"instance": self._instance.name, "feasible": False, **found.to_dict()}
                write_atomically(self._json, json_text(told) + "\n")
                if not (self._quiet or piped):
                    out.print(f"wrote {self._json}", soft_wrap=True)
