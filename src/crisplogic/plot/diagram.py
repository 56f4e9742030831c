"""Labels that fit: what is too long loses its middle, but neither threshold nor identity."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crisplogic.expr.notation import split_comparison
from crisplogic.plot._files import PlotError, check_can_draw, save_figure
from crisplogic.plot.graph import Graph, graph_of
from crisplogic.plot.layout import laid_out
from crisplogic.plot.sheet import Sheet, sheet_for
from crisplogic.rules import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 28  # characters, a threshold not counted


def shortened(texts: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Each text and what is drawn for it: itself, or its beginning and its end.

    Where two of them would look alike, all may be longer.

    >>> list(shortened(["mean_corpuscular_haemoglobin>127", "age>40"], longest=20).values())
    ['mean_corpu…emoglobin>127', 'age>40']
    """
    texts = list(dict.fromkeys(texts))
    while True:
        short = {text: _elided(text, longest) for text in texts}
        if len(set(short.values())) == len(texts):
            return short
        longest += 1


def _elided(text: str, longest: int) -> str:
    name, comparison = split_comparison(text)
    if len(name) <= longest:
        return text
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[len(name) - end :]}{comparison}"


MOST_LITERALS = 500  # nobody reads a picture of more rows; about 60 fill a page


def plot_rules(rules: RuleSet, ax: Axes | None = None) -> Axes:
    """Draw rules as a diagram, to be read from left to right.

    Curved lines lead from literals to operators; one that is dashed and ends in a small circle
    means *not*. The terms of a sum are collected on a vertical line that leads to the class
    (or to a tanh): a dot adds a term, a circle subtracts it, a number in it says how often.
    Lines that cross without a dot have nothing to do with each other. Beside a class stands
    its intercept. What several rules share is drawn once.

    Beside a number stands how it follows from the sum of its terms, Σ: what it is anyway, plus
    what a term is worth, times the sum.

    Without ``ax``, the figure is as large as the rules need, and rows become smaller for about
    60 literals to fit on a page; axes that are too small make everything smaller. Returns the
    axes that were drawn on.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
    >>> ramps = Ramp(0, 30.0, 50.0), Ramp(1, 100.0, 140.0)
    >>> ill = Rule("ill", parse("0 & ~1"))
    >>> rules = ClassificationRules(("age", "glucose"), ramps, (ill,), intercepts=(0.5,))
    >>> ax = plot_rules(rules)
    >>> [text.get_text() for text in ax.texts]
    ['age>40', 'glucose<120', 'and', 'ill', '+ 0.5']
    >>> price = Rule("price", parse("0 & ~1"))
    >>> number = RegressionRules(("age", "rooms"), ramps, (price,), 4.5, (22.0,))
    >>> [text.get_text() for text in plot_rules(number).texts][-2:]
    ['price', '= 22 + 4.5 × Σ']
    """
    from crisplogic.plot._drawing import (
        Drawing,
        Pen,
        draw_legend,
        legend_width,
        signs_in,
        text_width,
    )

    _refuse_too_many_literals(rules)
    graph = _with_short_labels(graph_of(rules))
    links = [(link.source, link.target) for link in graph.links]
    layout = laid_out(len(graph.nodes), links, graph.of_kind("class"))
    signs = signs_in(graph)
    sheet = sheet_for(graph, layout, text_width, legend_width(signs))
    ax = ax or _axes_for(sheet)
    pen = Pen(ax, sheet.font, _lay(sheet, ax))
    Drawing(graph, layout, sheet, pen).draw()
    draw_legend(signs, pen)
    return ax


def save_rules(path: str | os.PathLike[str], rules: RuleSet) -> None:
    """Draw rules into a file, completely or not at all; its name says in which format."""
    check_can_draw(Path(path))
    save_figure(Path(path), plot_rules(rules))


def _refuse_too_many_literals(rules: RuleSet) -> None:
    if rules.size > MOST_LITERALS:
        raise PlotError(
            f"a diagram shows at most {MOST_LITERALS} literals, these rules have "
            f"{rules.size}; draw smaller ones, like those of clf.rules_at(60)"
        )


def _with_short_labels(graph: Graph) -> Graph:
    short = shortened(node.label for node in graph.nodes)
    return replace(graph, nodes=tuple(replace(n, label=short[n.label]) for n in graph.nodes))


def _axes_for(sheet: Sheet) -> Axes:
    from matplotlib.figure import Figure

    size = sheet.width, sheet.height
    return Figure(figsize=size, facecolor="white").add_axes((0.0, 0.0, 1.0, 1.0))


def _lay(sheet: Sheet, ax: Axes) -> float:
    """Lay a sheet in the middle of axes; how large an inch of it is there, at most an inch."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    place = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    scale = min(1.0, place.width / sheet.width, place.height / sheet.height)
    around_x = (place.width / scale - sheet.width) / 2
    around_y = (place.height / scale - sheet.height) / 2
    ax.set_xlim(-around_x, sheet.width + around_x)
    ax.set_ylim(-around_y, sheet.height + around_y)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return scale
