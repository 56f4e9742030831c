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
from crisplogic.plot.diagram import shorten_labels
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
from crisplogic.rules.words import labels_in_words, name_in_words
from crisplogic.tables import as_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
THRESHOLD = "0.15"
MOST_LETTERS = 40  # of the values of a category, side by side
MAX_WORD = 18  # letters of one value
SIDE = 3  # columns side by side
MOST_COLUMNS = 30
MOST_SIDE = 5  # classes side by side in a legend
APART = 0.06  # of the width: what a number of a threshold takes
SAME = 0.01  # of the width
MAX_NAME = 30  # characters of a column


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
    matrix, truth = _read(rules, features, X, y)
    across = min(len(features), SIDE)
    down = math.ceil(len(features) / across)
    figure = new_figure(3.6 * across, 2.8 * down, layout="constrained")
    places = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for unused in places[len(features) :]:
        unused.set_axis_off()
    axes = [
        _draw(rules, feature, matrix, truth, ax, legend=False)
        for feature, ax in zip(features, places, strict=False)
    ]
    if truth is not None:
        names = _named_bars(axes[0])
        plain_legend(figure.legend(*names, loc="outside upper center", ncols=MOST_SIDE))
    return axes


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
        places = [place_of_cut(cut, whole, ends[0]) for cut in cuts]
        for place, cut in zip(places, cuts, strict=True):
            ax.axvline(place, color=THRESHOLD, linewidth=1.2, label=cut.text)
        _name_cuts(places, [cut.text for cut in cuts], ax)
    else:
        groups = [category_bars(each, levels) for each in _by_class(column, truth, rules)]
        words = max(groups, key=len)  # a value that was never seen may be in some classes only
        groups = [_pad(each, words) for each in groups]
        _draw_bars(groups, rules, truth is not None, ax)
        _name_values([bar.text for bar in words], ax)
    missing = int(np.isnan(column).sum())
    [name] = shorten_labels([name_in_words(rules.features[feature])], MAX_NAME).values()
    ax.set_xlabel(f"{name} ({missing} missing)" if missing else name, parse_math=False)
    ax.set_ylabel("rows")
    ax.set_ylim(0, 1.05 * max(1, _highest(groups)))
    if truth is not None and legend:
        plain_legend(ax.legend(*_named_bars(ax), fontsize="small"))
    return ax


def _highest(groups: Sequence[Sequence[Bar]]) -> int:
    """The rows of the highest bar, with all classes on top of each other."""
    heights = [[bar.rows for bar in bars] for bars in groups if bars]
    return max(map(sum, zip(*heights, strict=True)), default=0)


def _named_bars(ax: Axes) -> tuple[list[Any], list[str]]:
    """The classes for a legend, without the thresholds."""
    return list(ax.containers), [str(each.get_label()) for each in ax.containers]


def _by_class(column: Floats, truth: NDArray[Any] | None, rules: RuleSet) -> list[Floats]:
    if truth is None:
        return [column]
    return [column[truth == at] for at in range(len(rules.labels))]


def _pad(bars: Sequence[Bar], like: Sequence[Bar]) -> tuple[Bar, ...]:
    rows = {bar.text: bar.rows for bar in bars}
    return tuple(Bar(bar.text, rows.get(bar.text, 0)) for bar in like)


def _draw_bars(groups: Sequence[Sequence[Bar]], rules: RuleSet, named: bool, ax: Axes) -> None:
    """Bars on top of each other, one colour a class."""
    names = list(shorten_labels(labels_in_words(rules.labels)).values()) if named else [""]
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


def _name_cuts(places: Sequence[float], texts: Sequence[str], ax: Axes) -> None:
    """Write thresholds above the axes, side by side; a line leads to one that had to move."""
    low, high = ax.get_xlim()
    shares = [(place - low) / (high - low) for place in places]
    for share, above, text in zip(shares, spread_apart(shares, APART), texts, strict=True):
        moved = abs(above - share) > SAME
        ax.annotate(
            text,
            (share, 1.0),
            xycoords="axes fraction",
            xytext=(above, 1.07 if moved else 1.02),
            textcoords="axes fraction",
            ha="center",
            va="bottom",
            fontsize="small",
            rotation=90,
            # A line below a number that stands upright would look like a minus.
            arrowprops={"arrowstyle": "-", "color": REST, "linewidth": 0.7} if moved else None,
        )


def spread_apart(places: Sequence[float], least: float) -> list[float]:
    """Places in ascending order, moved so that neighbours are at least ``least`` apart.

    Groups of neighbours stay around their middle.

    >>> [round(each, 2) for each in spread_apart([0.1, 0.5, 0.5, 0.52], 0.1)]
    [0.1, 0.41, 0.51, 0.61]
    """
    groups: list[list[float]] = []  # the places of each group, as they were
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _start(groups[-1], least) < _end(groups[-2], least) + least:
            last = groups.pop()
            groups[-1] += last
    return [_start(group, least) + least * at for group in groups for at in range(len(group))]


def _start(group: Sequence[float], least: float) -> float:
    return sum(group) / len(group) - least * (len(group) - 1) / 2


def _end(group: Sequence[float], least: float) -> float:
    return _start(group, least) + least * (len(group) - 1)


def _name_values(words: Sequence[str], ax: Axes) -> None:
    short = [word if len(word) <= MAX_WORD else f"{word[: MAX_WORD - 1]}…" for word in words]
    ax.set_xticks(range(len(short)), short, parse_math=False)
    if sum(map(len, short)) > MOST_LETTERS:
        ax.tick_params(axis="x", labelrotation=90)
