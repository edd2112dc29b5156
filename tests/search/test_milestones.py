"""The lines that remain of a long search."""

from dacalns.search.display import Milestones
from dacalns.search.run import Snapshot


def snapshot(seconds: float, cost: float, unserved: int = 0, gap: float | None = None) -> Snapshot:
    return Snapshot(int(100 * seconds), seconds, 0.0, cost, unserved, gap, {}, {}, 3)


def test_first_feasible_solution_and_growing_times() -> None:
    lines: list[str] = []
    milestones = Milestones(lines.append)
    for at, unserved in ((0.2, 2), (0.9, 1), (1.1, 1), (1.5, 0), (1.9, 0), (2.1, 0), (30.0, 0), (31.0, 0), (49.0, 0)):
        milestones(snapshot(at, 12345.0 - at, unserved, None if unserved else 1.234))
    assert [" ".join(line.split()) for line in lines] == [
        "1.1 s cost 12,343.9, 1 customer still unserved, 110 iterations",
        "first feasible solution after 1.5 s: cost 12,343.5, gap 1.23 %",
        "2.1 s cost 12,342.9, gap 1.23 %, 210 iterations",
        "30.0 s cost 12,315, gap 1.23 %, 3,000 iterations",
    ]


def test_a_search_that_is_expected_to_be_short_says_nothing_at_first() -> None:
    lines: list[str] = []
    milestones = Milestones(lines.append, after=5.0)
    for at in (0.1, 1.1, 2.1, 4.9, 5.25, 6.0, 10.0, 19.0):
        milestones(snapshot(at, 12345.0 - at))
    assert [" ".join(line.split()) for line in lines] == [
        "5.2 s cost 12,339.75, 525 iterations", "10.0 s cost 12,335, 1,000 iterations",
    ]  # fmt: skip


def test_a_late_first_solution_is_told_all_the_same() -> None:
    lines: list[str] = []
    milestones = Milestones(lines.append, after=5.0)
    for at, unserved in ((1.0, 3), (4.0, 2), (7.0, 0)):
        milestones(snapshot(at, 10.0, unserved))
    assert [" ".join(line.split()) for line in lines] == [
        "first feasible solution after 7.0 s: cost 10", "7.0 s cost 10, 700 iterations",
    ]  # fmt: skip


def test_a_start_alone_is_told_once() -> None:
    lines: list[str] = []
    milestones = Milestones(lines.append)
    milestones(Snapshot(0, 7.0, 0.0, 5.0, 0, None, {}, {}, 3))
    assert lines == ["first feasible solution after 7.0 s: cost 5"]
