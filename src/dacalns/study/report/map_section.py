"""The map of a report shows under which readings of the paper its claims hold, and which choices decide.

A reading is one way to decide all choices that the paper leaves open; a level is one way to decide one choice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod

import numpy as np

from dacalns.study.cases import Case
from dacalns.study.comparisons import NO_DATA, SIGNIFICANT, cases_at
from dacalns.study.paper_tables import GLOBAL, experiment
from dacalns.study.readings import ReadingMap
from dacalns.study.readings_found import BASELINE, TOO_FEW, Challenge, Compared, Effect, Findings, Judged, challenges
from dacalns.study.report.document import DASH, Block, Cell, Column, Paragraph, Picture, Pictures, Section, Table
from dacalns.study.report.figures import HeatMap, draw_heat_map, slug
from dacalns.study.report.sections import BUDGET, budget_kind
from dacalns.study.report.tables import cell, claim_text, of_all, p_text, record_text, signed
from dacalns.study.rows import Study

EVERY, DEPENDS, NONE = "holds under every reading tried", "depends on the reading", "contradicted: holds under none"
TONES = {EVERY: "good", DEPENDS: "neutral", NONE: "bad", TOO_FEW: "faint", NO_DATA: "faint"}


def map_findings(study: Study, by_budget: Mapping[str, Sequence[Case]]) -> Findings:
    """Return the findings of a study with a map, with equal iterations for every method."""
    return Findings(ReadingMap.of(study.outline.map), by_budget.get(BUDGET, []))


def judgements(findings: Findings, paper: str | None) -> list[Judged]:
    """Return a verdict on every claim of the paper's experiment that is about the learners.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    claims = experiment(paper).claims if paper is not None else []
    return [
        findings.judged(claim)
        for claim in claims
        if claim.kind != "time" and claim.first in findings.map.learners
    ]  # fmt: skip


def kind_of(judged: Judged) -> str:
    """Return the verdict without its numbers, which is a key of `TONES`."""
    if judged.words in (NO_DATA, TOO_FEW):
        return judged.words
    return NONE if not judged.holding else EVERY if len(judged.holding) == len(judged.tried) else DEPENDS


def verdict_counts(found: Sequence[Judged]) -> list[Cell]:
    """Return how many claims have each verdict."""
    counts = Counter(map(kind_of, found))
    return [Cell(f"{words}: {counts[words]}", tone=tone) for words, tone in TONES.items() if counts[words]]


