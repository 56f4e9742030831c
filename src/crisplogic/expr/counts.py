"""Counts in yes/no logic: at least so many of some expressions, exactly so many, or between.

A unit of the paper's network is the tanh of a sum. In yes/no logic, such a sum is rounded to
a vote: it is true if more than half of its terms are, and false if more than half are false.
Constants among the terms move what is needed: *at least two of six* is the vote of the six
and of three that are true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crisplogic.algebra import TRUE
from crisplogic.errors import ExpressionError
from crisplogic.expr.negations import push_negations
from crisplogic.expr.nodes import And, Const, Expr, Or, Squash, Sum, split_sign

# A vote of more terms is not read, and takes long to compute.
MOST_TERMS = 99


class Count(NamedTuple):
    """That at least ``least`` and at most ``most`` of some expressions hold."""

    least: int
    most: int
    parts: tuple[Expr, ...]


def at_least(least: int, parts: Sequence[Expr]) -> Expr:
    """That so many expressions hold, or more.

    >>> from crisplogic.expr import Var, to_text
    >>> three = [Var(0), Var(1), Var(2)]
    >>> [to_text(at_least(least, three)) for least in (1, 3)]
    ['0 | 1 | 2', '0 & 1 & 2']
    >>> to_text(at_least(2, three)), to_text(at_least(2, [*three, Var(3)]) & Var(4))
    ('tanh(0 + 1 + 2)', '(0 + 1 + 2 + 3 + true) & 4')
    """
    if least in (1, len(parts)):
        return (Or if least == 1 else And)(tuple(parts))
    shift = len(parts) - 2 * least + 1
    constants = [Const(TRUE if shift > 0 else -TRUE)] * abs(shift)
    return Squash(Sum((*parts, *constants)))


def between(least: int, most: int, parts: Sequence[Expr]) -> Expr:
    """That so many expressions hold, no fewer and no more; not all of them and not none.

    >>> from crisplogic.expr import Var, to_text
    >>> to_text(between(1, 2, [Var(0), Var(1), Var(2), Var(3)]))
    '(0 | 1 | 2 | 3) & (¬0 + ¬1 + ¬2 + ¬3 + true)'
    """
    others = [push_negations(part, negated=True) for part in parts]
    return And((at_least(least, parts), at_least(len(parts) - most, others)))


def read_count(expr: Expr) -> Count | None:
    """An expression as a count, if it is one; those by *and* or *or* alone are none.

    >>> from crisplogic.expr import Var
    >>> four = [Var(0), Var(1), Var(2), Var(3)]
    >>> [read_count(each)[:2] for each in (at_least(2, four), between(2, 2, four))]
    [(2, 4), (2, 2)]
    """
    if isinstance(expr, Squash):
        return _read_vote(expr)
    if not (isinstance(expr, And) and len(expr.operands) == 2):
        return None
    first, second = expr.operands
    if not (isinstance(first, Squash) or isinstance(second, Squash)):
        return None
    low, high = _read_either(first), _read_either(second)
    if low is None or high is None:
        return None
    if tuple(push_negations(part, negated=True) for part in low.parts) != high.parts:
        return None
    return Count(low.least, len(low.parts) - high.least, low.parts)


def _read_either(expr: Expr) -> Count | None:
    if isinstance(expr, Or):
        return Count(1, len(expr.operands), expr.operands)
    return _read_vote(expr) if isinstance(expr, Squash) else None


def _read_vote(expr: Squash) -> Count | None:
    terms = expr.operand.terms if isinstance(expr.operand, Sum) else (expr.operand,)
    parts = tuple(term for term in terms if not isinstance(term, Const))
    true = sum(term == Const(TRUE) for term in terms)
    least = len(terms) // 2 + 1 - true
    return Count(least, len(parts), parts) if 0 < least <= len(parts) else None


def check_vote(expr: Squash) -> None:
    """Raise unless a vote is never even, and simple enough that no law changes it."""
    terms = expr.operand.terms if isinstance(expr.operand, Sum) else ()
    signs = {_signed(term) for term in terms}
    contrary = any((bare, -sign) in signs for bare, sign in signs)
    if len(terms) % 2 == 0 or len(terms) > MOST_TERMS or contrary or _read_vote(expr) is None:
        raise ExpressionError(
            "a sum inside yes/no logic is true if more than half of its terms are: it needs an "
            f"odd number of terms, at most {MOST_TERMS}, none beside its negation, and may "
            "neither be always true nor always false; add + true or + false"
        )


def _signed(term: Expr) -> tuple[Expr, int]:
    if isinstance(term, Const):
        return Const(abs(term.value)), int(term.value)  # unknown is its own negation
    return split_sign(term)
