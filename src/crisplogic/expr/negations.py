"""Negations moved to the literals, as people say them: not (a and b) is not a, or not b."""

from __future__ import annotations

from collections.abc import Iterable

from crisplogic.algebra import FALSE, TRUE, UNKNOWN
from crisplogic.expr.nodes import (
    And,
    Const,
    Expr,
    Not,
    Operation,
    Or,
    Squash,
    Sum,
    Var,
    Xor,
    split_sign,
)


def push_negations(expr: Expr, negated: bool = False) -> Expr:
    """The same logic with a *not* before literals alone, or before an exclusive or.

    The result is equal in Kleene's logic, unknown values included. Operators of one kind are
    joined, operands that repeat and constants are removed where that changes nothing.

    >>> from crisplogic.expr import parse, to_text
    >>> to_text(push_negations(parse("~(0 & ~(1 | 2) & true)")))
    '¬0 | 1 | 2'
    >>> to_text(push_negations(parse("~(~0 ^ 1)")))
    '0 ⊕ 1'
    """
    return _Pusher().push(expr, negated)


class _Pusher:
    """Looks at each part once, however often it is shared."""

    def __init__(self) -> None:
        self._known: dict[tuple[Expr, bool], Expr] = {}

    def push(self, expr: Expr, negated: bool) -> Expr:
        key = expr, negated
        if key not in self._known:
            self._known[key] = self._push(expr, negated)
        return self._known[key]

    def _push(self, expr: Expr, negated: bool) -> Expr:
        match expr:
            case Const(value=value):
                return Const(-value if negated else value)
            case Var():
                return Not(expr) if negated else expr
            case Not(operand=operand):
                return self.push(operand, not negated)
            case And() | Or():
                return self._join(expr, negated)
            case Xor(operands=operands):
                return self._parity(operands, negated)
            case Squash(operand=Sum(terms=terms)):  # a vote, see counts
                return Squash(Sum(tuple(self.push(term, negated) for term in terms)))
        raise TypeError(f"{type(expr).__name__} is no part of yes/no logic")

    def _join(self, expr: Operation, negated: bool) -> Expr:
        kind = And if isinstance(expr, And) != negated else Or
        neutral, final = (TRUE, FALSE) if kind is And else (FALSE, TRUE)
        parts = (self.push(part, negated) for part in expr.operands)
        every = dict.fromkeys(_flatten(parts, kind))
        if Const(final) in every:
            return Const(final)
        every.pop(Const(neutral), None)
        left = tuple(every)
        return kind(left) if len(left) > 1 else left[0] if left else Const(neutral)

    def _parity(self, operands: Iterable[Expr], negated: bool) -> Expr:
        """An exclusive or of operands without a sign, all of it negated or not."""
        parts: list[Expr] = []
        for operand in operands:
            bare, sign = split_sign(self.push(operand, False))
            negated ^= sign < 0
            if isinstance(bare, Const):
                if bare.value == UNKNOWN:
                    return bare
                negated ^= bare.value == TRUE
            else:
                parts += bare.operands if isinstance(bare, Xor) else (bare,)
        if not parts:
            return Const(TRUE if negated else FALSE)
        joined = Xor(tuple(parts)) if len(parts) > 1 else parts[0]
        return (
            self.push(joined, True) if negated and len(parts) == 1 else _signed(joined, negated)
        )


def _signed(expr: Expr, negated: bool) -> Expr:
    return Not(expr) if negated else expr


def _flatten(parts: Iterable[Expr], kind: type[Operation]) -> Iterable[Expr]:
    for part in parts:
        yield from part.operands if isinstance(part, kind) else (part,)
