"""What stands in the report of a study, and in which order."""

from collections import Counter
from collections.abc import Sequence

from dacalns.study.cases import Case, cases_of
from dacalns.study.report.budget_section import comparison_table, method_table
from dacalns.study.report.document import Block, Cell, Document, Facts, Paragraph, Section
from dacalns.study.report.paper_section import BUDGET, paper_section
from dacalns.study.report.picture_blocks import curve_pictures, share_pictures
from dacalns.study.report.provenance_section import provenance_section
from dacalns.study.report.shares_table import shares_table
from dacalns.study.report.shortfall_section import record_section, shortfall_section
from dacalns.study.report.verdict_table import TONES, verdicts_of
from dacalns.study.rows import DONE, Study
from dacalns.study.versus import RULE


def report_of(studies: Sequence[Study]) -> Document:
    """The report of all studies in a folder.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    if not studies:
        return Document("Studies", [Paragraph("No protocol has been run in this folder.")], [])
    sections = [study_section(study) for study in studies]
    if len(sections) > 1:
        return Document("Studies", [Paragraph(RULE)], sections)
    only = sections[0]
    return Document(only.title, [*only.blocks, Paragraph(RULE)], only.sections)


def study_section(study: Study) -> Section:
    """One study: the paper's tables where there are some, every budget, what is missing, where it comes from."""
    outline = study.outline
    by_budget = {budget: cases_of(study, budget) for budget in outline.budgets}
    sections = []
    if outline.paper is not None:
        sections.append(paper_section(outline.paper, by_budget.get(BUDGET, [])))
    for budget, cases in by_budget.items():
        sections.append(Section(budget_title(budget, outline.budgets[budget]), _budget_blocks(study, budget, cases)))
    beaten = record_section(by_budget)
    sections += [beaten] if beaten is not None else []
    sections += [shortfall_section(by_budget), provenance_section(study)]
    return Section(outline.title, _summary(study), sections)


def budget_title(name: str, words: str) -> str:
    """A heading for a budget: as many iterations for all, or as much time."""
    by_time = words.endswith(" s") or "seconds" in words
    kind = "Equal iterations" if name == BUDGET else "Equal time" if by_time else name
    return f"{kind}: {words}"


def _budget_blocks(study: Study, budget: str, cases: Sequence[Case]) -> list[Block]:
    outline = study.outline
    if not cases:
        return [Paragraph("The protocol expects no runs with this budget.")]
    found: list[Block | None] = [
        method_table(cases),
        comparison_table(cases, outline.comparisons) if outline.comparisons else None,
        curve_pictures(outline.name, budget, cases, [*outline.methods]),
        shares_table(cases),
        share_pictures(outline.name, budget, cases),
    ]
    return [block for block in found if block is not None]


def _summary(study: Study) -> list[Block]:
    """The study in a few lines, before the tables."""
    outline = study.outline
    instances = len({(member.group, member.instance) for member in study.members})
    done = sum(row.status == DONE for row in study.rows.values())
    size = f"{len(outline.methods)} methods, {instances} instances, {len(outline.seeds)} seeds, {done:,} runs done"
    facts = [("Protocol", [Cell(outline.name, code=True)]), ("Size", [Cell(size)])]
    if outline.paper is not None:
        counts = Counter(verdict.words for verdict in verdicts_of(outline.paper, cases_of(study, BUDGET)))
        found = [Cell(f"{counts[words]} {words}", tone=tone) for words, tone in TONES.items() if counts[words]]
        facts.append(("The paper's claims", found))
    return [Facts(facts)]
