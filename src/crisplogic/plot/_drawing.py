"""Drawing a graph and its legend, with a pen for lines, dots, boxes and words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, compress
from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from crisplogic.plot.graph import Graph, Link, Node
from crisplogic.plot.layout import Layout, Place
from crisplogic.plot.page import LARGEST_FONT, MARGIN, PADDING, Page

Point = tuple[float, float]

# Colour-blind readers can tell them apart, too; dashes and open dots do without colours.
FOR, AGAINST = "#0072B2", "#D55E00"
WIRE, RAIL = "0.6", "0.15"
LINE, BUBBLE = 0.9, 3.2  # points: the width of lines, and the circle of a negated operand


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in inches, in a font of ``size`` points.

    >>> 0.1 < text_width("$x$", 9) < text_width("$x$", 9, bold=True) < 0.4
    True
    """
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


class Pen:
    """Draws on axes with units of ``scale`` inches.

    Whatever is drawn may have a ``gid`` to find it by, in the axes and in an SVG file.
    """

    def __init__(self, ax: Axes, font: float, scale: float = 1.0) -> None:
        self.ax = ax
        self.font = font
        self.scale = scale

    def line(
        self, start: Point, end: Point, colour: str, width: float = LINE, **more: Any
    ) -> None:
        """A straight line."""
        xs, ys = zip(start, end, strict=True)
        snap = xs[0] == xs[1]  # level lines meet curves, which are not aligned to pixels
        width *= self.scale
        self.ax.add_line(Line2D(xs, ys, color=colour, linewidth=width, snap=snap, **more))

    def curve(
        self, start: Point, end: Point, colour: str, dashed: bool = False, **more: Any
    ) -> None:
        """A line that starts and ends horizontally."""
        middle = (start[0] + end[0]) / 2
        points = [start, (middle, start[1]), (middle, end[1]), end]
        self.ax.add_patch(
            PathPatch(
                Path(points, [Path.MOVETO, *[Path.CURVE4] * 3]),
                fill=False,
                edgecolor=colour,
                linewidth=LINE * self.scale,
                linestyle=(0, (3, 1.5)) if dashed else "-",
                capstyle="butt" if dashed else "round",  # no gap where two lines meet
                **more,
            )
        )

    def dot(self, at: Point, colour: str, size: float, filled: bool, **more: Any) -> None:
        """A dot of ``size`` points, or a circle."""
        xs, ys = zip(at, strict=True)
        self.ax.add_line(
            Line2D(
                xs,
                ys,
                marker="o",
                markersize=size * self.scale,
                markerfacecolor=colour if filled else "white",
                markeredgecolor=colour,
                markeredgewidth=1.1 * self.scale,
                **more,
            )
        )

    def box(self, left: Point, width: float, height: float, **more: Any) -> None:
        """A box with round corners; ``left`` is the middle of its left side."""
        corner = left[0], left[1] - height / 2
        shape = f"round,pad=0,rounding_size={height / 4}"
        line = LINE * self.scale
        self.ax.add_patch(
            FancyBboxPatch(corner, width, height, boxstyle=shape, linewidth=line, **more)
        )

    def words(
        self, at: Point, text: str, size: float = 1.0, colour: str = "black", **more: Any
    ) -> None:
        """Text as it is, without formulas between dollars."""
        self.ax.text(
            *at,
            text,
            color=colour,
            fontsize=size * self.font * self.scale,
            va="center_baseline",
            parse_math=False,
            usetex=False,
            **more,
        )


# The legend

SIGNS = ("adds", "subtracts", "not")
SMALL = 0.9  # of the font of other words
SIGN_WIDTH, APART, ABOVE_EDGE = 0.22, 0.2, 0.16  # inches


