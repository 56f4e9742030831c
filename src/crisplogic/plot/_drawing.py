"""What diagrams are drawn with: lines, dots, boxes and words on axes, in inches."""

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
from crisplogic.plot.sheet import LARGEST_FONT, MARGIN, PADDING, Sheet

Point = tuple[float, float]

# Told apart by colour-blind readers too, and without colours: by dashes and by open dots.
FOR, AGAINST = "#0072B2", "#D55E00"
WIRE, RAIL = "0.6", "0.15"
LINE, BUBBLE = 0.9, 3.2  # points: how wide lines are, and what negates an operand


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is in inches, in a font of ``size`` points.

    >>> 0.1 < text_width("$x$", 9) < text_width("$x$", 9, bold=True) < 0.4
    True
    """
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


class Pen:
    """Draws on axes one unit of which is ``scale`` inches long.

    A stroke may have a ``gid`` to be found by, in the axes as in an SVG file.
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
        snap = xs[0] == xs[1]  # level lines meet curves, which are never moved to pixels
        width *= self.scale
        self.ax.add_line(Line2D(xs, ys, color=colour, linewidth=width, snap=snap, **more))

    def curve(
        self, start: Point, end: Point, colour: str, dashed: bool = False, **more: Any
    ) -> None:
        """A line that leaves and arrives horizontally."""
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
        """A dot, ``size`` points across, or a circle."""
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
        """A box with round corners, given the middle of its left side."""
        corner = left[0], left[1] - height / 2
        shape = f"round,pad=0,rounding_size={height / 4}"
        line = LINE * self.scale
        self.ax.add_patch(
            FancyBboxPatch(corner, width, height, boxstyle=shape, linewidth=line, **more)
        )

    def words(
        self, at: Point, text: str, size: float = 1.0, colour: str = "black", **more: Any
    ) -> None:
        """Text as it is: between two dollars, matplotlib would look for a formula."""
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


SIGNS = ("adds", "subtracts", "not")
SMALL = 0.9  # of the other words
SIGN_WIDTH, APART, ABOVE_EDGE = 0.22, 0.2, 0.16  # inches


def signs_in(graph: Graph) -> list[str]:
    """The signs to explain: none where all there is are dots.

    >>> from crisplogic.plot.graph import Link, Node
    >>> nodes = Node("literal", "age"), Node("literal", "bmi"), Node("class", "ill")
    >>> signs_in(Graph(nodes, (Link(0, 2), Link(1, 2, negated=True))))
    ['adds', 'subtracts']
    >>> signs_in(Graph(nodes, (Link(0, 2), Link(1, 2))))
    []
    """
    terms = {link.negated for link in graph.links if graph.nodes[link.target].sums}
    operands = {link.negated for link in graph.links if not graph.nodes[link.target].sums}
    found = False in terms, True in terms, True in operands
    return list(compress(SIGNS, found)) if True in terms | operands else []


def legend_width(signs: Iterable[str]) -> float:
    """How much room a legend needs, in inches."""
    return sum(_width(sign, LARGEST_FONT) for sign in signs)


def draw_legend(signs: Iterable[str], pen: Pen) -> None:
    """Draw the legend, from the lower left corner of a sheet."""
    x, y = MARGIN, ABOVE_EDGE
    for sign in signs:
        at = x + SIGN_WIDTH / 2, y
        if sign == "not":
            pen.curve((x, y), at, AGAINST, dashed=True)
            pen.dot(at, AGAINST, BUBBLE, filled=False, zorder=2)
        else:
            pen.dot(at, FOR if sign == "adds" else AGAINST, 4.0, filled=sign == "adds")
        pen.words((x + SIGN_WIDTH, y), sign, SMALL, colour="0.3", ha="left")
        x += _width(sign, pen.font)


def _width(sign: str, font: float) -> float:
    return SIGN_WIDTH + text_width(sign, SMALL * font) + APART


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
