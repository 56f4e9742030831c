"""Programs: truth tables on crisp rows, the paper's formulas on fuzzy ones, in few steps."""

from __future__ import annotations

import itertools
import tracemalloc
from functools import reduce
from operator import and_, or_, xor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.algebra import OPERATORS
from crisplogic.errors import ExpressionError
from crisplogic.expr import (
    And,
    Const,
    Expr,
    Not,
    Or,
    Squash,
    Sum,
    Var,
    Xor,
    evaluate,
    evaluate_all,
    parse,
)
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.expr.program import CHUNK_ROWS, Program, chunks
from tests.expr.by_node import kleene_truth, value_by_node
from tests.strategies import (
    INPUTS,
    crisp_degrees,
    crisp_expressions,
    expressions,
    kleene_degrees,
    kleene_expressions,
    logic_values,
    tables,
)

Floats = NDArray[np.float64]

CRISP = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
FUZZY = np.random.default_rng(0).uniform(-1, 1, (50, 18))


def truth(expr: Expr, row: tuple[bool, ...]) -> bool:
    """The value of crisp logic by Python's own booleans."""
    match expr:
        case Const(value=value):
            return value > 0
        case Var(index=index):
            return row[index]
        case Not(operand=operand):
            return not truth(operand, row)
        case And(operands=operands):
            return reduce(and_, (truth(operand, row) for operand in operands))
        case Or(operands=operands):
            return reduce(or_, (truth(operand, row) for operand in operands))
        case Xor(operands=operands):
            return reduce(xor, (truth(operand, row) for operand in operands))
    raise AssertionError(expr)


@given(crisp_expressions, tables(crisp_degrees))
def test_crisp_rows_give_the_truth(expr: Expr, table: Floats) -> None:
    expected = [1.0 if truth(expr, tuple(row > 0)) else -1.0 for row in table]
    assert evaluate(expr, table).tolist() == expected


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("0", "identity"),
        ("~0", "not"),
        ("0 & 1", "and"),
        ("0 | 1", "or"),
        ("0 ^ 1", "xor"),
        ("~(0 & 1)", "nand"),
        ("~(0 | 1)", "nor"),
        ("~(0 ^ 1)", "nxor"),
    ],
)
def test_each_operator_is_the_papers_on_fuzzy_rows(text: str, operator: str) -> None:
    inputs = FUZZY[:, : OPERATORS[operator].arity].T
    expected = OPERATORS[operator].signed(*inputs)
    np.testing.assert_allclose(evaluate(parse(text), FUZZY), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "value"), [("true", 1.0), ("false", -1.0), ("unknown", 0.0), ("~unknown", 0.0)]
)
def test_constants_have_their_value_in_every_row(text: str, value: float) -> None:
    assert evaluate(parse(text), CRISP).tolist() == [value] * len(CRISP)


def test_a_sum_adds_and_a_tanh_brings_it_back() -> None:
    expected = FUZZY[:, 0] - FUZZY[:, 1] + FUZZY[:, 2]
    assert evaluate(parse("0 + ~1 + 2"), FUZZY).tolist() == expected.tolist()
    assert evaluate(parse("tanh(0 + ~1 + 2)"), FUZZY).tolist() == np.tanh(expected).tolist()


@given(logic_values, tables())
def test_logic_values_lie_between_false_and_true(expr: Expr, table: Floats) -> None:
    assert (abs(evaluate(expr, table)) <= 1).all()


def test_the_papers_second_rule_for_breast_cancer_by_hand() -> None:
    def either(x: Floats, y: Floats) -> Floats:
        return 1 - (x - 1) * (y - 1) / 2

    x = FUZZY.T
    left = np.tanh(either(x[1], x[3]) + either(x[3], x[7]))
    right = np.tanh(either(x[2], x[8]) + either(x[3], x[4]) + either(x[5], x[6]))
    text = "((1 | 3) + (3 | 7)) | ((2 | 8) + (3 | 4) + (5 | 6))"
    np.testing.assert_allclose(evaluate(parse(text), FUZZY), either(left, right), atol=1e-14)


