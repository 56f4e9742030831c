"""Crisp rules as a program of the compiled kernels, which reads columns where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic import kernels
from crisplogic.expr.program import Program
from crisplogic.rules.memberships import Flag, Indicator, Level, Missing, Step
from crisplogic.tables import UnseenFinder

# In the order of the kernel, src/kernels/prediction/crisp_program.h.
_INDICATORS = (Step, Flag, Level, Missing)
_FUNCTIONS = (np.minimum, np.maximum, np.multiply, np.add, np.subtract, np.negative)

# Rows computed by one call: so many that calling takes no time, so few that what is computed
# stays in the cache.
KERNEL_CHUNK_ROWS = 2**15


class CompiledProgram:
    """A program on indicators whose values fit into bytes, for the kernels.

    >>> from crisplogic.expr import parse
    >>> high = CompiledProgram(Program([parse("0 & ~1")], crisp=True), [Step(0, 5), Flag(1)])
    >>> table = np.array([[7.0, 0.0], [7.0, np.nan], [4.0, 0.0]])
    >>> if kernels.compiled is not None:
    ...     assert high.values(table, slice(0, 3)).tolist() == [[1, 0, -1]]
    """

    def __init__(self, program: Program, indicators: Sequence[Indicator]) -> None:
        order = sorted(range(len(indicators)), key=lambda slot: indicators[slot].feature)
        self._features = sorted({each.feature for each in indicators})
        place = {feature: at for at, feature in enumerate(self._features)}
        asked = [
            (_INDICATORS.index(type(each)), place[each.feature], slot)
            for slot, each in ((slot, indicators[slot]) for slot in order)
        ]
        slots = program.slots + 2  # constants, which have negative numbers, come last
        steps = [
            (_FUNCTIONS.index(function), operands[0] % slots, operands[-1] % slots, out)
            for (function, operands), out in program.steps
        ]
        self._program = (
            np.array(asked, dtype=np.int32),
            np.array([_number(indicators[slot]) for slot in order], dtype=np.float64),
            np.array(steps, dtype=np.int32),
            slots,
        )
        places = [result.slot % slots for result in program.results]
        self._results = np.array(places, dtype=np.int32)
        self._signs = np.array([-1 if each.negative else 1 for each in program.results])

    @classmethod
    def of(cls, program: Program, indicators: Sequence[Indicator]) -> Self | None:
        """The same, if the kernels know all of it."""
        known = all(type(each) in _INDICATORS for each in indicators)
        return cls(program, indicators) if known and program.dtype == np.int8 else None

    def values(
        self, table: Any, rows: slice, finder: UnseenFinder | None = None
    ) -> NDArray[np.int8]:
        """The values of the results, before any is negated, on some rows.

        Shape: ``table`` (rows, features); returns (results, rows of the slice).
        """
        assert kernels.compiled is not None
        columns, ends = self._columns(table, rows), self._ends(finder)
        out = np.empty((len(self._results), rows.stop - rows.start), dtype=np.int8)
        outside = kernels.compiled.crisp_values(
            columns, self._program, self._results, ends, out
        )
        self._look(outside, columns, rows, finder)
        return out

    def winners(
        self,
        factor: int,
        offsets: NDArray[np.int16],
        table: Any,
        rows: slice,
        finder: UnseenFinder | None = None,
    ) -> NDArray[np.int64]:
        """The result that ranks first in each of some rows, in a tie the first of them.

        A rank is the result times the factor plus its offset.

        Shape: ``table`` (rows, features); returns (rows of the slice,).
        """
        assert kernels.compiled is not None
        columns, ends = self._columns(table, rows), self._ends(finder)
        factors = (factor * self._signs).astype(np.int16)
        out = np.empty(rows.stop - rows.start, dtype=np.int64)
        outside = kernels.compiled.crisp_winners(
            columns, self._program, self._results, factors, offsets, ends, out
        )
        self._look(outside, columns, rows, finder)
        return out

    def _columns(self, table: Any, rows: slice) -> tuple[NDArray[Any], ...]:
        return tuple(readable(table[rows, feature]) for feature in self._features)

    def _ends(self, finder: UnseenFinder | None) -> NDArray[np.float64]:
        """Numbers outside of these are told to the finder. Shape: (columns, 2)."""
        everything = (-np.inf, np.inf)
        ends = [finder.ends(at) if finder else everything for at in self._features]
        return np.array(ends, dtype=np.float64)

    def _look(
        self,
        outside: list[int],
        columns: tuple[NDArray[Any], ...],
        rows: slice,
        finder: UnseenFinder | None,
    ) -> None:
        for at in outside:  # hardly ever
            assert finder is not None
            column = columns[at].astype(np.float64, copy=False)
            finder.look(self._features[at], rows.start, column)


def readable(column: NDArray[Any]) -> NDArray[Any]:
    """A column as the kernels read it: in place, unless its numbers are of a rare type.

    >>> column = np.arange(3, dtype=np.uint8)
    >>> readable(column) is column, readable(column.astype(">f4")).dtype
    (True, dtype('float64'))
    """
    known = column.dtype.char in "?bBhHiIlLqQfd" and column.dtype.isnative
    return column if known else column.astype(np.float64)


def _number(indicator: Indicator) -> float:
    """The threshold or the code that an indicator asks for, if it does."""
    match indicator:
        case Step(threshold=threshold):
            return threshold
        case Level(code=code):
            return float(code)
    return 0.0
