"""The peer: the same five operators in pure Python, on the ``alns`` package.

Written for speed as far as the language goes: plain lists and local names, the least cost of each waiting customer in
each tour kept as the compiled side keeps it, and no NumPy scalars in the loops.
"""

from dacalns.bench.pure_python.run import PeerResult, load_alns, solve_in_python

__all__ = ["PeerResult", "load_alns", "solve_in_python"]
