"""Statements: yes/no literals about columns, alone or in pairs, and the rows they hold for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.cuts import make_cuts, round_between
from crisplogic.search.training_set import TrainingSet
from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]
# What is counted: 0 where a statement is false, 1 where it is unknown, 2 where it holds.
Halves = NDArray[np.int8]
FALSE, UNKNOWN, TRUE = 0, 1, 2

# The cuts of a column that statements are first made of, and those that are tried later on.
COARSE_CUTS, FINE_CUTS = 8, 32
# All literals that statements are first made of, if there are enough columns.
MOST_LITERALS = 640
# Two cuts of a column part at least this share of the rows from each other.
LEAST_BETWEEN = 0.05
# How many cuts at quantiles lie on each side of what is near: smooth targets blur a threshold.
NEAR = 4
ROUNDING = 1e-9


class Literal(NamedTuple):
    """Whether a column is above a cut, or at most that if it is ``negated``."""

    feature: int
    cut: float
    negated: bool = False


class Statement(NamedTuple):
    """A literal, or a pair of literals and what joins them: ``&``, ``|`` or ``^``."""

    literals: tuple[Literal, ...]
    operator: str = ""

    @property
    def size(self) -> int:
        """How many literals there are."""
        return len(self.literals)


def size_of(statements: Sequence[Statement]) -> int:
    """The literals of all statements."""
    return sum(each.size for each in statements)


class Literals:
    """The literals that a table has, and the values of statements on its rows.

    Shape: ``feature``, ``cut`` (literals,), the coarse ones; ``holds`` (rows, literals), 1
    where one holds, 0 where not, one half where that is unknown.
    """

    def __init__(self, data: TrainingSet) -> None:
        self._data, self._columns, self._weights = data, data.columns, data.weights
        n = max(len(data.columns), 1)
        coarse = int(np.clip(MOST_LITERALS // n, 1, COARSE_CUTS))
        self.cuts = [_cuts_of(data, feature, FINE_CUTS) for feature in range(n)]
        few = [_cuts_of(data, feature, coarse) for feature in range(n)]
        self.feature = np.repeat(np.arange(len(few)), [len(each) for each in few])
        self.cut = np.concatenate([np.empty(0), *few])
        self._values: dict[Literal | Statement, Halves] = {}
        self._shares: dict[tuple[int, float], float] = {}
        self._parting: dict[Statement, bool] = {}

    @cached_property
    def holds(self) -> Floats:
        """Where the coarse literals hold. Shape: (rows, literals)."""
        pairs = zip(self.feature.tolist(), self.cut.tolist(), strict=True)
        found = [self._literal(Literal(*each)) for each in pairs]
        n_rows = self._columns.shape[1]
        return np.array(found, dtype=np.float64).reshape(-1, n_rows).T / TRUE

    def values(self, statement: Statement) -> Halves:
        """What a statement counts on every row, in halves. Shape: (rows,)."""
        if statement not in self._values:
            parts = [self._literal(each) for each in statement.literals]
            self._values[statement] = _join(statement.operator, parts)
        return self._values[statement]

    def _literal(self, literal: Literal) -> Halves:
        if literal not in self._values:
            self._values[literal] = step_values(self._columns[literal.feature], literal)
        return self._values[literal]

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

    def _is_movable(self, feature: int) -> bool:
        """Whether a column may be cut anywhere: no indicator, and no cuts that a user gave."""
        indicator = self._data.crisp is not None and bool(self._data.crisp[feature])
        return not indicator and not len(self._data.cuts_of(feature))

    def cuts_near(self, literal: Literal) -> Floats:
        """All cuts near a literal's cut, not only those at quantiles."""
        if not self._is_movable(literal.feature):
            return np.empty(0)
        cuts = self.cuts[literal.feature]
        place = int(np.searchsorted(cuts, literal.cut))
        low = cuts[place - NEAR] if place >= NEAR else -np.inf
        high = cuts[place + NEAR] if place + NEAR < len(cuts) else np.inf
        column = self._columns[literal.feature]
        near = column[(column > low) & (column <= high)]
        values = np.unique(near)
        if len(values) < 2:
            return np.empty(0)
        whole = bool((values == np.rint(values)).all())
        found = [round_between(*pair, whole) for pair in pairwise(values.tolist())]
        return np.array(found)


def _cuts_of(data: TrainingSet, feature: int, most: int) -> Floats:
    """The cuts that a column may have: those that the user gave, or the quantiles."""
    own = data.cuts_of(feature)
    if len(own):
        return own
    if data.crisp is not None and data.crisp[feature]:
        column = data.columns[feature]  # a level that these rows lack is false of all of them
        return np.array([0.5] if (column == 0).any() and (column == 1).any() else [])
    return make_cuts(data.columns[feature], most)


def step_values(column: Floats, literal: Literal) -> Halves:
    """What a literal counts, in halves. Shape: (rows,) to (rows,).

    >>> step_values(np.array([1.0, 2.0, np.nan]), Literal(0, 1.0, negated=True)).tolist()
    [2, 0, 1]
    """
    above = column > literal.cut
    values = np.where(above != literal.negated, TRUE, FALSE).astype(np.int8)
    values[np.isnan(column)] = UNKNOWN
    return values


def _join(operator: str, parts: Sequence[Halves]) -> Halves:
    """Kleene's logic in halves: unknown is in the middle between false and true."""
    if operator == "":
        return parts[0]
    first, second = parts
    if operator == "&":
        return np.minimum(first, second)
    if operator == "|":
        return np.maximum(first, second)
    unknown = (first == UNKNOWN) | (second == UNKNOWN)
    return np.where(unknown, UNKNOWN, np.abs(first - second)).astype(np.int8)


def with_other_cuts(
    statement: Statement, cuts_of: Callable[[Literal], Floats]
) -> Iterator[Statement]:
    """The same columns with another cut of one of them."""
    literals, operator = statement.literals, statement.operator
    for place, literal in enumerate(literals):
        for cut in cuts_of(literal).tolist():
            if cut != literal.cut:
                moved = literal._replace(cut=cut)
                yield Statement((*literals[:place], moved, *literals[place + 1 :]), operator)


def variants(statement: Statement, cuts: Sequence[Floats]) -> Iterator[Statement]:
    """The same columns with another cut of one of them, or joined in another way.

    >>> single = Statement((Literal(0, 5.0),))
    >>> [each.literals[0].cut for each in variants(single, [np.array([5.0, 6.0])])]
    [6.0]
    """
    yield from with_other_cuts(statement, lambda literal: cuts[literal.feature])
    if statement.size == 2:
        for other in all_pairs(*statement.literals):
            if other != statement:
                yield other


def all_pairs(first: Literal, second: Literal) -> Iterator[Statement]:
    """All ways to join two literals, negated or not; each *xor* once."""
    signs = (False, True)
    for operator in "&|":
        for one in signs:
            for two in signs:
                both = first._replace(negated=one), second._replace(negated=two)
                yield Statement(both, operator)
    for two in signs:
        yield Statement((first._replace(negated=False), second._replace(negated=two)), "^")
