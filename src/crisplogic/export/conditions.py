"""Conditions on raw columns: when a statement holds, and when it fails.

A statement of Kleene's logic is a pair of conditions, neither of which is ever unknown. It is
unknown where both are false. So every language can compute it with comparisons, *and* and
*or*: a comparison with a missing value is not true, neither in SQL nor with NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeGuard

from crisplogic.algebra import FALSE, TRUE
from crisplogic.errors import ExportError
from crisplogic.expr import And, Const, Expr, Or, Squash, Sum, Var, Xor, split_sign

# Numbers; texts; truth values, which are 0 and 1.
Kind = Literal["number", "text", "truth"]
Sign = Literal[">", ">=", "<", "<="]
# More comparisons than this in one statement are no rule that a person reads.
MOST_TESTS = 20_000


@dataclass(frozen=True)
class Column:
    """A raw column that rules read. ``values`` are those that are known, if it is no number."""

    name: str
    kind: Kind
    values: tuple[str, ...] | tuple[float, ...] = ()


@dataclass(frozen=True)
class Compare:
    """The value is above a number, at least it, below it or at most it."""

    column: Column
    sign: Sign
    number: float


@dataclass(frozen=True)
class OneOf:
    """The value is one of these; if ``negated`` it is none of them, but is not missing."""

    column: Column
    values: tuple[str, ...] | tuple[float, ...]
    negated: bool = False


@dataclass(frozen=True)
class Gap:
    """The value is missing, or it is not."""

    column: Column
    missing: bool


@dataclass(frozen=True)
class Every:
    """All of these conditions, two or more."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Some:
    """At least one of these conditions, of two or more."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Fixed:
    """Always, or never."""

    value: bool


Test: TypeAlias = Compare | OneOf | Gap
Condition: TypeAlias = Test | Every | Some | Fixed


@dataclass(frozen=True)
class Truth:
    """When something holds, and when it fails; in between it is unknown."""

    holds: Condition
    fails: Condition

    def __invert__(self) -> Truth:
        return Truth(self.fails, self.holds)


def decide(expr: Expr, literal: Callable[[int], Truth]) -> Truth:
    """When an expression of yes/no logic holds and when it fails; ``literal`` tells of inputs.

    >>> from crisplogic.expr import parse
    >>> x, y = Column("x", "number"), Column("y", "number")
    >>> truths = [Truth(Compare(c, ">", 1.0), Compare(c, "<=", 1.0)) for c in (x, y)]
    >>> found = decide(parse("0 | ~1"), truths.__getitem__)
    >>> [(type(each).__name__, [part.sign for part in each.parts])
    ...  for each in (found.holds, found.fails)]
    [('Some', ['>', '<=']), ('Every', ['<=', '>'])]
    """
    bare, sign = split_sign(expr)
    truth = _decide(bare, literal)
    return truth if sign > 0 else ~truth


def _decide(expr: Expr, literal: Callable[[int], Truth]) -> Truth:
    match expr:
        case Var(index=index):
            return literal(index)
        case Const(value=value):
            return Truth(Fixed(value == TRUE), Fixed(value == FALSE))
        case And(operands=operands) | Or(operands=operands):
            truths = [decide(part, literal) for part in operands]
            holds = tuple(each.holds for each in truths)
            fails = tuple(each.fails for each in truths)
            if isinstance(expr, And):
                return Truth(every(*holds), some(*fails))
            return Truth(some(*holds), every(*fails))
        case Xor(operands=operands):
            first, *rest = (decide(part, literal) for part in operands)
            for truth in rest:
                first = _exclusive(first, truth)
            return first
        case Squash(operand=Sum(terms=terms)):
            return _vote([decide(term, literal) for term in terms])
    raise TypeError(f"{type(expr).__name__} is no part of yes/no logic")


def _vote(truths: list[Truth]) -> Truth:
    """More than half hold, or more than half fail."""
    needed = len(truths) // 2 + 1
    return Truth(
        _at_least(needed, tuple(each.holds for each in truths)),
        _at_least(needed, tuple(each.fails for each in truths)),
    )


def _at_least(needed: int, parts: tuple[Condition, ...]) -> Condition:
    """So many of some conditions; constants among them are counted at once."""
    needed -= sum(part == Fixed(True) for part in parts)
    left = tuple(part for part in parts if not isinstance(part, Fixed))
    if needed <= 0 or needed > len(left):
        return Fixed(needed <= 0)
    if math.comb(len(left), needed) * needed > MOST_TESTS:
        raise ExportError("a count of so many statements is too long to be written")
    return _some_of(needed, left)


def _some_of(needed: int, parts: tuple[Condition, ...]) -> Condition:
    if needed == 1:
        return some(*parts)
    if needed == len(parts):
        return every(*parts)
    first, rest = parts[0], parts[1:]
    return some(every(first, _some_of(needed - 1, rest)), _some_of(needed, rest))


def _exclusive(a: Truth, b: Truth) -> Truth:
    """One of two holds and the other fails. Its length doubles with every operand."""
    if count_tests(a.holds) > MOST_TESTS:
        raise ExportError("an exclusive or of so many operands is too long to be written")
    return Truth(
        some(every(a.holds, b.fails), every(a.fails, b.holds)),
        some(every(a.holds, b.holds), every(a.fails, b.fails)),
    )


def every(*parts: Condition) -> Condition:
    """All of some conditions, as short as it can be written.

    >>> x = Column("x", "number")
    >>> above = Compare(x, ">", 1.0)
    >>> every(above, Gap(x, False)) == above, every(above, Gap(x, True))
    (True, Fixed(value=False))
    """
    return _joined(Every, parts, neutral=True)


def some(*parts: Condition) -> Condition:
    """At least one of some conditions, as short as it can be written.

    >>> x = Column("x", "number")
    >>> some(Compare(x, ">", 1.0), Gap(x, False))
    Gap(column=Column(name='x', kind='number', values=()), missing=False)
    """
    return _joined(Some, parts, neutral=False)


def _joined(
    kind: type[Every] | type[Some], parts: tuple[Condition, ...], neutral: bool
) -> Condition:
    flat = [each for part in parts for each in (part.parts if type(part) is kind else (part,))]
    left = dict.fromkeys(each for each in flat if each != Fixed(neutral))
    if Fixed(not neutral) in left or (kind is Every and _has_gap_and_value(left)):
        return Fixed(not neutral)
    kept = tuple(each for each in left if not _follows(each, left, kind))
    return kind(kept) if len(kept) > 1 else kept[0] if kept else Fixed(neutral)


def _has_gap_and_value(parts: Collection[Condition]) -> bool:
    """Whether a column has to be missing, and to have a value."""
    missing = {each.column for each in parts if isinstance(each, Gap) and each.missing}
    return any(isinstance(each, Compare | OneOf) and each.column in missing for each in parts)


def _follows(
    part: Condition, parts: Collection[Condition], kind: type[Every] | type[Some]
) -> bool:
    """Whether another part says as much: what compares a value says that there is one."""
    if kind is Every:
        return _is_there(part) and any(
            isinstance(each, Compare | OneOf) and each.column == part.column for each in parts
        )
    return isinstance(part, Compare | OneOf) and Gap(part.column, False) in parts


def _is_there(part: Condition) -> TypeGuard[Gap]:
    return isinstance(part, Gap) and not part.missing


def tests_in(condition: Condition) -> Iterator[Test]:
    """The comparisons in a condition, from left to right."""
    if isinstance(condition, Every | Some):
        for part in condition.parts:
            yield from tests_in(part)
    elif not isinstance(condition, Fixed):
        yield condition


def count_tests(condition: Condition) -> int:
    """How many comparisons a condition has."""
    return sum(1 for _ in tests_in(condition))
