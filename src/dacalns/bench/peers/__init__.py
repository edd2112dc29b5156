"""Peers are solvers behind the same small interface: other packages, and this one."""

from dacalns.bench.peers.ours import Ours
from dacalns.bench.peers.peer import Answer, Peer
from dacalns.bench.peers.with_hgs import Hgs
from dacalns.bench.peers.with_ortools import OrTools
from dacalns.bench.peers.with_pyvrp import PyVrp

__all__ = ["Answer", "Hgs", "OrTools", "Ours", "Peer", "PyVrp"]
