"""Which figures a report has."""

import re
from collections.abc import Sequence
from functools import partial

from dacalns.instances.file_name import file_name
from dacalns.study.cases import Case, methods_of
from dacalns.study.curves import Shares, convergence, operator_shares, profile
from dacalns.study.report.document import Picture, Pictures
from dacalns.study.report.figures import draw_convergence, draw_profile, draw_shares


def curve_pictures(name: str, budget: str, cases: Sequence[Case], methods: Sequence[str]) -> Pictures | None:
    """Convergence and performance profile of each dataset."""
    pictures = []
    by_time = not any("iteration" in row.budget for case in cases for row in case.rows())
    for dataset, members in _datasets(cases).items():
        curves, ratios = convergence(members), profile(members)
        if curves.gaps:
            to = "the best-known value"
            if curves.without_best_known:
                to += f" (on {curves.without_best_known} of them, the best found here)"
            pictures.append(
                Picture(
                    slug(name, budget, "convergence", dataset),
                    f"{_of(dataset)}mean gap to {to} over the budget{_over(curves.used, curves.expected)}.",
                    partial(draw_convergence, curves, methods, by_time=by_time),
                )
            )
        if ratios.excess:
            pictures.append(
                Picture(
                    slug(name, budget, "profile", dataset),
                    f"{_of(dataset)}performance profile: on how many instances a method's average is at most so far "
                    f"above the lowest{_over(ratios.used, ratios.expected)}.",
                    partial(draw_profile, ratios, methods),
                )
            )
    return Pictures(pictures) if pictures else None


def share_pictures(name: str, budget: str, cases: Sequence[Case]) -> Pictures | None:
    """The matrices of destroy and repair operators of each dataset, those of equal operators in one figure."""
    pictures = []
    for dataset, members in _datasets(cases).items():
        figures: dict[tuple[str, ...], dict[str, Shares]] = {}
        for method in methods_of(members):
            for shares in operator_shares(members, method):
                figures.setdefault((*shares.destroy, "", *shares.repair), {})[method] = shares
        for place, tables in enumerate(figures.values(), start=1):
            number = str(place) if len(figures) > 1 else ""
            pictures.append(
                Picture(
                    slug(name, budget, "operators", dataset, number),
                    f"{_of(dataset)}mean share of each pair of destroy operators (rows) and repair operators "
                    "(columns) in the iterations, in percent.",
                    partial(draw_shares, tables),
                )
            )
    return Pictures(pictures) if pictures else None


def _datasets(cases: Sequence[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.dataset, []).append(case)
    return found


def _of(dataset: str) -> str:
    return f"{dataset}: " if dataset else ""


def _over(used: int, expected: int) -> str:
    return "" if used == expected else f"; {used} of {expected} instances, as the others lack runs"


def slug(*words: str) -> str:
    """Words as the name of a file; other words may give the same, see `with_different_names`."""
    return file_name("-".join(filter(None, (re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words))))
