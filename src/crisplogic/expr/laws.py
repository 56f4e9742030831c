"""The laws of logic that simplify: one function for each law, which its docstring states.

The laws in :data:`EXACT` hold for every value in [-1, 1]. :data:`CRISP` adds laws that hold
only where every input is exactly true or false: on fuzzy values, they would change scores.
:data:`KLEENE` are the laws for inputs that are true, false or unknown, in Kleene's logic.
:data:`NEGATIONS` are the exact laws that keep the order of all operands and terms.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from math import prod
from typing import NamedTuple
from weakref import WeakKeyDictionary

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
    negate,
    split_sign,
    total,
)

Law = Callable[[Expr], Expr]

# Nested operations become one of at most so many operands.
MAX_FLAT = 1000

_TRUE, _FALSE, _UNKNOWN = Const(TRUE), Const(FALSE), Const(UNKNOWN)
_DUAL: dict[type[Operation], type[Operation]] = {And: Or, Or: And}
# The constant that leaves the other operands as they are, and the one that decides alone.
_NEUTRAL: dict[type[Operation], Const] = {And: _TRUE, Or: _FALSE}
_DECIDING: dict[type[Operation], Const] = {And: _FALSE, Or: _TRUE}


def double_negation(expr: Expr) -> Expr:
    """``¬¬x -> x``"""
    match expr:
        case Not(operand=Not(operand=x)):
            return x
    return expr


def negated_constant(expr: Expr) -> Expr:
    """``¬true -> false``, ``¬false -> true``, ``¬unknown -> unknown``"""
    match expr:
        case Not(operand=Const(value=value)):
            return Const(UNKNOWN - value)
    return expr


def associativity(expr: Expr) -> Expr:
    """``(x & y) & z -> x & y & z``, likewise for ``|`` and ``⊕``"""
    if not isinstance(expr, Operation):
        return expr
    kind = type(expr)
    groups = [
        operand.operands if isinstance(operand, kind) else (operand,)
        for operand in expr.operands
    ]
    # Expressions share parts: written out in one row, they could have any number of operands.
    if sum(map(len, groups)) > max(MAX_FLAT, len(expr.operands)):
        return expr
    return kind(tuple(chain.from_iterable(groups)))


def constant_operand(expr: Expr) -> Expr:
    """``x & true -> x``, ``x & false -> false``, ``x | false -> x``, ``x | true -> true``"""
    if not isinstance(expr, And | Or):
        return expr
    kind = type(expr)
    if _DECIDING[kind] in expr.operands:
        return _DECIDING[kind]
    rest = [operand for operand in expr.operands if operand != _NEUTRAL[kind]]
    return _join(kind, rest, empty=_NEUTRAL[kind])


def constant_in_xor(expr: Expr) -> Expr:
    """``x ⊕ false -> x``, ``x ⊕ true -> ¬x``, ``x ⊕ unknown -> unknown``"""
    if not isinstance(expr, Xor):
        return expr
    if _UNKNOWN in expr.operands:
        return _UNKNOWN
    rest = [operand for operand in expr.operands if operand not in (_TRUE, _FALSE)]
    odd = expr.operands.count(_TRUE) % 2 == 1
    result = _join(Xor, rest, empty=_FALSE)
    return Not(result) if odd else result


def negation_out_of_xor(expr: Expr) -> Expr:
    """``¬x ⊕ y -> ¬(x ⊕ y)``"""
    if not isinstance(expr, Xor) or _negated(expr.operands) == 0:
        return expr
    operands, signs = zip(*map(split_sign, expr.operands), strict=True)
    bare = Xor(operands)
    return Not(bare) if prod(signs) < 0 else bare


def de_morgan_outwards(expr: Expr) -> Expr:
    """``¬x & ¬y -> ¬(x | y)`` and its dual, where it saves a not"""
    if isinstance(expr, And | Or) and _saves_a_not(expr.operands):
        return Not(_DUAL[type(expr)](tuple(map(_flip, expr.operands))))
    return expr


def de_morgan_inwards(expr: Expr) -> Expr:
    """``¬(¬x & y) -> x | ¬y`` and its dual, where it saves a not"""
    match expr:
        case Not(operand=And() | Or() as inner):
            nots_after = len(inner.operands) - _negated(inner.operands)
            if nots_after < 1 + _negated(inner.operands):
                return _DUAL[type(inner)](tuple(map(_flip, inner.operands)))
    return expr


def negation_out_of_tanh(expr: Expr) -> Expr:
    """``tanh(¬x) -> ¬tanh(x)``, ``tanh(¬x + ¬y) -> ¬tanh(x + y)`` where it saves a not"""
    match expr:
        case Squash(operand=Not(operand=x)):
            return Not(Squash(x))
        case Squash(operand=Sum(terms=terms)) if _saves_a_not(terms):
            return Not(Squash(Sum(tuple(map(_flip, terms)))))
    return expr


def tanh_of_unknown(expr: Expr) -> Expr:
    """``tanh(unknown) -> unknown``"""
    return _UNKNOWN if expr == Squash(_UNKNOWN) else expr


def unknown_term(expr: Expr) -> Expr:
    """``x + unknown -> x``"""
    if isinstance(expr, Sum):
        return total(term for term in expr.terms if term != _UNKNOWN)
    return expr


def cancelling_terms(expr: Expr) -> Expr:
    """``x + ¬x + y -> y``, ``true + false -> unknown``"""
    if not isinstance(expr, Sum):
        return expr
    balance: Counter[Expr] = Counter()
    for term in expr.terms:
        positive, sign = (_TRUE, -1) if term == _FALSE else split_sign(term)
        balance[positive] += sign
    return total(
        term if count > 0 else _flip(term)
        for term, count in balance.items()
        for _ in range(abs(count))
    )


def commutativity(expr: Expr) -> Expr:
    """``y & x -> x & y``: operands and terms in one fixed order"""
    if isinstance(expr, Operation):
        return type(expr)(_sort(expr.operands))
    if isinstance(expr, Sum):
        return Sum(_sort(expr.terms))
    return expr


def idempotence(expr: Expr) -> Expr:
    """``x & x -> x``, ``x | x -> x`` (crisp values only)"""
    if isinstance(expr, And | Or) and expr.is_crisp:
        return _join(type(expr), list(dict.fromkeys(expr.operands)), empty=expr)
    return expr


def complement(expr: Expr) -> Expr:
    """``x & ¬x -> false``, ``x | ¬x -> true`` (crisp values only)"""
    if isinstance(expr, And | Or) and expr.is_crisp:
        operands = set(expr.operands)
        if any(_flip(operand) in operands for operand in operands):
            return _DECIDING[type(expr)]
    return expr


def absorption(expr: Expr) -> Expr:
    """``x & (x | y) -> x``, ``x | (x & y) -> x`` (crisp values only)"""
    if not isinstance(expr, And | Or) or not expr.is_crisp:
        return expr
    dual = _DUAL[type(expr)]
    others = set(expr.operands)
    rest = [
        operand
        for operand in expr.operands
        if not (isinstance(operand, dual) and others.intersection(operand.operands))
    ]
    return _join(type(expr), rest, empty=expr)


def distributivity(expr: Expr) -> Expr:
    """``(x & y) | (x & z) -> x & (y | z)`` and its dual (crisp values only)"""
    if not isinstance(expr, And | Or) or not expr.is_crisp:
        return expr
    kind, dual = type(expr), _DUAL[type(expr)]
    if not all(isinstance(operand, dual) for operand in expr.operands):
        return expr
    everywhere = set.intersection(*(set(operand.parts) for operand in expr.operands))
    if not everywhere:
        return expr
    common = [part for part in expr.operands[0].parts if part in everywhere]
    rests = [
        [part for part in operand.parts if part not in everywhere] for operand in expr.operands
    ]
    inner = _join(kind, [_join(dual, rest, empty=_NEUTRAL[dual]) for rest in rests], expr)
    return _join(dual, [*common, inner], empty=expr)


def self_in_xor(expr: Expr) -> Expr:
    """``x ⊕ x -> false`` (crisp values only)"""
    if not isinstance(expr, Xor) or not expr.is_crisp:
        return expr
    odd = [operand for operand, count in Counter(expr.operands).items() if count % 2]
    return _join(Xor, odd, empty=_FALSE)


EXACT: tuple[Law, ...] = (
    double_negation,
    negated_constant,
    associativity,
    constant_operand,
    constant_in_xor,
    negation_out_of_xor,
    de_morgan_outwards,
    de_morgan_inwards,
    negation_out_of_tanh,
    tanh_of_unknown,
    unknown_term,
    cancelling_terms,
    commutativity,
)
CRISP: tuple[Law, ...] = (
    *EXACT,
    idempotence,
    complement,
    absorption,
    distributivity,
    self_in_xor,
)
# Where x is unknown, so are x & ¬x and x ⊕ x: neither is false.
KLEENE: tuple[Law, ...] = (*EXACT, idempotence, absorption, distributivity)

# These change nothing but where negations stand. A value and its negation are rounded alike,
# so not even the last digit of a value changes.
NEGATIONS: tuple[Law, ...] = (
    double_negation,
    negated_constant,
    negation_out_of_xor,
    de_morgan_outwards,
    de_morgan_inwards,
    negation_out_of_tanh,
)


def _join(kind: type[Operation], operands: list[Expr], empty: Expr) -> Expr:
    """One operation on the operands; ``empty`` of none, and of one the operand itself."""
    if not operands:
        return empty
    return operands[0] if len(operands) == 1 else kind(tuple(operands))


def _flip(expr: Expr) -> Expr:
    """The negation of a logic value, without a double not; that of a constant is a constant."""
    return negated_constant(negate(expr))


def _negated(operands: Iterable[Expr]) -> int:
    return sum(isinstance(operand, Not) for operand in operands)


def _saves_a_not(operands: tuple[Expr, ...]) -> bool:
    """Whether flipping every operand and negating the whole leaves fewer nots."""
    return 1 + len(operands) - _negated(operands) < _negated(operands)


class _Order(NamedTuple):
    """The key to sort expressions by: the first input they mention, then their shape."""

    first: int
    mentioned: int
    inputs: tuple[int, ...]
    parts: tuple[_Order, ...]
    kind: str
    value: float


# The keys of nodes that exist. Nodes share parts, and so do their keys, so that comparing
# keys is fast and a key is computed once.
_ORDERS: WeakKeyDictionary[Expr, _Order] = WeakKeyDictionary()


def _sort(exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(sorted(exprs, key=_order))


def _order(node: Expr) -> _Order:
    known = _ORDERS.get(node)
    if known is None:
        known = _ORDERS[node] = _compute_order(node, tuple(map(_order, node.parts)))
    return known


def _compute_order(node: Expr, parts: tuple[_Order, ...]) -> _Order:
    mentions = (node.index,) if isinstance(node, Var) else chain(*(x.inputs for x in parts))
    inputs = tuple(dict.fromkeys(mentions))
    value = node.value if isinstance(node, Const) else UNKNOWN
    first = min(inputs, default=sys.maxsize)  # constants stand last
    return _Order(first, len(inputs), inputs, parts, type(node).__name__, value)
