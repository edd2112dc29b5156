"""Environments: what Gymnasium asks of them, that they are the search, and what they say of mistakes."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_checker import data_equivalence as same

import dacalns
import dacalns.gym
from dacalns import InputError, MaxIterations, Portfolio, Rewards, Stepper
from dacalns.gym import PairEnv, TwoPhaseEnv
from dacalns.instances import generate_cvrp, generate_rich, generate_vrptw
from dacalns.search.python_selector import State

CVRP, VRPTW = generate_cvrp(12, seed=1), generate_vrptw(10, seed=1)
PAIRS, PRIZES, DEPOTS = (generate_rich(8, {feature}, seed=1) for feature in ("pairs", "prizes", "depots"))
ITERATIONS = 8
# What a default environment takes: any variant alone, and several together.
WORLDS: dict[str, dict[str, Any]] = {
    "cvrp": {"instances": CVRP},
    "cvrp and vrptw": {"instances": [CVRP, VRPTW]},
    "rich and plain": {"instances": [PAIRS, VRPTW, PRIZES, DEPOTS]},
    "generated": {"instances": "generated:6-9", "problem": "pairs+windows,prizes"},
    "with scale": {"instances": CVRP, "portfolio": "paper", "scale": 4},
    "blind": {"instances": CVRP, "observe": False, "reward": "gain"},
}


def walk(env: TwoPhaseEnv, seed: int, steps: int) -> list[Any]:
    """What comes of drawn actions, over several episodes if it takes them."""
    env.action_space.seed(seed)
    seen: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        answer = env.step(env.action_space.sample())
        seen.append(answer)
        if answer[3]:
            seen.append(env.reset())
    return seen


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["TwoPhase", "Pair"])
def test_gymnasium_finds_nothing_wrong(world: str, name: str) -> None:
    env = gymnasium.make(f"dacalns/{name}-v0", iterations=ITERATIONS, **WORLDS[world])
    check_env(env.unwrapped)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", [TwoPhaseEnv, PairEnv])
def test_the_same_seed_gives_the_same_and_all_is_in_the_spaces(world: str, kind: type[TwoPhaseEnv]) -> None:
    one, other = (kind(iterations=5, **WORLDS[world]) for _ in range(2))
    walks = [walk(env, 3, 40) for env in (one, other)]
    assert same(*walks)
    assert not same(walks[0], walk(one, 4, 40))
    for answer in walks[0]:
        assert one.observation_space.contains(answer[0])
        assert (answer[0]["action_mask"] == answer[-1]["action_mask"]).all()
    ended = [answer for answer in walks[0] if len(answer) == 5]
    assert not any(answer[2] for answer in ended)
    assert sum(answer[3] for answer in ended) == (8 if kind is PairEnv else 4)


class Scripted:
    def __init__(self, actions: list[tuple[int, int]]) -> None:
        self.actions, self.outcomes = iter(actions), list[dacalns.Outcome]()

    def select_destroy(self, state: State) -> int:
        self.pair = next(self.actions)
        return self.pair[0]

    def select_repair(self, destroyed: State, destroy: int) -> int:
        return self.pair[1]

    def update(self, outcome: dacalns.Outcome) -> None:
        self.outcomes.append(outcome)


@pytest.mark.parametrize("instance", [CVRP, VRPTW, PAIRS, PRIZES], ids=lambda instance: instance.name)
def test_an_episode_is_a_run_of_the_compiled_loop(instance: dacalns.Instance) -> None:
    env, paired = (kind(instance, iterations=20) for kind in (TwoPhaseEnv, PairEnv))
    destroys, repairs = map(len, env.operators)
    rng = np.random.default_rng(0)
    script = [(int(rng.integers(destroys)), int(rng.integers(repairs))) for _ in range(20)]
    selector = Scripted(script)
    result = dacalns.solve(instance, selector=selector, portfolio="full", stop=MaxIterations(20), seed=11)
    env.reset(seed=11)
    paired.reset(seed=11)
    for (destroy, repair), outcome in zip(script, selector.outcomes, strict=True):
        seen, first, _, truncated, info = env.step(destroy)
        assert (info["phase"], truncated) == ("repair", False)
        stepper = env.unwrapped.stepper
        state = State(stepper, stepper.candidate)
        nodes = len(state.node_features)
        np.testing.assert_array_equal(seen["nodes"][:nodes], state.node_features)
        seen, second, _, truncated, info = env.step(repair)
        assert env.outcome is not None
        assert env.outcome._replace(seconds=0) == outcome._replace(seconds=0)
        assert (info["accepted"], info["outcome"]) == (outcome.accepted, outcome.outcome)
        _, both, _, ended, also = paired.step(destroy * repairs + repair)
        assert (ended, also["cost"], also["best"]) == (truncated, info["cost"], info["best"])
        assert both == pytest.approx(first + second)
    assert truncated
    assert env.stepper.best_routes == paired.stepper.best_routes == result.routes
    with pytest.raises(InputError, match=r"the 20 iterations of the episode are done; call reset"):
        env.step(0)


def expected_rewards(given: Rewards, outcome: dacalns.Outcome, uses: list[int]) -> tuple[float, float]:
    """The two rewards from their definitions in the paper."""
    gap = given.beta * (outcome.best - outcome.destroyed) / outcome.best
    first = 0.0
    if outcome.destroyed <= outcome.best:
        first = given.alpha2 + gap
    elif outcome.destroyed < outcome.before:
        first = given.alpha1 + gap
    second = given.otherwise
    if outcome.after < outcome.best:
        second = given.new_best
    elif outcome.after < outcome.before:
        second = given.better
    return first, second + given.delta * (1 - uses[outcome.repair] / max(1, max(uses)))


@pytest.mark.parametrize("reward", ["paper", "improved", Rewards(alpha1=3.0, delta=2.0)], ids=str)
def test_rewards_are_those_of_the_paper(reward: Any) -> None:
    env = TwoPhaseEnv(CVRP, portfolio="paper", iterations=30, reward=reward)
    given = Rewards() if reward == "paper" else reward
    if reward == "improved":
        given = Rewards(alpha1=0.0, alpha2=0.0, beta=0.0, delta=0.0, new_best=60.0, better=10.0, otherwise=0.0)
    for seed in range(2):  # the second episode counts anew
        env.reset(seed=seed)
        uses = [0, 0, 0]
        for k in range(30):
            first, second = env.step(k % 2)[1], env.step(k % 3)[1]
            assert env.outcome is not None
            assert (first, second) == pytest.approx(expected_rewards(given, env.outcome, uses))
            uses[env.outcome.repair] += 1


def test_rewards_of_ones_own() -> None:
    env = TwoPhaseEnv(CVRP, iterations=3, reward=lambda outcome: 100.0 + outcome.removed)
    env.reset(seed=1)
    assert env.step(0)[1] == 0
    reward = env.step(0)[1]
    assert reward == 100 + env.outcome.removed  # type: ignore[union-attr]
    gain = TwoPhaseEnv("A-n32-k5", portfolio="paper", iterations=200, reward="gain")
    _, info = gain.reset(seed=1)
    start, total = info["best"], 0.0
    for k in range(200):
        assert gain.step(k % 2)[1] == 0
        _, reward, _, _, info = gain.step(2)
        total += reward
    assert total == pytest.approx(100 * (start - info["best"]) / start)
    assert total > 0


def test_masks_go_with_the_phase_and_the_instance() -> None:
    env = TwoPhaseEnv([CVRP, VRPTW], iterations=3)
    names, repairs = env.operators
    for instance in (CVRP, VRPTW):
        seen, info = env.reset(seed=1, options={"instance": instance})
        assert info["instance"] == instance.name
        own = [operator.name for operator in Stepper(instance).portfolio.destroy]
        assert seen["action_mask"].tolist() == [name in own for name in names]
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        assert (masks == seen["action_mask"]).all()
        masked = int(np.flatnonzero(~masks)[0]) if not masks.all() else None
        if masked is not None:  # it stands for an operator that fits
            env.step(masked)
            assert env.stepper.progress.trial[0] == masked % len(own)
        else:
            env.step(0)
        assert env.action_masks().tolist() == [k < len(repairs) for k in range(len(names))]
        env.step(len(repairs))  # masked now: the first one again
        assert env.outcome.repair == 0  # type: ignore[union-attr]


def test_the_scale_is_an_action() -> None:
    env = TwoPhaseEnv(CVRP, portfolio="paper", iterations=9, scale=3)
    assert env.action_space == gymnasium.spaces.MultiDiscrete([3, 3])
    env.reset(seed=1)
    low, high = env.stepper.scales[0].tolist()
    for level, count in ((0, low), (1, low + round((high - low) / 2)), (2, high)):
        assert env.action_masks()[3:].all()
        env.step([0, level])
        assert env.action_masks()[3:].tolist() == [True, False, False]
        _, _, _, _, info = env.step(np.array([0, 0]))
        assert info["removed"] == count
    with pytest.raises(InputError, match=r"action is \[0, 3\]; expected one of MultiDiscrete"):
        env.step([0, 3])


def test_the_instances_of_episodes() -> None:
    env = TwoPhaseEnv("A-n32-k5, P-n16-k8", iterations=1)
    names = {env.reset(seed=seed)[1]["instance"] for seed in range(12)}
    assert names == {"A-n32-k5", "P-n16-k8"}
    assert env.observation_space["nodes"].shape == (32, 4)  # type: ignore[index]
    sizes = []
    env = TwoPhaseEnv(lambda rng: generate_cvrp(int(rng.integers(5, 9)), seed=1), iterations=1, max_nodes=9)
    env.reset(seed=1)
    for _ in range(12):
        seen, _ = env.reset()
        sizes.append(int(seen["node_mask"].sum()))
    assert {6, 7, 8, 9} == set(sizes)
    assert TwoPhaseEnv("cvrp-small", iterations=1).task.instances.known[0].customers < 40
    again = TwoPhaseEnv("generated:6-9", iterations=1)
    assert same(again.reset(seed=5)[0], TwoPhaseEnv("generated:6-9", iterations=1).reset(seed=5)[0])


def test_a_new_episode_allocates_no_search() -> None:
    env = TwoPhaseEnv([CVRP, VRPTW], iterations=1)
    env.reset(seed=0, options={"instance": CVRP})
    stepper, current = env.stepper, env.stepper.current
    env.reset(options={"instance": VRPTW})
    env.reset(options={"instance": CVRP})
    assert env.stepper is stepper
    assert env.stepper.current is current


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no such instance": (lambda: TwoPhaseEnv("A-n33"), "A-n33"),
    "no instance": (lambda: TwoPhaseEnv([]), "^instances is an empty list; expected some"),
    "a number": (lambda: TwoPhaseEnv(7), "^instances is 7; expected an instance, a name such as"),  # type: ignore[arg-type]
    "no such problem": (lambda: TwoPhaseEnv("generated", problem="tsp"), "^problem is 'tsp'"),
    "sizes": (lambda: TwoPhaseEnv("generated:9-3"), "expected generated:FEWEST-MOST"),
    "portfolio": (lambda: TwoPhaseEnv(CVRP, portfolio="fulll"), "did you mean 'full'"),
    "iterations": (lambda: TwoPhaseEnv(CVRP, iterations=0), "^iterations is 0"),
    "reward": (lambda: TwoPhaseEnv(CVRP, reward="papers"), "^reward is 'papers'; expected one of paper, "),
    "scale": (lambda: TwoPhaseEnv(CVRP, scale=1, portfolio="paper"), "^scale is 1"),
    "no scale": (
        lambda: TwoPhaseEnv(CVRP, scale=True, portfolio=Portfolio(["string_removal"], ["greedy_repair"])),
        "^scale is True, but portfolio 'custom' has no destroy operator with a range",
    ),
    "render mode": (lambda: TwoPhaseEnv(CVRP, render_mode="human"), "^render_mode is 'human'"),  # type: ignore[arg-type]
    "too large": (lambda: TwoPhaseEnv(CVRP, max_nodes=9).reset(), "has 13 nodes, and max_nodes is 9"),
    "too many edges": (lambda: TwoPhaseEnv(CVRP, max_edges=9).reset(), "edges, and max_edges is 9"),
    "other features": (
        lambda: TwoPhaseEnv(CVRP, max_nodes=40).reset(options={"instance": PAIRS}),
        "has pairs, .*made for cvrp; expected",
    ),
    "option": (lambda: TwoPhaseEnv(CVRP).reset(options={"instnce": 1}), "^options have 'instnce'"),
    "option instance": (
        lambda: TwoPhaseEnv(CVRP).reset(options={"instance": 3}),
        "^option instance is 3; expected one",
    ),
    "no episode": (lambda: TwoPhaseEnv(CVRP).step(0), "^there is no episode; expected one; call reset first"),
    "no instance drawn": (lambda: TwoPhaseEnv(lambda _: 5).reset(), "^instances returned 5; expected an Instance"),  # type: ignore[arg-type,return-value]
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes_get_a_sentence(case: str) -> None:
    call, sentence = BAD[case]
    with pytest.raises(InputError, match=sentence) as told:
        call()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("action", [-1, 4, 1.5, "0", None, [0], True])
def test_what_is_no_action(action: object) -> None:
    env = TwoPhaseEnv(CVRP)
    env.reset(seed=1)
    with pytest.raises(InputError, match=r"^action is .*; expected one of Discrete\(4\); correct it"):
        env.step(action)
    env.step(3)


def test_gymnasium_is_imported_when_it_is_needed() -> None:
    script = (
        "import sys, dacalns; assert not {'gymnasium', 'pettingzoo', 'torch'} & set(sys.modules)\n"
        "import gymnasium; env = gymnasium.make('dacalns.gym:dacalns/Pair-v0', instances='A-n32-k5')\n"
        "assert 'pettingzoo' not in sys.modules and 'torch' not in sys.modules\n"
        "for name in ('gymnasium', 'dacalns.gym', 'torch'): sys.modules.pop(name, None); sys.modules[name] = None\n"
        "del sys.modules['dacalns.gym']\n"
        "try: import dacalns.gym\n"
        "except dacalns.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("This needs gymnasium, which cannot be imported (")
    assert done.stdout.endswith('run: pip install "dac-alns[gym]"\n')
