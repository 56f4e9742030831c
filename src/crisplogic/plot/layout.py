"""Where the nodes of a graph are: in layers, with few crossings, not too close to each other.

Links lead from parts to wholes, and parts have the smaller numbers. Some nodes are *ends*: they
are all in the last layer. A link over several layers passes through the layers between, so that
nothing else is put in its way; all links of one node share one way as far as they can. A
*place* is a node and a layer: where the node is, or where its links pass.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import fmean

import numpy as np

Pair = tuple[int, int]  # source, target
Place = tuple[int, int]  # node, layer
Step = tuple[Place, Place]  # from a layer to the next
Neighbours = Mapping[Place, Sequence[Place]]

SWEEPS = 8  # to find an order with few crossings
ROUNDS = 3  # to find rows
# Distances between rows: of two neighbours, of operands of different operators, of two ends,
# and of an end from a line that leads elsewhere.
APART, GROUPS_APART, ENDS_APART, CLEARANCE = 1.0, 1.3, 1.5, 0.5


@dataclass(frozen=True)
class Layout:
    """The layer of each node, the places of each layer from top to bottom, and their rows.

    ``steps`` are the ways of all links from layer to layer, without repetition.
    """

    layers: tuple[int, ...]
    columns: tuple[tuple[Place, ...], ...]
    rows: Mapping[Place, float]
    steps: tuple[Step, ...]

    def row(self, node: int) -> float:
        """The row of a node."""
        return self.rows[node, self.layers[node]]


def compute_layout(count: int, links: Sequence[Pair], ends: Sequence[int]) -> Layout:
    """Places for the nodes 0 to ``count - 1``; ``ends`` keep their order.

    >>> layout = compute_layout(4, [(0, 2), (1, 2), (2, 3)], ends=[3])
    >>> layout.layers, [layout.row(node) for node in range(4)]
    ((0, 0, 1, 2), [0.0, 1.0, 0.5, 0.5])
    """
    layers = assign_layers(count, links, ends)
    steps = _split_into_steps(layers, links)
    columns = _reduce_crossings(_initial_columns(layers, steps, ends), steps)
    rows = assign_rows(columns, steps)
    return Layout(tuple(layers), tuple(map(tuple, columns)), rows, tuple(steps))


# Layers


def assign_layers(count: int, links: Iterable[Pair], ends: Sequence[int]) -> list[int]:
    """The layer of each node: the length of the longest way to it; ends are in the last.

    >>> assign_layers(5, [(0, 1), (1, 2), (0, 2), (2, 3)], ends=[3, 4])
    [0, 1, 2, 3, 3]
    """
    layers = [0] * count
    for source, target in sorted(links, key=lambda link: link[1]):
        assert source < target, "parts come before wholes"
        layers[target] = max(layers[target], layers[source] + 1)
    last = max(layers[end] for end in ends)
    for end in ends:
        layers[end] = last
    return layers


def _split_into_steps(layers: Sequence[int], links: Iterable[Pair]) -> list[Step]:
    """Links as steps from layer to layer, without repetition."""
    steps: dict[Step, None] = {}
    for source, target in links:
        for layer in range(layers[source], layers[target] - 1):
            steps[(source, layer), (source, layer + 1)] = None
        steps[(source, layers[target] - 1), (target, layers[target])] = None
    return list(steps)


# The order of places in a layer


def count_crossings(steps: Iterable[Step], columns: Sequence[Sequence[Place]]) -> int:
    """The number of pairs of straight lines between neighbouring layers that cross.

    >>> columns = [[(0, 0), (1, 0)], [(2, 1), (3, 1)]]
    >>> count_crossings([((0, 0), (3, 1)), ((1, 0), (2, 1))], columns)
    1
    """
    rank = _ranks(columns)
    by_layer = defaultdict(list)
    for left, right in steps:
        by_layer[left[1]].append((rank[left], rank[right]))
    return sum(map(_count_inversions, by_layer.values()))


def _count_inversions(pairs: list[tuple[int, int]]) -> int:
    left, right = np.array(pairs).T
    return int(((left[:, None] < left) & (right[:, None] > right)).sum())


def _ranks(columns: Iterable[Iterable[Place]]) -> dict[Place, int]:
    return {place: rank for column in columns for rank, place in enumerate(column)}


def _initial_columns(
    layers: Sequence[int], steps: Iterable[Step], ends: Iterable[int]
) -> list[list[Place]]:
    """All places in the order of a walk from one end after the other back to its parts."""
    parts = defaultdict(list)
    for left, right in steps:
        parts[right].append(left)
    columns: list[list[Place]] = [[] for _ in range(max(layers) + 1)]
    seen: set[Place] = set()

    def visit(place: Place) -> None:
        if place not in seen:
            seen.add(place)
            columns[place[1]].append(place)
            for part in parts[place]:
                visit(part)

    for end in ends:
        visit((end, layers[end]))
    return columns


def _reduce_crossings(columns: list[list[Place]], steps: Sequence[Step]) -> list[list[Place]]:
    """The order with the fewest crossings that a few sweeps find; ends keep their order."""
    best, fewest = columns, count_crossings(steps, columns)
    for sweep in range(SWEEPS):
        columns = _sweep(columns, steps, to_the_left=sweep % 2 == 0)
        crossings = count_crossings(steps, columns)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _sweep(
    columns: Sequence[list[Place]], steps: Iterable[Step], to_the_left: bool
) -> list[list[Place]]:
    """Sort one layer after another by the mean rank of the places it is linked to."""
    linked = defaultdict(list)
    for left, right in steps:
        linked[left if to_the_left else right].append(right if to_the_left else left)
    columns = list(columns)
    inner = range(len(columns) - 1)
    for layer in reversed(inner) if to_the_left else inner[1:]:
        rank = _ranks(columns)
        columns[layer] = sorted(
            columns[layer], key=lambda place: fmean(rank[other] for other in linked[place])
        )
    return columns


# Rows


def assign_rows(
    columns: Sequence[Sequence[Place]], steps: Iterable[Step]
) -> dict[Place, float]:
    """A row for each place, from 0 downwards; the places of a column keep their order.

    >>> steps = [((0, 0), (2, 1)), ((1, 0), (2, 1)), ((2, 1), (3, 2))]
    >>> assign_rows([[(0, 0), (1, 0)], [(2, 1)], [(3, 2)]], steps)
    {(0, 0): 0.0, (1, 0): 1.0, (2, 1): 0.5, (3, 2): 0.5}
    """
    before: dict[Place, list[Place]] = defaultdict(list)
    after: dict[Place, list[Place]] = defaultdict(list)
    for left, right in steps:
        before[right].append(left)
        after[left].append(right)
    *inner, ends = columns
    rows = _inner_rows(inner, before, after)
    rows |= zip(ends, _end_rows(ends, rows, before, after), strict=True)
    top = min(rows.values())
    return {place: row - top for place, row in rows.items()}


def _inner_rows(
    columns: Sequence[Sequence[Place]], before: Neighbours, after: Neighbours
) -> dict[Place, float]:
    """The rows of all places but the ends: each near its neighbours, to the right and back."""
    rows = {place: 0.0 for column in columns for place in column}

    def move(column: Sequence[Place], neighbours: Neighbours) -> None:
        wanted = [
            fmean(rows[other] for other in neighbours.get(place) or [place]) for place in column
        ]
        distances = [_distance(one, other, after) for one, other in pairwise(column)]
        rows.update(zip(column, spread(wanted, distances), strict=True))

    for _ in range(ROUNDS):
        for column in columns:
            move(column, before)
        for column in columns[-2::-1]:
            move(column, after)
    for column in columns:
        move(column, before)
    return rows


def _distance(one: Place, other: Place, after: Neighbours) -> float:
    """Operands of one operator are closer than others; so are links that pass by."""
    passing = all(next_[0] == place[0] for place in (one, other) for next_ in after[place])
    same = not set(after[one]).isdisjoint(after[other])
    return APART if same or passing or one[1] else GROUPS_APART


def spread(wanted: Sequence[float], distances: Sequence[float]) -> list[float]:
    """Rows as near to the ``wanted`` ones as they can be at these ``distances``.

    The sum of squared differences is minimal. Neighbours that are too close are pooled: they
    are placed around the mean of what they want.

    >>> spread([0.0, 0.0, 5.0], distances=[1.0, 1.0])
    [-0.5, 0.5, 5.0]
    """
    offsets = np.concatenate([[0.0], np.cumsum(distances)])[: len(wanted)].tolist()
    pools: list[list[float]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    levels = [level for pool in pools for level in [fmean(pool)] * len(pool)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _end_rows(
    ends: Sequence[Place], rows: Mapping[Place, float], before: Neighbours, after: Neighbours
) -> list[float]:
    """Ends in the middle of their links, but not in rows of links to other ends."""
    arriving = [[rows[place] for place in before.get(end, ())] for end in ends]
    wanted = spread(_wanted_end_rows(arriving), [ENDS_APART] * (len(ends) - 1))
    own = [[rows[p] for p in before.get(end, ()) if len(after[p]) == 1] for end in ends]
    return find_free_rows(wanted, sorted(set(chain(*arriving))), own)


def _wanted_end_rows(arriving: Sequence[Sequence[float]]) -> list[float]:
    """The mean row of the links of each end; ends without links are beside the others.

    >>> _wanted_end_rows([[], [3.0, 4.0], []])
    [2.0, 3.5, 5.0]
    """
    means = [fmean(rows) if rows else None for rows in arriving]
    known = [number for number, mean in enumerate(means) if mean is not None]

    def beside(number: int) -> float:
        nearest = min(known, key=lambda other: abs(other - number), default=number)
        return (means[nearest] or 0.0) + (number - nearest) * ENDS_APART

    return [beside(number) for number in range(len(means))]


def find_free_rows(
    wanted: Sequence[float], taken: Sequence[float], own: Sequence[Sequence[float]]
) -> list[float]:
    """Rows near the ``wanted`` ones, in the same order, not too close to ``taken`` rows.

    Each may also have one of its ``own`` rows, although it is taken.

    >>> find_free_rows([0.9, 3.1], taken=[0.0, 1.0, 3.0], own=[[], [3.0]])
    [0.5, 3.0]
    >>> find_free_rows([1.6, 3.1], taken=[0.0, 1.0, 3.0], own=[[], []])
    [1.6, 3.5]
    """
    halfway = _rows_between(taken, outside=len(wanted))
    rows: list[float] = []
    for want, mine in zip(wanted, own, strict=True):
        least = rows[-1] + APART if rows else -math.inf
        clear = all(abs(want - row) >= CLEARANCE for row in taken)
        free = [row for row in (*[want] * clear, *mine, *halfway) if row >= least]
        rows.append(min(free, key=lambda row: abs(row - want), default=max(want, least)))
    return rows


def _rows_between(taken: Sequence[float], outside: int) -> list[float]:
    """Rows halfway between ``taken`` ones, and some above and below.

    >>> _rows_between([0.0, 2.0], outside=2)
    [-1.5, -0.5, 1.0, 2.5, 3.5]
    """
    if not taken:
        return []
    offsets = [(step + 0.5) * APART for step in range(outside)]
    above = [taken[0] - offset for offset in reversed(offsets)]
    below = [taken[-1] + offset for offset in offsets]
    return [*above, *((one + other) / 2 for one, other in pairwise(taken)), *below]
