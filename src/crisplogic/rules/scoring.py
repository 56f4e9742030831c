"""Scorer: the scores of rules on many rows, in place, and what scores predict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import kernels
from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Expr
from crisplogic.expr.program import CHUNK_ROWS, CRISP_CHUNK_ROWS, Program, chunks
from crisplogic.rules.compiled import KERNEL_CHUNK_ROWS, CompiledProgram
from crisplogic.rules.memberships import Indicator, Membership, Step
from crisplogic.tables import UnseenFinder

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]
# The value of each expression, and whether its negation is meant.
Results = list[tuple[NDArray[Any], bool]]
# A factor of the values of all classes, and an offset for each.
Ranking = tuple[int, NDArray[np.int16]]
# Called with the number of a column, the number of a row, and the values from that row on.
See = Callable[[int, int, NDArray[Any]], None]

# Fractions of intercepts that are nearer than this could be equal once they are in a sum.
LEAST_APART = 1e-9


class Ramps:
    """Many memberships at once, with the same degrees as each alone.

    An indicator is a ramp over its 0 and 1 instead of a column.

    >>> ramps = Ramps([Membership(0, 0.0, 10.0), Membership(0, 5.0, 5.0)])
    >>> degrees = np.empty((2, 3))
    >>> ramps.write(np.array([[9.0], [np.nan], [-np.inf]]), degrees)
    >>> degrees.tolist()
    [[0.8, 0.0, -1.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, memberships: Sequence[Membership]) -> None:
        low = np.array([each.low for each in memberships], dtype=np.float64)
        high = np.array([each.high for each in memberships], dtype=np.float64)
        half = high / 2 - low / 2
        varies = half > 0
        # Plus 0: adding 0 to a column makes its -0 a 0, subtracting 0 would not.
        offsets = -(high / 2 + low / 2) + 0.0
        self._columns = _by_column(memberships)
        self._indicators = _indicators(memberships)
        self._features = sorted({each.feature for each in memberships})
        self._offsets = [np.array(offset) for offset in offsets]
        self._halves = np.where(varies, half, 1.0)[:, None]
        # Rounding keeps the order. So a value may be clipped to the ends of the ramp before
        # it becomes a degree, or the degree afterwards: the result is the same.
        ends = np.stack([low, high], axis=1) + offsets[:, None]
        self._ends = (ends / self._halves).clip(-1.0, 1.0) * varies[:, None]

    def write(self, table: Floats, out: Floats, see: See | None = None, first: int = 0) -> None:
        """The degrees of some rows. Shape: (rows, features); ``out`` (memberships, rows).

        ``see`` is told of each column. ``first`` is the number of the first row.
        """
        if see is not None:
            for feature in self._features:
                see(feature, first, _as_floats(table[:, feature]))
        with np.errstate(over="ignore"):  # what overflows is clipped
            self._add_offsets(table, list(out))
            np.divide(out, self._halves, out=out)
        np.clip(out, self._ends[:, :1], self._ends[:, 1:], out=out)
        if np.isnan(out.max(initial=UNKNOWN)):  # few tables have missing values
            out[np.isnan(out)] = UNKNOWN

    def _add_offsets(self, table: Floats, rows: list[Floats]) -> None:
        for feature, last, others in self._columns:
            column = table[:, feature]
            if others:  # reading a column is slow: it is kept where the last result goes
                rows[last][:] = column
                column = rows[last]
            for each in (*others, last):
                np.add(column, self._offsets[each], out=rows[each])
        for feature, indicators in self._indicators:
            column = np.ascontiguousarray(_as_floats(table[:, feature]))
            for each, indicator in indicators:
                np.add(indicator.indicated(column, rows[each]), self._offsets[each], rows[each])


class Truths:
    """Many indicators at once: -1 where they are false, 0 where unknown, 1 where true.

    Each column is read once, into memory that stays in the cache.

    >>> truths = Truths([Step(0, 5.0), Step(1, 2.0), Step(0, 7.0)])
    >>> values = np.empty((3, 2), dtype=np.int8)
    >>> truths.write(np.array([[6.0, np.nan], [np.nan, 1.0]], dtype=np.float32), values)
    >>> values.tolist()
    [[1, 0], [0, -1], [-1, 0]]
    """

    def __init__(self, memberships: Sequence[Indicator]) -> None:
        self._columns = _indicators(memberships)

    def write(
        self,
        table: NDArray[Any],
        out: NDArray[np.signedinteger[Any]],
        see: See | None = None,
        first: int = 0,
    ) -> None:
        """The truth on some rows. Shape: (rows, features); ``out`` (indicators, rows).

        ``see`` is told of each column. ``first`` is the number of the first row.
        """
        memory = np.empty(len(table))
        holds = np.empty(len(table), dtype=bool)
        unknown: list[tuple[int, NDArray[np.bool_]]] = []
        # Reading rows in their order brings them into the cache, from where columns are read.
        may_be_missing = True
        if isinstance(table, np.ndarray) and table.flags.c_contiguous:
            are_floats = table.dtype.kind == "f"
            may_be_missing = are_floats and bool(np.isnan(table.max(initial=-np.inf)))
        for feature, indicators in self._columns:
            column = table[:, feature]
            if column.dtype != memory.dtype or not column.flags.c_contiguous:
                memory[:] = column
                column = memory
            if see is not None:
                see(feature, first, column)
            has_missing = may_be_missing and np.isnan(column.max(initial=-np.inf))
            missing = np.isnan(column) if has_missing else None
            for number, indicator in indicators:
                if isinstance(indicator, Step):
                    np.greater(column, indicator.threshold, out=holds)
                    out[number] = holds
                    if missing is not None:
                        unknown.append((number, missing))
                else:
                    values = indicator.indicated(column)
                    out[number] = values == 1
                    unknown.append((number, np.isnan(values)))
        np.multiply(out, 2, out=out)
        np.subtract(out, 1, out=out)
        for number, where in unknown:
            np.copyto(out[number], 0, where=where)


def _as_floats(column: NDArray[Any]) -> NDArray[np.floating]:
    return column if column.dtype.kind == "f" else column.astype(np.float64)


def _by_column(memberships: Sequence[Membership]) -> list[tuple[int, int, list[int]]]:
    """Each column that ramps use, the number of its last membership and those of the others.

    >>> _by_column([Membership(2, 0, 1), Membership(0, 0, 1), Membership(2, 1, 2)])
    [(2, 2, [0]), (0, 1, [])]
    """
    numbers: dict[int, list[int]] = {}
    for number, membership in enumerate(memberships):
        if not isinstance(membership, Indicator):
            numbers.setdefault(membership.feature, []).append(number)
    return [(feature, same[-1], same[:-1]) for feature, same in numbers.items()]


def _indicators(
    memberships: Sequence[Membership],
) -> list[tuple[int, list[tuple[int, Indicator]]]]:
    """Each column that indicators use, and these with their numbers."""
    found: dict[int, list[tuple[int, Indicator]]] = {}
    for number, each in enumerate(memberships):
        if isinstance(each, Indicator):
            found.setdefault(each.feature, []).append((number, each))
    return list(found.items())


def split_intercept(intercept: float) -> tuple[float, float]:
    """The whole number below an intercept, and the rest, as a person would compute them.

    The value of a crisp sum is a whole number. Added to the whole part first, it gives sums
    that are the same float wherever they are the same number as printed: 0.1 + 0 and -0.9 + 1
    are both 0 + 0.1. So rounding decides no tie.

    >>> split_intercept(-0.3), split_intercept(2.5), 0.1 == -0.9 + 1
    ((-1.0, 0.7), (2.0, 0.5), False)
    """
    exact = Decimal(repr(float(intercept)))
    whole = exact.to_integral_value(ROUND_FLOOR)
    return float(whole), float(exact - whole)


class Scorer:
    """Computes the scores of a rule set, in memory that does not grow with the rows.

    Only columns that the expressions mention are read. A score is the value of an expression,
    times its factor if there are ``factors``, plus its intercept. ``crisp`` expressions are
    those of Kleene's logic, see :class:`~crisplogic.expr.program.Program`, and their intercepts
    are added in two steps, see :func:`split_intercept`.

    >>> from crisplogic.expr import parse
    >>> exprs = [parse("0 & 1"), parse("~0")]
    >>> scorer = Scorer([Membership(0, -1, 1), Membership(1, -1, 1)], exprs, [0.0, 0.25])
    >>> for chunk, scores in scorer.scores(np.array([[1.0, 1.0], [-1.0, 1.0]])):
    ...     print(scores.tolist(), winners(scores).tolist())
    [[1.0, -1.0], [-0.75, 1.25]] [0, 1]
    """

    def __init__(
        self,
        memberships: Sequence[Membership],
        exprs: Sequence[Expr],
        intercepts: Sequence[float],
        factors: Sequence[float] | None = None,
        crisp: bool = False,
    ) -> None:
        self._program = Program(exprs, crisp)
        used = [memberships[index] for index in self._program.used]
        self._dtype = self._program.dtype
        indicators = [each for each in used if isinstance(each, Indicator)]
        if len(indicators) < len(used):
            self._dtype = np.dtype(np.float64)
        small = self._dtype.kind == "i"
        self._inputs: Ramps | Truths = Truths(indicators) if small else Ramps(used)
        self._most = CRISP_CHUNK_ROWS if small else CHUNK_ROWS
        self._factors = [1.0] * len(intercepts) if factors is None else list(factors)
        added = [
            split_intercept(intercept) if crisp and factor == 1 else (0.0, intercept)
            for intercept, factor in zip(intercepts, self._factors, strict=True)
        ]
        # Adding zero turns -0.0 into 0.0, which is what no intercept is.
        self._intercepts = [(whole, np.array(rest + 0.0)) for whole, rest in added]
        plain = self._dtype == np.int8 and all(factor == 1 for factor in self._factors)
        self._ranking = find_ranking(added) if plain else None
        self._compiled = CompiledProgram.of(self._program, indicators) if small else None

    def scores(
        self, table: Any, finder: UnseenFinder | None = None, rows: slice | None = None
    ) -> Iterator[tuple[slice, Floats]]:
        """The scores of all rows, or of some, chunk by chunk; the next overwrites the last.

        The ``finder`` looks at every column that is read.

        Shape: ``table`` (rows, features); each time (classes, rows of the slice).
        """
        rows = slice(0, len(table)) if rows is None else rows
        memory = np.empty((len(self._intercepts), min(rows.stop - rows.start, self._most)))
        for chunk, results in self._values(table, finder, rows):
            scores = memory[:, : chunk.stop - chunk.start]
            self._add_intercepts(results, scores)
            yield chunk, scores

    def winners(
        self, table: Any, finder: UnseenFinder | None = None, rows: slice | None = None
    ) -> Iterator[tuple[slice, NDArray[np.integer]]]:
        """The class of the greatest score of each row, in a tie the first, chunk by chunk.

        The same as :func:`winners` of :meth:`scores`, but sooner where ranks are small.
        """
        rows = slice(0, len(table)) if rows is None else rows
        if self._ranking is None:
            for chunk, scores in self.scores(table, finder, rows):
                yield chunk, winners(scores)
        elif kernels.compiled is not None and self._compiled is not None:
            factor, offsets = self._ranking
            for chunk in chunks(rows, KERNEL_CHUNK_ROWS):
                yield chunk, self._compiled.winners(factor, offsets, table, chunk, finder)
        else:
            for chunk, results in self._values(table, finder, rows):
                ranks = np.empty((len(results), chunk.stop - chunk.start), np.int16)
                _write_ranks(results, *self._ranking, ranks)
                yield chunk, winners(ranks)

    def _values(
        self, table: Any, finder: UnseenFinder | None, rows: slice
    ) -> Iterator[tuple[slice, Results]]:
        """The values of the expressions, chunk by chunk; the next overwrites the last."""
        if kernels.compiled is not None and self._compiled is not None:
            for chunk in chunks(rows, self._most):
                values = self._compiled.values(table, chunk, finder)
                negative = (result.negative for result in self._program.results)
                yield chunk, list(zip(values, negative, strict=True))
            return
        see = None if finder is None else finder.look
        for chunk, buffer in self._program.buffers(rows, self._dtype, self._most):
            self._inputs.write(table[chunk], buffer.inputs, see, chunk.start)
            buffer.run()
            yield chunk, buffer.results

    def _add_intercepts(self, results: Results, out: Floats) -> None:
        for (value, negative), factor, (whole, intercept), score in zip(
            results, self._factors, self._intercepts, out, strict=True
        ):
            if factor != 1:
                value = np.multiply(value, factor, out=score)
            if whole:
                value = np.add(value, -whole if negative else whole, out=score)
            if negative:
                np.subtract(intercept, value, out=score)
            else:
                np.add(intercept, value, out=score)


def find_ranking(intercepts: Sequence[tuple[float, Any]]) -> Ranking | None:
    """Small whole numbers in place of intercepts, by which scores compare as they do.

    ``intercepts`` are split, see :func:`split_intercept`. A score is a whole number and one of
    a few fractions. So whole numbers are multiplied by the number of fractions, and then the
    fractions by size are 0, 1, 2 and so on. None if the results could be too large, or if two
    fractions are too near.

    >>> factor, offsets = find_ranking([(2.0, 0.3), (-1.0, 0.7), (0.0, 0.3)])
    >>> factor, offsets.tolist()
    (2, [4, -1, 0])
    """
    fractions = sorted({float(rest) for _, rest in intercepts})
    factor = len(fractions)
    ends = [*fractions, fractions[0] + 1] if fractions else []
    if any(after - before < LEAST_APART for before, after in pairwise(ends)):
        return None
    offsets = [factor * whole + fractions.index(float(rest)) for whole, rest in intercepts]
    most = np.iinfo(np.int16).max + factor * np.iinfo(np.int8).min
    if any(abs(offset) > most for offset in offsets):
        return None
    return factor, np.array(offsets, dtype=np.int16)


def _write_ranks(
    results: Results, factor: int, offsets: NDArray[np.int16], out: NDArray[np.int16]
) -> None:
    """Numbers that compare as the scores do. Shape: ``out`` (classes, rows)."""
    for (value, negative), offset, rank in zip(results, offsets, out, strict=True):
        np.multiply(value, -factor if negative else factor, out=rank, dtype=np.int16)
        np.add(rank, offset, out=rank)


def winners(scores: NDArray[Any]) -> NDArray[np.unsignedinteger]:
    """The class of the greatest score, in a tie the first. Shape: (classes, rows) to (rows,).

    Like ``argmax``, but class by class: rows are many, classes are few.

    >>> winners(np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 2.0], [1.0, 0.0, 3.0]])).tolist()
    [1, 0, 2]
    """
    number = np.min_scalar_type(len(scores)).type  # the smaller, the faster
    best = scores[0].copy()
    winner = np.zeros(len(best), dtype=number)
    ahead = np.empty(len(best), dtype=bool)
    for rank, score in enumerate(scores[1:], start=1):
        np.greater(score, best, out=ahead)
        np.maximum(winner, ahead * number(rank), out=winner)  # no rank so far is greater
        np.maximum(best, score, out=best)
    return winner


def says_yes(scores: Floats, constant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where the rule of each class says yes: where its score is above 0.

    A class whose rule is a ``constant`` is the default: it says nothing of a row by itself.
    Other rules say yes where they are above the greatest constant, and the default where no
    other does.

    Shape: (classes, rows) and (classes,) to (classes, rows).

    >>> scores = np.array([[0.4, 0.4, 0.4], [1.0, 0.3, -1.0]])
    >>> says_yes(scores, np.array([True, False])).tolist()
    [[False, True, True], [True, False, False]]
    """
    if not constant.any():
        return scores > 0
    constants = np.flatnonzero(constant)
    default = constants[scores[constants].argmax(axis=0)]
    rows = np.arange(scores.shape[1])
    yes: NDArray[np.bool_] = (scores > scores[default, rows]) & ~constant[:, None]
    yes[default, rows] = ~yes.any(axis=0)
    return yes


def softmax(logits: Floats, axis: int = 1) -> Floats:
    """Probabilities of logits, with classes along ``axis``. Shape: any, to the same.

    >>> softmax(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    weights = np.exp(logits - logits.max(axis=axis, keepdims=True))
    probabilities: Floats = weights / weights.sum(axis=axis, keepdims=True)
    return probabilities


def as_array(labels: tuple[Label, ...]) -> NDArray[Any]:
    """Labels as an array that holds them unchanged.

    >>> as_array((1, 2)).dtype, as_array((1, "2")).tolist()
    (dtype('int64'), [1, '2'])
    """
    array = np.asarray(labels)
    if repr(array.tolist()) == repr(list(labels)):
        return array
    return np.array(labels, dtype=object)  # numpy would have made all of them text, or floats
