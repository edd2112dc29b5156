"""What Gymnasium knows the environments by.

Since version 1.0 it looks for no plugins. ``gymnasium.make("dacalns.gym:dacalns/Pair-v0")`` imports the package itself.
"""

IDS = {"dacalns/TwoPhase-v0": "TwoPhase", "dacalns/Pair-v0": "Pair"}


def register() -> None:
    """Tell Gymnasium of the environments, once."""
    from gymnasium.envs.registration import register as tell
    from gymnasium.envs.registration import registry

    for name, kind in IDS.items():
        if name not in registry:
            # The environments are imported when one is made.
            tell(
                id=name,
                entry_point=f"dacalns.gym.env:{kind}Env",
                vector_entry_point=f"dacalns.gym.vector:{kind}VectorEnv",
            )
