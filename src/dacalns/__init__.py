"""Adaptive large neighbourhood search for vehicle routing at compiled speed.

>>> import dacalns
>>> instance = dacalns.read("A-n32-k5")
>>> result = dacalns.solve(instance, stop=dacalns.MaxIterations(2000), seed=1)
>>> result.feasible
True
"""

from typing import TYPE_CHECKING, Any

import dacalns.cli.watch  # noqa: F401  # before the rest, which takes a second
from dacalns.core.distances import between
from dacalns.core.insertions import cheapest_position
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import fits, insert, remove
from dacalns.core.terms import candidate_routes
from dacalns.explain import explain_unserved
from dacalns.instances import (
    Instance,
    generate_cvrp,
    generate_rich,
    generate_vrptw,
    instance_names,
    preflight,
    read,
    read_solution,
    read_solution_of,
    sample,
    set_names,
    write_instance,
    write_solution,
    write_solution_of,
)
from dacalns.instances.pyvrp_data import from_pyvrp, from_pyvrp_solution, to_pyvrp, to_pyvrp_solution
from dacalns.instances.vroom_problem import VroomProblem, read_vroom
from dacalns.learning import TrainingProgress, TrainingSummary, Validation, train
from dacalns.model import Model
from dacalns.report.picture import plot
from dacalns.search.acceptance import (
    ACCEPTANCES,
    AcceptanceCriterion,
    HillClimbing,
    LateAcceptance,
    LocalAnnealing,
    RecordToRecord,
    SimulatedAnnealing,
    Threshold,
)
from dacalns.search.checker import Check, Violation, check
from dacalns.search.draft import Draft, Place
from dacalns.search.observation import Observation
from dacalns.search.operators import (
    DestroyOperator,
    RepairOperator,
    Scale,
    destroy_operator,
    repair_operator,
)
from dacalns.search.outcome import OUTCOMES, Outcome, Outcomes
from dacalns.search.policy_view import Explanation
from dacalns.search.portfolio import (
    DESTROY_OPERATORS,
    PORTFOLIOS,
    REPAIR_OPERATORS,
    Portfolio,
    greedy_repair,
    random_removal,
    random_repair,
    regret_repair,
    worst_removal,
)
from dacalns.search.python_selector import PythonSelector
from dacalns.search.reasons import Reason
from dacalns.search.relaxation import Relaxation
from dacalns.search.result import FleetPhase, NewBest, Result
from dacalns.search.run import Snapshot
from dacalns.search.selector import CompiledSelector, Selector
from dacalns.search.state import State
from dacalns.search.stepper import Stepper
from dacalns.search.steppers import Steppers
from dacalns.search.stopping import (
    AllOf,
    AnyOf,
    MaxIterations,
    MaxTime,
    NoImprovement,
    Patience,
    StoppingCriterion,
    StopWhen,
    TargetCost,
)
from dacalns.search.user_code import StopSearch
from dacalns.search.vroom_answer import to_vroom, write_vroom
from dacalns.search.why_not import WhyNot
from dacalns.selectors import (
    SELECTORS,
    ActorCritic,
    AlphaUCB,
    DualActorCritic,
    FixedWeights,
    FrozenPolicy,
    LearnedWheel,
    Roulette,
    UniformRandom,
)
from dacalns.selectors.card import Card, TrainedPortfolio
from dacalns.selectors.checkpoint import bundled_policy, load_checkpoint, save_checkpoint
from dacalns.selectors.settings import PRESETS, LearningSettings, NetworkSettings, Preset, Rewards
from dacalns.settings import SearchSettings, SelectorSettings, Settings, StopSettings, load_settings
from dacalns.solve import default_iterations, solve
from dacalns.util.errors import InfeasibleInstanceError, InputError
from dacalns.version import __version__
from dacalns.warm_up import warm_up

if TYPE_CHECKING:
    from dacalns.tuning import TuningProgress, TuningResult, tune

__all__ = [
    "ACCEPTANCES",
    "BANKED",
    "DESTROY_OPERATORS",
    "OUTCOMES",
    "PORTFOLIOS",
    "PRESETS",
    "REPAIR_OPERATORS",
    "SELECTORS",
    "USED",
    "AcceptanceCriterion",
    "ActorCritic",
    "AllOf",
    "AlphaUCB",
    "AnyOf",
    "Card",
    "Check",
    "CompiledSelector",
    "DestroyOperator",
    "Draft",
    "DualActorCritic",
    "Explanation",
    "FixedWeights",
    "FleetPhase",
    "FrozenPolicy",
    "HillClimbing",
    "InfeasibleInstanceError",
    "InputError",
    "Instance",
    "LateAcceptance",
    "LearnedWheel",
    "LearningSettings",
    "LocalAnnealing",
    "MaxIterations",
    "MaxTime",
    "Model",
    "NetworkSettings",
    "NewBest",
    "NoImprovement",
    "Observation",
    "Outcome",
    "Outcomes",
    "Patience",
    "Place",
    "Portfolio",
    "Preset",
    "PythonSelector",
    "Reason",
    "RecordToRecord",
    "Relaxation",
    "RepairOperator",
    "Result",
    "Rewards",
    "Roulette",
    "Scale",
    "SearchSettings",
    "Selector",
    "SelectorSettings",
    "Settings",
    "SimulatedAnnealing",
    "Snapshot",
    "State",
    "Stepper",
    "Steppers",
    "StopSearch",
    "StopSettings",
    "StopWhen",
    "StoppingCriterion",
    "TargetCost",
    "Threshold",
    "TrainedPortfolio",
    "TrainingProgress",
    "TrainingSummary",
    "TuningProgress",
    "TuningResult",
    "UniformRandom",
    "Validation",
    "Violation",
    "VroomProblem",
    "WhyNot",
    "__version__",
    "between",
    "bundled_policy",
    "candidate_routes",
    "cheapest_position",
    "check",
    "default_iterations",
    "destroy_operator",
    "explain_unserved",
    "fits",
    "from_pyvrp",
    "from_pyvrp_solution",
    "generate_cvrp",
    "generate_rich",
    "generate_vrptw",
    "greedy_repair",
    "insert",
    "instance_names",
    "load_checkpoint",
    "load_settings",
    "plot",
    "preflight",
    "random_float",
    "random_int",
    "random_removal",
    "random_repair",
    "read",
    "read_solution",
    "read_solution_of",
    "read_vroom",
    "regret_repair",
    "remove",
    "repair_operator",
    "sample",
    "save_checkpoint",
    "set_names",
    "solve",
    "to_pyvrp",
    "to_pyvrp_solution",
    "to_vroom",
    "train",
    "tune",
    "warm_up",
    "worst_removal",
    "write_instance",
    "write_solution",
    "write_solution_of",
    "write_vroom",
]


def __getattr__(name: str) -> Any:
    """Import what tunes when it is asked for: it would make every start a tenth longer."""
    if name in ("TuningProgress", "TuningResult", "tune"):
        import dacalns.tuning

        return getattr(dacalns.tuning, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
