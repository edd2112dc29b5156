"""Instances: what a problem is, where it comes from and where it goes.

>>> from dacalns.instances import read
>>> read("R101")
Instance('R101': vrptw, 100 customers, capacity 200, fleet 25, rounding dimacs)
"""

from dacalns.instances.generate import generate_cvrp, generate_vrptw
from dacalns.instances.generate_rich import generate_rich
from dacalns.instances.instance import Instance
from dacalns.instances.parts import Customer, Depot, Group, Pair, Parts, Profile, VehicleType
from dacalns.instances.preflight import preflight, require_feasible
from dacalns.instances.read import read
from dacalns.instances.sample import sample
from dacalns.instances.sets import instance_names, set_names
from dacalns.instances.solution_file import read_solution, read_solution_of, write_solution, write_solution_of
from dacalns.instances.write import write_instance

__all__ = [
    "Customer",
    "Depot",
    "Group",
    "Instance",
    "Pair",
    "Parts",
    "Profile",
    "VehicleType",
    "generate_cvrp",
    "generate_rich",
    "generate_vrptw",
    "instance_names",
    "preflight",
    "read",
    "read_solution",
    "read_solution_of",
    "require_feasible",
    "sample",
    "set_names",
    "write_instance",
    "write_solution",
    "write_solution_of",
]
