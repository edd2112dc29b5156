"""The ``dac-alns`` command: arguments in, calls out, no logic of its own.

What a command needs is imported when it runs, so that ``--help`` does not wait for it.
"""

from dacalns.cli.command import app, main

__all__ = ["app", "main"]
