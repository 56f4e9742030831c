"""Where the nodes of a graph stand: in layers, in an order with few crossings, not too close.

The graph has links from parts to wholes, numbered so that parts come first, and some *ends*
that all stand in the last layer. A link over several layers passes through those between, so
that nothing else is put in its way; all links from one node share one way as far as they can.
A *place* is a node and a layer: where the node stands, or where its links pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from crisplogic.plot.spacing import Place, Step, rows_of

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
