"""Plans: the bits of a node-by-node evaluation, in fewer steps and little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import Expr, Var, evaluate, evaluate_all, parse
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.expr.program import CHUNK_ROWS, Program, chunks
from tests.expr.by_node import value_by_node
from tests.strategies import INPUTS, expressions, tables

Floats = NDArray[np.float64]


def steps(*texts: str) -> int:
    program = Program([parse(text) for text in texts])
    return len(program.buffer(np.empty((program.slots, 1))).calls)


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
