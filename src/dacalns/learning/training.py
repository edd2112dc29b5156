"""The loop of a training: round after round, validations in between, and the policy at the end."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dacalns.learning.blueprint import Blueprint
from dacalns.learning.monitor import (
    Metrics,
    MetricsFile,
    TrainingProgress,
    TrainingSummary,
    columns,
    row_of,
    with_validation,
)
from dacalns.learning.options import Wanted
from dacalns.learning.rounds import (
    EpisodeReport,
    EpisodeTask,
    Plan,
    Vector,
    averaged,
    combine,
    run_task,
    softened,
    tasks,
)
from dacalns.learning.standing import Files, Standing, save_standing
from dacalns.learning.start import CRITIC_ROUNDS, first_critic, fit_critic
from dacalns.learning.validation import (
    Validation,
    costs_of_roulette,
    policy_pairs,
    validate,
    validation_hold,
    validation_source,
)
from dacalns.learning.workers import Workers
from dacalns.search.signals import Interrupt
from dacalns.search.stopping import PAPER_ITERATIONS
from dacalns.selectors.actor_critic import LearningState
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.frozen_policy import to_tensors
from dacalns.util.errors import InputError

# A training that is killed loses no more than this, and the round that it was in.
SAVE_AFTER_SECONDS = 60.0


class TrainingRun:
    """A training that runs; :meth:`run` does all of it.

    Parameters
    ----------
    chosen
        What to train.
    wanted
        When to end, and when to validate.
    files
        The files to write.
    workers
        The processes that run the episodes.
    interrupt
        Tells whether the user asked to stop, by Ctrl-C or a signal.
    standing
        Where the training stands, and goes on from.
    on_progress
        A function that is called with the progress, or None.
    """

    def __init__(
        self,
        chosen: Blueprint,
        wanted: Wanted,
        files: Files,
        workers: Workers,
        interrupt: Interrupt,
        standing: Standing,
        on_progress: Callable[[TrainingProgress], None] | None,
    ) -> None:
        self._chosen, self._plan, self._wanted, self._files = chosen, chosen.plan, wanted, files
        self._workers, self._interrupt, self._standing, self._on_progress = workers, interrupt, standing, on_progress
        self._source = validation_source(self._plan.source)
        self._columns = columns(self._plan.portfolio)
        self.listeners: list[Callable[[Metrics], None]] = [MetricsFile(files.metrics, self._columns, standing.rows).add]
        self._began, self._at_first = time.perf_counter(), standing
        self._saved_at = self._began

    def run(self) -> TrainingSummary:
        """Run all rounds that are left, save the policy, and return the summary."""
        if self._standing.finished and self._reason() == "steps" and self._files.policy.exists():
            return self._summary("steps")
        self._tell("training")
        try:
            self._save_standing()
            self._set_reference()
            reason = self._reason()
            while reason is None:
                self._round()
                reason = self._reason()
            if reason != "interrupt":
                reason = self._finish(reason)
        except BaseException:
            # This is the standing after the last whole round: nothing that was learned is lost.
            self._save_standing()
            raise
        if reason == "interrupt":
            self._save_standing()
            if self._standing.round:
                self._save_policy(self._policy(), finished=False)
        return self._summary(reason)

    def _reason(self) -> str | None:
        """Return the reason to end now, or None to go on."""
        standing, patience = self._standing, self._wanted.stop_after
        if standing.steps >= self._wanted.steps:
            return "steps"
        if patience is not None and standing.validations:
            gaps = [validation.gap for validation in standing.validations]
            if len(gaps) - 1 - gaps.index(min(gaps)) >= patience:
                return "no improvement"
        return "interrupt" if self._interrupt.requested else None

    def _set_reference(self) -> None:
        count = self._wanted.validation_instances
        if len(self._standing.reference) == count:
            return
        self._tell("validation")
        reference = tuple(costs_of_roulette(self._workers, self._source, count)) if count else ()
        # Earlier gaps are on other instances, and cannot be compared with those on these.
        self._standing = replace(self._standing, reference=reference, validations=(), latest=None)

    def _round(self) -> None:
        before, plan = self._standing, self._plan
        # Episodes that learn from whole searches need only the parameters.
        sent = before.learner if plan.method == "online" else _parameters_alone(before.learner)
        work = tasks(plan, before.round)
        sizes = [plan.source.customers(plan.instance_number(task.number)) for task in work]
        reports = self._workers.run(_episode, sent, work, sizes)
        learner = combine(plan, before.learner, reports)
        number = before.round + 1
        if not np.isfinite(learner.parameters).all():
            raise InputError(
                f"parameters are no longer finite after round {number}; expected them to be; train with a lower rate."
            )
        steps = before.steps + sum(report.iterations for report in reports)
        row = row_of(number, steps, self._seconds(), reports)
        after = replace(
            before,
            learner=learner,
            average=averaged(before.average, learner.parameters, number),
            round=number,
            steps=steps,
            finished=False,
        )
        due = self._wanted.validate_every > 0 and number % self._wanted.validate_every == 0
        validation = self._validated(after) if due else None
        if validation is not None:
            row = with_validation(row, validation)
            after = replace(after, validations=(*after.validations, validation), latest=validation)
        elif steps >= self._wanted.steps and not self._interrupt.requested:
            validation = self._validated(after)
            if validation is not None:
                row = with_validation(row, validation)
                after = replace(after, latest=validation)
        self._standing = replace(after, seconds=self._seconds(), rows=(*before.rows, row))
        for listener in self.listeners:
            listener(row)
        if due or time.perf_counter() - self._saved_at > SAVE_AFTER_SECONDS:
            self._save_standing()
            self._save_policy(self._policy(), finished=False)
        self._tell("training")

    def _validated(self, standing: Standing) -> Validation | None:
        if not standing.reference:
            return None
        self._tell("validation")
        return validate(self._workers, self._source, self._policy(standing), standing.reference, standing.round)

    def _policy(self, standing: Standing | None = None) -> Vector:
        """Return the parameters that are saved."""
        standing = standing or self._standing
        if self._plan.method == "online":
            return standing.learner.parameters
        # A surface is a mean over all rounds already.
        found = standing.learner.parameters if self._plan.method == "surface" else standing.average
        return softened(self._plan, found.astype(np.float32))

    def _finish(self, reason: str) -> str:
        """Validate and save the final policy, and return why the training ended.

        If this is interrupted, a resumed training does it again.
        """
        self._save_standing()
        policy = self._policy()
        latest = self._standing.latest
        if latest is None or latest.round != self._standing.round:
            self._standing = replace(self._standing, latest=self._validated(self._standing))
        if self._plan.learner is not None and self._plan.method == "whole":
            state = first_critic(policy)
            for number in range(CRITIC_ROUNDS):
                if self._interrupt.requested:
                    return "interrupt"
                self._tell("critic")
                state = fit_critic(self._workers, self._plan, state, number)
            policy = state.parameters
        self._save_policy(policy, finished=True)
        self._standing = replace(self._standing, finished=True, seconds=self._seconds())
        self._save_standing()
        return reason

    def _save_standing(self) -> None:
        save_standing(self._files.state, self._standing, self._chosen.described())
        self._saved_at = time.perf_counter()

    def _save_policy(self, parameters: Vector, *, finished: bool) -> None:
        standing, plan = self._standing, self._plan
        whole = plan.method == "whole"
        training = {
            "rounds": standing.round,
            "steps": standing.steps,
            "finished": finished,
            "saved": "running mean" if whole else "last",
            "critic_rounds": CRITIC_ROUNDS if finished and whole and plan.learner is not None else 0,
        }
        validation = {}
        if standing.latest is not None:
            validation = {
                **standing.latest.to_dict(),
                "against": "roulette",
                "instances": f"{self._source} with seed {self._source.seed}, the first {len(standing.reference)}",
                **({"iterations": PAPER_ITERATIONS} if plan.seconds is None else {"seconds": plan.seconds}),
                **({} if plan.learner is None else {"hold": validation_hold(plan)}),
            }
        card = self._chosen.card(training, validation, self._wanted.steps)
        wheel = plan.learner is None
        tensors = {"pairs": policy_pairs(plan, parameters)} if wheel else to_tensors(card, parameters)
        save_checkpoint(self._files.policy, tensors, card)

    def _seconds(self) -> float:
        return self._at_first.seconds + time.perf_counter() - self._began

    def _tell(self, phase: str) -> None:
        if self._on_progress is None:
            return
        standing, first = self._standing, self._at_first
        passed = max(time.perf_counter() - self._began, 1e-9)
        steps, rounds = standing.steps - first.steps, standing.round - first.round
        episodes = len(tasks(self._plan, 0))
        row: Metrics = standing.rows[-1] if standing.rows else ()
        self._on_progress(
            TrainingProgress(
                phase,
                standing.round,
                standing.steps,
                self._wanted.steps,
                self._seconds(),
                passed * max(0, self._wanted.steps - standing.steps) / steps if steps else None,
                rounds * episodes / passed,
                dict(zip(self._columns, row, strict=False)),
                standing.latest,
                self._chosen.in_words(),
            )
        )

    def _summary(self, reason: str) -> TrainingSummary:
        standing, files = self._standing, self._files
        return TrainingSummary(
            files.policy, files.state, files.metrics, standing.round, standing.steps, standing.seconds,
            standing.latest, reason,
        )  # fmt: skip


def _parameters_alone(state: LearningState) -> LearningState:
    nothing = np.zeros(0, dtype=np.float32)
    return LearningState(state.parameters, nothing, nothing, state.step, state.spread)


def _episode(plan: Plan, state: LearningState, task: EpisodeTask) -> EpisodeReport:
    report = run_task(plan, state, task)
    # Leave out what `combine` does not need, so that less is sent between processes.
    return replace(report, trace=None) if plan.method == "online" else replace(report, state=None)
