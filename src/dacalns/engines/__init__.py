"""Engines make many calls side by side: in processes of this machine, or on a Ray cluster."""

from dacalns.engines.engine import Engine, WorkerDied, processor_name, usable_cores
from dacalns.engines.processes import Processes
from dacalns.engines.ray_cluster import RayCluster

__all__ = ["Engine", "Processes", "RayCluster", "WorkerDied", "processor_name", "usable_cores"]
