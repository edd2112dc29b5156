"""Where the instances of episodes come from."""

from collections.abc import Callable, Sequence

import numpy as np

from dacalns.instances import Instance, instance_names, set_names
from dacalns.instances.feature_sets import feature_sets, is_rich
from dacalns.instances.read import read_once
from dacalns.learning.sources import GENERATED, Generated, as_source
from dacalns.search.start import problem_of
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

Given = str | Instance | Sequence[str | Instance] | Callable[[np.random.Generator], Instance]
# The nodes that there is room for where nobody knows how many there will be.
USUAL_NODES = 128
# Of a rich problem, a customer with several windows is several nodes.
NODES_A_CUSTOMER = 2
# Numbers of generated instances are below.
MOST_GENERATED = 1 << 31


def nodes_of(instance: Instance) -> int:
    """Return how many nodes networks see: depot and customers, or windows of customers."""
    return instance.customers + 1 if instance.is_plain else len(problem_of(instance).neighbours)


class Instances:
    """The instances of episodes: given ones, from a generator, or from a function of the user's.

    Parameters
    ----------
    given
        An instance, its name or file, the name of a set, several of these in a list, or names with commas between;
        ``"generated"`` or ``"generated:20-50"`` for new instances of ``problem``, as training has them; or a function
        of a random generator that returns an instance.
    problem
        What is generated: ``"cvrp"``, ``"vrptw"``, or sets of features, as in training. Given instances need none.
    """

    def __init__(self, given: Given, problem: str) -> None:
        self._drawn: Callable[[np.random.Generator], Instance] | None = None
        self.known: list[Instance] = []
        self.features: tuple[frozenset[str], ...]
        if callable(given):
            self._drawn, self.features, self.nodes = given, feature_sets(problem), USUAL_NODES
        elif isinstance(given, str) and given.partition(":")[0] == GENERATED:
            source = as_source(problem, given, 0)
            assert isinstance(source, Generated)
            self._drawn = lambda rng: source.instance(int(rng.integers(MOST_GENERATED)))
            self.features = feature_sets(problem)
            self.nodes = source.most * (NODES_A_CUSTOMER if is_rich(problem) else 1) + 1
        else:
            self.known = [each for one in _listed(given) for each in _read(one)]
            if not self.known:
                raise InputError("instances is an empty list; expected some; name one, such as A-n32-k5.")
            self.features = tuple({each.features: None for each in self.known})
            self.nodes = max(map(nodes_of, self.known))

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of the next episode."""
        if self._drawn is None:
            return self.known[int(rng.integers(len(self.known)))]
        instance = self._drawn(rng)
        if not isinstance(instance, Instance):
            raise InputError(f"instances returned {shown(instance)}; expected an Instance; correct the function.")
        return instance


def one_instance(given: object) -> Instance:
    """Return the instance that the options of a reset name."""
    if isinstance(given, str | Instance):
        found = _read(given)
        if len(found) == 1:
            return found[0]
    raise InputError(f"option instance is {shown(given)}; expected one instance, or its name or file.")


def _listed(given: object) -> list[str | Instance]:
    members = [given] if isinstance(given, str | Instance) else given
    if not isinstance(members, Sequence) or not all(isinstance(each, str | Instance) for each in members):
        raise InputError(
            f"instances is {shown(given)}; expected an instance, a name such as A-n32-k5 or generated:20-50, a list of "
            "these, or a function that returns one."
        )
    return [*members]


def _read(given: str | Instance) -> list[Instance]:
    if isinstance(given, Instance):
        return [given]
    if given in set_names():
        return [read_once(name) for name in instance_names(given)]
    return [read_once(name.strip()) for name in given.split(",") if name.strip()]
