"""``python -m dacalns`` is the ``dac-alns`` command."""

from dacalns.cli import main

main()
