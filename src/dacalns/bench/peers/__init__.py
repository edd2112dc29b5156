"""Other solvers, each behind the same small protocol, and this package as one of them."""

from dacalns.bench.peers.ours import Ours
from dacalns.bench.peers.peer import Answer, Peer
from dacalns.bench.peers.with_hgs import Hgs
from dacalns.bench.peers.with_ortools import OrTools
from dacalns.bench.peers.with_pyvrp import PyVrp

__all__ = ["Answer", "Hgs", "OrTools", "Ours", "Peer", "PyVrp"]
