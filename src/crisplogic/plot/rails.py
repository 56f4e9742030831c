"""Rails: vertical lines on which the terms of sums are collected, one for each sum.

Terms come from the left, each on a level of its own, and go on to the last rail that they are
collected on; from each rail a line leads to its sum on the right. The fewer rails all these
lines cross, the better a picture can be read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from crisplogic.plot.graph import Graph
from crisplogic.plot.layout import Layout
from crisplogic.plot.spacing import between

ROUNDS = 10


def rails_before(layer: int, graph: Graph, layout: Layout) -> dict[int, float]:
    """The sums in a layer, from the leftmost rail on, and the level on which each is left."""
    terms: dict[int, list[float]] = defaultdict(list)
    for link in graph.links:
        if graph.nodes[link.target].sums and layout.layers[link.target] == layer:
            terms[link.target].append(layout.rows[link.source, layer - 1])
    exits = {target: layout.row(target) for target in terms}
    if layer < len(layout.columns) - 1:  # classes stand where lines can come to them anyway
        exits = _exits(exits, layer, layout)
    return {target: exits[target] for target in in_good_order(terms, exits)}


def _exits(wanted: Mapping[int, float], layer: int, layout: Layout) -> dict[int, float]:
    """Levels near those wanted, where nothing comes from the layer before and goes on."""
    sums = sorted(wanted, key=wanted.__getitem__)
    after = Counter(left for left, _ in layout.steps)
    own: dict[int, list[float]] = {target: [] for target in sums}
    for left, right in layout.steps:
        if right[1] == layer and right[0] in own and after[left] == 1:
            own[right[0]].append(layout.rows[left])
    taken = sorted(layout.rows[place] for place in layout.columns[layer - 1])
    rows = between([wanted[target] for target in sums], taken, list(own.values()))
    return dict(zip(sums, rows, strict=True))


def in_good_order(
    terms: Mapping[int, Sequence[float]], exits: Mapping[int, float]
) -> list[int]:
    """Rails from left to right: those of ``terms``, the levels of what is collected on each.

    ``exits`` are the levels on which lines lead away from them.

    >>> in_good_order({0: [1.0, 4.0], 1: [2.0, 3.0]}, exits={0: 4.0, 1: 5.0})
    [1, 0]
    """
    best = list(terms)
    fewest = crossed(best, terms, exits)
    for _ in range(ROUNDS):
        before = best
        for place in range(len(best) - 1):
            order = [*best[:place], best[place + 1], best[place], *best[place + 2 :]]
            number = crossed(order, terms, exits)
            if number < fewest:
                best, fewest = order, number
        if best == before:
            break
    return best


def crossed(
    order: Sequence[int], terms: Mapping[int, Sequence[float]], exits: Mapping[int, float]
) -> int:
    """How often lines cross rails that they have no business with.

    >>> crossed([0, 1], {0: [1.0, 2.0, 3.0], 1: [4.0]}, exits={0: 2.0, 1: 4.0})
    0
    >>> crossed([0, 1], {0: [1.0, 3.0], 1: [2.0]}, exits={0: 1.0, 1: 2.0})
    1
    """
    last = {level: place for place, rail in enumerate(order) for level in terms[rail]}
    number = 0
    for place, rail in enumerate(order):
        top, bottom = min(*terms[rail], exits[rail]), max(*terms[rail], exits[rail])
        passing = [level for level, until in last.items() if until > place]
        leaving = [exits[other] for other in order[:place]]
        number += sum(
            top <= level <= bottom and level not in terms[rail] for level in passing
        ) + sum(top <= level <= bottom for level in leaving)
    return number
