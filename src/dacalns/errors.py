"""The exceptions that the package raises for input it cannot use."""


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that says what was given, what was expected, where, and the likely fix. The
    command line prints it without a traceback and exits with code 2.
    """


class InfeasibleInstanceError(InputError):
    """An instance has no feasible solution, and the pre-flight can tell why."""
