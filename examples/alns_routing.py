"""Vehicle routing in pure Python on the alns package: its roulette wheel, and our selectors in its place.

Run it with more for a table that says something:

    python examples/alns_routing.py --instances 10 --seeds 5 --iterations 2000
"""

import argparse
from functools import wraps
from random import Random
from statistics import mean

import alns
import numpy as np
from alns.accept import SimulatedAnnealing
from alns.select import RouletteWheel
from alns.stop import MaxIterations
from scipy.stats import wilcoxon

import dacalns
from dacalns.bench.pure_python.operators import (
    greedy_repair,
    random_removal,
    random_repair,
    regret_repair,
    worst_removal,
)
from dacalns.bench.pure_python.state import plain_problem, plain_state
from dacalns.interop import Selection, StateView

DESTROY, REPAIR = (random_removal, worst_removal), (random_repair, greedy_repair, regret_repair)
OTHERS = ("dac:improved", "ac:improved", "roulette:tuned", "ucb", "random")


def with_random(operator, random):
    """The operators of the package draw from Python's own generator, which is faster for single numbers."""

    @wraps(operator)
    def called(state, _rng):
        return operator(state, random)

    return called


def viewer(instance):
    """What the networks see: customers with place, demand, whether they wait and a share of their route; and routes."""
    places = instance.coordinates - instance.coordinates[0]
    places = places / np.abs(places).max()
    demand = instance.demands / instance.capacity

    def see(state):
        nodes = np.column_stack([places, demand, np.zeros(len(demand)), np.zeros(len(demand))])
        nodes[state.waiting, 3] = 1
        tails, heads = [], []
        for tour, load in zip(state.tours, state.loads, strict=True):  # a tour ends with the depot, 0
            nodes[tour[:-1], 4] = load / state.problem.capacity
            tails += [0, *tour[:-1]]
            heads += tour
        return StateView(nodes, (tails, heads), removed=len(state.waiting) / (len(demand) - 1))

    return see


def run(instance, selector, iterations, seed):
    """The cost that a search of alns finds with its own wheel (None), or with one of our selectors."""
    random = Random(seed)
    destroy = [with_random(operator, random) for operator in DESTROY]
    repair = [with_random(operator, random) for operator in REPAIR]
    search = alns.ALNS(np.random.default_rng(seed))
    if selector is None:
        choose = RouletteWheel([25, 5, 1, 0], 0.8, len(destroy), len(repair))
        for operator in destroy:
            search.add_destroy_operator(operator)
        for operator in repair:
            search.add_repair_operator(operator)
    else:
        features = viewer(instance) if selector.startswith(("ac", "dac")) else None
        choose = Selection(selector, destroy, repair, features=features, iterations=iterations)
        choose.register(search)
    start = regret_repair(plain_state(plain_problem(instance), []), random)
    hot = 0.01 * start.length()
    accept = SimulatedAnnealing(hot, hot / 10, 0.1 ** (1 / iterations))
    with np.errstate(over="ignore"):  # alns takes exp() of how much better a candidate is
        found = search.iterate(start, choose, accept, MaxIterations(iterations)).best_state
    verdict = dacalns.check(instance, found.routes())
    assert verdict.feasible, verdict
    return verdict.cost


def compare(what, kind, size, make, run):
    """Print what each selector finds on drawn cases, and how that compares with the wheel of alns in pairs."""
    options = argparse.ArgumentParser()
    for name, usual in (("--instances", 1), ("--seeds", 2), ("--iterations", 40), ("--size", size)):
        options.add_argument(name, type=int, default=usual)
    chosen = options.parse_args()
    drawn = [make(chosen.size, 500 + k) for k in range(chosen.instances)]
    cases = [(instance, seed) for instance in drawn for seed in range(chosen.seeds)]
    print(
        f"{chosen.instances} {kind} of size {chosen.size}, {chosen.seeds} seeds, {chosen.iterations} iterations each; "
        "every answer was checked and is feasible"
    )
    theirs = np.array([run(instance, None, chosen.iterations, seed) for instance, seed in cases])
    print(f"{'selector':24}{f'mean {what}':>10}{'vs its wheel':>14}{'better / worse':>16}{'p':>9}")
    print(f"{'RouletteWheel of alns':24}{mean(theirs):10.2f}")
    for name in OTHERS:
        ours = np.array([run(instance, name, chosen.iterations, seed) for instance, seed in cases])
        better, worse = int((ours < theirs).sum()), int((ours > theirs).sum())
        change = float(np.mean(100 * (ours / theirs - 1)))
        p = wilcoxon(ours - theirs).pvalue if better + worse else 1.0  # Wilcoxon's signed ranks, both sides
        print(f"{name:24}{mean(ours):10.2f}{change:+13.2f}%{f'{better} / {worse}':>16}{p:9.4f}")


if __name__ == "__main__":
    compare("cost", "generated CVRP", 40, lambda size, seed: dacalns.generate_cvrp(size, seed=seed), run)