def map_section(
    study: Study, by_budget: Mapping[str, Sequence[Case]], findings: Findings, judged: Sequence[Judged]
) -> Section:
    """Return the whole map; ``findings`` and ``judged`` are what `map_findings` and `judgements` returned.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    readings = findings.map
    learner, *others = readings.learners
    rivals: list[str | None] = [None, *others]
    blocks: list[Block | None] = [
        Paragraph(_introduction(readings)),
        claims_table(judged, findings) if judged else None,
        heat_maps(study.outline.name, findings),
        _choices_table(readings),
    ]
    effects = [
        table
        for rival in rivals
        for dataset in findings.datasets
        if (table := effects_table(findings, learner, rival, dataset)) is not None
    ]
    sections = [
        Section("Does any reading beat ...", [challenge_table(study, by_budget, readings)]),
        Section("Which choices matter", effects or [Paragraph("Not enough runs to tell.")]),
        Section("Every reading", [readings_table(findings)]),
    ]
    return Section("The map", [block for block in blocks if block is not None], sections)


def claims_table(judged: Sequence[Judged], findings: Findings) -> Table:
    """Return a table of the claims, each with its verdict over all readings."""
    columns = [
        Column("Claim of the paper", number=False), Column("Verdict", number=False), Column("Holds under"),
        Column("Uncorrected"), Column("Instances"), Column("Median effect"), Column("Gaps, %"),
        Column("Best reading", number=False), Column("its Holm p"), Column("Worst reading", number=False),
        Column("Holds where", number=False),
    ]  # fmt: skip
    rows = [
        [
            Cell(claim_text(each.claim)),
            Cell(each.words, tone=TONES[kind_of(each)]),
            *(_claim_cells(each, findings) if each.tried else [Cell(DASH)] * 9),
        ]
        for each in judged
    ]
    note = (
        "A reading is a combination of levels of the choices below; against baselines, each reading counts once with "
        "each of them, which has the reading's acceptance and operators. Better: exact one-sided signed-rank test over "
        f"the instances, p < {SIGNIFICANT} after Holm's correction over all readings of the claim. Cannot be told "
        f"apart: p >= {SIGNIFICANT} in both directions, each tested by itself, so that one in ten readings of equal "
        "methods fails by chance. Depends on: choices at whose levels the claim holds unlike often (by shuffling the "
        f"readings, Holm-corrected p < {SIGNIFICANT}) and whose effect on the gap goes the same way on the screening "
        "instances. Uncorrected: "
        "without Holm's correction. Effect: rank-biserial correlation, 1 where the first method is always better. "
        "Gaps: of averages, lowest and highest of all readings; negative: the first method is better. Best and worst: "
        "lowest and highest p."
    )
    return Table(columns, rows, "Under which readings the claims hold", note)


def heat_maps(name: str, findings: Findings) -> Pictures | None:
    """Return heat maps of the first learner against each baseline and the other learners, on each dataset."""
    learner, *others = findings.map.learners
    pictures = []
    for rival in [None, *others]:
        found = {
            (dataset, other): _heat_map(findings, learner, rival, dataset, other)
            for dataset in findings.datasets
            for other in (findings.map.baselines if rival is None else [rival])
        }
        seen = [np.abs(each.gaps[np.isfinite(each.gaps)]) for each in found.values()]
        values = np.concatenate(seen) if seen else np.zeros(0)
        most = float(values.max()) if values.size else 0.0
        for (dataset, other), each in found.items():
            if each.tried.any():
                pictures.append(
                    Picture(
                        slug(name, "heat", learner, other, dataset),
                        f"{dataset}, {learner} against {other}: mean gap of averages in percent over the readings of "
                        f"each cell (blue: {learner} is better), and under how many of them {learner} is better "
                        f"(Holm-corrected p < {SIGNIFICANT} over all readings).",
                        partial(draw_heat_map, each, most),
                    )
                )
    return Pictures(pictures) if pictures else None


def effects_table(findings: Findings, learner: str, rival: str | None, dataset: str) -> Table | None:
    """Return a table of what each level does to the gap, in screening and on the paper's instances; None if empty."""
    screened = {each.name: each for each in findings.effects(learner, rival, dataset, screening=True)}
    confirmed = {each.name: each for each in findings.effects(learner, rival, dataset)}
    names = [*screened] or [*confirmed]
    if not names:
        return None
    columns = [
        Column("Choice", number=False), Column("Level", number=False),
        *(Column(what, over) for over in ("Screening", "The paper's instances")
          for what in ("Gap, %", "to the first", "Holm p")),
        Column("Same direction", number=False),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    breaks = []
    for name in names:
        breaks.append(len(rows))
        both = [found.get(name) for found in (screened, confirmed)]
        present = next(effect for effect in both if effect is not None)
        levels = [*present.means] or ["all combinations"]
        for place, level in enumerate(levels):
            cells = [text for effect in both for text in _effect_texts(effect, level, first=place == 0)]
            same = DASH
            if place == 0 and both[0] is not None and both[1] is not None:
                same = "yes" if both[0].points_like(both[1]) else "no"
            rows.append([Cell(name), Cell(level), *map(Cell, cells), Cell(same)])
    against = "the baselines" if rival is None else rival
    words = [
        of_all(f"{len(used)} instances", len(used), len(cases_at(cases, dataset, GLOBAL)))
        for cases, used in (
            (findings.screening, findings.shared_cases(learner, rival, dataset, screening=True)),
            (findings.confirmation, findings.shared_cases(learner, rival, dataset)),
        )
    ]
    note = (
        f"Mean gap of averages of {learner} to {against}; to the first: difference to the first level and its standard "
        f"error over the instances, negative: better for {learner} than the first level. The crossed choices and their "
        "interaction are compared over the readings with all else as we choose, the other choices over the balanced "
        "fraction. Holm p: of the test over the instances that the levels of a choice do not differ (turning the signs "
        "of each instance's differences), corrected over the choices of a column. Screening: "
        f"{words[0]}; the paper's: {words[1]} (those on which all readings have all runs)."
    )
    return Table(columns, rows, f"{dataset}: {learner} against {against}", note, breaks[1:])


def challenge_table(study: Study, by_budget: Mapping[str, Sequence[Case]], readings: ReadingMap) -> Table:
    """Return a table of how many readings are better, and worse, than methods that no reading changes, by budget."""
    learner = readings.learners[0]
    columns = [
        Column("Budget", number=False), Column(f"Does any reading of {learner} beat", number=False),
        Column("Dataset", number=False), Column("Better"), Column("Worse"), Column("Best reading", number=False),
        Column("Gap, %"), Column("W / L / T"), Column("exact p"), Column("Holm p"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    breaks = []
    for budget, cases in by_budget.items():
        breaks.append(len(rows))
        title = budget_kind(budget, study.outline.budgets[budget])
        for each in challenges(Findings(readings, cases)):
            beaten = each.better > 0
            answer = Cell(f"{each.reference}: {'yes' if beaten else 'no' if each.tried else NO_DATA}",
                          tone="good" if beaten else None)  # fmt: skip
            rows.append([Cell(title), answer, Cell(each.dataset), *_challenge_cells(each)])
    note = (
        f"Every reading of {learner} against methods that no reading changes: as the protocol has them. Better and "
        f"worse: readings with an exact p below {SIGNIFICANT} after Holm's correction over all readings, datasets "
        "and methods of a budget. Best reading: lowest p, then lowest gap."
    )
    return Table(columns, rows, f"{learner} against {', '.join(readings.references)}", note, breaks[1:])


def readings_table(findings: Findings) -> Table:
    """Return a table of every reading with its gaps on each dataset."""
    readings = findings.map
    learner, *others = readings.learners
    columns = [Column("Reading", number=False), Column("What differs from our choice", number=False)]
    found: list[dict[str, Compared]] = []
    for rival in [None, *others]:
        for dataset in findings.datasets:
            compared = findings.compared(learner, rival, dataset, GLOBAL)
            for other in readings.baselines if rival is None else [rival]:
                columns.append(Column(dataset, f"{learner} vs {other}"))
                found.append(
                    {each.reading.name: each for each in compared if rival is not None or each.baseline == other}
                )
    order = sorted(range(len(found)), key=lambda place: columns[2 + place].over)
    columns = [*columns[:2], *(columns[2 + place] for place in order)]
    rows = [
        [Cell(reading.name), Cell(readings.words(reading)), *(_gap_cell(found[place][reading.name]) for place in order)]
        for reading in readings.readings
    ]
    # The combinations of the crossed choices with all else as we choose come first.
    first = prod(len(readings.choices[name]) for name in readings.crossed)
    note = (
        "Mean gap of averages in percent, negative: better. * better, + worse: exact p below "
        f"{SIGNIFICANT} after Holm's correction over all readings, and baselines, of a dataset."
    )
    return Table(columns, rows, "", note, [first] if first < len(rows) else [])


def _introduction(readings: ReadingMap) -> str:
    learners, baselines = " and ".join(readings.learners), " and ".join(readings.baselines)
    first, second = readings.crossed
    return (
        f"The paper leaves {len(readings.choices)} choices open that may decide its result. This study tries "
        f"{len(readings.readings)} combinations of them (readings): every combination of {first} and {second}, once "
        "with all else as we choose and twice with the other choices set by a balanced design. Under each of them "
        f"{learners} run, and {baselines} with the same acceptance and the same operators."
    )


def _choices_table(readings: ReadingMap) -> Table:
    columns = [Column("Choice", number=False), Column("Level", number=False), Column("What it sets", number=False)]
    rows: list[list[Cell]] = []
    breaks = []
    for name, levels in readings.choices.items():
        breaks.append(len(rows))
        for place, (level, words) in enumerate(levels.items()):
            usual = "our choice" if place == 0 else DASH
            rows.append([Cell(name), Cell(level), Cell(words, code=True) if words else Cell(usual)])
    return Table(columns, rows, "What the paper leaves open", "The first level is ours.", breaks[1:])


def _claim_cells(each: Judged, findings: Findings) -> list[Cell]:
    tried, holding = len(each.tried), len(each.holding)
    tests = each.claim.kind != "equal"
    lowest, highest = (signed(value, 2) for value in (min(each.gaps), max(each.gaps)))
    effect = each.median_effect
    return [
        Cell(of_all(_share(holding, tried), tried, each.expected)),
        Cell(_share(each.uncorrected, tried) if tests else DASH),
        Cell(_instances(each)),
        Cell(DASH if effect is None else signed(effect, 2)),
        Cell(f"{lowest} to {highest}"),
        Cell(each.best.name),
        Cell(p_text(each.best.corrected)),
        Cell(each.worst.name),
        Cell(_where(each, findings) if 0 < holding < tried else DASH),
    ]


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / of:.0f} %)"


def _instances(each: Judged) -> str:
    """Return how many instances the tests are over: for all readings, or from the fewest to the most."""
    used = [one.found.used for one in each.tried]
    expected = max(one.found.expected for one in each.tried)
    if min(used) == expected:
        return str(expected)
    return f"{min(used)} to {max(used)} of {expected}" if min(used) < max(used) else f"{used[0]} of {expected}"


def _where(each: Judged, findings: Findings) -> str:
    """Return under how many readings of each level the claim holds, for choices that decide, or else crossed ones."""
    known = [*findings.map.choices, *([BASELINE] if findings.rival(each.claim.second) is None else [])]
    shown = [name for name in each.depends if name in known]
    if not shown:
        shown = [*findings.map.crossed, *(name for name in known if name == BASELINE)]
    parts = []
    for name in shown:
        counts = sorted(each.counts(name).items(), key=lambda item: -item[1][0] / item[1][1])
        told = [f"{level} {holds}/{tried}" for level, (holds, tried) in counts if holds]
        never = [tried for _, (holds, tried) in counts if not holds]
        parts.append(f"{name}: {', '.join(told)}" + (f", others 0/{sum(never)}" if never else ""))
    return "; ".join(parts)


def _heat_map(findings: Findings, learner: str, rival: str | None, dataset: str, other: str) -> HeatMap:
    down, across = findings.map.crossed
    rows, columns = ([*findings.map.choices[name]] for name in (down, across))
    gaps = np.full((len(rows), len(columns)), np.nan)
    holding, tried = (np.zeros(gaps.shape, dtype=np.int64) for _ in range(2))
    compared = [
        each
        for each in findings.compared(learner, rival, dataset, GLOBAL)
        if each.found.used and (rival is not None or each.baseline == other)
    ]
    for row, column in np.ndindex(gaps.shape):
        own = [each for each in compared if (each.level(down), each.level(across)) == (rows[row], columns[column])]
        seen = [each.found.gap_of_averages for each in own if each.found.gap_of_averages is not None]
        if seen:
            gaps[row, column] = np.mean(seen)
        holding[row, column] = sum(each.corrected is not None and each.corrected < SIGNIFICANT for each in own)
        tried[row, column] = len(own)
    return HeatMap((down, rows), (across, columns), gaps, holding, tried)


def _effect_texts(effect: Effect | None, level: str, *, first: bool) -> list[str]:
    if effect is None:
        return [DASH] * 3
    mean = signed(effect.means[level], 2) if level in effect.means else DASH
    difference = DASH
    if level in effect.differences:
        value, error = effect.differences[level]
        difference = signed(value, 2) + ("" if error is None else f" ± {error:.2f}")
    return [mean, difference, p_text(effect.corrected) if first else DASH]


def _challenge_cells(each: Challenge) -> list[Cell]:
    tried, expected = each.tried, len(each.compared)
    if not tried:
        return [Cell(DASH)] * 7
    best = min(tried, key=lambda one: one.order)
    found = best.found
    gap = None if found.gap_of_averages is None else signed(found.gap_of_averages, 2)
    return [
        Cell(of_all(f"{each.better} of {len(tried)}", len(tried), expected)),
        Cell(of_all(f"{each.worse} of {len(tried)}", len(tried), expected)),
        Cell(best.name),
        cell(gap, found.used, found.expected),
        Cell(record_text(found)),
        cell(p_text(found.p_exact), found.used, found.expected),
        cell(p_text(best.corrected), found.used, found.expected),
    ]


def _gap_cell(each: Compared) -> Cell:
    found = each.found
    if found.gap_of_averages is None:
        return cell(None, found.used, found.expected)
    mark = "*" if _significant(each.corrected) else "+" if _significant(each.corrected_worse) else ""
    return cell(signed(found.gap_of_averages, 2) + mark, found.used, found.expected)


def _significant(p_value: float | None) -> bool:
    return p_value is not None and p_value < SIGNIFICANT
