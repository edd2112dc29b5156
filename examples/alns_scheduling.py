"""Project scheduling with scarce resources, which is no routing: the roulette wheel of alns, and our selectors.

Run it with more: python examples/alns_scheduling.py --instances 10 --seeds 5 --iterations 1000
"""

import heapq

import alns
import numpy as np
from alns.accept import RecordToRecordTravel
from alns.select import RouletteWheel
from alns.stop import MaxIterations
from alns_routing import compare

from dacalns.interop import Selection, StateView


class Project:
    """A drawn project: predecessors have smaller numbers, so that there is no circle."""

    def __init__(self, activities, seed):
        rng = np.random.default_rng(seed)
        self.size, self.capacity = activities, np.array([12, 12])
        self.duration = rng.integers(1, 11, activities)
        self.need = rng.integers(0, 8, (activities, 2))
        near = range(activities)
        self.before = [sorted({int(i) for i in rng.integers(max(0, k - 12), k, 2)}) if k > 4 else [] for k in near]
        arcs = [(i, k) for k in near for i in self.before[k]]
        self.tails, self.heads = [i for i, _ in arcs], [k for _, k in arcs]
        self.after = [[k for i, k in arcs if i == before] for before in near]
        self.tail = np.array(self.duration)  # the longest way from the start of an activity to the end
        for k in reversed(near):
            for i in self.before[k]:
                self.tail[i] = max(self.tail[i], self.duration[i] + self.tail[k])


class Schedule:
    """Activities in the order in which each is given its earliest feasible start; some may be missing."""

    def __init__(self, project, order, missing=()):
        self.project, self.order, self.missing = project, list(order), list(missing)
        self.start = np.full(project.size, -1)
        if not self.missing:
            self._build()

    def _build(self):
        project = self.project
        free = np.tile(project.capacity, (int(project.duration.sum()) + 1, 1))
        waits = [len(before) for before in project.before]
        rank = {activity: place for place, activity in enumerate(self.order)}
        ready = [(rank[k], k) for k in self.order if not waits[k]]  # sorted, and so a heap
        while ready:  # the first of the order whose predecessors are done
            _, k = heapq.heappop(ready)
            length, need = int(project.duration[k]), project.need[k]
            time = max((int(self.start[i] + project.duration[i]) for i in project.before[k]), default=0)
            while not (fits := (free[time : time + length] >= need).all(axis=1)).all():
                time += int(np.flatnonzero(~fits)[-1]) + 1
            free[time : time + length] -= need
            self.start[k] = time
            for other in project.after[k]:
                waits[other] -= 1
                if not waits[other]:
                    heapq.heappush(ready, (rank[other], other))

    def ends(self):
        return self.start + self.project.duration

    def objective(self):
        """The end of the project, and a little of the mean end, so that schedules that are as long differ."""
        return float(self.ends().max() + self.ends().mean() / 1000)

    def without(self, chosen):
        smaller = Schedule(self.project, [k for k in self.order if k not in chosen], sorted(chosen))
        smaller.start = self.start
        return smaller


def remove_any(state, rng):
    return state.without(rng.permutation(state.project.size)[: rng.integers(3, 12)])


def remove_window(state, rng):
    """Remove what runs during a part of the time."""
    begin = rng.integers(0, state.start.max() + 1)
    return state.without(rng.permutation(np.flatnonzero((state.start <= begin + 8) & (state.ends() >= begin)))[:14])


def remove_chain(state, rng):
    """Remove an activity and those that follow it in the order."""
    return state.without(state.order[(at := rng.integers(len(state.order))) : at + rng.integers(3, 10)])


def inserted(state, rng, first):
    """Insert what is missing, lowest number first, at drawn places soon after the predecessors."""
    order = list(state.order)
    for k in sorted(state.missing, key=lambda k: first[k]):
        begin = max((order.index(i) + 1 for i in state.project.before[k] if i in order), default=0)
        order.insert(int(rng.integers(begin, min(begin + 15, len(order)) + 1)), k)
    return Schedule(state.project, order)


def in_any_order(state, rng):
    return inserted(state, rng, rng.random(state.project.size))


def largest_first(state, rng):
    return inserted(state, rng, -state.project.duration * state.project.need.sum(axis=1))


def by_starts(state, _rng):
    """Order all by their starts, and those that start together by the longest way to the end."""
    order = sorted([*state.order, *state.missing], key=lambda k: (state.start[k], -state.project.tail[k]))
    return Schedule(state.project, order)


DESTROY, REPAIR = [remove_any, remove_window, remove_chain], [in_any_order, largest_first, by_starts]


def see(state):
    """What the networks see: activities with duration, needs, start, whether they are missing; and their order."""
    project, horizon = state.project, max(1, state.start.max())
    missing = np.isin(np.arange(project.size), state.missing)
    nodes = [project.duration / 10, *project.need.T / 12, project.tail / horizon, state.start / horizon, missing]
    return StateView(np.array(nodes).T, (project.tails, project.heads), removed=missing.mean())


def require_feasible(state):
    """Check a schedule: predecessors have ended, and no resource is overused at any time."""
    project, ends = state.project, state.ends()
    assert (ends[project.tails] <= state.start[project.heads]).all()
    for time in range(int(ends.max())):
        assert (project.need[(state.start <= time) & (time < ends)].sum(axis=0) <= project.capacity).all()


def run(project, selector, iterations, seed):
    search = alns.ALNS(np.random.default_rng(seed))
    features = see if selector and selector.startswith(("ac", "dac")) else None
    choose = Selection(selector or "random", DESTROY, REPAIR, features=features, iterations=iterations)
    choose.register(search)  # it adds the operators
    if selector is None:
        choose = RouletteWheel([25, 5, 1, 0], 0.8, len(DESTROY), len(REPAIR))
    start = Schedule(project, range(project.size))
    accept = RecordToRecordTravel(0.05 * start.objective(), 0.0, 0.05 * start.objective() / iterations)
    found = search.iterate(start, choose, accept, MaxIterations(iterations)).best_state
    require_feasible(found)
    return found.objective()


if __name__ == "__main__":
    compare("end", "drawn projects", 60, Project, run)
