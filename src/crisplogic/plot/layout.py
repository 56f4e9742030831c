"""Where the nodes of a graph stand: in layers, in an order with few crossings, not too close.

The graph has links from parts to wholes, numbered so that parts come first, and some *ends*
that all stand in the last layer. A link over several layers passes through those between, so
that nothing else is put in its way; all links from one node share one way as far as they can.
A *place* is a node and a layer: where the node stands, or where its links pass.
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

SWEEPS = 8


@dataclass(frozen=True)
class Layout:
    """The layer of each node, the places of each layer from top to bottom, and their rows.

    ``steps`` are the ways of links from layer to layer, each of them once.
    """

    layers: tuple[int, ...]
    columns: tuple[tuple[Place, ...], ...]
    rows: Mapping[Place, float]
    steps: tuple[Step, ...]

    def row(self, node: int) -> float:
        """Where a node stands."""
        return self.rows[node, self.layers[node]]


def laid_out(count: int, links: Sequence[Pair], ends: Sequence[int]) -> Layout:
    """Places for the nodes 0 to ``count - 1``; ``ends`` keep their order.

    >>> layout = laid_out(4, [(0, 2), (1, 2), (2, 3)], ends=[3])
    >>> layout.layers, [layout.row(node) for node in range(4)]
    ((0, 0, 1, 2), [0.0, 1.0, 0.5, 0.5])
    """
    layers = layers_of(count, links, ends)
    steps = _steps(layers, links)
    columns = _ordered(_columns(layers, steps, ends), steps)
    rows = rows_of(columns, steps)
    return Layout(tuple(layers), tuple(map(tuple, columns)), rows, tuple(steps))


def layers_of(count: int, links: Iterable[Pair], ends: Sequence[int]) -> list[int]:
    """Each node as far right as the longest way to it is long; the ends behind all others.

    >>> layers_of(5, [(0, 1), (1, 2), (0, 2), (2, 3)], ends=[3, 4])
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


def crossings(steps: Iterable[Step], columns: Sequence[Sequence[Place]]) -> int:
    """How many pairs of straight lines between neighbouring layers cross.

    >>> crossings([((0, 0), (3, 1)), ((1, 0), (2, 1))], [[(0, 0), (1, 0)], [(2, 1), (3, 1)]])
    1
    """
    rank = _ranks(columns)
    by_layer = defaultdict(list)
    for left, right in steps:
        by_layer[left[1]].append((rank[left], rank[right]))
    return sum(map(_inversions, by_layer.values()))


def _steps(layers: Sequence[int], links: Iterable[Pair]) -> list[Step]:
    """Links as steps from layer to layer, each of them once."""
    steps: dict[Step, None] = {}
    for source, target in links:
        for layer in range(layers[source], layers[target] - 1):
            steps[(source, layer), (source, layer + 1)] = None
        steps[(source, layers[target] - 1), (target, layers[target])] = None
    return list(steps)


def _columns(
    layers: Sequence[int], steps: Iterable[Step], ends: Iterable[int]
) -> list[list[Place]]:
    """All places, in the order in which a reader of one end after the other meets them."""
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


def _ordered(columns: list[list[Place]], steps: Sequence[Step]) -> list[list[Place]]:
    """The order with the fewest crossings that a few sweeps meet; the ends stay in theirs."""
    best, fewest = columns, crossings(steps, columns)
    for sweep in range(SWEEPS):
        columns = _swept(columns, steps, to_the_left=sweep % 2 == 0)
        number = crossings(steps, columns)
        if number < fewest:
            best, fewest = columns, number
    return best


def _swept(
    columns: Sequence[list[Place]], steps: Iterable[Step], to_the_left: bool
) -> list[list[Place]]:
    """One layer after another sorted by the mean rank of what its places are linked to."""
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


def _inversions(pairs: list[tuple[int, int]]) -> int:
    left, right = np.array(pairs).T
    return int(((left[:, None] < left) & (right[:, None] > right)).sum())


def _ranks(columns: Iterable[Iterable[Place]]) -> dict[Place, int]:
    return {place: rank for column in columns for rank, place in enumerate(column)}


Place = tuple[int, int]  # node, layer
Step = tuple[Place, Place]  # from a layer to the next

APART = 1.0  # from one row to the next
GROUPS_APART = 1.3  # where the operands of one operator end
ENDS_APART = 1.5
CLEAR = 0.5  # from a line that leads elsewhere
ROUNDS = 3


