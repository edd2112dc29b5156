"""The ``dac-alns`` command: arguments in, calls out, no logic of its own.

What a command needs is imported when it runs, so that ``--help`` does not wait for it; and signals are heard before
anything else is imported.
"""


def main() -> None:
    """Run the command line; bad input gives one sentence and exit code 2."""
    from dacalns.cli.command import run

    run()