def test_the_papers_first_and_second_rule_for_vehicle_by_hand() -> None:
    def both(x: Floats, y: Floats) -> Floats:
        return (x + 1) * (y + 1) / 2 - 1

    def neither(x: Floats, y: Floats) -> Floats:
        return (x - 1) * (y - 1) / 2 - 1

    x = FUZZY.T
    hidden = np.tanh(both(x[6], x[10]) + both(x[4], x[16]) + both(x[7], x[13]))
    other = np.tanh(both(x[4], x[9]) + both(x[5], x[6]))
    first = neither(both(x[0], x[4]), hidden) + both(neither(x[2], x[16]), other)
    second = both(x[4], x[9]) + both(x[5], x[6]) + both(x[0], x[4]) * both(x[8], x[16])
    texts = (
        "¬((0 & 4) | ((6 & 10) + (4 & 16) + (7 & 13))) + (¬(2 | 16) & ((4 & 9) + (5 & 6)))",
        "(4 & 9) + (5 & 6) + ¬(((0 & 4)) ⊕ (8 & 16))",
    )
    scores = evaluate_all([parse(text) for text in texts], FUZZY)
    np.testing.assert_allclose(scores, np.stack([first, second], axis=1), atol=1e-14)


@given(expressions, expressions, tables())
def test_several_expressions_together_are_the_same_as_each_alone(
    one: Expr, other: Expr, table: Floats
) -> None:
    together = evaluate_all([one, other], table)
    assert together.shape == (len(table), 2)
    assert together[:, 0].tobytes() == evaluate(one, table).tobytes()
    assert together[:, 1].tobytes() == evaluate(other, table).tobytes()


def test_no_rows_give_no_values() -> None:
    assert evaluate(parse("0 & 1"), np.empty((0, 2))).shape == (0,)
    assert evaluate_all([Var(0), Var(1)], np.empty((0, 2))).shape == (0, 2)


def test_no_expressions_give_no_columns() -> None:
    assert evaluate_all([], CRISP).shape == (len(CRISP), 0)


def test_constants_need_no_inputs() -> None:
    assert evaluate(parse("true"), np.empty((3, 0))).tolist() == [1.0] * 3


def test_single_precision_and_whole_numbers_are_welcome() -> None:
    expr = parse("0 & ~1")
    assert evaluate(expr, CRISP.astype(np.float32)).tolist() == evaluate(expr, CRISP).tolist()
    assert evaluate(expr, CRISP.astype(np.int64)).dtype == np.float64


def test_the_table_is_left_as_it_was_and_the_values_are_a_copy() -> None:
    table = CRISP.copy()
    values = evaluate(Var(0), table)
    values[:] = 7
    np.testing.assert_array_equal(table, CRISP)


@pytest.mark.parametrize("inputs", [0, 1, 2])
def test_an_input_that_the_table_lacks_is_an_error(inputs: int) -> None:
    with pytest.raises(ExpressionError, match=f"uses input 2, but .* only {inputs} inputs"):
        evaluate(parse("0 & 2"), np.zeros((4, inputs)))


@pytest.mark.parametrize("shape", [(), (3,), (1, 3, 1)])
def test_a_table_has_rows_and_columns(shape: tuple[int, ...]) -> None:
    with pytest.raises(ExpressionError, match=r"shape \(rows, inputs\)"):
        evaluate(Var(0), np.zeros(shape))


