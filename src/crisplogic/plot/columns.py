"""Columns of a table: the values that rows have, and where rules cut them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import RuleError
from crisplogic.messages import list_some
from crisplogic.plot._files import PlotError, new_axes, new_figure
from crisplogic.plot._style import COLOURS, REST, plain_legend
from crisplogic.rules import ClassificationRules, RuleSet
from crisplogic.rules.analysis.histograms import (
    Bar,
    category_bars,
    cuts_of,
    ends_of,
    mentioned_features,
    number_bars,
    place_of_cut,
)
from crisplogic.rules.words import labels_in_words
from crisplogic.tables import as_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
THRESHOLD = "0.15"
MOST_LETTERS = 40  # of the values of a category, side by side
MAX_WORD = 18  # letters of one value
SIDE = 3  # columns side by side
MOST_COLUMNS = 30


def plot_column(
    rules: RuleSet, column: str, X: Any, y: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw how many rows have which values of a column, and the thresholds of the rules.

    With the true classes ``y``, bars are divided by class. Shape: ``X`` (rows, features), ``y``
    (rows,). Without ``ax`` it becomes pyplot's current figure. Returns the axes.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> ax = plot_column(rules, "age", [[30], [50], [60]], ["well", "ill", "ill"])
    >>> [line.get_label() for line in ax.get_lines()]
    ['40']
    """
    if column not in rules.features:
        known = list_some(rules.mentioned_columns)
        raise RuleError(f"rules have no column {column!r}; they mention {known}")
    feature = rules.features.index(column)
    return _draw(rules, feature, *_read(rules, [feature], X, y), ax or new_axes(5.0, 3.0))


def plot_columns(rules: RuleSet, X: Any, y: Any = None) -> list[Axes]:
    """Draw every column that rules mention, as :func:`plot_column` does, in one figure.

    Returns the axes, in the order of the columns.
    """
    features = mentioned_features([rules])
    if not 0 < len(features) <= MOST_COLUMNS:
        raise PlotError(
            f"rules that mention 1 to {MOST_COLUMNS} columns can be drawn together, these "
            f"mention {len(features)}; draw one by plot_column"
        )
    matrix, labels = _read(rules, features, X, y)
    across = min(len(features), SIDE)
    down = math.ceil(len(features) / across)
    figure = new_figure(3.6 * across, 2.6 * down, layout="constrained")
    places = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for unused in places[len(features) :]:
        unused.set_axis_off()
    return [
        _draw(rules, feature, matrix, labels, ax, legend=not at)
        for at, (feature, ax) in enumerate(zip(features, places, strict=False))
    ]


def _read(
    rules: RuleSet, features: Sequence[int], X: Any, y: Any
) -> tuple[Floats, NDArray[Any] | None]:
    """The table as numbers, and the true classes by position, where these are given."""
    matrix = as_matrix(X, rules.features, rules.levels, features)
    truth = rules.read_targets(len(matrix), y, None).values
    return matrix, truth if isinstance(rules, ClassificationRules) else None


def _draw(
    rules: RuleSet,
    feature: int,
    matrix: Floats,
    truth: NDArray[Any] | None,
    ax: Axes,
    legend: bool = True,
) -> Axes:
    column = matrix[:, feature]
    levels = rules.levels[feature] if rules.levels else None
    if levels is None:
        known = column[np.isfinite(column)]
        cuts = cuts_of([rules], feature)
        ends = ends_of([rules], feature, known, cuts)
        groups = [number_bars(each, *ends) for each in _by_class(column, truth, rules)]
        _draw_bars(groups, rules, truth is not None, ax)
        whole = number_bars(column, *ends)
        for cut in cuts:
            place = place_of_cut(cut, whole, ends[0])
            ax.axvline(place, color=THRESHOLD, linewidth=1.2, label=cut.text)
            _name_cut(place, cut.text, ax)
    else:
        groups = [category_bars(each, levels) for each in _by_class(column, truth, rules)]
        words = max(groups, key=len)  # a value that was never seen may be in some classes only
        _draw_bars([_pad(each, words) for each in groups], rules, truth is not None, ax)
        _name_values([bar.text for bar in words], ax)
    missing = int(np.isnan(column).sum())
    name = rules.features[feature]
    ax.set_xlabel(f"{name} ({missing} missing)" if missing else name, parse_math=False)
    ax.set_ylabel("rows")
    ax.margins(y=0.18)  # room for the numbers of thresholds
    if truth is not None and legend:
        plain_legend(ax, len(groups))
    return ax


def _by_class(column: Floats, truth: NDArray[Any] | None, rules: RuleSet) -> list[Floats]:
    if truth is None:
        return [column]
    return [column[truth == at] for at in range(len(rules.labels))]


def _pad(bars: Sequence[Bar], like: Sequence[Bar]) -> list[Bar]:
    rows = {bar.text: bar.rows for bar in bars}
    return [Bar(bar.text, rows.get(bar.text, 0)) for bar in like]


def _draw_bars(groups: Sequence[Sequence[Bar]], rules: RuleSet, named: bool, ax: Axes) -> None:
    """Bars on top of each other, one colour a class."""
    names = labels_in_words(rules.labels) if named else [""]
    below = np.zeros(max(map(len, groups), default=0))
    for at, (bars, name) in enumerate(zip(groups, names, strict=True)):
        if not bars:
            continue
        heights = np.array([bar.rows for bar in bars])
        if math.isnan(bars[0].low):
            left, widths = np.arange(len(bars)) - 0.4, np.full(len(bars), 0.8)
        else:
            left = np.array([bar.low for bar in bars])
            widths = np.array([bar.high for bar in bars]) - left
        ax.bar(
            left,
            heights,
            widths,
            bottom=below,
            align="edge",
            color=COLOURS[at % len(COLOURS)] if named else REST,
            edgecolor="white",
            linewidth=0.5,
            label=name or None,
        )
        below = below + heights


def _name_cut(place: float, text: str, ax: Axes) -> None:
    ax.annotate(
        text,
        (place, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(2, -2),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize="small",
        rotation=90,
        parse_math=False,
    )


def _name_values(words: Sequence[str], ax: Axes) -> None:
    short = [word if len(word) <= MAX_WORD else f"{word[: MAX_WORD - 1]}…" for word in words]
    ax.set_xticks(range(len(short)), short, parse_math=False)
    if sum(map(len, short)) > MOST_LETTERS:
        ax.tick_params(axis="x", labelrotation=90)
