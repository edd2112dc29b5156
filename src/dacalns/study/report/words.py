"""Numbers as tables show them."""

from dacalns.study.report.document import DASH, Cell


def signed(value: float, digits: int) -> str:
    """A gap with its sign, and never a negative zero."""
    text = f"{value:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def p_text(value: float | None) -> str:
    """A p-value as the paper prints them."""
    if value is None:
        return DASH
    return "<0.0001" if value < 5e-5 else f"{value:.4f}"


def stars(value: float | None) -> str:
    """The paper's symbols of significance."""
    if value is None:
        return DASH
    return "***" if value < 0.001 else "**" if value < 0.01 else "*" if value < 0.05 else "n.s."


def of_all(text: str, used: int, expected: int) -> str:
    """A value with the number of instances that it is over, where that is not all of them; a dash of none."""
    if not used:
        return DASH if not expected else f"{DASH} (0 of {expected})"
    return text if used >= expected else f"{text} ({used} of {expected})"


def cell(text: str | None, used: int, expected: int, paper: str | None = None) -> Cell:
    """A cell that says what it is over, with the paper's value beside it."""
    return Cell(of_all(DASH if text is None else text, used, expected), paper)


def some(names: list[str], most: int = 8) -> str:
    """Names as a list that does not get long."""
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join(names[:most]) + f" and {len(names) - most} more"
