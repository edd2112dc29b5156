"""A figure and the bar it is held against."""

from dataclasses import dataclass

from rich.text import Text


@dataclass(frozen=True)
class Bar:
    """A measured figure and its target.

    Parameters
    ----------
    what
        What was measured, in words.
    value
        The figure.
    target
        The least it should be, or the most.
    unit
        Of both.
    at_least
        Whether the target is the least rather than the most.
    """

    what: str
    value: float
    target: float
    unit: str
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the figure is as good as the target."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def verdict(self) -> Text:
        """The same in a word, coloured for the console."""
        return Text("ok", style="green") if self.met else Text("missed", style="red")

    @property
    def limit(self) -> str:
        """The target as a table shows it."""
        return f"{'≥' if self.at_least else '≤'} {self.target:,g}"

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        return f"{self.what}: {self.value:,.4g} {self.unit}, target {bound} {self.target:,g}"
