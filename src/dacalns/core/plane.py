"""Nodes in the plane: their distances, the longest of these, and who is nearest to whom, without a matrix."""

import math
from typing import NamedTuple

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.records import numbered

# The root of the sum of squares and `hypot` differ by less than this part of what is rounded.
DOUBT = 4e-15
# Sums and differences of distances err by less than this part.
ERROR = 1e-12
# Points in a leaf of the tree: fewer make more boxes to look at, more make more points.
LEAF = 16


class Edge(NamedTuple):
    """The columns of `Tree.boxes`."""

    left: int
    low: int
    right: int
    high: int


EDGE = numbered(Edge)


class Plane(NamedTuple):
    """Where the nodes lie, and how their distances become what is summed."""

    points: np.ndarray  #: (n+1, 2)
    whole: bool  #: whether distances are floor(``per_unit`` d + ``offset``), d the distance of two points; else d
    per_unit: float
    offset: float


@kernel
def measured(points, whole, per_unit, offset, tail, head):
    """The distance of two points, bit for bit what `dacalns.instances.distance_matrix` puts in a matrix.

    That takes ``hypot``, which is eight times as slow as a root. Where the result is rounded down to a whole number
    the root will do, unless it comes so close to one that the last bits decide.
    """
    x = points[tail, 0] - points[head, 0]
    y = points[tail, 1] - points[head, 1]
    if whole:
        value = math.sqrt(x * x + y * y) * per_unit + offset
        below = np.floor(value)
        doubt = DOUBT * value
        if doubt < value - below < 1.0 - doubt:
            return below
        return np.floor(np.hypot(x, y) * per_unit + offset)
    return np.hypot(x, y)


def measured_pairs(plane: Plane, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """The distances of many pairs."""
    x, y = (plane.points[tails] - plane.points[heads]).T
    lengths = np.hypot(x, y)
    return np.floor(lengths * plane.per_unit + plane.offset) if plane.whole else lengths


def longest_distance(plane: Plane) -> float:
    """The longest distance of two nodes."""
    points = np.asarray(plane.points)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    away = np.hypot(*(points - middle).T)
    outermost = np.argsort(-away)
    reach = _farthest_pair(np.ascontiguousarray(points[outermost]), away[outermost])
    return math.floor(reach * plane.per_unit + plane.offset) if plane.whole else float(reach)


@kernel
def _farthest_pair(points, away):
    """The longest distance of points that are sorted by how far ``away`` from some place they are, farthest first.

    No pair is farther apart than both are away together, which leaves few to look at unless all lie on a circle.
    """
    reach = 0.0
    for node in range(len(points)):
        if away[node] + away[0] < reach * (1.0 - ERROR):
            break
        for other in range(node):
            if away[node] + away[other] < reach * (1.0 - ERROR):
                break
            reach = max(reach, np.hypot(points[node, 0] - points[other, 0], points[node, 1] - points[other, 1]))
    return reach


class Tree(NamedTuple):
    """A k-d tree: box 1 holds all, those of box i are split between boxes 2i and 2i + 1, and the leaves come last."""

    members: np.ndarray  #: the nodes, those of one box side by side
    begins: np.ndarray  #: (boxes,) where in ``members`` a box begins
    ends: np.ndarray  #: (boxes,) where it ends
    boxes: np.ndarray  #: (boxes, 4) see `Edge`


def nearest_nodes(plane: Plane, most: int, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``most`` nearest others of each node, from number ``first`` on, and how far away they are.

    Of equally near ones the lower numbers.
    """
    nodes = len(plane.points)
    who, away = np.empty((nodes, most), dtype=np.int32), np.empty((nodes, most))
    if most:
        stack = np.zeros(2 * nodes.bit_length(), dtype=np.int64)
        _search_tree(plane, _tree(np.asarray(plane.points), first), who, away, stack)
    return who, away


def _tree(points: np.ndarray, first: int) -> Tree:
    members = np.arange(first, len(points))
    depth = max(0, math.ceil(math.log2(len(members) / LEAF)))
    leaves = 1 << depth
    begins, ends = np.zeros(2 * leaves, dtype=np.int64), np.zeros(2 * leaves, dtype=np.int64)
    boxes = np.zeros((2 * leaves, 4))
    ends[1] = len(members)
    for box in range(1, 2 * leaves):
        begin, end = begins[box], ends[box]
        inside = points[members[begin:end]]
        boxes[box, :2], boxes[box, 2:] = inside.min(axis=0), inside.max(axis=0)
        if box < leaves:
            half = (begin + end) // 2
            wider = int(np.argmax(boxes[box, 2:] - boxes[box, :2]))
            members[begin:end] = members[begin:end][np.argpartition(inside[:, wider], half - begin)]
            begins[2 * box], ends[2 * box], begins[2 * box + 1], ends[2 * box + 1] = begin, half, half, end
    return Tree(members, begins, ends, boxes)


@kernel
def _search_tree(plane, tree, who, away, stack):
    leaves = len(tree.boxes) // 2
    most = who.shape[1]
    for node in range(len(plane.points)):
        found = 0
        stack[0] = 1
        waiting = 1
        while waiting:
            waiting -= 1
            box = stack[waiting]
            if found == most and _least(plane, tree.boxes, box, node) > away[node, most - 1]:
                continue
            if box >= leaves:
                for place in range(tree.begins[box], tree.ends[box]):
                    found = _note(plane, who, away, node, tree.members[place], found)
            else:
                nearer = 2 * box
                if _least(plane, tree.boxes, nearer, node) > _least(plane, tree.boxes, nearer + 1, node):
                    nearer += 1
                stack[waiting] = nearer ^ 1  # looked at last
                stack[waiting + 1] = nearer
                waiting += 2


@inlined
def _least(plane, boxes, box, node):
    """No member of the box is nearer than this."""
    x, y = plane.points[node, 0], plane.points[node, 1]
    x = max(boxes[box, EDGE.left] - x, x - boxes[box, EDGE.right], 0.0)
    y = max(boxes[box, EDGE.low] - y, y - boxes[box, EDGE.high], 0.0)
    least = math.sqrt(x * x + y * y) * (1.0 - ERROR)
    return np.floor(least * plane.per_unit + plane.offset) if plane.whole else least


@inlined
def _note(plane, who, away, node, other, found):
    """Put ``other`` in the list of ``node`` where it belongs, if it does; return how many are in the list."""
    most = who.shape[1]
    if other == node:
        return found
    length = measured(plane.points, plane.whole, plane.per_unit, plane.offset, node, other)
    place = found
    if found == most:
        place -= 1
        if length > away[node, place] or (length == away[node, place] and other > who[node, place]):
            return found
    else:
        found += 1
    while place and (
        away[node, place - 1] > length or (away[node, place - 1] == length and who[node, place - 1] > other)
    ):
        away[node, place] = away[node, place - 1]
        who[node, place] = who[node, place - 1]
        place -= 1
    away[node, place] = length
    who[node, place] = other
    return found
