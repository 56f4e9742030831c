"""Sizes as a person counts them on the printed page, where what is shared has a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from crisplogic.expr import Expr, Size, Squash, Sum, Var, measure, parse, shared_parts, to_text
from crisplogic.expr.walk import unique_nodes
from tests.strategies import INPUTS, expressions


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("true", Size(literals=0, operators=0, depth=0)),
        ("0", Size(literals=1, operators=0, depth=0)),
        ("~0", Size(literals=1, operators=1, depth=0)),
        ("~~0", Size(literals=1, operators=2, depth=0)),
        ("0 & 1", Size(literals=2, operators=1, depth=1)),
        ("0 & 0", Size(literals=2, operators=1, depth=1)),
        ("0 & 1 & 2 & 3", Size(literals=4, operators=3, depth=1)),
        ("0 & true", Size(literals=1, operators=1, depth=1)),
        ("~(0 | ~1)", Size(literals=2, operators=3, depth=1)),
        ("tanh(0)", Size(literals=1, operators=0, depth=0)),
        ("tanh(0 + 1) ^ 2", Size(literals=3, operators=2, depth=2)),
        ("(0 | 3) + (1 | 5)", Size(literals=4, operators=3, depth=2)),
        ("(~0 & 1) + (~0 & 2)", Size(literals=4, operators=5, depth=2)),
    ],
)
def test_one_expression(text: str, size: Size) -> None:
    assert measure([parse(text)]) == size


def test_nothing_has_no_size() -> None:
    assert measure([]) == Size(0, 0, 0)


def test_what_is_shared_counts_once() -> None:
    # h = 0 & 3;  ¬h | 1;  h + ¬h
    exprs = [parse("~(0 & 3) | 1"), parse("(0 & 3) + ~(0 & 3)")]
    assert measure(exprs) == Size(literals=3, operators=5, depth=2)


def test_a_term_counts_once_however_many_points_it_has() -> None:
    assert measure([parse("5 × (0 & 3) + 2 × (~1)")]) == measure([parse("(0 & 3) + ~1")])
    assert shared_parts([parse("2 × (0 & 3)")]) == []
    assert shared_parts([parse("2 × (0 & 3)"), parse("~(0 & 3)")]) == [parse("0 & 3")]


def test_a_literal_counts_wherever_it_is_mentioned() -> None:
    assert measure([Var(0), Var(0), ~Var(0)]) == Size(literals=3, operators=1, depth=0)


def test_any_iterable_of_expressions_can_be_measured() -> None:
    assert measure(iter([parse("0 & 1"), parse("2")])) == Size(3, 1, 1)


@given(expressions)
def test_what_is_counted_is_what_is_printed(expr: Expr) -> None:
    parts = shared_parts([expr])
    lines = [
        to_text(part, shared={other: "h" for other in parts if other != part})
        for part in [*parts, *([expr] if expr not in parts else [])]
    ]
    text = re.sub(r"\d+ × ", "", "\n".join(lines).replace("tanh", ""))
    size = measure([expr])
    assert size.literals == sum(text.count(str(index)) for index in range(INPUTS))
    assert size.operators == sum(text.count(symbol) for symbol in "¬&|⊕+")


def test_a_part_is_shared_if_it_is_mentioned_twice() -> None:
    assert shared_parts([parse("(0 & 3) | 1"), parse("(0 & 3) + 2")]) == [parse("0 & 3")]
    assert shared_parts([parse("(0 & 3) + 1 + (0 & 3)")]) == [parse("0 & 3")]
    assert shared_parts([parse("0 & 3"), parse("0 & 3")]) == [parse("0 & 3")]


def test_a_part_is_shared_though_it_is_always_negated() -> None:
    assert shared_parts([parse("~(0 & 3) | 1"), parse("~(0 & 3) + 2")]) == [parse("0 & 3")]


def test_literals_and_constants_are_too_small_to_be_shared() -> None:
    assert shared_parts([parse("0 & ~1 & true"), parse("0 | ~1 | true")]) == []


def test_inside_a_shared_part_is_looked_at_once() -> None:
    shared = parse("(0 & 1) | 2")
    assert shared_parts([shared ^ Var(3), shared ^ Var(4)]) == [shared]


def test_shared_parts_come_before_what_they_are_part_of() -> None:
    inner, outer = parse("0 & 1"), parse("(0 & 1) | 2")
    assert shared_parts([outer ^ Var(3), outer ^ Var(4), ~inner]) == [inner, outer]


def test_the_tanh_of_a_sum_is_shared_as_one() -> None:
    hidden = Squash(Sum((Var(0), Var(1))))
    assert shared_parts([hidden & Var(2), hidden & Var(3)]) == [hidden]


@given(expressions)
def test_shared_parts_are_parts(expr: Expr) -> None:
    assert set(shared_parts([expr])) <= set(unique_nodes([expr]))
