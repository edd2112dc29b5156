"""The comparison with other solvers at equal time: ``dac-alns bench-quality``."""

from dacalns.bench.quality.compare import compare

__all__ = ["compare"]
