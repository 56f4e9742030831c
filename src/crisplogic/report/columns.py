"""Columns that rules mention: their values in a table, and where thresholds cut them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.conditions import Kind
from crisplogic.export.running.rows import decode_column
from crisplogic.rules import Ramp, RuleSet, Step
from crisplogic.rules.number_format import six_digits
from crisplogic.tables import TRUTH, Levels

Floats = NDArray[np.float64]
Value = float | str
BINS = 24
# More values of a category are no histogram, but all of them can be chosen.
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


@dataclass(frozen=True)
class ColumnSummary:
    """A column: how to choose a value of it, its distribution, and where rules cut it.

    ``values`` are those of a category with the words for them; a column of numbers has none,
    but ``low``, ``high`` and a ``step`` to move it by. ``start`` is a usual value, None if all
    are missing. ``sizes`` are those that mention the column.
    """

    name: str
    kind: Kind
    values: tuple[tuple[Value, str], ...]
    low: float
    high: float
    step: float
    start: Value | None
    missing: int
    bars: tuple[Bar, ...]
    cuts: tuple[Cut, ...]
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


def summarize_columns(
    rule_sets: Sequence[RuleSet], matrix: Floats
) -> tuple[ColumnSummary, ...]:
    """All columns that rules mention. Shape: ``matrix`` (rows, features)."""
    levels = shared_levels(rule_sets)
    return tuple(
        _summarize(rule_sets, at, matrix[:, at], levels[at])
        for at in mentioned_features(rule_sets)
    )


def _summarize(
    rule_sets: Sequence[RuleSet], feature: int, column: Floats, levels: Levels | None
) -> ColumnSummary:
    name = rule_sets[0].features[feature]
    missing = int(np.isnan(column).sum())
    sizes = tuple(at for at, rules in enumerate(rule_sets) if name in rules.mentioned_columns)
    if levels is not None:
        values = _values(levels)
        bars, start = _category_bars(column, levels)
        kind: Kind = {"text": "text", "truth": "truth", "numbers": "number"}[levels.values]  # type: ignore[assignment]
        nan = math.nan
        return ColumnSummary(name, kind, values, nan, nan, nan, start, missing, bars, (), sizes)
    known = np.unique(column[np.isfinite(column)])
    cuts = _cuts(rule_sets, feature)
    low, high = _ends(rule_sets, feature, known, cuts)
    return ColumnSummary(
        name=name,
        kind="number",
        values=(),
        low=low,
        high=high,
        step=_step(known, low, high),
        start=_middle(column),
        missing=missing,
        bars=_number_bars(column, low, high),
        cuts=cuts,
        sizes=sizes,
    )


# Categories


def _values(levels: Levels) -> tuple[tuple[Value, str], ...]:
    if levels == TRUTH:
        return ((1.0, "yes"), (0.0, "no"))
    if levels.values == "numbers":
        return tuple((float(name), name) for name in levels.names)
    return tuple((name, name) for name in (*levels.names, *levels.others))


def _category_bars(column: Floats, levels: Levels) -> tuple[tuple[Bar, ...], Value | None]:
    """How many rows have each value, and the most frequent value."""
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
    if not sum(counts):
        return tuple(bars), None
    [start] = decode_column(np.array([float(np.argmax(counts))]), levels, "never seen")
    return tuple(bars), start if isinstance(start, str) else float(start)  # type: ignore[arg-type]


# Numbers


def _cuts(rule_sets: Sequence[RuleSet], feature: int) -> tuple[Cut, ...]:
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


def _ends(
    rule_sets: Sequence[RuleSet], feature: int, known: Floats, cuts: Sequence[Cut]
) -> tuple[float, float]:
    """Where a slider begins and ends: the values seen, and all thresholds."""
    ends = [cut.at for cut in cuts if abs(cut.at) < math.inf]
    ends += [float(known[0]), float(known[-1])] if len(known) else []
    for rules in rule_sets:
        ends += rules.ranges[feature] or () if rules.ranges else ()
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def _step(known: Floats, low: float, high: float) -> float:
    """What a slider moves by: a power of ten, a hundredth of the range or less."""
    width = high / 2 - low / 2
    power = 10.0 ** math.floor(math.log10(width / 50)) if 1e-300 < width < 1e300 else 1.0
    if len(known) and not np.any(known % 1):
        return max(power, 1.0)
    return power


def _middle(column: Floats) -> float | None:
    """A usual value, one of those that rows have."""
    known = np.sort(column[np.isfinite(column)])
    return float(known[(len(known) - 1) // 2]) if len(known) else None


def _number_bars(column: Floats, low: float, high: float) -> tuple[Bar, ...]:
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
