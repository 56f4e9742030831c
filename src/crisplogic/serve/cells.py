"""One row as a matrix, in little time: most requests are one row that is like many others."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import RuleSet

Floats = NDArray[np.float64]

# So many values of a column are remembered at most.
MOST_REMEMBERED = 1000
_PLAIN = frozenset((str, bool, int, float, type(None)))


class CellCoder:
    """Encodes rows of known values as ``rules.matrix`` does, without reading them as a table.

    It knows the numbers that are not far from those of training, and remembers the codes of
    other values. For a row with anything else in it, :meth:`encode` returns None: then someone
    else has to read it, and to tell what is wrong or was never seen.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> coder = CellCoder(ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True))
    >>> coder.encode({"age": 41}).tolist(), coder.encode({"age": "old"})
    ([[41.0]], None)
    """

    def __init__(self, rules: RuleSet) -> None:
        places = {name: at for at, name in enumerate(rules.features)}
        self._known = places.keys()
        self._count = len(places)
        self._numbers: list[tuple[str, int, float, float]] = []
        self._codes: list[tuple[str, int, dict[tuple[type, Any], float]]] = []
        for name in rules.mentioned_columns:
            at = places[name]
            if rules.levels and rules.levels[at] is not None:
                self._codes.append((name, at, {}))
            else:
                ends = rules.ranges[at] if rules.ranges else None
                self._numbers.append((name, at, *_nearby(ends)))

    def encode(self, row: Any) -> Floats | None:
        """The matrix of a row, or None. Shape: returns (1, features)."""
        if type(row) is not dict or not row.keys() <= self._known:
            return None
        cells = [np.nan] * self._count
        try:
            for name, at, low, high in self._numbers:
                value = row[name]
                if value is None:
                    continue
                if type(value) not in (float, int) or not low <= value <= high:
                    return None
                cells[at] = value
            for name, at, codes in self._codes:
                value = row[name]
                cells[at] = codes[type(value), value]
        except (KeyError, TypeError):  # not given, not known yet, or a list or an object
            return None
        return np.array([cells], dtype=np.float64)

    def remember(self, row: dict[str, Any], matrix: Floats) -> None:
        """Remember the values of a row that was read, none of which was never seen."""
        for name, at, codes in self._codes:
            value = row[name]
            if type(value) in _PLAIN and len(codes) < MOST_REMEMBERED:
                codes[type(value), value] = float(matrix[0, at])


def _nearby(ends: tuple[float, float] | None) -> tuple[float, float]:
    """Between which numbers none is far from those of training; they are finite."""
    most = sys.float_info.max
    if ends is None or ends[0] == ends[1]:
        return -most, most
    low, high = ends
    return max(low - (high - low), -most), min(high + (high - low), most)