def signs_in(graph: Graph) -> list[str]:
    """The signs to explain; none if there are only dots.

    >>> from crisplogic.plot.graph import Link, Node
    >>> nodes = Node("literal", "age"), Node("literal", "bmi"), Node("class", "ill")
    >>> signs_in(Graph(nodes, (Link(0, 2), Link(1, 2, negated=True))))
    ['adds', 'subtracts']
    >>> signs_in(Graph(nodes, (Link(0, 2), Link(1, 2))))
    []
    """
    terms = {link.negated for link in graph.links if graph.nodes[link.target].is_sum}
    operands = {link.negated for link in graph.links if not graph.nodes[link.target].is_sum}
    found = False in terms, True in terms, True in operands
    return list(compress(SIGNS, found)) if True in terms | operands else []


def legend_width(signs: Iterable[str]) -> float:
    """The width of a legend in inches."""
    return sum(_sign_width(sign, LARGEST_FONT) for sign in signs)


def draw_legend(signs: Iterable[str], pen: Pen) -> None:
    """Draw the legend in the lower left corner of a page."""
    x, y = MARGIN, ABOVE_EDGE
    for sign in signs:
        at = x + SIGN_WIDTH / 2, y
        if sign == "not":
            pen.curve((x, y), at, AGAINST, dashed=True)
            pen.dot(at, AGAINST, BUBBLE, filled=False, zorder=2)
        else:
            pen.dot(at, FOR if sign == "adds" else AGAINST, 4.0, filled=sign == "adds")
        pen.words((x + SIGN_WIDTH, y), sign, SMALL, colour="0.3", ha="left")
        x += _sign_width(sign, pen.font)


def _sign_width(sign: str, font: float) -> float:
    return SIGN_WIDTH + text_width(sign, SMALL * font) + APART


# The diagram

# From back to front: rails cover lines that pass, lines to sums cover rails, boxes cover lines.
WIRES, RAILS, BRIDGES, EXITS, DOTS, BOXES, WORDS = range(1, 8)
DOT = 20.0  # points per inch of a row


