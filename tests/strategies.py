"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor, total
from crisplogic.expr.notation import Statement

INPUTS = 5  # how many inputs the expressions below use at most
HOSTILE_NAMES = (
    '"; DROP TABLE',
    "a b",
    "not",
    "0",
    "ä",
    "",
    "tanh",
    "two\nlines",
    "back\\slash",
    "true",
    "x.y",
    "+",
    "\u2028",
    "²",
)
# Values of categories, and names of columns, that look like something else in a rule.
HOSTILE_VALUES = (
    *HOSTILE_NAMES,
    *("missing", "other", "not", "is", "is red", "not red", "not missing", '"red"', "A+"),
    *("18-25", "-1", "-", "4", "0.5", "<=50K", "red.", "False", "and", "red & blue", "\x1b[2J"),
)
LIKE_STATEMENTS = (
    *("x is red", 'x is "red"', "x is not red", "x is missing", "x is other", "is", "is is"),
    *("x", "a>5", "x>5 is red", "missing", "other"),
)

degrees = st.floats(-1, 1)
alphas = st.floats(-1, 1)
crisp_degrees = st.sampled_from([-1.0, 1.0])

variables = st.integers(0, INPUTS - 1).map(Var)
constants = st.sampled_from([1.0, -1.0, 0.0]).map(Const)
names = st.lists(
    st.sampled_from(HOSTILE_NAMES) | st.text(max_size=5),
    min_size=INPUTS,
    max_size=INPUTS,
    unique=True,
)

columns = st.sampled_from((*HOSTILE_NAMES, *LIKE_STATEMENTS)) | st.text(max_size=4)
values = st.sampled_from(HOSTILE_VALUES) | st.text(max_size=4)
statements = (
    st.builds(Statement.of_value, columns, values)
    | st.builds(Statement.missing, columns)
    | st.builds(Statement.other, columns)
)
# As texts, a column and a statement about another column may be the same.
stated_names = st.lists(
    columns | statements,
    min_size=INPUTS,
    max_size=INPUTS,
    unique_by=lambda name: (type(name), name),
)


def _logic_over(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    operands = st.lists(parts, min_size=2, max_size=4).map(tuple)
    return st.one_of(parts.map(Not), operands.map(And), operands.map(Or), operands.map(Xor))


# Without constants of their own: those are drawn where a test wants them.
crisp_logic = st.recursive(variables | variables.map(Not), _logic_over, max_leaves=6)


def _logic_and_tanh_over(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return _logic_over(parts) | st.lists(parts, max_size=4).map(total).map(Squash)


# Whatever the constructors accept as an operand of logic, and as a whole.
logic_values: st.SearchStrategy[Expr] = st.recursive(
    variables | constants, _logic_and_tanh_over, max_leaves=12
)
sums: st.SearchStrategy[Expr] = (
    st.lists(logic_values, min_size=2, max_size=5).map(tuple).map(Sum)
)
expressions: st.SearchStrategy[Expr] = logic_values | sums

# Expressions that are true or false wherever their inputs are.
crisp_expressions: st.SearchStrategy[Expr] = st.recursive(
    variables | st.sampled_from([1.0, -1.0]).map(Const), _logic_over, max_leaves=12
)


# Expressions that are true, false or unknown wherever their inputs are, in Kleene's logic.
kleene_degrees = st.sampled_from([-1.0, 0.0, 1.0])
kleene_expressions: st.SearchStrategy[Expr] = st.recursive(
    variables | constants, _logic_over, max_leaves=12
)


def tables(
    values: st.SearchStrategy[float] = degrees, max_rows: int = 4
) -> st.SearchStrategy[NDArray[Any]]:
    """Tables of inputs for the expressions above, (rows, INPUTS)."""
    shapes = st.tuples(st.integers(0, max_rows), st.just(INPUTS))
    return hnp.arrays(np.float64, shapes, elements=values)
