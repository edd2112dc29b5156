"""The contents of a report: which sections a study has, and in which order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dacalns.report.figure import count_text
from dacalns.study.cases import Case, cases_of
from dacalns.study.comparisons import RULE
from dacalns.study.report.document import Block, Cell, Document, Facts, Paragraph, Section
from dacalns.study.report.figures import curve_pictures, share_pictures
from dacalns.study.report.map_section import judgements, map_findings, map_section, verdict_counts
from dacalns.study.report.sections import (
    BUDGET,
    budget_kind,
    paper_section,
    provenance_section,
    record_section,
    shortfall_section,
)
from dacalns.study.report.tables import TONES, comparison_table, method_table, shares_table, training_table, verdicts_of
from dacalns.study.rows import DONE, Study


def report_of(studies: Sequence[Study], *, brief: bool = False) -> Document:
    """Return the report of all studies in a folder; a brief one is by dataset and without figures and shares.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    if not studies:
        return Document("Studies", [Paragraph("No protocol has been run in this folder.")], [])
    sections = [study_section(study, brief=brief) for study in studies]
    if len(sections) > 1:
        return Document("Studies", [Paragraph(RULE)], sections)
    only = sections[0]
    return Document(only.title, [*only.blocks, Paragraph(RULE)], only.sections)


def study_section(study: Study, *, brief: bool = False) -> Section:
    """Return the section of one study: the paper's tables if any, every budget, what is missing, and provenance."""
    if study.outline.map:
        return _map_study(study)
    outline = study.outline
    by_budget = {budget: cases_of(study, budget) for budget in outline.budgets}
    sections = []
    if outline.paper is not None:
        sections.append(paper_section(outline.paper, by_budget.get(BUDGET, [])))
    for budget, cases in by_budget.items():
        blocks = _budget_blocks(study, budget, cases, brief=brief)
        sections.append(Section(budget_title(budget, outline.budgets[budget]), blocks))
    beaten = record_section(by_budget)
    sections += [beaten] if beaten is not None else []
    sections += [shortfall_section(by_budget), provenance_section(study)]
    return Section(outline.title, _summary(study), sections)


def _map_study(study: Study) -> Section:
    """Return the section of a study of readings, whose hundreds of methods are compared only in the map."""
    by_budget = {budget: cases_of(study, budget) for budget in study.outline.budgets}
    findings = map_findings(study, by_budget)
    judged = judgements(findings, study.outline.paper)
    facts = [*_facts(study), ("Readings", [Cell(str(len(findings.map.readings)))])]
    facts += [("The paper's claims", verdict_counts(judged))] if judged else []
    of_readings = {*findings.map.method_names()}
    written = {name: selector for name, selector in study.outline.methods.items() if name not in of_readings}
    learners = {name: study.outline.methods[findings.map.readings[0].learners[name]] for name in findings.map.learners}
    written |= {f"{name} under every reading": selector for name, selector in learners.items()}
    beaten = record_section(by_budget)
    sections = [
        map_section(study, by_budget, findings, judged),
        *([beaten] if beaten is not None else []),
        shortfall_section(by_budget, gathered=True),
        provenance_section(replace(study, outline=replace(study.outline, methods=written))),
    ]
    return Section(study.outline.title, [Facts(facts)], sections)


def budget_title(name: str, words: str) -> str:
    """Return a heading for a budget: equal iterations, or equal time."""
    return f"{budget_kind(name, words)}: {words}"


def _budget_blocks(study: Study, budget: str, cases: Sequence[Case], *, brief: bool) -> list[Block]:
    outline = study.outline
    if not cases:
        return [Paragraph("The protocol expects no runs with this budget.")]
    found: list[Block | None] = [
        method_table(cases, brief=brief),
        comparison_table(cases, outline.comparisons, brief=brief) if outline.comparisons else None,
        training_table(cases, outline.comparisons),
    ]
    found += (
        []
        if brief
        else [
            curve_pictures(outline.name, budget, cases, [*outline.methods]),
            shares_table(cases),
            share_pictures(outline.name, budget, cases),
        ]
    )
    return [block for block in found if block is not None]


def _summary(study: Study) -> list[Block]:
    """Return the study in a few lines, which stand before the tables."""
    outline = study.outline
    facts = _facts(study)
    if outline.paper is not None:
        counts = Counter(verdict.words for verdict in verdicts_of(outline.paper, cases_of(study, BUDGET)))
        found = [Cell(f"{words}: {counts[words]}", tone=tone) for words, tone in TONES.items() if counts[words]]
        facts.append(("The paper's claims", found))
    return [Facts(facts)]


def _facts(study: Study) -> list[tuple[str, list[Cell]]]:
    """Return the name and the size of a study."""
    outline = study.outline
    instances = len({(member.group, member.instance) for member in study.members})
    done = sum(row.status == DONE for row in study.rows.values())
    trained = sum(map(len, outline.trainings.values()))
    size = f"{len(outline.methods)} methods, {instances} instances, {len(outline.seeds)} seeds, "
    size += (f"{count_text(trained, 'training')}, " if trained else "") + f"{done:,} runs done"
    return [("Protocol", [Cell(outline.name, code=True)]), ("Size", [Cell(size)])]
