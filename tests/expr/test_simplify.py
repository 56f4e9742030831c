"""Simplification: every law on its own, what all keep, and where the crisp ones keep off."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Not, Or, Sum, Var, evaluate, parse, simplify, to_text
from crisplogic.expr.laws import CRISP, EXACT, KLEENE, Law
from crisplogic.expr.nodes import MAX_DEPTH, Operation
from crisplogic.expr.walk import map_children
from tests.strategies import (
    INPUTS,
    crisp_degrees,
    crisp_expressions,
    expressions,
    kleene_expressions,
    tables,
)

Floats = NDArray[np.float64]

LAWS = {law.__name__: law for law in CRISP}
ONLY_CRISP = {law.__name__ for law in CRISP if law not in EXACT}
FUZZY_ROWS = np.random.default_rng(0).uniform(-1, 1, (20, 11))
CRISP_ROWS = np.array([row * 3 for row in itertools.product((-1.0, 1.0), repeat=4)])

KLEENE_ROWS = np.array([row * 3 for row in itertools.product((-1.0, 0.0, 1.0), repeat=4)])
IN_KLEENE = {law.__name__ for law in KLEENE}


class Golden(NamedTuple):
    """One line of laws.txt."""

    law: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.law}: {self.before} -> {self.after}"


def read_laws() -> list[Golden]:
    """The lines of laws.txt: ``law: before -> after`` or ``law: before stays``."""
    lines = Path(__file__).with_name("laws.txt").read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines:
        if line and not line.startswith("#"):
            law, rule = line.split(": ")
            before, _, after = rule.removesuffix(" stays").partition(" -> ")
            rows.append(Golden(law, before, after or before))
    return rows


GOLDEN = read_laws()
WITHOUT_TANH = [row for row in GOLDEN if "tanh" not in row.law and "tanh" not in row.before]
CHANGING_CRISP = [row for row in GOLDEN if row.law in ONLY_CRISP and row.before != row.after]


@pytest.mark.parametrize("row", [row for row in GOLDEN if row.law in LAWS], ids=str)
def test_a_law_says_what_its_line_says(row: Golden) -> None:
    assert to_text(LAWS[row.law](parse(row.before))) == to_text(parse(row.after))


@pytest.mark.parametrize("row", [row for row in GOLDEN if row.law not in LAWS], ids=str)
def test_all_laws_together_say_what_their_line_says(row: Golden) -> None:
    assert row.law in ("exact", "crisp")
    result = simplify(parse(row.before), crisp=row.law == "crisp")
    assert to_text(result) == to_text(parse(row.after))


@pytest.mark.parametrize("law", LAWS)
def test_every_law_has_a_line_and_a_docstring_that_states_it(law: str) -> None:
    assert any(row.law == law and row.before != row.after for row in GOLDEN)
    assert re.match(r"``.+ -> .+``", LAWS[law].__doc__ or "")


@pytest.mark.parametrize("row", [row for row in GOLDEN if row.law not in ONLY_CRISP], ids=str)
def test_lines_of_exact_laws_hold_for_fuzzy_rows(row: Golden) -> None:
    if row.law != "crisp":
        before, after = parse(row.before), parse(row.after)
        np.testing.assert_allclose(
            evaluate(before, FUZZY_ROWS), evaluate(after, FUZZY_ROWS), atol=1e-12
        )


@pytest.mark.parametrize("row", GOLDEN, ids=str)
def test_all_lines_hold_for_crisp_rows(row: Golden) -> None:
    before, after = parse(row.before), parse(row.after)
    np.testing.assert_allclose(
        evaluate(before, CRISP_ROWS), evaluate(after, CRISP_ROWS), atol=1e-12
    )


@pytest.mark.parametrize("row", CHANGING_CRISP, ids=str)
def test_no_crisp_law_holds_for_fuzzy_rows(row: Golden) -> None:
    change = evaluate(parse(row.before), FUZZY_ROWS) - evaluate(parse(row.after), FUZZY_ROWS)
    assert abs(change).max() > 0.1


@pytest.mark.parametrize(
    "row", [row for row in WITHOUT_TANH if row.law in {"exact", *IN_KLEENE}], ids=str
)
def test_lines_of_kleenes_laws_hold_where_inputs_are_unknown(row: Golden) -> None:
    before, after = parse(row.before), parse(row.after)
    np.testing.assert_array_equal(
        evaluate(before, KLEENE_ROWS, crisp=True), evaluate(after, KLEENE_ROWS, crisp=True)
    )


@pytest.mark.parametrize("law", [law for law in CRISP if law not in KLEENE])
def test_the_laws_that_kleenes_logic_lacks_do_not_hold_in_it(law: Law) -> None:
    [row] = [row for row in CHANGING_CRISP if row.law == law.__name__][:1]
    before, after = parse(row.before), parse(row.after)
    assert (
        evaluate(before, KLEENE_ROWS, crisp=True) != evaluate(after, KLEENE_ROWS, crisp=True)
    ).any()


@given(kleene_expressions)
def test_simplification_by_kleenes_laws_keeps_every_value(expr: Expr) -> None:
    rows = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=INPUTS)))
    after = simplify(expr, kleene=True)
    np.testing.assert_array_equal(
        evaluate(expr, rows, crisp=True), evaluate(after, rows, crisp=True)
    )
    assert simplify(after, kleene=True) == after
    assert written_out(after) <= written_out(expr)


@given(expressions, tables())
def test_exact_simplification_keeps_every_value(expr: Expr, table: Floats) -> None:
    before, after = evaluate(expr, table), evaluate(simplify(expr), table)
    np.testing.assert_allclose(before, after, rtol=0, atol=1e-9)


@given(expressions | crisp_expressions, tables(crisp_degrees))
def test_crisp_simplification_keeps_every_value_of_crisp_rows(
    expr: Expr, table: Floats
) -> None:
    before, after = evaluate(expr, table), evaluate(simplify(expr, crisp=True), table)
    np.testing.assert_allclose(before, after, rtol=0, atol=1e-9)


def written_out(expr: Expr) -> tuple[int, int]:
    """How many literals and operators stand in the text of an expression."""
    parts = [written_out(part) for part in expr.parts]
    own = 1 if isinstance(expr, Not) else max(len(parts) - 1, 0)
    return (
        sum(literals for literals, _ in parts) + isinstance(expr, Var),
        sum(operators for _, operators in parts) + own,
    )


@pytest.mark.parametrize("crisp", [False, True])
@given(expr=expressions | crisp_expressions)
def test_simplifying_never_adds_a_literal_or_an_operator(expr: Expr, crisp: bool) -> None:
    literals, operators = written_out(expr)
    literals_after, operators_after = written_out(simplify(expr, crisp))
    assert literals_after <= literals
    assert operators_after <= operators


@pytest.mark.parametrize("crisp", [False, True])
@given(expr=expressions | crisp_expressions)
def test_simplifying_twice_changes_no_more(expr: Expr, crisp: bool) -> None:
    once = simplify(expr, crisp)
    assert simplify(once, crisp) == once


@given(expressions)
def test_no_exact_law_has_anything_left_to_do(expr: Expr) -> None:
    result = simplify(expr)
    assert all(law(result) == result for law in EXACT)


@given(expressions)
def test_the_order_of_operands_does_not_matter(expr: Expr) -> None:
    assert simplify(mirrored(expr)) == simplify(expr)


def mirrored(expr: Expr) -> Expr:
    """The expression with all operands and terms in the opposite order."""
    match map_children(expr, mirrored):
        case Sum(terms=terms):
            return Sum(terms[::-1])
        case Operation(operands=operands) as operation:
            return type(operation)(operands[::-1])
        case other:
            return other


def test_shared_parts_are_simplified_once_however_often_they_are_used() -> None:
    expr: Expr = Var(0)
    for level in range(MAX_DEPTH // 2):
        expr = And((expr, ~expr)) if level % 2 else Or((expr, ~expr))
    assert simplify(expr, crisp=True) in (parse("true"), parse("false"))
    assert evaluate(simplify(expr), CRISP_ROWS).shape == (len(CRISP_ROWS),)


def test_a_sum_of_thousands_of_terms_is_simplified_in_no_time() -> None:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 40, (2000, 2)).tolist()
    expr = Sum(tuple(~(~Var(i) & Var(j)) for i, j in pairs))
    result = simplify(expr)
    inputs = rng.uniform(-1, 1, (3, 40))
    np.testing.assert_allclose(evaluate(expr, inputs), evaluate(result, inputs), atol=1e-9)
