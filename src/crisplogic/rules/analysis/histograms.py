"""Values of a column in a table, and the thresholds of rules among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.memberships import Ramp, Step
from crisplogic.rules.number_format import six_digits
from crisplogic.rules.ruleset import RuleSet
from crisplogic.tables import TRUTH, Levels

Floats = NDArray[np.float64]
BINS = 24
# More values of a category are no histogram.
MOST_BARS = 12


@dataclass(frozen=True)
class Bar:
    """A value of a category, or numbers from ``low`` to ``high``, and how many rows have it."""

    text: str
    rows: int
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Cut:
    """A threshold of a column, as it is printed, and which sizes of rules have it."""

    at: float
    text: str
    sizes: tuple[int, ...]


def shared_levels(rule_sets: Sequence[RuleSet]) -> tuple[Levels | None, ...]:
    """The levels of every column, as far as any of the rules know them.

    Rules of one table differ only in whether they know that a column holds truth values.
    """
    features = rule_sets[0].features
    known: list[Levels | None] = [None] * len(features)
    for rules in rule_sets:
        for at, levels in enumerate(rules.levels):
            known[at] = known[at] or levels
    return tuple(known)


def mentioned_features(rule_sets: Sequence[RuleSet]) -> list[int]:
    """The columns that any of the rules mention, by position."""
    used = {rules.memberships[index].feature for rules in rule_sets for index in rules.used}
    return sorted(used)


def cuts_of(rule_sets: Sequence[RuleSet], feature: int) -> tuple[Cut, ...]:
    """The thresholds of a column in rules of several sizes, the smallest first."""
    found: dict[float, tuple[str, list[int]]] = {}
    for size, rules in enumerate(rule_sets):
        for index in rules.used:
            each = rules.memberships[index]
            if each.feature != feature or not isinstance(each, Step | Ramp):
                continue
            shown = each.bound[1] if isinstance(each, Step) else each.threshold
            sizes = found.setdefault(each.threshold, (six_digits(shown), []))[1]
            if size not in sizes:
                sizes.append(size)
    return tuple(Cut(at, text, tuple(s)) for at, (text, s) in sorted(found.items()))


def ends_of(
    rule_sets: Sequence[RuleSet], feature: int, known: Floats, cuts: Sequence[Cut]
) -> tuple[float, float]:
    """The least and greatest number to show: values seen, and all thresholds."""
    ends = [cut.at for cut in cuts if abs(cut.at) < math.inf]
    ends += [float(known.min()), float(known.max())] if len(known) else []
    for rules in rule_sets:
        ends += rules.ranges[feature] or () if rules.ranges else ()
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def category_bars(column: Floats, levels: Levels) -> tuple[Bar, ...]:
    """How many rows have each value of a category. Shape: ``column`` (rows,), of codes."""
    codes = column[~np.isnan(column)].astype(np.intp)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
    words = [name or "other" for name in levels.groups]
    if levels == TRUTH:
        words = ["no", "yes"]
    bars = [Bar(word, rows) for word, rows in zip(words, counts, strict=False)]
    if never := int((codes < 0).sum()):
        bars.append(Bar("never seen before", never))
    if len(bars) > MOST_BARS:
        rest = sum(bar.rows for bar in bars[MOST_BARS:])
        bars = [*bars[:MOST_BARS], Bar(f"{len(bars) - MOST_BARS} more", rest)]
    return tuple(bars)


def number_bars(column: Floats, low: float, high: float) -> tuple[Bar, ...]:
    """How many rows have which numbers, from ``low`` to ``high``. Shape: ``column`` (rows,)."""
    known = column[np.isfinite(column)]
    if not len(known) or not math.isfinite(high - low):
        return ()
    bins, ends = _bins(known, low, high)
    counts, edges = np.histogram(known, bins, ends)
    pairs = zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False)
    if edges[0] < low:
        return tuple(Bar(six_digits(a + 0.5), rows, a, b) for rows, a, b in pairs)
    return tuple(Bar(f"{six_digits(a)} to {six_digits(b)}", rows, a, b) for rows, a, b in pairs)


def _bins(known: Floats, low: float, high: float) -> tuple[int, tuple[float, float]]:
    """How many bars, and from where to where: one a value, for a few whole numbers."""
    first, last = math.floor(low), math.ceil(high)
    if last - first < BINS and not np.any(known % 1):
        return last - first + 1, (first - 0.5, last + 0.5)
    return BINS, (low, high)


def place_of_cut(cut: Cut, bars: Sequence[Bar], low: float) -> float:
    """Where a threshold stands among bars that begin with the number ``low``.

    Of whole numbers, each with a bar of its own, it stands between two bars.

    >>> bars = Bar("1", 3, 0.5, 1.5), Bar("2", 4, 1.5, 2.5)
    >>> place_of_cut(Cut(1.0, "1", (0,)), bars, low=1.0)
    1.5
    """
    return math.floor(cut.at) + 0.5 if bars and bars[0].low < low else cut.at
