"""How good rules are on some rows: calibration, and which classes are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crisplogic.plot._files import PlotError, new_axes
from crisplogic.plot._style import COLOURS, REST, label_width
from crisplogic.plot.diagram import shorten_labels
from crisplogic.rules import ClassificationRules, RuleSet
from crisplogic.rules.analysis.quality import (
    HeldOutError,
    Quality,
    measure_quality,
    positive_class,
)
from crisplogic.rules.number_format import six_digits
from crisplogic.rules.words import labels_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST_DOT, LARGEST_DOT = 20.0, 220.0  # areas, in points squared
MAX_LABEL = 18  # characters of a class
CELL = 0.5  # inches
MOST_CLASSES = 40


def plot_calibration(
    rules: RuleSet, X: Any, y: Any, sample_weight: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw what is true against what is predicted; on the diagonal both are the same.

    Of two classes it is the probability of the positive one, of several that of the class that
    is predicted, of a number the number. Rows of about the same prediction are one dot, the
    larger the more rows it has. A bar is a 95 % interval of the share that is true.

    Shape: ``X`` (rows, features), ``y`` and ``sample_weight`` (rows,). Without ``ax`` it
    becomes pyplot's current figure. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> ax = plot_calibration(rules, [[30], [50], [60]], ["well", "ill", "well"])
    >>> ax.get_xlabel(), ax.collections[-1].get_offsets()[:, 1].tolist()
    ('predicted probability of ill', [0.0, 0.5])
    """
    groups = _measure(rules, X, y, sample_weight).calibration
    ax = ax or new_axes(4.6, 4.4)
    predicted = np.array([group.predicted for group in groups])
    true = np.array([group.true for group in groups])
    rows = np.array([group.rows for group in groups])
    is_class = isinstance(rules, ClassificationRules)
    numbers = np.concatenate([predicted, true])
    low, high = (0.0, 1.0) if is_class else (float(numbers.min()), float(numbers.max()))
    ax.plot([low, high], [low, high], color=REST, linestyle="--", zorder=1)
    if is_class:
        margins = 1.96 * np.sqrt(true * (1 - true) / rows)
        ends = np.clip(true - margins, 0, 1), np.clip(true + margins, 0, 1)
        ax.vlines(predicted, *ends, color=COLOURS[0], linewidth=1, zorder=2)
    sizes = SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * rows / rows.max()
    ax.scatter(predicted, true, sizes, color=COLOURS[0], edgecolors="white", zorder=3)
    what = _calibrated(rules)
    ax.set_xlabel(f"predicted {what}", parse_math=False)
    ax.set_ylabel("share that is true" if is_class else f"mean true {what}", parse_math=False)
    ax.set_aspect("equal")
    ax.grid(alpha=0.3)
    return ax


def _calibrated(rules: RuleSet) -> str:
    if not isinstance(rules, ClassificationRules):
        return labels_in_words(rules.labels)[0]
    positive = positive_class(rules)
    if positive is None:
        return "probability of the class that is predicted"
    return f"probability of {labels_in_words(rules.labels)[positive]}"


def plot_confusion(
    rules: RuleSet, X: Any, y: Any, sample_weight: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw how many rows of each class (down) are predicted as which class (across).

    A cell is the darker, the greater its share of the true class. Where rows have weights,
    these count. Without ``ax`` it becomes pyplot's current figure. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> ax = plot_confusion(rules, [[30], [50], [60]], ["well", "ill", "well"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '0', '1', '1']
    """
    if not isinstance(rules, ClassificationRules):
        raise PlotError("only classes are taken for others; draw a number by plot_calibration")
    if len(rules.labels) > MOST_CLASSES:
        raise PlotError(
            f"at most {MOST_CLASSES} classes can be drawn, these are {len(rules.labels)}"
        )
    counts = np.array(_measure(rules, X, y, sample_weight).confusion)
    labels = list(shorten_labels(labels_in_words(rules.labels), MAX_LABEL).values())
    cells, words = max(2.0, CELL * len(labels)), label_width(labels)
    turned = words > cells / len(labels)
    if ax is None:
        ax = new_axes(cells + words + 0.8, cells + (words if turned else 0.2) + 0.6)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        ink = "white" if shares[row, column] > 0.55 else "black"
        weight = "bold" if row == column else "normal"
        text = six_digits(round(float(count), 2))
        ax.text(column, row, text, ha="center", va="center", color=ink, weight=weight)
    places = range(len(labels))
    ax.set_xticks(places, labels, parse_math=False, rotation=90 if turned else 0)
    ax.set_yticks(places, labels, parse_math=False)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return ax


def _measure(rules: RuleSet, X: Any, y: Any, sample_weight: Any) -> Quality:
    if y is None:
        raise PlotError(f"y must hold the true {rules.predicts} of every row, got None")
    matrix = rules.matrix(X)
    targets = rules.read_targets(len(matrix), y, sample_weight)
    found = measure_quality(rules, positive_class(rules), matrix, targets, HeldOutError())
    if not found.calibration:
        raise PlotError("a table without rows says nothing about rules")
    return found
