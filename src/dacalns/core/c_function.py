"""Numba's ``CFunc``, with its environment."""

from numba.core.ccallback import CFunc


class CFunction(CFunc):
    """A C function whose environment is bound also where it was compiled just now, as it is where it was cached.

    Numba forgets that. Without it, ``print`` leaves in the middle, with Python's lock in its hands, and whoever waits
    for the lock next waits for ever.
    """

    _fresh = None

    def _compile_uncached(self):
        self._fresh = super()._compile_uncached()
        return self._fresh

    def compile(self):
        """Compile it, or load it from its cache."""
        super().compile()
        if self._fresh is not None:
            environment = self._fresh.environment
            self._library.codegen.set_env(environment.env_name, environment)
            self._fresh = None
