"""Screening: of all statements of a size, those that would lower a loss most.

A quadratic estimate of the gain needs two sums a statement: of the gradients of the rows that
it holds for, and of their curvatures. For all pairs these are two products of matrices. Larger
statements are joined from two smaller ones in the same way, or grow by a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.statement import (
    DOT,
    Literal,
    Statement,
    grown,
    join,
    negation,
    with_literal,
)

Floats = NDArray[np.float64]

# How many statements are looked at exactly, of each kind.
N_SINGLES, N_PAIRS = 16, 24
# With more literals than this, one side of a pair is among the most promising ones.
ALL_PAIRS = 96
MOST_PARTNERS = 64
# How many products of rows it may cost to join pairs with others, and at least so many pairs.
WORK, LEAST_PAIRS = 3e7, 64
# How many statements are looked at exactly that one has become by a change.
N_CHANGED = 12
# Gains are compared with so many digits: the last ones differ between processors.
DIGITS = 9
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Slope:
    """How a loss changes with the scores of the rows.

    ``unit`` is by how much a score rises where a statement holds, if that is known. ``squared``
    is whether the loss is a squared error: its curvature is that of any scores, and the
    gradients of several outputs add up to 0.
    Shape: ``gradient`` (rows, outputs), below 0 where a score should rise; ``curvature``
    the same, or (rows, 1) if it is the same for all outputs.
    """

    gradient: Floats
    curvature: Floats
    unit: float | None = None
    squared: bool = False

    @cached_property
    def by_row(self) -> Floats:
        """Gradients, then curvatures. Shape: (sums, rows)."""
        return np.ascontiguousarray(np.concatenate([self.gradient, self.curvature], axis=1).T)

    def of_rows(self, places: NDArray[np.intp]) -> Slope:
        """The same of some rows alone."""
        return replace(self, gradient=self.gradient[places], curvature=self.curvature[places])

    def joint(self, one: Floats, other: Floats, weighed: Floats | None = None) -> Floats:
        """Sums over the rows that a statement and another one hold for.

        ``weighed`` are those of the curvature of squared errors, if they are known.
        Shape: where statements hold, (statements, rows) each; returns (sums, ones, others).
        """
        n = self.gradient.shape[1]
        found = np.empty((len(self.by_row), len(one), len(other)))
        last = n - 1 if self.squared and n > 1 else n
        for at in range(last):
            np.matmul(one * self.by_row[at], other.T, out=found[at])
        if last < n:
            np.negative(found[:last].sum(axis=0), out=found[last])
        if self.squared and weighed is not None:
            found[n] = weighed
        else:
            for at in range(n, len(found)):
                np.matmul(one * self.by_row[at], other.T, out=found[at])
        return found

    def gains(self, sums: Floats) -> Floats:
        """By how much the loss would fall, from sums over the rows that a statement holds for.

        As much as it would with the best points, or with one unit. Shape: (sums, ...) to (...).
        """
        n = self.gradient.shape[1]
        gradients, curvatures = sums[:n], sums[n:]
        wide = (-1, *(1,) * (sums.ndim - 1))
        total = self.by_row[n:].sum(axis=1).reshape(wide)
        share = curvatures / np.maximum(total, _TINY)
        spread = np.maximum(total * share * (1 - share), _TINY)
        centred = gradients - self.by_row[:n].sum(axis=1).reshape(wide) * share
        if self.unit is None:
            gains = np.square(centred) / (2 * spread)
        else:
            gains = self.unit * np.abs(centred) - self.unit**2 * spread / 2
        return np.asarray(gains.sum(axis=0))


def promising(literals: Literals, slope: Slope, size: int) -> list[Statement]:
    """The statements of a size that promise most, none of them the negation of another.

    There are such of one to four literals.
    """
    if not len(literals.cut):
        return []
    slope = slope.of_rows(literals.screened)
    singles = _singles(literals)
    gains = slope.gains(slope.by_row @ singles.holds.T)
    if size == 1:
        return [singles.statement(at) for at in _greatest(gains, N_SINGLES)]
    places = _partners(literals, gains)
    partners = singles.take(places)
    if size == 2:
        weighed = literals.weighed(slope.curvature[:, 0])[places] if slope.squared else None
        return _join_best(partners, singles, slope, N_PAIRS, weighed)
    n, n_rows = singles.holds.shape
    if size == 3:
        most = int(max(WORK / (n_rows * n), LEAST_PAIRS))
        return _join_best(_pairs(partners, singles, slope, most), singles, slope, N_PAIRS)
    most = int(max(np.sqrt(WORK / n_rows), LEAST_PAIRS))
    pairs = _pairs(partners, singles, slope, most)
    return _join_best(pairs, pairs, slope, N_PAIRS)


@dataclass(frozen=True, eq=False)
class _Pool:
    """Statements, where they hold, and which literals they have.

    Few of them are ever looked at, so they are made on demand: ``statement`` takes a place.
    Shape: ``holds`` (statements, rows), ``members`` (statements, literals), places of literals
    from the least to the greatest.
    """

    statement: Callable[[int], Statement]
    holds: Floats
    members: NDArray[np.intp]

    def take(self, places: NDArray[np.intp]) -> _Pool:
        """Some of them."""
        return _Pool(
            lambda at: self.statement(int(places[at])),
            self.holds[places],
            self.members[places],
        )


def _singles(literals: Literals) -> _Pool:
    """All coarse literals."""
    return _Pool(
        lambda at: Statement((_literal(literals, at),)),
        literals.holds,
        np.arange(len(literals.cut))[:, None],
    )


def _literal(literals: Literals, at: int) -> Literal:
    return Literal(int(literals.feature[at]), float(literals.cut[at]))


def _greatest(gains: Floats, count: int) -> NDArray[np.intp]:
    """The places of the greatest gains; of equal ones the first. Shape: (n,) to (count,)."""
    scale = float(np.abs(gains).max(initial=0.0)) or 1.0
    rounded = np.round(gains / scale, DIGITS)
    if len(gains) > 4 * count:
        least = np.partition(rounded, len(gains) - count)[len(gains) - count]
        places = np.flatnonzero(rounded >= least)
    else:
        places = np.arange(len(gains))
    return places[np.argsort(-rounded[places], kind="stable")][:count]


def _partners(literals: Literals, gains: Floats) -> NDArray[np.intp]:
    """The literals that one side of a pair is taken from.

    All of them if there are few. Else those that promise most alone, and the middle cut of
    every column: an exclusive or promises nothing alone.
    """
    if len(gains) <= ALL_PAIRS:
        return np.arange(len(gains))
    best = _greatest(gains, MOST_PARTNERS)
    return np.unique(np.concatenate([best, _middles(literals.feature)[:MOST_PARTNERS]]))


def _middles(feature: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of the middle cut of every column. Shape: (literals,) to (columns,)."""
    _, starts, counts = np.unique(feature, return_index=True, return_counts=True)
    return np.asarray(starts + counts // 2)


class _Joined:
    """All ways to join a statement of one pool with one of another.

    Shape: ``first`` and ``second`` (pairs,), places in the pools; ``gains`` (5, pairs), of
    x & y, x & ~y, ~x & y, ~x & ~y and x ^ y. An *or* is the negation of one of them.
    """

    def __init__(
        self, one: _Pool, other: _Pool, slope: Slope, weighed: Floats | None = None
    ) -> None:
        self.one, self.other = one, other
        self.first, self.second = _who_meets(one.members, other.members)
        joint = slope.joint(one.holds, other.holds, weighed).reshape(len(slope.by_row), -1)
        both = joint.take(self.first * len(other.holds) + self.second, axis=1)
        every = slope.by_row.sum(axis=1, keepdims=True)
        x = (slope.by_row @ one.holds.T).take(self.first, axis=1)
        y = (slope.by_row @ other.holds.T).take(self.second, axis=1)
        kinds = both, x - both, y - both, every - x - y + both, x + y - 2 * both
        self.gains = np.stack([slope.gains(sums) for sums in kinds])

    def statement(self, kind: int, at: int) -> Statement:
        """What is joined, by the row and the column of ``gains``."""
        x = self.one.statement(self.first[at])
        y = self.other.statement(self.second[at])
        if kind == 4:
            return join("^", x, y)
        return join(
            "&", negation(x) if kind in (2, 3) else x, negation(y) if kind in (1, 3) else y
        )

    def best(self, count: int) -> list[tuple[int, int]]:
        """Rows and columns of the greatest gains."""
        flat = _greatest(self.gains.ravel(), count)
        return [(int(each // len(self.first)), int(each % len(self.first))) for each in flat]


def _who_meets(
    one: NDArray[np.intp], other: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which statements of two pools are joined: they share no literal, and meet once.

    Shape: members of the pools, (statements, literals) each; returns (pairs,) each.

    >>> first, second = _who_meets(np.array([[0], [2]]), np.array([[0], [1], [2]]))
    >>> first.tolist(), second.tolist()
    ([0, 0, 1], [1, 2, 1])
    """
    apart = (one[:, None, :, None] != other[None, :, None, :]).all(axis=(2, 3))
    if one.shape[1] == other.shape[1]:
        # Members of both pools meet twice; they are taken once, in the order of the literals.
        base = int(max(one.max(initial=0), other.max(initial=0))) + 1
        powers = base ** np.arange(one.shape[1])[::-1]
        codes, its_codes = one @ powers, other @ powers
        apart &= (codes[:, None] < its_codes) | ~np.isin(its_codes, codes)
    first, second = np.nonzero(apart)
    return first, second


def _join_best(
    one: _Pool, other: _Pool, slope: Slope, count: int, weighed: Floats | None = None
) -> list[Statement]:
    """The most promising statements of one pool joined with those of another."""
    joined = _Joined(one, other, slope, weighed)
    if not len(joined.first):
        return []
    return [joined.statement(*each) for each in joined.best(count)]


def _pairs(partners: _Pool, singles: _Pool, slope: Slope, most: int) -> _Pool:
    """Pairs to join with others: the most promising ones, a third of them exclusive ors.

    An exclusive or that promises nothing alone may still be part of a larger one.
    """
    joined = _Joined(partners, singles, slope)
    n = len(joined.first)
    plain = _greatest(joined.gains[:4].ravel(), most - most // 3)
    exclusive = 4 * n + _greatest(joined.gains[4], most // 3)
    kind, at = np.divmod(np.concatenate([plain, exclusive]), max(n, 1))
    first, second = joined.first[at], joined.second[at]
    holds = _hold_both(partners.holds, singles.holds, first, second, kind)
    members = np.sort(np.stack([partners.members[first, 0], second], axis=1), axis=1)
    return _Pool(
        lambda place: joined.statement(int(kind[place]), int(at[place])), holds, members
    )


def _hold_both(
    one: Floats,
    other: Floats,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    kind: NDArray[np.intp],
) -> Floats:
    """Where joined statements hold: x & y, x & ~y, ~x & y, ~x & ~y or x ^ y, by kind.

    Shape: (statements, rows) each, places (pairs,) each; returns (pairs, rows).
    """
    either, its = np.concatenate([one, 1 - one]), np.concatenate([other, 1 - other])
    exclusive = kind == 4
    found = either[first + len(one) * np.isin(kind, (2, 3))]
    found *= its[second + len(other) * np.isin(kind, (1, 3, 4))]
    # x ^ y is x & ~y or ~x & y, which never hold together.
    x, y = either[first[exclusive] + len(one)], its[second[exclusive]]
    x *= y
    found[exclusive] += x
    return found


class _Change(NamedTuple):
    """One kind of change of a statement, and what it gains with each literal.

    Shape: ``gains`` (literals,).
    """

    gains: Floats
    make: Callable[[Literal], Statement]


def promising_changes(
    literals: Literals, slope: Slope, statement: Statement, grow: bool
) -> list[Statement]:
    """What a statement might become: a part grows by a literal, or a literal is exchanged."""
    if not len(literals.cut):
        return []
    slope = slope.of_rows(literals.screened)
    changes = list((_growths if grow else _exchanges)(literals, slope, statement))
    n = len(literals.cut)
    best = _greatest(np.concatenate([each.gains for each in changes]), N_CHANGED)
    return [changes[at // n].make(_literal(literals, at % n)) for at in best]


def _exchanges(literals: Literals, slope: Slope, statement: Statement) -> Iterator[_Change]:
    """Another literal instead of one."""
    ends = [end for end, symbol in enumerate(statement.shape) if symbol == DOT]
    for place, end in enumerate(ends):
        part = _Part.of(literals, slope, statement, end)
        for negated, sums in ((False, part.literals), (True, part.always - part.literals)):
            yield _Change(part.gains(sums), _exchange(statement, place, negated))


def _exchange(
    statement: Statement, place: int, negated: bool
) -> Callable[[Literal], Statement]:
    return lambda literal: with_literal(statement, place, ~literal if negated else literal)


def _growths(literals: Literals, slope: Slope, statement: Statement) -> Iterator[_Change]:
    """A literal more, joined with any part."""
    for end in range(len(statement.shape)):
        part = _Part.of(literals, slope, statement, end)
        for operator, negated, sums in (
            ("&", False, part.both),
            ("&", True, part.itself - part.both),
            ("|", False, part.itself + part.literals - part.both),
            ("|", True, part.always - part.literals + part.both),
            ("^", False, part.itself + part.literals - 2 * part.both),
        ):
            yield _Change(part.gains(sums), _growth(statement, end, operator, negated))


def _growth(
    statement: Statement, end: int, operator: str, negated: bool
) -> Callable[[Literal], Statement]:
    return lambda literal: grown(statement, end, operator, ~literal if negated else literal)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a statement, and sums of slopes over the rows where the part decides.

    The gradient reaches a part through the statement: a row counts as far as the part decides
    there whether the whole holds. ``literals`` sums over the rows that each literal holds for,
    ``both`` over those where the part holds too, ``itself`` over those of the part, ``always``
    over all. ``fixed`` sums over the rows where the whole holds even without the part.

    Shape: (sums, literals or 1), the sums of gradients first, then those of curvatures.
    """

    slope: Slope
    literals: Floats
    both: Floats
    itself: Floats
    always: Floats
    fixed: Floats

    @classmethod
    def of(cls, literals: Literals, slope: Slope, statement: Statement, end: int) -> _Part:
        """The part that ends at a place of the shape."""
        through = literals.known.through(statement, end)
        without, change, part = (each[literals.screened] for each in through)
        decided = change * slope.by_row
        held = part * decided
        return cls(
            slope,
            decided @ literals.holds.T,
            held @ literals.holds.T,
            held.sum(axis=1, keepdims=True),
            decided.sum(axis=1, keepdims=True),
            (slope.by_row @ without)[:, None],
        )

    def gains(self, sums: Floats) -> Floats:
        """By how much the loss would fall if the part held so. Shape: (sums, literals)."""
        return self.slope.gains(self.fixed + sums)
