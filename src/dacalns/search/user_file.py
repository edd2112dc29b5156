"""Python files of the user, as ``FILE.py`` or ``FILE.py:NAME``."""

import importlib.util
import os
import re
import sys
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from dacalns.errors import InputError
from dacalns.shown import shown, shown_path


def split_file(given: str) -> tuple[Path, str | None] | None:
    """The file and the name in it; None if this is no such text."""
    match = re.fullmatch(r"(.*\.py)(?::(\w+))?", given)
    return (Path(match[1]), match[2]) if match else None


def require_file(path: Path, kind: str) -> None:
    """Raise an `InputError` if there is no such file; nothing is run."""
    if not os.path.isfile(path):
        raise InputError(f"{kind} file {shown(str(path))} does not exist; expected a Python file; check the path.")


def load_file(path: Path, kind: str) -> ModuleType:
    """Run a file, and return it as a module.

    Parameters
    ----------
    path
        The file.
    kind
        What it should define, for messages: ``"portfolio"``.

    Raises
    ------
    InputError
        If there is no such file, or running it fails.
    """
    require_file(path, kind)
    spec = importlib.util.spec_from_file_location(f"dacalns_{kind}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # cached compiled code refers to it by name
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())[:120]
        raise InputError(
            f"{shown_path(path)}{_line_in(path, error)}: importing it raised {type(error).__name__}: {reason}; "
            f"expected a file that defines a {kind}."
        ) from error
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """The line of the file that an exception came through last."""
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        return f":{error.lineno}"
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f":{lines[-1]}" if lines else ""
