"""Walking: parts before wholes, each once; rebuilding keeps the kind."""

from __future__ import annotations

import pytest
from hypothesis import given

from crisplogic.expr import Const, Expr, Squash, Sum, Var, Xor, parse
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.expr.walk import map_children, unique_nodes
from tests.strategies import expressions


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0", []),
        ("true", []),
        ("~0", ["0"]),
        ("0 & 1 & 2", ["0", "1", "2"]),
        ("0 + ~1", ["0", "~1"]),
        ("tanh(0 + 1)", ["0 + 1"]),
        ("(0 & 1) | 2", ["0 & 1", "2"]),
    ],
)
def test_children_are_the_direct_parts(text: str, parts: list[str]) -> None:
    assert parse(text).parts == tuple(map(parse, parts))


@given(expressions)
def test_mapping_children_to_themselves_changes_nothing(expr: Expr) -> None:
    assert map_children(expr, lambda part: part) == expr


def test_mapping_children_keeps_the_kind_of_node() -> None:
    flip: dict[Expr, Expr] = {Var(0): Var(1), Var(1): Var(0)}
    for text in ("0 & 1", "0 | 1", "0 ^ 1", "0 + 1"):
        assert map_children(parse(text), flip.__getitem__) == parse(f"1{text[1:-1]}0")


@given(expressions)
def test_parts_come_before_wholes_and_each_once(expr: Expr) -> None:
    order = list(unique_nodes([expr, expr]))
    assert len(order) == len(set(order))
    assert order[-1] == expr
    position = {node: place for place, node in enumerate(order)}
    for node in order:
        assert all(position[part] < position[node] for part in node.parts)


def test_what_expressions_share_comes_once_though_made_twice() -> None:
    order = list(unique_nodes([parse("(0 & 1) | 2"), parse("~(0 & 1)")]))
    assert order == list(map(parse, ["0", "1", "0 & 1", "2", "(0 & 1) | 2", "~(0 & 1)"]))


def test_shared_parts_are_walked_once_however_often_they_are_used() -> None:
    expr: Expr = Var(0)
    for level in range(MAX_DEPTH // 2):
        expr = Squash(Sum((expr, expr))) if level % 2 else Xor((expr, Const(-1.0), expr))
    assert len(list(unique_nodes([expr]))) <= MAX_DEPTH + 2
