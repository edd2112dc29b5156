"""Studies made up row by row, without a search."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dacalns.study.rows import DONE, FAILED, Member, ProtocolOutline, Row, Study
from dacalns.study.store import Store

SEEDS = (0, 100)
Costs = Mapping[str, Mapping[str, Any]]
"""By instance and method, a cost for each seed, or such costs by training.

None is a run that is missing, "failed" and "infeasible" are such.
"""


def row_of(key: str, instance: str, method: str, seed: int, cost: Any, budget: str = "iterations", **more: Any) -> Row:
    """A row with something in every field."""
    by_time = budget != "iterations"
    row = Row(
        key=key,
        status=DONE,
        attempts=1,
        instance=instance,
        problem="cvrp",
        customers=30,
        selector=method.lower(),
        seed=seed,
        budget="0.5 s" if by_time else "1000 iterations",
        version="1.2.3+0badcafe",
        machine="a machine",
        finished=f"2026-01-02T03:04:{len(key) % 60:02d}",
        feasible=True,
        unserved=0,
        wall_seconds=0.5,
        cpu_seconds=0.5,
        iterations=1000,
        destroy=["random_removal", "worst_removal"],
        repair=["greedy_repair", "regret_repair"],
        uses=[[100, 200], [300, 400]],
    )
    if cost == "failed":
        row = replace(
            row, status=FAILED, attempts=2, error="ValueError: no | `such` <thing>\nat all", feasible=None,
            unserved=None, wall_seconds=None, cpu_seconds=None, iterations=None, uses=[],
        )  # fmt: skip
    elif cost == "infeasible":
        row = replace(row, cost=10.0, feasible=False, unserved=3, history=[[0, 0.0, 10.0, 3]])
    else:
        row = replace(row, cost=float(cost), history=[[0, 0.0, 2.0 * cost, 0], [500, 0.25, float(cost), 0]])
    return replace(row, **more)


def study_of(
    costs: Costs,
    *,
    groups: Mapping[str, tuple[str, str, Iterable[str]]] | None = None,
    budgets: Sequence[str] = ("iterations",),
    comparisons: Sequence[tuple[str, str]] | None = None,
    paper: str | None = None,
    best_known: Mapping[str, float] | None = None,
    name: str = "made up",
    policies: Mapping[str, str] | None = None,
) -> Study:
    """A study with these costs; groups give dataset, scale and instances, and by default all are one.

    Policies are the trainings of the groups; by default each has its own.
    """
    groups = groups or {"Tiny": ("CVRP", "Small", costs)}
    methods = [*dict.fromkeys(method for each in costs.values() for method in each)]
    members, rows = [], {}
    trainings: dict[str, list[int]] = {}
    for budget in budgets:
        for group, (dataset, scale, instances) in groups.items():
            for instance in instances:
                for method, training, seed, cost in _runs(costs[instance]):
                    key = f"{instance}/{method}/{budget}/{training}/{seed}"
                    policy = None if training is None else (policies or {}).get(group, f"for {group}")
                    members.append(
                        Member(group, dataset, scale, instance, method, budget, seed, key, policy, training)
                    )  # fmt: skip
                    if policy is not None and training not in trainings.setdefault(policy, []):
                        trainings[policy].append(training)
                    if cost is not None:
                        known = (best_known or {}).get(instance)
                        rows[key] = row_of(key, instance, method, seed, cost, budget, best_known=known)
    pairs = [(one, methods[0]) for one in methods[1:]] if comparisons is None else [*comparisons]
    words = {budget: "1000 iterations" if budget == "iterations" else "0.5 s" for budget in budgets}
    outline = ProtocolOutline(
        name, f"The study {name}", {method: method.lower() for method in methods}, words, pairs, paper, [*SEEDS],
        "dac-alns study run made_up.toml --out results", trainings,
    )  # fmt: skip
    return Study(outline, members, rows)


def _runs(methods: Mapping[str, Any]) -> Iterable[tuple[str, Any, int, Any]]:
    """Method, training or None, seed and cost of every run on an instance."""
    for method, found in methods.items():
        for training, costs in found.items() if isinstance(found, Mapping) else [(None, found)]:
            for seed, cost in zip(SEEDS if len(costs) == 2 else range(len(costs)), costs, strict=True):
                yield method, training, seed, cost


def stored(folder: Path, *studies: Study) -> Path:
    """The folder of these studies, as a runner would leave it."""
    with Store(folder, create=True) as store:
        for study in studies:
            store.add_protocol(study.outline, "", study.members)
            for row in study.rows.values():
                store.add(row)
    return folder


def count_runs(database: Path) -> int:
    """How many runs a study's file has by now, while others write to it; 0 if it is not there yet."""
    if not database.exists():
        return 0
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        connection.close()
