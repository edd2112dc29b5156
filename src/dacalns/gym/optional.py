"""Packages that only environments need."""

import importlib
from typing import Any

from dacalns.util.errors import InputError

INSTALL = {
    "gymnasium": 'pip install "dac-alns[gym]"',
    "pettingzoo": 'pip install "dac-alns[gym]"',
    "torch": "pip install torch",
    "torch_geometric": "pip install torch_geometric",
}


def module(name: str) -> Any:
    """Import a module of one of these packages, and return it.

    Raises
    ------
    InputError
        If the package is missing; the message has the command that installs it.
    """
    package = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"This needs {package}, which cannot be imported ({error}); run: {INSTALL[package]}") from None
