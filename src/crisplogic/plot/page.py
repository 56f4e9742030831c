"""Where everything is on a page, in inches.

The terms of a sum are collected on a *rail*, a vertical line. Terms come from the left, each in
a row of its own, and go on to the last rail that they are collected on. From each rail a line
leads to its sum on the right. The fewer rails these lines cross, the easier it is to read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from crisplogic.plot.graph import Graph
from crisplogic.plot.layout import Layout, find_free_rows

# The width of a text in inches, in a font of some points, bold or not.
MeasureText = Callable[[str, float, bool], float]

PAGE_HEIGHT = 9.0  # rows become lower to fit it, as far as they can be read
ROW_HEIGHTS = 0.16, 0.24  # the smallest and the largest
LARGEST_FONT, FONT_OF_ROW = 9.0, 45.0  # points, and points per inch of a row
MARGIN = 0.1
PADDING = 0.06  # around words
RAILS_APART = 0.2
GAPS = 0.4, 0.9  # between two columns: the steeper the lines, the wider
LEGEND_HEIGHT = 0.3
STRAIGHT = 0.01  # a line that climbs fewer rows is straight
ROUNDS = 10  # to find an order of rails


class Column(NamedTuple):
    """The edges of a layer, and where, left of it, the lines to it begin to bend."""

    bend: float
    left: float
    right: float


class Rail(NamedTuple):
    """The position of a rail, and the row of the line from it to its sum."""

    x: float
    exit: float


@dataclass(frozen=True)
class Page:
    """The positions of columns, rows and rails, from the lower left corner."""

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


def arrange(graph: Graph, layout: Layout, measure: MeasureText, legend: float = 0.0) -> Page:
    """A page with room for everything, and for a legend of some width below."""
    exits = [rails_before(layer, graph, layout) for layer in range(len(layout.columns))]
    used = [*layout.rows.values(), *chain(*(each.values() for each in exits))]
    row_height = _clip(PAGE_HEIGHT / (max(used) - min(used) + 1), ROW_HEIGHTS)
    font = min(FONT_OF_ROW * row_height, LARGEST_FONT)
    columns, rails = _place_columns(layout, exits, _widths(graph, layout, measure, font))
    notes = [measure(node.note, font, False) for node in graph.nodes]
    lower_edge = MARGIN + (LEGEND_HEIGHT if legend else 0.0)
    first = lower_edge + (max(used) + 0.5) * row_height
    return Page(
        width=max(columns[-1].right + PADDING + max(notes), MARGIN + legend) + MARGIN,
        height=first + (0.5 - min(used)) * row_height + MARGIN,
        first=first,
        row_height=row_height,
        font=font,
        columns=tuple(columns),
        rails=rails,
    )


def _widths(graph: Graph, layout: Layout, measure: MeasureText, font: float) -> list[float]:
    """The width of each layer: that of its widest label."""
    widths = [0.0] * len(layout.columns)
    for node, layer in zip(graph.nodes, layout.layers, strict=True):
        width = measure(node.label, font, node.kind == "class") + 2 * PADDING
        widths[layer] = max(widths[layer], width)
    return widths


def _place_columns(
    layout: Layout, exits: Sequence[Mapping[int, float]], widths: Sequence[float]
) -> tuple[list[Column], dict[int, Rail]]:
    """Columns and the rails between them, from left to right."""
    x = MARGIN
    columns: list[Column] = []
    rails: dict[int, Rail] = {}
    for layer, (width, rows) in enumerate(zip(widths, exits, strict=True)):
        for target, row in rows.items():
            x += RAILS_APART
            rails[target] = Rail(x, row)
        bend = x + RAILS_APART / 2 if rows else x
        left = bend + _gap(layout, layer, rows)
        x = left + width
        columns.append(Column(bend, left, x))
    return columns, rails


def _gap(layout: Layout, layer: int, exits: Mapping[int, float]) -> float:
    """The room for lines to bend on their way to a layer; lines to rails are level."""
    if layer == 0:
        return 0.0
    climbs = [abs(row - layout.row(target)) for target, row in exits.items()]
    for left, right in layout.steps:
        if right[1] == layer and right[0] not in exits:
            climbs.append(abs(layout.rows[left] - layout.rows[right]))
    if max(climbs) < STRAIGHT:
        return RAILS_APART / 2
    return _clip(GAPS[0] + 0.05 * max(climbs), GAPS)


def _clip(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


# Rails


def rails_before(layer: int, graph: Graph, layout: Layout) -> dict[int, float]:
    """The sums in a layer, in the order of their rails, and the row in which each is left."""
    terms: dict[int, list[float]] = defaultdict(list)
    for link in graph.links:
        if graph.nodes[link.target].is_sum and layout.layers[link.target] == layer:
            terms[link.target].append(layout.rows[link.source, layer - 1])
    exits = {target: layout.row(target) for target in terms}
    if layer < len(layout.columns) - 1:  # classes are in free rows anyway
        exits = _free_exits(exits, layer, layout)
    return {target: exits[target] for target in order_rails(terms, exits)}


def _free_exits(wanted: Mapping[int, float], layer: int, layout: Layout) -> dict[int, float]:
    """Rows near the wanted ones in which no other line passes."""
    sums = sorted(wanted, key=wanted.__getitem__)
    after = Counter(left for left, _ in layout.steps)
    own: dict[int, list[float]] = {target: [] for target in sums}
    for left, right in layout.steps:
        if right[1] == layer and right[0] in own and after[left] == 1:
            own[right[0]].append(layout.rows[left])
    taken = sorted(layout.rows[place] for place in layout.columns[layer - 1])
    rows = find_free_rows([wanted[target] for target in sums], taken, list(own.values()))
    return dict(zip(sums, rows, strict=True))


def order_rails(terms: Mapping[int, Sequence[float]], exits: Mapping[int, float]) -> list[int]:
    """Rails from left to right, so that lines cross few of them.

    ``terms`` are the rows of what each rail collects, ``exits`` the rows of the lines from it.

    >>> order_rails({0: [1.0, 4.0], 1: [2.0, 3.0]}, exits={0: 4.0, 1: 5.0})
    [1, 0]
    """
    best = list(terms)
    fewest = count_crossed_rails(best, terms, exits)
    for _ in range(ROUNDS):
        before = best
        for place in range(len(best) - 1):
            order = [*best[:place], best[place + 1], best[place], *best[place + 2 :]]
            crossed = count_crossed_rails(order, terms, exits)
            if crossed < fewest:
                best, fewest = order, crossed
        if best == before:
            break
    return best


def count_crossed_rails(
    order: Sequence[int], terms: Mapping[int, Sequence[float]], exits: Mapping[int, float]
) -> int:
    """How often lines cross rails that they do not belong to.

    >>> count_crossed_rails([0, 1], {0: [1.0, 2.0, 3.0], 1: [4.0]}, exits={0: 2.0, 1: 4.0})
    0
    >>> count_crossed_rails([0, 1], {0: [1.0, 3.0], 1: [2.0]}, exits={0: 1.0, 1: 2.0})
    1
    """
    last = {row: place for place, rail in enumerate(order) for row in terms[rail]}
    count = 0
    for place, rail in enumerate(order):
        top, bottom = min(*terms[rail], exits[rail]), max(*terms[rail], exits[rail])
        passing = [row for row, until in last.items() if until > place]
        leaving = [exits[other] for other in order[:place]]
        count += sum(top <= row <= bottom and row not in terms[rail] for row in passing)
        count += sum(top <= row <= bottom for row in leaving)
    return count
