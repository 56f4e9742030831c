"""Rules as a diagram: from a rule set to axes or a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crisplogic.expr.notation import WRITTEN_COMPARISON, split_comparison
from crisplogic.plot._files import (
    PlotError,
    check_can_draw,
    fit_to_axes,
    page_axes,
    save_figure,
)
from crisplogic.plot.graph import Graph, build_graph
from crisplogic.plot.layout import compute_layout
from crisplogic.plot.page import arrange
from crisplogic.rules import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LITERALS = 500  # nobody reads a figure of more rows; about 60 fill a page
MAX_LABEL = 28  # characters without the threshold


def plot_rules(rules: RuleSet, ax: Axes | None = None) -> Axes:
    """Draw rules as a diagram, to be read from left to right.

    Curved lines lead from literals to operators. A dashed line that ends in a small circle
    means *not*. The terms of a sum are collected on a vertical line that leads to the class
    (or to a tanh): a dot adds a term, a circle subtracts it, a number in it says how often.
    Lines that cross without a dot are not connected. Beside a class is its intercept. Parts
    that several rules share are drawn once.

    Beside a number is how it follows from the sum of its terms, Σ: the intercept plus the
    worth of a term times the sum.

    Without ``ax``, it becomes pyplot's current figure, which is as large as the rules need;
    rows become smaller so that about 60 literals fit on a page. On small axes, everything
    becomes smaller. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
    >>> ramps = Ramp(0, 30.0, 50.0), Ramp(1, 100.0, 140.0)
    >>> ill = Rule("ill", parse("0 & ~1"))
    >>> rules = ClassificationRules(("age", "glucose"), ramps, (ill,), intercepts=(0.5,))
    >>> ax = plot_rules(rules)
    >>> [text.get_text() for text in ax.texts]
    ['age>40±10', 'glucose<120±20', 'and', 'ill', '+ 0.5']
    >>> price = Rule("price", parse("0 & ~1"))
    >>> number = RegressionRules(("age", "rooms"), ramps, (price,), 4.5, (22.0,))
    >>> [text.get_text() for text in plot_rules(number).texts][-2:]
    ['price', '= 22 + 4.5 × Σ']
    """
    return _draw(rules, ax)


def save_rules(path: str | os.PathLike[str], rules: RuleSet) -> None:
    """Draw rules to a file in the format of its name, completely or not at all."""
    check_can_draw(Path(path))
    save_figure(Path(path), _draw(rules, kept=False))


def _draw(rules: RuleSet, ax: Axes | None = None, kept: bool = True) -> Axes:
    """Draw on axes, or else on a figure of its own, which pyplot knows if it is ``kept``."""
    from crisplogic.plot._drawing import (
        Diagram,
        Pen,
        draw_legend,
        legend_width,
        signs_in,
        text_width,
    )

    if rules.size > MAX_LITERALS:
        raise PlotError(
            f"a diagram shows at most {MAX_LITERALS} literals, these rules have "
            f"{rules.size}; draw smaller rules, such as clf.rules_at(60)"
        )
    graph = _with_short_labels(build_graph(rules))
    links = [(link.source, link.target) for link in graph.links]
    layout = compute_layout(len(graph.nodes), links, graph.of_kind("class"))
    signs = signs_in(graph)
    page = arrange(graph, layout, text_width, legend_width(signs))
    ax = ax or page_axes(page.width, page.height, kept)
    pen = Pen(ax, page.font, fit_to_axes(page.width, page.height, ax))
    Diagram(graph, layout, page, pen).draw()
    draw_legend(signs, pen)
    return ax


# A comparison of crisp rules.
_IN_WORDS = re.compile(r"(.*)( is (?:above|below|at most|at least) \S+)")


def shorten_labels(labels: Iterable[str], max_length: int = MAX_LABEL) -> dict[str, str]:
    """Each label and its short form, which keeps the beginning, the end and the threshold.

    All short forms become longer until they are distinct.

    >>> shorten_labels(["mean_corpuscular_haemoglobin>127", "age>40"], max_length=20)["age>40"]
    'age>40'
    >>> list(shorten_labels(["mean_corpuscular_haemoglobin>127"], max_length=20).values())
    ['mean_corpu…emoglobin>127']
    """
    labels = list(dict.fromkeys(labels))
    while True:
        short = {label: _shorten(label, max_length) for label in labels}
        if len(set(short.values())) == len(labels):
            return short
        max_length += 1


def _shorten(label: str, max_length: int) -> str:
    name, comparison = split_comparison(label, WRITTEN_COMPARISON)
    if words := _IN_WORDS.fullmatch(label):
        name, comparison = words.groups()
    if len(name) <= max_length:
        return label
    end = (max_length - 1) // 2
    return f"{name[: max_length - 1 - end]}…{name[len(name) - end :]}{comparison}"


def _with_short_labels(graph: Graph) -> Graph:
    short = shorten_labels(node.label for node in graph.nodes)
    return replace(graph, nodes=tuple(replace(n, label=short[n.label]) for n in graph.nodes))
