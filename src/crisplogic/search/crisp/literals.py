"""The literals that a table has, and the rows for which statements of them hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.compiled import make_rows
from crisplogic.search.crisp.cuts import make_cuts, round_between
from crisplogic.search.crisp.scan import Scan, parts_rows
from crisplogic.search.crisp.statement import (
    DOT,
    FALSE,
    TRUE,
    UNKNOWN,
    Halves,
    Literal,
    Statement,
    with_literal,
)
from crisplogic.search.crisp.values import StatementValues
from crisplogic.search.training_set import TrainingSet
from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]

# The cuts of a column that statements are first made of, and those that are tried later on.
COARSE_CUTS, FINE_CUTS = 8, 32
# All literals that statements are first made of, if there are enough columns.
MOST_LITERALS = 640
# Rows that screen statements; all rows decide between those that promise most.
SCREENED_ROWS = 1_500
# Two cuts of a column part at least this share of the rows from each other.
LEAST_BETWEEN = 0.05
# How many cuts at quantiles lie on each side of what is near: smooth targets blur a threshold.
NEAR = 4
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _CutColumn:
    """Cuts of a column, and where its rows lie among them.

    ``ranks`` says how many of the cuts a row lies above; 0 where its value is missing.
    ``shares`` are those of the rows at or below each cut.
    Shape: ``cuts``, ``shares`` (cuts,); ``ranks`` (rows,).
    """

    cuts: Floats
    ranks: NDArray[np.intp]
    shares: Floats

    @classmethod
    def of(cls, column: Floats, cuts: Floats, weights: Floats | None) -> _CutColumn:
        """Shape: ``column`` and ``weights`` (rows,), ``cuts`` (cuts,), ascending."""
        missing = np.isnan(column)
        ranks = np.searchsorted(cuts, column)
        own = np.ones(len(column)) if weights is None else weights
        counted = np.bincount(ranks[~missing], own[~missing], len(cuts) + 1)
        ranks[missing] = 0
        return cls(cuts, ranks, counted.cumsum()[:-1] / own.sum())


class Literals:
    """The literals that a table has, and the values of statements on its rows.

    ``known`` are these values. ``screened`` are the rows that tell which statements promise
    most, some of all rows.

    Shape: ``feature``, ``cut`` (literals,), the coarse ones; ``holds`` (literals, screened
    rows), 1 where one holds, 0 where not, one half where that is unknown.
    """

    def __init__(self, data: TrainingSet) -> None:
        self._data, self._columns, self._weights = data, data.columns, data.weights
        n = max(len(data.columns), 1)
        coarse = int(np.clip(MOST_LITERALS // n, 1, COARSE_CUTS))
        self.cuts = [_cuts_of(data, feature, FINE_CUTS) for feature in range(n)]
        few = [_cuts_of(data, feature, coarse) for feature in range(n)]
        self.feature = np.repeat(np.arange(len(few)), [len(each) for each in few])
        self.cut = np.concatenate([np.empty(0), *few])
        n_rows = len(data)
        few_rows = np.linspace(0, n_rows - 1, min(n_rows, SCREENED_ROWS))
        self.screened = few_rows.round().astype(np.intp)
        self._weighed: Floats | None = None
        self.known = StatementValues(data.columns)
        self._shares: dict[tuple[int, float], float] = {}
        self._parting: dict[Statement, bool] = {}
        self._cut_columns: dict[int, _CutColumn] = {}

    @cached_property
    def compiled(self) -> Any | None:
        """The rows with these literals for compiled kernels; None where there are none."""
        coarse = self.feature, self.cut
        return make_rows(self._data, self.cuts, coarse, self.screened)

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """Which columns may be cut anywhere. Shape: (features,)."""
        return np.array([self._is_movable(feature) for feature in range(len(self.cuts))])

    @cached_property
    def holds(self) -> Floats:
        """Where the coarse literals hold. Shape: (literals, screened rows)."""
        pairs = zip(self.feature.tolist(), self.cut.tolist(), strict=True)
        found = [self.known.of_literal(Literal(*each))[self.screened] for each in pairs]
        return np.array(found, dtype=np.float64).reshape(-1, len(self.screened)) / TRUE

    def weighed(self, weights: Floats) -> Floats:
        """How much the screened rows weigh for which two coarse literals hold.

        ``weights`` are always the same, so this is computed once.
        Shape: (screened rows,) to (literals, literals).
        """
        if self._weighed is None:
            self._weighed = (self.holds * weights) @ self.holds.T
        return self._weighed

    def values(self, statement: Statement) -> Halves:
        """What a statement counts on every row, in halves. Shape: (rows,)."""
        return self.known.of(statement)

    def sensible(
        self, options: Iterable[Statement], others: Sequence[Statement]
    ) -> list[Statement]:
        """Those options that part the rows, with no cut close to another one or to others."""
        known: dict[int, list[Literal]] = {}
        for literal in (literal for other in others for literal in other.literals):
            known.setdefault(literal.feature, []).append(literal)
        return [
            each
            for each in dict.fromkeys(options)
            if each not in others and self._parts_rows(each) and self._is_apart(each, known)
        ]

    def _parts_rows(self, statement: Statement) -> bool:
        if statement not in self._parting:
            values = self.values(statement)
            self._parting[statement] = bool(values.min() == FALSE and values.max() == TRUE)
        return self._parting[statement]

    def _is_apart(self, statement: Statement, known: Mapping[int, Sequence[Literal]]) -> bool:
        """Whether enough rows lie between each of its cuts and all others of the column."""
        for literal in statement.literals:
            for other in (*known.get(literal.feature, ()), *statement.literals):
                if other.feature == literal.feature and other.cut != literal.cut:
                    between = self._share_below(literal) - self._share_below(other)
                    if abs(between) < LEAST_BETWEEN - ROUNDING:
                        return False
        return True

    def _share_below(self, literal: Literal) -> float:
        """The share of the rows at or below a cut. It is asked for often, so it is kept."""
        key = literal.feature, literal.cut
        if key not in self._shares:
            below = self._columns[literal.feature] <= literal.cut
            self._shares[key] = float(weighted_mean(below, self._weights))
        return self._shares[key]

    def scan(self, statement: Statement, place: int, others: Sequence[Statement]) -> Scan:
        """A statement with all cuts of the column of one of its literals.

        Allowed are those that part the rows, are new, and are not close to other cuts.
        """
        feature = statement.literals[place].feature
        if feature not in self._cut_columns:
            self._cut_columns[feature] = self._cut_column(feature, self.cuts[feature])
        return self._scan(statement, place, others, self._cut_columns[feature])

    def scan_near(
        self, statement: Statement, place: int, others: Sequence[Statement]
    ) -> Scan | None:
        """The same with every value near the cut of a literal, not only those at quantiles.

        None where a column may not be cut anywhere: it is an indicator, or the user gave cuts.
        """
        literal = statement.literals[place]
        near = self._values_near(literal)
        if not self._is_movable(literal.feature) or len(near) < 2:
            return None
        column = self._cut_column(literal.feature, near[:-1])
        return self._scan(statement, place, others, column)

    def _cut_column(self, feature: int, cuts: Floats) -> _CutColumn:
        return _CutColumn.of(self._columns[feature], cuts, self._weights)

    def _scan(
        self, statement: Statement, place: int, others: Sequence[Statement], column: _CutColumn
    ) -> Scan:
        literal = statement.literals[place]
        above, below = self._above_and_below(statement, place)
        allowed = parts_rows(column.ranks, above, below, len(column.cuts))
        allowed &= column.cuts != literal.cut
        for other in (*others, statement):
            for at, each in enumerate(other.literals):
                is_own = other is statement and at == place
                if each.feature == literal.feature and not is_own:
                    between = np.abs(column.shares - self._share_below(each))
                    close = between < LEAST_BETWEEN - ROUNDING
                    allowed &= ~close | (column.cuts == each.cut)
            if other is not statement and _differ_in_cut(other, statement, place):
                allowed &= column.cuts != other.literals[place].cut
        return Scan(statement, place, column.cuts, allowed, column.ranks, above, below)

    def _above_and_below(self, statement: Statement, place: int) -> tuple[Halves, Halves]:
        """What a statement counts on rows above a cut of a literal, and on those below it."""
        literal = statement.literals[place]
        end = [at for at, symbol in enumerate(statement.shape) if symbol == DOT][place]
        column = self._columns[literal.feature]
        missing = np.isnan(column)

        def with_value(value: int) -> Halves:
            values = np.where(missing, UNKNOWN, value).astype(np.int8)
            return self.known.with_part(statement, end, values)[0]

        holds, fails = with_value(TRUE), with_value(FALSE)
        return (fails, holds) if literal.negated else (holds, fails)

    def round_cut(self, literal: Literal) -> Literal:
        """The literal with the roundest cut that parts the rows in the same way."""
        column = self._columns[literal.feature]
        low = float(column[column <= literal.cut].max())
        high = float(column[column > literal.cut].min())
        near = self._values_near(literal)
        whole = bool((near == np.rint(near)).all())
        return literal._replace(cut=round_between(low, high, whole))

    def _is_movable(self, feature: int) -> bool:
        """Whether a column may be cut anywhere: no indicator, and no cuts that a user gave."""
        indicator = self._data.crisp is not None and bool(self._data.crisp[feature])
        return not indicator and not len(self._data.cuts_of(feature))

    def _values_near(self, literal: Literal) -> Floats:
        """The values of the rows near a literal's cut, in order."""
        cuts = self.cuts[literal.feature]
        place = int(np.searchsorted(cuts, literal.cut))
        low = cuts[place - NEAR] if place >= NEAR else -np.inf
        high = cuts[place + NEAR] if place + NEAR < len(cuts) else np.inf
        column = self._columns[literal.feature]
        return np.unique(column[(column > low) & (column <= high)])


def _differ_in_cut(one: Statement, other: Statement, place: int) -> bool:
    """Whether two statements are the same but for the cut of one literal."""
    if one.shape != other.shape:
        return False
    literal = one.literals[place]._replace(cut=other.literals[place].cut)
    return with_literal(one, place, literal) == other


def _cuts_of(data: TrainingSet, feature: int, most: int) -> Floats:
    """The cuts that a column may have: those that the user gave, or the quantiles."""
    own = data.cuts_of(feature)
    if len(own):
        return own
    if data.crisp is not None and data.crisp[feature]:
        column = data.columns[feature]  # a level that these rows lack is false of all of them
        return np.array([0.5] if (column == 0).any() and (column == 1).any() else [])
    return make_cuts(data.columns[feature], most)
