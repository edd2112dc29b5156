"""What is done first of all, before the imports that take a second: listen to signals, if this is the command."""

from dacalns.cli.watch import watch_if_command

watch_if_command()