class Diagram:
    """Draws a graph on a page."""

    def __init__(self, graph: Graph, layout: Layout, page: Page, pen: Pen) -> None:
        self.graph, self.layout, self.page, self.pen = graph, layout, page, pen
        self.links_from: dict[int, list[Link]] = defaultdict(list)
        self.links_to: dict[int, list[Link]] = defaultdict(list)
        for link in graph.links:
            self.links_from[link.source].append(link)
            self.links_to[link.target].append(link)

    def draw(self) -> None:
        """Draw everything."""
        for place in chain(*self.layout.columns):
            self._draw_wire(place)
        for target, links in self.links_to.items():
            if self.graph.nodes[target].is_sum:
                self._draw_terms(target, links)
            else:
                self._draw_operands(target, links)
        for number, node in enumerate(self.graph.nodes):
            self._draw_node(node, (number, self.layout.layers[number]))

    # Lines

    def _draw_wire(self, place: Place) -> None:
        """Draw the line from a place along the rails, and on through the next layer."""
        node, layer = place
        further = node, layer + 1
        leaving = [
            x for x in self.links_from[node] if self.layout.layers[x.target] == layer + 1
        ]
        rails = [self.page.rails[x.target].x for x in leaving if x.target in self.page.rails]
        start = self._right(place)
        if further in self.layout.rows:
            self._draw_step(start, self._bend(place), node)
            self._draw_step(self._bend(place), self._left(further), node)
            self._draw_step(self._left(further), self._right(further), node)
        elif len(rails) < len(leaving):
            self._draw_step(start, self._bend(place), node)
        elif rails:
            self._draw_step(start, (max(rails), start[1]), node)

    def _draw_step(self, start: Point, end: Point, node: int) -> None:
        """Draw a step that all links of a node share; a single link has a sign."""
        links = self.links_from[node]
        if start == end:  # no rails to go along
            return
        if len(links) == 1 and not self.graph.nodes[links[0].target].is_sum:
            self._draw_signed(start, end, links[0].negated)
        else:
            self.pen.curve(start, end, WIRE, zorder=WIRES)

    def _draw_signed(self, start: Point, end: Point, negated: bool) -> None:
        colour = AGAINST if negated else FOR
        self.pen.curve(start, end, colour, dashed=negated, zorder=WIRES)

    def _draw_operands(self, target: int, links: list[Link]) -> None:
        """Draw the last step of each link to an operator of logic, from top to bottom."""
        layer = self.layout.layers[target]
        x, y = self._left((target, layer))
        links = sorted(links, key=lambda link: self.layout.rows[link.source, layer - 1])
        for number, link in enumerate(links):
            port = x, y + _port(number, len(links)) * self.page.row_height
            self._draw_signed(self._bend((link.source, layer - 1)), port, link.negated)
            if link.negated:
                bubble = x - BUBBLE / 144, port[1]  # it touches the box
                self.pen.dot(bubble, AGAINST, BUBBLE, filled=False, zorder=DOTS, gid="not")

    # Sums

    def _draw_terms(self, target: int, links: list[Link]) -> None:
        """Draw the rail of a sum, a dot for each term, and the line to its box."""
        x, row = self.page.rails[target]
        layer = self.layout.layers[target]
        y = self.page.y(row)
        levels = [self._right((link.source, layer - 1))[1] for link in links]
        self.pen.line((x, min(*levels, y)), (x, max(*levels, y)), RAIL, zorder=RAILS)
        bend = self.page.columns[layer].bend, y
        # Other rails are interrupted where the line passes over them.
        self.pen.line((x + 0.05, y), bend, "white", width=3.5, zorder=BRIDGES)
        self.pen.line((x, y), bend, RAIL, zorder=EXITS)
        self.pen.curve(bend, self._left((target, layer)), RAIL, zorder=EXITS)
        for link, level in zip(links, levels, strict=True):
            self._draw_term((x, level), link)

    def _draw_term(self, at: Point, link: Link) -> None:
        """A dot adds, a circle subtracts; a number says how often."""
        colour, name = (AGAINST, "subtracts") if link.negated else (FOR, "adds")
        size = DOT * self.page.row_height * (1.7 if link.weight > 1 else 1.0)
        self.pen.dot(at, colour, size, filled=not link.negated, zorder=DOTS, gid=name)
        if link.weight > 1:
            style: dict[str, Any] = {"ha": "center", "weight": "bold", "zorder": WORDS}
            ink = colour if link.negated else "white"
            self.pen.words(at, str(link.weight), 0.75, colour=ink, **style)

    # Nodes

    def _draw_node(self, node: Node, place: Place) -> None:
        (left, y), (right, _) = self._left(place), self._right(place)
        if node.kind == "literal":
            self.pen.words((right - PADDING, y), node.label, ha="right", zorder=WORDS)
            return
        is_class = node.kind == "class"
        face, edge = ("white", RAIL) if is_class else ("0.94", "0.4")
        height = 0.8 * self.page.row_height
        self.pen.box((left, y), right - left, height, fc=face, ec=edge, zorder=BOXES)
        size, weight = (1.0, "bold") if is_class else (0.9, "normal")
        style: dict[str, Any] = {"ha": "center", "weight": weight, "zorder": WORDS}
        self.pen.words(((left + right) / 2, y), node.label, size, **style)
        if node.note:
            self.pen.words((right + PADDING, y), node.note, ha="left", zorder=WORDS)

    def _left(self, place: Place) -> Point:
        return self.page.columns[place[1]].left, self.page.y(self.layout.rows[place])

    def _right(self, place: Place) -> Point:
        return self.page.columns[place[1]].right, self.page.y(self.layout.rows[place])

    def _bend(self, place: Place) -> Point:
        """Where lines from a place begin to bend on their way to the next layer."""
        return self.page.columns[place[1] + 1].bend, self.page.y(self.layout.rows[place])


def _port(number: int, count: int) -> float:
    """Where one of ``count`` operands arrives, in rows above the middle of the operator.

    >>> [round(_port(number, 3), 2) for number in range(3)]
    [0.17, 0.0, -0.17]
    """
    widest = min((count - 1) / 6, 0.6)
    return widest * (0.5 - number / max(count - 1, 1))
