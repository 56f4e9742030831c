"""Every expression that can be made has a meaning; nodes are plain, equal, immutable data."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import reduce
from typing import Any

import pytest
from hypothesis import given

from crisplogic.errors import ExpressionError
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor, parse, total
from crisplogic.expr.nodes import MAX_DEPTH, Operation, squashed
from tests.strategies import expressions

A, B, C = Var(0), Var(1), Var(2)
SCORE = Sum((A, B))


@pytest.mark.parametrize("value", [0.5, 2, -2, float("nan"), float("inf"), "true", None])
def test_a_constant_is_true_false_or_unknown(value: Any) -> None:
    with pytest.raises(ExpressionError, match=r"true .* false .* or unknown"):
        Const(value)


@pytest.mark.parametrize("index", [-1, 1.0, True, "0", None])
def test_an_input_is_a_whole_number_from_0(index: Any) -> None:
    with pytest.raises(ExpressionError, match="counted from 0"):
        Var(index)


@pytest.mark.parametrize("kind", [And, Or, Xor])
@pytest.mark.parametrize("operands", [(), (A,), [A, B], None])
def test_an_operation_needs_a_tuple_of_two_operands(
    kind: type[Operation], operands: Any
) -> None:
    with pytest.raises(ExpressionError, match=f"'{kind.__name__.lower()}' needs a tuple"):
        kind(operands)


@pytest.mark.parametrize("terms", [(), (A,), [A, B], None])
def test_a_sum_needs_a_tuple_of_two_terms(terms: Any) -> None:
    with pytest.raises(ExpressionError, match="two or more terms"):
        Sum(terms)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Not(SCORE),
        lambda: And((A, SCORE)),
        lambda: Or((SCORE, A)),
        lambda: Xor((A, B, SCORE)),
        lambda: Sum((A, SCORE)),
        lambda: ~SCORE,
        lambda: A & SCORE,
    ],
)
def test_a_score_cannot_be_an_operand_without_its_tanh(build: Callable[[], Expr]) -> None:
    with pytest.raises(ExpressionError, match=r"wrap it in Squash"):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda stranger: Not(stranger),
        lambda stranger: And((A, stranger)),
        lambda stranger: Sum((A, stranger)),
        lambda stranger: Squash(stranger),
        lambda stranger: A | stranger,
        lambda stranger: A + stranger,
    ],
)
@pytest.mark.parametrize("stranger", [0, "0", None, (A, B)])
def test_only_expressions_can_be_parts(build: Callable[[Any], Expr], stranger: Any) -> None:
    with pytest.raises(ExpressionError, match="needs expressions, got"):
        build(stranger)


def test_an_expression_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="constant"):
        Const(3)


def test_python_operators_build_nodes() -> None:
    assert Not(A) == ~A
    assert And((A, B)) == A & B
    assert Or((A, B)) == A | B
    assert Xor((A, B)) == A ^ B
    assert Sum((A, B)) == A + B


@pytest.mark.parametrize("text", ["0 & 1 & 2", "0 | 1 | 2", "0 ^ 1 ^ 2", "0 + 1 + 2"])
def test_python_operators_mean_what_they_mean_in_text(text: str) -> None:
    symbol = {"&": operator.and_, "|": operator.or_, "^": operator.xor, "+": operator.add}
    assert reduce(symbol[text[2]], (A, B, C)) == parse(text)


def test_brackets_on_the_right_are_kept() -> None:
    assert And((A, And((B, C)))) == A & (B & C)


def test_sums_of_sums_are_one_sum() -> None:
    assert Sum((A, B, C, A)) == (A + B) + (C + A)
    assert total([A + B, C]) == Sum((A, B, C))


def test_the_total_of_nothing_is_unknown_and_of_one_term_that_term() -> None:
    assert total([]) == Const(0.0)
    assert total(iter([~A])) == ~A
    assert total([A, B]) == Sum((A, B))


def test_only_a_sum_gets_a_tanh() -> None:
    assert squashed(SCORE) == Squash(SCORE)
    assert squashed(A & B) == A & B


def test_nodes_of_different_kinds_differ() -> None:
    nodes = [And((A, B)), Or((A, B)), Xor((A, B)), Sum((A, B)), Not(A), Squash(A), Var(1)]
    assert len({*nodes, Const(1.0)}) == len(nodes) + 1
    assert len(set(map(hash, nodes))) == len(nodes)


def test_nodes_differ_from_what_is_no_node() -> None:
    assert Var(0) != 0
    assert And((A, B)) != (A, B)


def test_equal_nodes_have_equal_hashes() -> None:
    assert Const(1) == Const(1.0)
    assert hash(Const(-0.0)) == hash(Const(0.0))
    assert hash(And((Var(7), Not(Var(8))))) == hash(Var(7) & ~Var(8))


def test_the_order_of_operands_matters_until_simplified() -> None:
    assert A & B != B & A


def test_nodes_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        A.index = 1  # type: ignore[misc]


def test_a_node_prints_as_the_code_that_makes_it() -> None:
    expr = ~(A & Squash(B + Const(1.0)))
    assert eval(repr(expr)) == expr


@given(expressions)
def test_copies_are_equal_in_every_way(expr: Expr) -> None:
    for twin in (pickle.loads(pickle.dumps(expr)), copy.deepcopy(expr), copy.copy(expr)):
        assert twin == expr
        assert hash(twin) == hash(expr)
        assert repr(twin) == repr(expr)


def nested(levels: int) -> Expr:
    """An expression of exactly so many levels that no law makes any flatter."""
    expr: Expr = Var(0)
    for level in range(levels):
        kind = And if level % 2 else Or
        expr = kind((expr, Var(level + 1)))
    return expr


def test_deeper_nesting_than_anyone_reads_is_refused() -> None:
    nested(MAX_DEPTH)
    with pytest.raises(ExpressionError, match="at most 64 levels deep"):
        nested(MAX_DEPTH + 1)


@pytest.mark.parametrize("wrap", [Not, Squash])
def test_nots_and_tanhs_nest_too(wrap: Callable[[Expr], Expr]) -> None:
    expr: Expr = A
    for _ in range(MAX_DEPTH):
        expr = wrap(expr)
    with pytest.raises(ExpressionError, match="levels deep"):
        wrap(expr)


def test_the_deepest_expression_can_be_printed_copied_and_compared() -> None:
    expr = nested(MAX_DEPTH)
    assert pickle.loads(pickle.dumps(expr)) == expr == copy.deepcopy(expr)
    assert repr(expr).count("And") == MAX_DEPTH // 2


def test_many_operands_are_not_deep() -> None:
    literals = [Var(index) for index in range(500)]
    assert reduce(operator.and_, literals) == And(tuple(literals))


def test_hashing_takes_no_longer_for_what_is_shared() -> None:
    expr: Expr = Var(0)
    for _ in range(MAX_DEPTH):
        expr = Xor((expr, expr))  # written out it would have 2**64 inputs
    assert len({expr, expr}) == 1