def rows_of(columns: Sequence[Sequence[Place]], steps: Iterable[Step]) -> dict[Place, float]:
    """A row for each place, the topmost in row 0; what stands in a column keeps its order.

    >>> steps = [((0, 0), (2, 1)), ((1, 0), (2, 1)), ((2, 1), (3, 2))]
    >>> rows_of([[(0, 0), (1, 0)], [(2, 1)], [(3, 2)]], steps)
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
    columns: Sequence[Sequence[Place]],
    before: Mapping[Place, Sequence[Place]],
    after: Mapping[Place, Sequence[Place]],
) -> dict[Place, float]:
    """All rows but those of the ends: columns follow each other to the right and back."""
    rows = {place: 0.0 for column in columns for place in column}

    def settle(column: Sequence[Place], linked: Mapping[Place, Sequence[Place]]) -> None:
        wanted = [
            fmean(rows[other] for other in linked.get(place) or [place]) for place in column
        ]
        apart = [_apart(one, other, after) for one, other in pairwise(column)]
        rows.update(zip(column, spread(wanted, apart), strict=True))

    for _ in range(ROUNDS):
        for column in columns:
            settle(column, before)
        for column in columns[-2::-1]:
            settle(column, after)
    for column in columns:
        settle(column, before)
    return rows


def _apart(one: Place, other: Place, after: Mapping[Place, Sequence[Place]]) -> float:
    """Operands of one operator stand closer than others do; so do links that pass by."""
    passing = all(next_[0] == place[0] for place in (one, other) for next_ in after[place])
    same = not set(after[one]).isdisjoint(after[other])
    return APART if same or passing or one[1] else GROUPS_APART


def spread(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Rows as near to those ``wanted`` as they can be, each ``apart`` from the one before.

    The sum of squared distances is the least there is: neighbours that want too much of the
    same place are pooled, and stand around the mean of what they want.

    >>> spread([0.0, 0.0, 5.0], apart=[1.0, 1.0])
    [-0.5, 0.5, 5.0]
    """
    offsets = np.concatenate([[0.0], np.cumsum(apart)])[: len(wanted)].tolist()
    pools: list[list[float]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    levels = [level for pool in pools for level in [fmean(pool)] * len(pool)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _end_rows(
    ends: Sequence[Place],
    rows: Mapping[Place, float],
    before: Mapping[Place, Sequence[Place]],
    after: Mapping[Place, Sequence[Place]],
) -> list[float]:
    """Ends amid what comes to them, but on no level with what goes on to another."""
    arriving = [[rows[place] for place in before.get(end, ())] for end in ends]
    wanted = spread(_wishes(arriving), [ENDS_APART] * (len(ends) - 1))
    own = [[rows[p] for p in before.get(end, ()) if len(after[p]) == 1] for end in ends]
    return between(wanted, sorted(set(chain(*arriving))), own)


def _wishes(arriving: Sequence[Sequence[float]]) -> list[float]:
    """Where ends want to be; those without links, beside the others and in nobody's way.

    >>> _wishes([[], [3.0, 4.0], []])
    [2.0, 3.5, 5.0]
    """
    wishes = [fmean(some) if some else None for some in arriving]
    known = [number for number, wish in enumerate(wishes) if wish is not None]

    def beside(number: int) -> float:
        nearest = min(known, key=lambda other: abs(other - number), default=number)
        return (wishes[nearest] or 0.0) + (number - nearest) * ENDS_APART

    return [beside(number) for number in range(len(wishes))]


def between(
    wanted: Sequence[float], taken: Sequence[float], own: Sequence[Sequence[float]]
) -> list[float]:
    """Rows near those ``wanted``, in their order, none too close to one that is ``taken``.

    One that is taken will do, too, for whoever it is listed for in ``own``.

    >>> between([0.9, 3.1], taken=[0.0, 1.0, 3.0], own=[[], [3.0]])
    [0.5, 3.0]
    >>> between([1.6, 3.1], taken=[0.0, 1.0, 3.0], own=[[], []])
    [1.6, 3.5]
    """
    halfway = _halfway(taken, outside=len(wanted))
    rows: list[float] = []
    for want, mine in zip(wanted, own, strict=True):
        least = rows[-1] + APART if rows else -math.inf
        clear = all(abs(want - row) >= CLEAR for row in taken)
        free = [row for row in (*[want] * clear, *mine, *halfway) if row >= least]
        rows.append(min(free, key=lambda row: abs(row - want), default=max(want, least)))
    return rows


def _halfway(taken: Sequence[float], outside: int) -> list[float]:
    """Rows halfway between those taken, and so many above and below.

    >>> _halfway([0.0, 2.0], outside=2)
    [-1.5, -0.5, 1.0, 2.5, 3.5]
    """
    if not taken:
        return []
    far = [(step + 0.5) * APART for step in range(outside)]
    above = [taken[0] - step for step in reversed(far)]
    below = [taken[-1] + step for step in far]
    return [*above, *((one + other) / 2 for one, other in pairwise(taken)), *below]
