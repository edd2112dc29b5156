"""The peer of the speed benchmark: the paper's five operators in pure Python, on the ``alns`` package.

It is as fast as the language allows: it has plain lists and local names, keeps the least cost of each waiting customer
in each tour as the compiled side does, and has no NumPy scalars in the loops.
"""

from dacalns.bench.pure_python.run import PeerResult, load_alns, solve_in_python

__all__ = ["PeerResult", "load_alns", "solve_in_python"]
