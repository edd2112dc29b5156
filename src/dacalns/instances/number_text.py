"""Write a number as people do, and so that reading it back gives the same double."""


def number_text(value: float) -> str:
    """Return ``"784"`` for 784.0, and the shortest exact decimal for anything with a fraction."""
    value = float(value)
    return str(int(value)) if value.is_integer() else repr(value)
