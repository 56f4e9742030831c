"""The legend below a diagram: what its signs mean, where one of them denies something."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from crisplogic.plot._pen import AGAINST, BUBBLE, FOR, Pen, text_width
from crisplogic.plot.graph import Graph
from crisplogic.plot.sheet import LARGEST_FONT, MARGIN

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
