"""The sheet that a diagram is drawn on, in inches: how large, and where its columns stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from crisplogic.plot.graph import Graph
from crisplogic.plot.layout import Layout
from crisplogic.plot.rails import rails_before

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
