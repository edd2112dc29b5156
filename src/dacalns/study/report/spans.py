"""Headings that several columns share."""

from dacalns.study.report.document import Table


def over_spans(table: Table) -> list[tuple[str, int, int]]:
    """The shared headings: text, first column and number of columns; columns without one stand alone."""
    spans: list[tuple[str, int, int]] = []
    for place, column in enumerate(table.columns):
        if spans and column.over and spans[-1][0] == column.over:
            over, begin, count = spans[-1]
            spans[-1] = (over, begin, count + 1)
        else:
            spans.append((column.over, place, 1))
    return spans
