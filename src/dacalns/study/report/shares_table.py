"""Which operators each method used."""

from collections.abc import Sequence

from dacalns.study.cases import Case, methods_of
from dacalns.study.curves import operator_shares
from dacalns.study.report.document import DASH, Cell, Column, Table


def shares_table(cases: Sequence[Case]) -> Table | None:
    """A destroy-by-repair matrix for each method and dataset: mean shares of the iterations; None without any."""
    datasets: dict[str, list[Case]] = {}
    for case in cases:
        datasets.setdefault(case.dataset, []).append(case)
    found = [
        (method, dataset, shares)
        for method in methods_of(cases)
        for dataset, members in datasets.items()
        for shares in operator_shares(members, method)
    ]
    if not found:
        return None
    repair = [*dict.fromkeys(name for _, _, shares in found for name in shares.repair)]
    rows: list[list[Cell]] = []
    breaks = []
    for method, dataset, shares in found:
        breaks.append(len(rows))
        for name, line in zip(shares.destroy, shares.percent, strict=True):
            by_repair = dict(zip(shares.repair, line, strict=True))
            texts = [f"{by_repair[each]:.1f}" if each in by_repair else DASH for each in repair]
            rows.append([Cell(text) for text in (method, dataset, name, *texts, f"{line.sum():.1f}")])
    columns = [Column(heading, number=False) for heading in ("Method", "Dataset", "Destroy")]
    columns += [Column(name, "Repair") for name in repair] + [Column("all")]
    note = "Percent of the iterations of a run, mean over the runs that are done."
    return Table(columns, rows, "Destroy x repair", note, breaks[1:])
