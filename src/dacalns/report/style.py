"""Colours, lines and numbers that all pictures share."""

INK, MUTED, FAINT = "#222222", "#666666", "#dddddd"

# Okabe and Ito's colours without yellow and black, and three dark ones: far apart also under simulated protanopia,
# deuteranopia and tritanopia, and ordered so that neighbours in the list differ most.
COLOURS = (
    "#0072B2", "#E69F00", "#332288", "#009E73", "#D55E00", "#882255", "#CC79A7", "#7A4B1E", "#56B4E9",
)  # fmt: skip
# After the last colour comes the first again, with another line and another marker: 27 routes look different.
LINES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.0)))
MARKERS = ("o", "s", "^")


def cost_text(cost: float) -> str:
    """A cost as people write it: 784, 827.3, 1,234,567."""
    rounded = round(cost, 2)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.2f}".rstrip("0")


def count_text(count: int, what: str) -> str:
    """Such as ``1 route`` or ``1,000 customers``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def gap_text(percent: float) -> str:
    """A gap to the best-known value or reference; one below it is worth a second look."""
    alarm = " (negative: check it)" if percent < -0.005 else ""
    return f"gap {percent:.2f} %{alarm}".replace("-0.00 %", "0.00 %")
