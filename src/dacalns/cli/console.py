"""What commands print to, and what several of them say."""

from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def announce_compilation() -> None:
    """Tell why nothing happens for a while."""
    err.print("Compiling the search once, in about 40 s; from then on it starts in a second.", style="dim")
