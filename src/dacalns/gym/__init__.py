"""Environments for learning: Gymnasium's, one step a phase or one an iteration, alone or many at once; PettingZoo's.

>>> import gymnasium
>>> import dacalns.gym
>>> env = gymnasium.make("dacalns/TwoPhase-v0", instances="A-n32-k5", iterations=100)
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(0)
>>> info["phase"], bool(truncated)
('repair', False)

The package is the extra ``dac-alns[gym]``. `dacalns.gym.dual_v0` needs PettingZoo, and is imported by itself.
"""

from dacalns.gym.graphs import to_pyg
from dacalns.gym.optional import module

module("gymnasium")

from dacalns.gym.env import PairEnv, TwoPhaseEnv  # noqa: E402  # they derive from Gymnasium's
from dacalns.gym.registration import register  # noqa: E402
from dacalns.gym.vector import PairVectorEnv, TwoPhaseVectorEnv  # noqa: E402

__all__ = ["PairEnv", "PairVectorEnv", "TwoPhaseEnv", "TwoPhaseVectorEnv", "register", "to_pyg"]

register()
