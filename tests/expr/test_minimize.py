"""Short logic for truth tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import evaluate, parse, to_text
from crisplogic.expr.minimize import minimize
from crisplogic.expr.size import measure

Bools = NDArray[np.bool_]


def truth_tables(inputs: int) -> st.SearchStrategy[tuple[Bools, Bools]]:
    one = hnp.arrays(np.bool_, (2,) * inputs)
    return st.tuples(one, one)


@given(st.integers(1, 5).flatmap(truth_tables))
def test_short_logic_has_the_truth_table_wherever_a_row_is_possible(
    both: tuple[Bools, Bools],
) -> None:
    table, possible = both
    inputs = table.ndim
    degrees = np.where(np.indices(table.shape).reshape(inputs, -1).T, 1.0, -1.0)
    found = evaluate(minimize(table, possible), degrees, crisp=True) > 0
    assert (found == table.ravel())[possible.ravel()].all()


@pytest.mark.parametrize(
    ("logic", "shortest"),
    [
        ("(0 & 1) | (0 & 2)", "0 & (1 | 2)"),
        ("(0 | 1) & (0 | 2) & (1 | 0)", "0 | (1 & 2)"),
        ("0 & (1 | ~1)", "0"),
        ("(0 & 1) | (0 & ~1)", "0"),
        ("~(0 & 1 & 2)", "~0 | ~1 | ~2"),
    ],
)
def test_known_logic_becomes_as_short_as_it_can_be(logic: str, shortest: str) -> None:
    degrees = np.where(np.indices((2, 2, 2)).reshape(3, -1).T, 1.0, -1.0)
    table = (evaluate(parse(logic), degrees) > 0).reshape(2, 2, 2)
    assert to_text(minimize(table, np.ones_like(table))) == to_text(parse(shortest))


def test_twelve_inputs_are_no_problem() -> None:
    inputs = np.indices((2,) * 12).astype(bool)
    at_least_six = inputs.sum(axis=0) >= 6  # 924 products of six literals each
    some = (inputs[0] | inputs[5]) & inputs[11]
    for table, literals in ((some, 3), (some & at_least_six, None)):
        found = minimize(table, np.ones_like(table))
        assert literals is None or measure([found]).literals == literals
