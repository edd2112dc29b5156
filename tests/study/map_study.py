"""Maps of readings: small protocols, and studies made up row by row."""

import random
from collections.abc import Callable
from pathlib import Path

from dacalns.study.load_protocol import load_protocol
from dacalns.study.protocol import Protocol
from dacalns.study.rows import Member, Row, Study

from .synthetic_study import row_of

METHODS = """
[methods.DAC]
selector = "dac"

[methods.AC]
selector = "ac"
budgets = ["iterations"]

[methods.ALNS]
selector = "roulette"

[methods.Always]
selector = "weights:1,0/0,0,1"
"""

SCREENING = """
[groups."CVRP screening"]
dataset = "CVRP"
scale = "Generated"
instances = ["generated-cvrp-n8-s1"]
seeds = [7]

"""

# Four targets x two acceptances, three choices beside them: 8 + 16 readings, of which two are the same.
MAP = (
    """\
title = "A map"
paper = "comparative"
seeds = [0, 100]

[map]
crossed = ["target", "acceptance"]
learners = ["DAC", "AC"]
baselines = ["ALNS"]
references = ["ALNS", "Always"]
screening = ["CVRP screening", "VRPTW screening"]

[map.choices.target]
two-step = {}
one-step.learning.target = "one-step"
joint.learning.target = "joint"
independent.learning.target = "independent"

[map.choices.acceptance]
calibrated = {}
climbing.acceptance = "hill-climbing"

[map.choices.neighbours]
ten = {}
five.network.neighbours = 5

[map.choices.worst]
count = {}
ratio.portfolio = "ratio"

[map.choices.scale]
drawn = {}
chosen.portfolio = "scales"

[budgets.iterations]
iterations = 100

[budgets.time]
like = "ALNS"
"""
    + METHODS
    + SCREENING
    + """
[groups."VRPTW screening"]
dataset = "VRPTW"
scale = "Generated"
instances = ["generated-vrptw-n8-s1"]
seeds = [7]

[groups."CVRP Small"]
dataset = "CVRP"
scale = "Small"
instances = ["P-n16-k8"]

[groups."CVRP Large"]
dataset = "CVRP"
scale = "Large"
instances = ["P-n19-k2"]

[groups."VRPTW Medium"]
dataset = "VRPTW"
scale = "Medium"
instances = ["C103-n23-s1"]
"""
)

Gap = Callable[[str, dict[str, str], str], float]
"""Of a method, under the levels of its reading, on a dataset, in percent above a common cost."""


def loaded(folder: Path, text: str = MAP) -> Protocol:
    """The protocol of a text."""
    path = folder / "map.toml"
    path.write_text(text)
    return load_protocol(path)


def made_up(
    protocol: Protocol,
    gap: Gap,
    *,
    instances: int = 12,
    noise: float = 0.1,
    left_out: Callable[[Member], bool] | None = None,
) -> Study:
    """A study with a map whose costs are what ``gap`` says, and noise; so many instances a group."""
    assert protocol.map is not None
    levels = {name: reading.levels for reading in protocol.map.readings for name in reading.learners.values()}
    members: list[Member] = []
    rows: dict[str, Row] = {}
    for group in protocol.groups.values():
        for instance in (f"{group.name} {number}" for number in range(instances)):
            for method in protocol.methods.values():
                kind = method.name.split(" ")[0]
                own = random.Random(f"{instance} {method.name}").gauss(0.0, noise)
                for budget in protocol.budgets_of(method):
                    for seed in protocol.seeds_of(group):
                        key = f"{instance}/{method.name}/{budget.name}/{seed}"
                        member = Member(
                            group.name, group.dataset, group.scale, instance, method.name, budget.name, seed, key
                        )
                        members.append(member)
                        if left_out is None or not left_out(member):
                            percent = gap(kind, levels.get(method.name, {}), group.dataset) + own
                            rows[key] = row_of(key, instance, kind, seed, 1000 * (1 + percent / 100), budget.name)
    return Study(protocol.outline("dac-alns study run map.toml"), members, rows)
