"""The plan of a study: all runs that its protocol asks for, with their keys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from dacalns.instances import Instance
from dacalns.settings import Settings
from dacalns.study.content_key import code_version, digest, instance_digest, method_content
from dacalns.study.protocol import Budget, InstanceGroup, Method, Protocol
from dacalns.study.rows import DONE, Member, Row
from dacalns.study.task import SearchTask, known_instance
from dacalns.util.errors import InputError


@dataclass(frozen=True)
class PlannedRun:
    """A run to do, and the runs that it waits for.

    Parameters
    ----------
    member
        The run, as the protocol names it.
    instance, settings, budget
        The instance, the settings and the budget of the run.
    references
        The keys of the runs whose time is the budget; none for other budgets.
    """

    member: Member
    instance: Instance
    settings: Settings
    budget: Budget
    references: tuple[str, ...] = ()

    def task(self, references: Iterable[Row]) -> SearchTask:
        """Return the task that is sent to the process that does the run.

        Raises
        ------
        InputError
            If a run whose time is the budget has failed.
        """
        iterations, seconds = self.budget.iterations_for(self.instance.customers), self.budget.seconds
        if self.references:
            rows = list(references)
            times = [row.wall_seconds for row in rows if row.status == DONE and row.wall_seconds is not None]
            if len(times) < len(self.references):
                raise InputError(
                    f"{self.budget.like} has failed on {self.instance.name}; expected its time as the budget."
                )
            seconds = self.budget.factor * median(times)
        return self._with(iterations, seconds)

    def refused(self, error: str) -> Row:
        """Return the row of a run that cannot be done, because a run whose time is the budget has failed."""
        return self._with(None, 0.0).failed(error)

    def _with(self, iterations: int | None, seconds: float | None) -> SearchTask:
        return SearchTask(self.member.key, self.instance, self.settings, self.member.seed, iterations, seconds)


def planned_runs(protocol: Protocol, policies: Mapping[str, Mapping[int, str]]) -> list[PlannedRun]:
    """Return all runs, those on large instances first, so that no core waits long for the last one.

    On each instance the methods take turns, seed by seed, so that a machine that slows down slows all of them.

    Parameters
    ----------
    protocol
        The protocol.
    policies
        The files of the trained policies, by the names of the trainings and their seeds.
    """
    return [
        run
        for group, name in sorted(
            ((group, name) for group in protocol.groups.values() for name in group.instances),
            key=lambda pair: -known_instance(pair[1]).customers,
        )
        for run in _on_instance(protocol, group, known_instance(name), policies.get(group.policy or "", {}))
    ]


def _on_instance(
    protocol: Protocol, group: InstanceGroup, instance: Instance, policies: Mapping[int, str]
) -> list[PlannedRun]:
    which, seeds = instance_digest(instance), protocol.seeds_of(group)
    # The seeds of the trainings whose policies a method uses; None if it uses none.
    trainings: dict[str, list[int | None]] = {
        name: [*policies] if method.needs_policy and policies else [None] for name, method in protocol.methods.items()
    }
    settings = {
        (name, training): method.settings_with(None if training is None else policies[training])
        for name, method in protocol.methods.items()
        for training in trainings[name]
    }
    contents = {each: method_content(given, instance.features) for each, given in settings.items()}

    def key(method: str, training: int | None, seed: int, budget: dict[str, object]) -> str:
        return digest(
            {
                "instance": which,
                "method": contents[method, training],
                "seed": seed,
                "budget": budget,
                "code": code_version(),
            }
        )

    def plain(budget: Budget) -> dict[str, object]:
        if budget.seconds is not None:
            return {"seconds": budget.seconds}
        return {"iterations": budget.iterations_for(instance.customers)}

    def planned(method: Method, training: int | None, seed: int, budget: Budget) -> PlannedRun:
        references: tuple[str, ...] = ()
        content = {}
        if budget.like is None:
            content = plain(budget)
        else:
            assert budget.of is not None
            of = plain(protocol.budgets[budget.of])
            others = trainings[budget.like]
            references = tuple(key(budget.like, other, of_seed, of) for other in others for of_seed in seeds)
            like = [contents[budget.like, other] for other in others]
            content = {
                "like": like[0] if len(like) == 1 else like,
                "of": of,
                "seeds": list(seeds),
                "factor": budget.factor,
            }
        member = Member(
            group.name, group.dataset, group.scale, instance.name, method.name, budget.name, seed,
            key(method.name, training, seed, content), None if training is None else group.policy, training,
        )  # fmt: skip
        return PlannedRun(member, instance, settings[method.name, training], budget, references)

    return [
        planned(method, training, seed, budget)
        # Runs that others wait for come first.
        for budget in sorted(protocol.budgets.values(), key=lambda budget: budget.like is not None)
        for seed in seeds
        for method in protocol.methods.values()
        if budget in protocol.budgets_of(method)
        for training in trainings[method.name]
    ]
