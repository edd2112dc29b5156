"""Numba's ``cfunc``, with its environment."""

from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature


class _WithEnvironment(CFunc):
    """A C function whose environment is bound also where it was compiled just now, as it is where it was cached.

    Numba forgets that. Without it, ``print`` leaves in the middle, with Python's lock in its hands, and whoever waits
    for the lock next waits for ever.
    """

    _fresh = None

    def _compile_uncached(self):
        self._fresh = super()._compile_uncached()
        return self._fresh

    def compile(self):
        super().compile()
        if self._fresh is not None:
            environment = self._fresh.environment
            self._library.codegen.set_env(environment.env_name, environment)
            self._fresh = None


def c_function(function, signature, *, cache, **options):
    """The function, compiled; ``options`` are those of ``numba.njit``."""
    compiled = _WithEnvironment(function, normalize_signature(signature), locals={}, options=options)
    if cache:
        compiled.enable_caching()
    compiled.compile()
    return compiled
