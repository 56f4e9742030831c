"""The strokes of a diagram: lines between operators, sums on rails, boxes and labels."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import Any

from crisplogic.plot._pen import AGAINST, BUBBLE, FOR, RAIL, WIRE, Pen, Point
from crisplogic.plot.graph import Graph, Link, Node
from crisplogic.plot.layout import Layout
from crisplogic.plot.sheet import PADDING, Sheet
from crisplogic.plot.spacing import Place

# What covers what: rails cover lines that pass, lines to sums cover rails, boxes cover lines.
WIRES, RAILS, BRIDGES, EXITS, DOTS, BOXES, WORDS = range(1, 8)
DOT = 20.0  # points for each inch of a row


class Drawing:
    """A graph, laid out on a sheet, and the pen to draw it with."""

    def __init__(self, graph: Graph, layout: Layout, sheet: Sheet, pen: Pen) -> None:
        self.graph, self.layout, self.sheet, self.pen = graph, layout, sheet, pen
        self.links_of: dict[int, list[Link]] = defaultdict(list)
        self.links_to: dict[int, list[Link]] = defaultdict(list)
        for link in graph.links:
            self.links_of[link.source].append(link)
            self.links_to[link.target].append(link)

    def draw(self) -> None:
        """Draw everything."""
        for place in chain(*self.layout.columns):
            self._wire(place)
        for target, links in self.links_to.items():
            if self.graph.nodes[target].sums:
                self._terms(target, links)
            else:
                self._operands(target, links)
        for number, node in enumerate(self.graph.nodes):
            self._node(node, (number, self.layout.layers[number]))

    # Lines

    def _wire(self, place: Place) -> None:
        """The line from a place along the rails, and on to where it passes the next layer."""
        node, layer = place
        further = node, layer + 1
        leaving = [x for x in self.links_of[node] if self.layout.layers[x.target] == layer + 1]
        rails = [self.sheet.rails[x.target].x for x in leaving if x.target in self.sheet.rails]
        start = self._right(place)
        if further in self.layout.rows:
            self._step(start, self._bend(place), node)
            self._step(self._bend(place), self._left(further), node)
            self._step(self._left(further), self._right(further), node)
        elif len(rails) < len(leaving):
            self._step(start, self._bend(place), node)
        elif rails:
            self._step(start, (max(rails), start[1]), node)

    def _step(self, start: Point, end: Point, node: int) -> None:
        """A step that all links of a node have in common; it has a sign if there is but one."""
        links = self.links_of[node]
        if start == end:  # no rails to go along
            return
        if len(links) == 1 and not self.graph.nodes[links[0].target].sums:
            self._signed(start, end, links[0].negated)
        else:
            self.pen.curve(start, end, WIRE, zorder=WIRES)

    def _signed(self, start: Point, end: Point, negated: bool) -> None:
        colour = AGAINST if negated else FOR
        self.pen.curve(start, end, colour, dashed=negated, zorder=WIRES)

    def _operands(self, target: int, links: list[Link]) -> None:
        """The last step of each link to an operator of logic, the uppermost at the top."""
        layer = self.layout.layers[target]
        x, y = self._left((target, layer))
        links = sorted(links, key=lambda link: self.layout.rows[link.source, layer - 1])
        for number, link in enumerate(links):
            port = x, y + _port(number, len(links)) * self.sheet.row_height
            self._signed(self._bend((link.source, layer - 1)), port, link.negated)
            if link.negated:
                bubble = x - BUBBLE / 144, port[1]  # it touches the box
                self.pen.dot(bubble, AGAINST, BUBBLE, filled=False, zorder=DOTS, gid="not")

    # Sums

    def _terms(self, target: int, links: list[Link]) -> None:
        """The rail of a sum, with a dot for each term, and the line from there to its box."""
        x, row = self.sheet.rails[target]
        layer = self.layout.layers[target]
        y = self.sheet.y(row)
        levels = [self._right((link.source, layer - 1))[1] for link in links]
        self.pen.line((x, min(*levels, y)), (x, max(*levels, y)), RAIL, zorder=RAILS)
        bend = self.sheet.columns[layer].bend, y
        # Other rails are interrupted where the line passes over them.
        self.pen.line((x + 0.05, y), bend, "white", width=3.5, zorder=BRIDGES)
        self.pen.line((x, y), bend, RAIL, zorder=EXITS)
        self.pen.curve(bend, self._left((target, layer)), RAIL, zorder=EXITS)
        for link, level in zip(links, levels, strict=True):
            self._term((x, level), link)

    def _term(self, at: Point, link: Link) -> None:
        """A dot adds, a circle subtracts; one that counts several times says so."""
        colour, name = (AGAINST, "subtracts") if link.negated else (FOR, "adds")
        size = DOT * self.sheet.row_height * (1.7 if link.weight > 1 else 1.0)
        self.pen.dot(at, colour, size, filled=not link.negated, zorder=DOTS, gid=name)
        if link.weight > 1:
            style: dict[str, Any] = {"ha": "center", "weight": "bold", "zorder": WORDS}
            ink = colour if link.negated else "white"
            self.pen.words(at, str(link.weight), 0.75, colour=ink, **style)

    # Nodes

    def _node(self, node: Node, place: Place) -> None:
        (left, y), (right, _) = self._left(place), self._right(place)
        if node.kind == "literal":
            self.pen.words((right - PADDING, y), node.label, ha="right", zorder=WORDS)
            return
        is_class = node.kind == "class"
        face, edge = ("white", RAIL) if is_class else ("0.94", "0.4")
        height = 0.8 * self.sheet.row_height
        self.pen.box((left, y), right - left, height, fc=face, ec=edge, zorder=BOXES)
        size, weight = (1.0, "bold") if is_class else (0.9, "normal")
        style: dict[str, Any] = {"ha": "center", "weight": weight, "zorder": WORDS}
        self.pen.words(((left + right) / 2, y), node.label, size, **style)
        if node.note:
            self.pen.words((right + PADDING, y), node.note, ha="left", zorder=WORDS)

    def _left(self, place: Place) -> Point:
        return self.sheet.columns[place[1]].left, self.sheet.y(self.layout.rows[place])

    def _right(self, place: Place) -> Point:
        return self.sheet.columns[place[1]].right, self.sheet.y(self.layout.rows[place])

    def _bend(self, place: Place) -> Point:
        """Where lines from a place begin to bend on their way to the next layer."""
        return self.sheet.columns[place[1] + 1].bend, self.sheet.y(self.layout.rows[place])


def _port(number: int, count: int) -> float:
    """Where one of ``count`` operands arrives, in rows above the middle of the operator.

    >>> [round(_port(number, 3), 2) for number in range(3)]
    [0.17, 0.0, -0.17]
    """
    widest = min((count - 1) / 6, 0.6)
    return widest * (0.5 - number / max(count - 1, 1))