def test_shared_parts_are_evaluated_once_however_often_they_are_used() -> None:
    expr: Expr = Var(0)
    for _ in range(MAX_DEPTH // 2):
        expr = Squash(Sum((expr, expr)))
    assert np.isfinite(evaluate(expr, CRISP)).all()


# --- steps, chunks and memory -----------------------------------------------------------------


def steps(*texts: str) -> int:
    program = Program([parse(text) for text in texts])
    return len(program.buffer(np.empty((program.slots, 1))).calls)


AS_TRUTH: dict[float, bool | None] = {-1.0: False, 0.0: None, 1.0: True}


@given(st.lists(kleene_expressions, max_size=4), tables(kleene_degrees))
def test_a_crisp_program_computes_kleenes_truth(exprs: list[Expr], table: Floats) -> None:
    values = evaluate_all(exprs, table, crisp=True)
    for row, found in zip(table.tolist(), values.tolist(), strict=True):
        truths = [AS_TRUTH[value] for value in row]
        assert [AS_TRUTH[value] for value in found] == [kleene_truth(e, truths) for e in exprs]


def test_unknown_and_unknown_is_unknown_in_a_crisp_program_alone() -> None:
    unknown = np.zeros((1, 2))
    assert evaluate(parse("0 & 1"), unknown).tolist() == [-0.5]
    assert evaluate(parse("0 & 1"), unknown, crisp=True).tolist() == [0.0]
    assert evaluate(parse("~(~0 | 1)"), unknown, crisp=True).tolist() == [0.0]


@given(st.lists(expressions, max_size=4), tables())
def test_the_bits_are_those_of_an_evaluation_node_by_node(
    exprs: list[Expr], table: Floats
) -> None:
    expected = [value_by_node(expr, table).tolist() for expr in exprs]
    assert evaluate_all(exprs, table).T.tolist() == expected  # 0 and -0 are the same number


@given(expressions, tables(st.floats(-1, 1) | st.just(np.nan)))
def test_what_is_missing_is_missing_in_the_same_rows(expr: Expr, table: Floats) -> None:
    np.testing.assert_array_equal(evaluate(expr, table), value_by_node(expr, table))


@pytest.mark.parametrize(
    "rows", [1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS]
)
def test_chunks_make_no_difference(rows: int) -> None:
    expr = parse("tanh((0 & ~1) + (2 ^ 3)) | ~(1 ^ 4) | unknown")
    table = np.random.default_rng(0).uniform(-1, 1, (rows, INPUTS))
    assert evaluate(expr, table).tolist() == value_by_node(expr, table).tolist()


@given(st.integers(0, 4 * CHUNK_ROWS))
def test_chunks_make_up_all_rows(rows: int) -> None:
    parts = [np.arange(rows)[chunk] for chunk in chunks(rows)]
    assert np.concatenate([np.arange(0), *parts]).tolist() == list(range(rows))
    assert all(0 < len(part) <= CHUNK_ROWS for part in parts)


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["0", "~0", "true"], 0),
        (["0 ^ 1", "~(1 ^ ~0)"], 1),
        (["0 & 1"], 5),
        (["0 & 1", "1 & 0", "~0 | ~1"], 5),
        (["0 & 1 & 2", "0 & 1"], 10),
        (["0 + ~1", "~0 + 1"], 2),
        (["~0 + ~1", "0 + 1"], 1),
        (["tanh(0 + 1)", "tanh(~0 + ~1)"], 4),
    ],
)
def test_each_step_is_taken_once_and_signs_take_none(texts: list[str], count: int) -> None:
    assert steps(*texts) == count


def test_a_program_names_the_inputs_that_it_uses() -> None:
    assert Program([parse("7 & ~2"), parse("true"), Var(4)]).used == (2, 4, 7)
    assert Program([parse("true")]).used == Program([]).used == ()


def test_slots_serve_again_when_nothing_needs_them_any_more() -> None:
    terms = " + ".join(f"({number} & {number + 1})" for number in range(0, 40, 2))
    assert Program([parse(terms)]).slots == 40
    assert Program([parse("(0 & 1) + (0 & 1 & 2)")]).slots <= 4
    nested = "0"
    for _ in range(MAX_DEPTH // 3):
        nested = f"tanh(({nested} & 0) + 1)"
    assert Program([parse(nested)]).slots <= 5


def test_the_memory_does_not_grow_with_the_rows() -> None:
    expr = parse("tanh((0 & ~1) + (2 ^ 3)) | (1 & 4 & 2)")
    peaks = []
    for size in (4, 40):
        table = np.zeros((size * CHUNK_ROWS, INPUTS))
        tracemalloc.start()
        values = evaluate(expr, table)
        peaks.append(tracemalloc.get_traced_memory()[1] - values.nbytes)
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 10_000 < 20 * 8 * CHUNK_ROWS
