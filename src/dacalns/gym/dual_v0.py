"""A PettingZoo environment with the two actors of the paper: they take turns, destroyer and repairer.

>>> from dacalns.gym import dual_v0
>>> env = dual_v0.env("A-n32-k5", iterations=10)
>>> env.reset(seed=1)
>>> env.agent_selection, env.action_space("destroyer"), env.action_space("repairer")
('destroyer', Discrete(4), Discrete(3))
"""

from typing import Any, ClassVar, NoReturn

import numpy as np
from gymnasium import spaces

from dacalns.gym.env import Seen, TwoPhaseEnv
from dacalns.gym.optional import module
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

module("pettingzoo")

from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

DESTROYER, REPAIRER = "destroyer", "repairer"


def env(*arguments: Any, **named: Any) -> Any:
    """Return the environment with PettingZoo's checks around it; the arguments are those of `DualEnv`."""
    checked: Any = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(DualEnv(*arguments, **named)))
    return checked


def raw_env(*arguments: Any, **named: Any) -> "DualEnv":
    """Return the environment itself."""
    return DualEnv(*arguments, **named)


def parallel_env(*_: Any, **__: Any) -> NoReturn:
    """Say that there is none: the repairer sees what the destroyer has done."""
    raise InputError("dual_v0 has no parallel environment, as its agents take turns; expected dual_v0.env.")


class DualEnv(AECEnv[str, Seen, int]):
    """The search of a `TwoPhaseEnv` with an agent for each phase, with actions of its own.

    Parameters
    ----------
    instances, arguments
        As of `TwoPhaseEnv`, without ``scale``.
    shared
        True to pay both agents the rewards of both phases, when the iteration is over; False to pay each its own.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "dual_v0", "render_modes": [], "is_parallelizable": False}

    def __init__(self, instances: Any = "generated:20-50", *, shared: bool = True, **arguments: Any) -> None:
        super().__init__()
        if arguments.get("scale", False) is not False:
            raise InputError(f"scale is {shown(arguments['scale'])}; expected none for two agents; leave it out.")
        self.render_mode = None
        self.search = TwoPhaseEnv(instances, **arguments)  #: the environment that both act in
        self._shared = shared
        self.possible_agents = [DESTROYER, REPAIRER]
        sizes = dict(zip(self.possible_agents, map(len, self.search.operators), strict=True))
        self.action_spaces = {agent: spaces.Discrete(size) for agent, size in sizes.items()}
        self.observation_spaces = {agent: self.search.task.observation_space(size) for agent, size in sizes.items()}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent does: the operators of its phase."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; see `TwoPhaseEnv.reset`. Options that it does not know are meant for others."""
        known = {name: value for name, value in (options or {}).items() if name == "instance"}
        self._seen, info = self.search.reset(seed=seed, options=known)
        self.agents = list(self.possible_agents)
        self.agent_selection = DESTROYER
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.infos = {agent: dict(info) for agent in self.agents}
        self._waiting = 0.0

    def observe(self, agent: str) -> Seen:
        """Return what the agent whose turn it is sees; the other one sees the same, with no action to take."""
        size = int(self.action_spaces[agent].n)
        mask = np.zeros(size, dtype=np.int8)
        if agent == self.agent_selection:
            mask[:] = self._seen["action_mask"][:size]
        return {**self._seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Let the agent whose turn it is use an operator."""
        if self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        if not self.action_spaces[agent].contains(action):
            raise InputError(f"action is {shown(action)}; expected one of {self.action_spaces[agent]}; correct it.")
        self._cumulative_rewards[agent] = 0.0
        self._seen, reward, _, truncated, info = self.search.step(action)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if not self._shared:
            self.rewards[agent] = reward
        elif agent == DESTROYER:
            self._waiting = reward
        else:
            self.rewards = dict.fromkeys(self.agents, self._waiting + reward)
        self.infos = {each: dict(info) for each in self.agents}
        self.agent_selection = REPAIRER if agent == DESTROYER else DESTROYER
        if truncated:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> None:
        """Draw nothing."""

    def close(self) -> None:
        """There is nothing to close."""
