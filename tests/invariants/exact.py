"""What is right, in exact arithmetic and without a line of the package: costs, limits, the best of all solutions."""

import math
from itertools import pairwise

from dacalns import Instance

# A double is a whole number of these, down to 1e-44 or so: sums of them are exact.
ONE = 1 << 200
# A limit of usual size may be missed by a millionth; the search keeps to half of that.
ALLOWED = ONE // 1_000_000


def exact(value: float) -> int:
    """The number that a double stands for."""
    numerator, denominator = float(value).as_integer_ratio()
    return numerator * (ONE // denominator)


class Exact:
    """An instance in exact numbers."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.customers = instance.customers
        self.scale = 10 if instance.rounding == "dimacs" else 1
        nodes = range(self.customers + 1)
        self.way = [[self._way(here, there) for there in nodes] for here in nodes]
        self.demand = [exact(value) for value in instance.demands]
        self.capacity = exact(instance.capacity)
        self.spare = allowance(self.capacity)
        if instance.windows is None:
            forever = ONE << 100
            self.windows, self.service, self.late = [(0, forever)] * len(nodes), [0] * len(nodes), [0] * len(nodes)
        else:
            self.windows = [(self._time(opens), self._time(closes)) for opens, closes in instance.windows.tolist()]
            self.service = [self._time(value) for value in instance.service.tolist()]
            self.late = [allowance(max(abs(closes), abs(self.windows[0][0]))) for _, closes in self.windows]

    def _way(self, here: int, there: int) -> int:
        if here == there:
            return 0
        if self.instance.matrix is not None:
            plain = float(self.instance.matrix[here, there])
        else:
            plain = math.dist(self.instance.coordinates[here], self.instance.coordinates[there])  # type: ignore[index]
        match self.instance.rounding:
            case "round":
                return ONE * math.floor(plain + 0.5)
            case "trunc":
                return ONE * math.floor(plain)
            case "dimacs":
                return ONE * math.floor(10 * plain + 1e-9)
            case _:
                return exact(plain)

    def _time(self, value: float) -> int:
        # In tenths a time is what its nine decimals say.
        return exact(value if self.scale == 1 else round(value * 10, 9))

    def cost(self, routes: list[list[int]]) -> float:
        """The total distance in file units."""
        legs = (self.way[a][b] for route in routes for a, b in pairwise([0, *route, 0]))
        return sum(legs) / (ONE * self.scale)

    def keeps_limits(self, route: list[int]) -> bool:
        """Whether a route is within capacity and windows, give or take the allowances."""
        if sum(self.demand[customer] for customer in route) > self.capacity + self.spare:
            return False
        now, here = self.windows[0][0], 0
        for there in [*route, 0]:
            now = max(now + self.service[here] + self.way[here][there], self.windows[there][0])
            if now > self.windows[there][1] + self.late[there]:
                return False
            here = there
        return True

    def best(self, allowances: int, vehicles_first: bool) -> tuple[int, float] | None:
        """Vehicles and cost of the best solution that misses limits by so many allowances; None if there is none."""
        shortest: dict[int, int] = {}  # of each set of customers, as bits
        self._grow(0, 0, self.windows[0][0], 0, 0, allowances, shortest)
        full = (1 << self.customers) - 1
        fleet = self.customers if self.instance.fleet is None else min(self.instance.fleet, self.customers)
        least = {0: 0}  # by who is served, with as many vehicles as there have been rounds
        answers = []
        for vehicles in range(1, fleet + 1):
            reached: dict[int, int] = {}
            for served, cost in least.items():
                first = ~served & (served + 1)  # the first who is not served yet is in the next route
                for chosen, length in shortest.items():
                    if chosen & first and not chosen & served:
                        total = cost + length
                        if total < reached.get(served | chosen, total + 1):
                            reached[served | chosen] = total
            least = reached
            if full in reached:
                answers.append((vehicles, reached[full] / (ONE * self.scale)))
        if not answers:
            return None
        return answers[0] if vehicles_first else min(answers, key=lambda answer: answer[1])

    def _grow(
        self, here: int, bits: int, leave: int, load: int, length: int, allowances: int, shortest: dict[int, int]
    ) -> None:
        """Note all routes that go on from a stop, by the customers in them."""
        for there in range(1, self.customers + 1):
            bit = 1 << (there - 1)
            carried = load + self.demand[there]
            if bits & bit or carried > self.capacity + allowances * self.spare:
                continue
            begins = max(leave + self.way[here][there], self.windows[there][0])
            if begins > self.windows[there][1] + allowances * self.late[there]:
                continue
            left, driven = begins + self.service[there], length + self.way[here][there]
            if left + self.way[there][0] <= self.windows[0][1] + allowances * self.late[0]:
                whole = driven + self.way[there][0]
                if whole < shortest.get(bits | bit, whole + 1):
                    shortest[bits | bit] = whole
            # Even if the depot is out of reach from here: another way home may be faster.
            self._grow(there, bits | bit, left, carried, driven, allowances, shortest)


def allowance(size: int) -> int:
    """A millionth; less where numbers are tiny, and what a sum of doubles errs by where they are huge."""
    return min(max(min(ALLOWED, size // 10**7), size // 10**12), ONE // 2)
