"""Negations at the literals: the same values, unknown ones included."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.expr import Expr, Not, Var, Xor, evaluate
from crisplogic.expr.negations import push_negations
from crisplogic.expr.walk import unique_nodes
from tests.strategies import INPUTS, constants, crisp_logic

EVERY = np.array(list(product([-1.0, 0.0, 1.0], repeat=INPUTS)))


@given(crisp_logic | constants | st.builds(lambda x, y: (x & y) | ~x, crisp_logic, constants))
def test_pushed_negations_change_no_value(expr: Expr) -> None:
    for negated in (False, True):
        pushed = push_negations(expr, negated)
        values = evaluate(expr, EVERY, crisp=True) * (-1 if negated else 1)
        assert evaluate(pushed, EVERY, crisp=True).tolist() == (values + 0.0).tolist()
        inside = [node.operand for node in unique_nodes([pushed]) if isinstance(node, Not)]
        assert all(isinstance(operand, Var | Xor) for operand in inside)
