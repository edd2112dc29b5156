"""What may be wrong with what a route adds up to, or with its vehicle; 0 stands for nothing."""

from typing import NamedTuple

from dacalns.core.records import numbered


class WrongSum(NamedTuple):
    """The kinds of such flaws; `dacalns.core.soundness.WrongLink` has those of links."""

    depot: int  #: somebody has changed when vehicles start or must be back
    leg: int  #: a leg is not the distance of its ends
    length: int
    load: int
    capacity: int  #: the load is right, but more than the vehicle may carry
    times: int
    late: int  #: a customer, or the end of the route, is reached too late
    limits: int  #: of rich problems: the route breaks a limit of its vehicle
    pair: int  #: a pickup is not on the trip of its delivery, or not before it
    trips: int  #: the trips of a vehicle do not follow one another
    members: int  #: how many of a group are visited is not what is noted
    vehicles: int  #: how many vehicles of a type are in use is not what is noted


WRONG_SUM = numbered(WrongSum, first=1)
# Sums made in another order differ by this part of them at most, and by this part of the penalty where they are near 0.
RELATIVE, OF_PENALTY = 1e-9, 1e-12
