"""Rails: vertical lines on which the terms of sums are collected, one for each sum.

Terms come from the left, each on a level of its own, and go on to the last rail that they are
collected on; from each rail a line leads to its sum on the right. The fewer rails all these
lines cross, the better a picture can be read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from crisplogic.plot.graph import Graph
from crisplogic.plot.layout import Layout, between

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


# How wide a text is, in a font of so many points, bold or not.
Measure = Callable[[str, float, bool], float]

PAGE_HEIGHT = 9.0  # rows become lower to fit it, as far as they can be read
ROW_HEIGHTS = 0.16, 0.24
LARGEST_FONT, FONT_OF_ROW = 9.0, 45.0  # points, and points for each inch of a row
MARGIN = 0.1
PADDING = 0.06  # around words
RAILS_APART = 0.2
GAPS = 0.4, 0.9  # between two columns: the steeper the lines, the wider
LEGEND_HEIGHT = 0.3
STRAIGHT = 0.01  # a line that climbs fewer rows


class Column(NamedTuple):
    """The edges of what stands in a layer, and where, left of it, lines to it begin to bend."""

    bend: float
    left: float
    right: float


class Rail(NamedTuple):
    """Where a rail stands, and in which row the line leaves it that leads to its sum."""

    x: float
    exit: float


@dataclass(frozen=True)
class Sheet:
    """Where things stand, in inches from the lower left corner."""

    width: float
    height: float
    first: float  # the middle of row 0
    row_height: float
    font: float
    columns: tuple[Column, ...]
    rails: Mapping[int, Rail]

    def y(self, row: float) -> float:
        """The middle of a row; rows are counted downwards."""
        return self.first - row * self.row_height


def sheet_for(graph: Graph, layout: Layout, measure: Measure, legend: float = 0.0) -> Sheet:
    """A sheet on which everything has room, and below it a legend so wide, if there is one."""
    exits = [rails_before(layer, graph, layout) for layer in range(len(layout.columns))]
    used = [*layout.rows.values(), *chain(*(each.values() for each in exits))]
    row_height = _clipped(PAGE_HEIGHT / (max(used) - min(used) + 1), ROW_HEIGHTS)
    font = min(FONT_OF_ROW * row_height, LARGEST_FONT)
    columns, rails = _columns_and_rails(layout, exits, _widths(graph, layout, measure, font))
    notes = [measure(node.note, font, False) for node in graph.nodes]
    lower_edge = MARGIN + (LEGEND_HEIGHT if legend else 0.0)
    first = lower_edge + (max(used) + 0.5) * row_height
    return Sheet(
        width=max(columns[-1].right + PADDING + max(notes), MARGIN + legend) + MARGIN,
        height=first + (0.5 - min(used)) * row_height + MARGIN,
        first=first,
        row_height=row_height,
        font=font,
        columns=tuple(columns),
        rails=rails,
    )


def _widths(graph: Graph, layout: Layout, measure: Measure, font: float) -> list[float]:
    """How wide each layer is: as its widest label."""
    widths = [0.0] * len(layout.columns)
    for node, layer in zip(graph.nodes, layout.layers, strict=True):
        width = measure(node.label, font, node.kind == "class") + 2 * PADDING
        widths[layer] = max(widths[layer], width)
    return widths


def _columns_and_rails(
    layout: Layout, exits: Sequence[Mapping[int, float]], widths: Sequence[float]
) -> tuple[list[Column], dict[int, Rail]]:
    x = MARGIN
    columns: list[Column] = []
    rails: dict[int, Rail] = {}
    for layer, (width, leaving) in enumerate(zip(widths, exits, strict=True)):
        for target, row in leaving.items():
            x += RAILS_APART
            rails[target] = Rail(x, row)
        bend = x + RAILS_APART / 2 if leaving else x
        left = bend + _gap(layout, layer, leaving)
        x = left + width
        columns.append(Column(bend, left, x))
    return columns, rails


def _gap(layout: Layout, layer: int, leaving: Mapping[int, float]) -> float:
    """The room for lines to bend on their way to a layer; those to rails are level."""
    if layer == 0:
        return 0.0
    bends = [abs(row - layout.row(target)) for target, row in leaving.items()]
    for left, right in layout.steps:
        if right[1] == layer and right[0] not in leaving:
            bends.append(abs(layout.rows[left] - layout.rows[right]))
    if max(bends) < STRAIGHT:
        return RAILS_APART / 2
    return _clipped(GAPS[0] + 0.05 * max(bends), GAPS)


def _clipped(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
