"""Text as in the paper: its own table printed back, brackets, names and shared parts."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.errors import ExpressionError
from crisplogic.expr import (
    ASCII,
    Const,
    Expr,
    Notation,
    Squash,
    Sum,
    Var,
    evaluate,
    parse,
    simplify,
    to_text,
)

A, B, C = Var(0), Var(1), Var(2)

# Table II, letter by letter.
TABLE_TWO = {
    "breast cancer c_0": "(0 | 3) + (1 | 5)",
    "breast cancer c_1": "((1 | 3) + (3 | 7)) | ((2 | 8) + (3 | 4) + (5 | 6))",
    "diabetes c_0": "(¬(2 | 4) + 7 + ¬(2 | 6)) | (¬(2 & 6) + ¬0)",
    "diabetes c_1": "(¬(2 + ¬(1 & 5) + 1) & (2 | 6))",
    "vehicle c_0": "¬((0 & 4) | ((6 & 10) + (4 & 16) + (7 & 13)))"
    " + (¬(2 | 16) & ((4 & 9) + (5 & 6)))",
    "vehicle c_1": "(4 & 9) + (5 & 6) + ¬(((0 & 4)) ⊕ (8 & 16))",
    "vehicle c_2": "¬(((3 & 5) + (0 & 4) + (3 & 13)) & (0 & 4))",
    "vehicle c_3": "¬((5 & 15) & (0 & 4))",
}
# Two rules have a pair of brackets too many there: around the whole, and twice around 0 & 4.
WITHOUT_REDUNDANT_BRACKETS = {
    "diabetes c_1": "¬(2 + ¬(1 & 5) + 1) & (2 | 6)",
    "vehicle c_1": "(4 & 9) + (5 & 6) + ¬((0 & 4) ⊕ (8 & 16))",
}


@pytest.mark.parametrize("rule", TABLE_TWO)
def test_the_papers_rules_print_back_as_they_stand_there(rule: str) -> None:
    expected = WITHOUT_REDUNDANT_BRACKETS.get(rule, TABLE_TWO[rule])
    assert to_text(parse(TABLE_TWO[rule])) == expected


@pytest.mark.parametrize("rule", TABLE_TWO)
def test_the_papers_rules_have_finite_values_that_simplifying_keeps(rule: str) -> None:
    expr = parse(TABLE_TWO[rule])
    table = np.random.default_rng(0).uniform(-1, 1, (100, 18))
    values = evaluate(expr, table)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(evaluate(simplify(expr), table), values, atol=1e-12)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Const(1.0), "true"),
        (Const(-1.0), "false"),
        (Const(0.0), "unknown"),
        (~A, "¬0"),
        (~~A, "¬¬0"),
        (~(A & B), "¬(0 & 1)"),
        (~A & B, "¬0 & 1"),
        ((A & B) | C, "(0 & 1) | 2"),
        (A & (B & C), "0 & (1 & 2)"),
        (A ^ B ^ C, "0 ⊕ 1 ⊕ 2"),
        ((A | B) + ~C, "(0 | 1) + ¬2"),
        (Squash(A), "tanh(0)"),
        (Squash(A) & B, "tanh(0) & 1"),
        (Squash(A + B), "tanh(0 + 1)"),
        (Squash(A + B) + C, "tanh(0 + 1) + 2"),
        (Squash(A + B) & C, "(0 + 1) & 2"),
        (~Squash(A + B), "¬(0 + 1)"),
        (Squash(Squash(A + B)), "tanh(tanh(0 + 1))"),
        (~Squash(Squash(A + B)), "¬tanh(tanh(0 + 1))"),
        (Squash(Squash(A + B) & C), "tanh((0 + 1) & 2)"),
    ],
)
def test_brackets_stand_where_the_paper_puts_them(expr: Expr, text: str) -> None:
    assert to_text(expr) == text
    assert parse(text) == expr


def test_plain_ascii_and_notations_of_ones_own() -> None:
    expr = ~(A & B) ^ (B | C)
    assert to_text(expr, notation=ASCII) == "~(0 & 1) ^ (1 | 2)"
    words = Notation(not_="not ", and_="and", or_="or", xor="xor")
    assert to_text(expr, notation=words) == "not (0 and 1) xor (1 or 2)"
    assert parse(to_text(expr, notation=words)) == expr


def test_inputs_appear_under_their_names() -> None:
    assert to_text(~A & B, names=["age", "body mass"]) == '¬age & "body mass"'


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (A, "age>41"),
        (~A, "age<41"),
        (~~A, "¬age<41"),
        (~B & ~C, '"body mass">31.5 & ¬glucose'),
        (~(A & ~B), '¬(age>41 & "body mass">31.5)'),
        (Squash(~A) | ~C, "tanh(age<41) | ¬glucose"),
        (~A + ~B, 'age<41 + "body mass">31.5'),
    ],
)
def test_a_negated_comparison_prints_as_its_contrary(expr: Expr, text: str) -> None:
    names = ["age>41", "body mass<31.5", "glucose"]
    assert to_text(expr, names) == text
    assert parse(text, names) == expr


def test_numbered_inputs_have_no_contrary() -> None:
    assert to_text(~A & B) == "¬0 & 1"


def test_a_negated_input_without_a_name_is_an_error_too() -> None:
    with pytest.raises(ExpressionError, match="only 1 names"):
        to_text(~B, names=["age>41"])


def test_a_shared_name_stands_for_a_negation_before_its_contrary_does() -> None:
    assert to_text(~A & B, names=["age>41", "b"], shared={~A: "young"}) == "young & b"


def test_an_input_without_a_name_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="only 1 names"):
        to_text(A & B, names=["age"])


def test_shared_parts_appear_under_their_names() -> None:
    hidden = Squash(Sum((A, B)))
    expr = ~(A & B) | hidden | (C ^ (A & B))
    text = to_text(expr, shared={A & B: "h1", hidden: "h2"})
    assert text == "¬h1 | h2 | (2 ⊕ h1)"


def test_a_shared_sum_keeps_its_tanh() -> None:
    total = Sum((A, B))
    assert to_text(Squash(total) & C, shared={total: "h"}) == "tanh(h) & 2"


def test_a_whole_that_is_shared_appears_under_its_name_too() -> None:
    assert to_text(A & B, shared={A & B: "h1"}) == "h1"
