"""Columns that rules mention: their values in a table, and where thresholds cut them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.conditions import Kind
from crisplogic.export.running.rows import decode_column
from crisplogic.rules import RuleSet
from crisplogic.rules.analysis.histograms import (
    Bar,
    Cut,
    category_bars,
    cuts_of,
    ends_of,
    mentioned_features,
    number_bars,
    shared_levels,
)
from crisplogic.tables import TRUTH, Levels

Floats = NDArray[np.float64]
Value = float | str


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
        bars, start = category_bars(column, levels), _most_frequent(column, levels)
        kind: Kind = {"text": "text", "truth": "truth", "numbers": "number"}[levels.values]  # type: ignore[assignment]
        nan = math.nan
        return ColumnSummary(name, kind, values, nan, nan, nan, start, missing, bars, (), sizes)
    known = np.unique(column[np.isfinite(column)])
    cuts = cuts_of(rule_sets, feature)
    low, high = ends_of(rule_sets, feature, known, cuts)
    return ColumnSummary(
        name=name,
        kind="number",
        values=(),
        low=low,
        high=high,
        step=_step(known, low, high),
        start=_middle(column),
        missing=missing,
        bars=number_bars(column, low, high),
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


def _most_frequent(column: Floats, levels: Levels) -> Value | None:
    """The value of a category that most rows have; None if all are missing."""
    codes = column[~np.isnan(column)].astype(np.intp)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    if not counts.sum():
        return None
    [value] = decode_column(np.array([float(np.argmax(counts))]), levels, "never seen")
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]


# Numbers


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
