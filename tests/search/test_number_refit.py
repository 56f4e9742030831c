"""Refitting rules that predict a number: the same logic, never a greater error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic import compare, refit
from crisplogic.errors import TableError
from crisplogic.expr import parse
from crisplogic.rules import Ramp, RegressionRules, Rule

Floats = NDArray[np.float64]

PRICE = RegressionRules(
    ("rooms", "area"),
    (Ramp(0, 2.0, 8.0), Ramp(1, 40.0, 120.0)),
    (Rule("price", parse("(0 & 1) + ~1")),),
    scale=10.0,
    intercepts=(100.0,),
)


def houses(rows: int = 300, seed: int = 0) -> tuple[Floats, Floats]:
    """Large houses of many rooms cost more; nothing is as the rules have it."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.integers(1, 10, rows), rng.uniform(20, 200, rows)]).astype(
        float
    )
    price = 300 + 80.0 * ((table[:, 0] > 4) & (table[:, 1] > 90)) - 30.0 * (table[:, 1] > 90)
    return table, price + rng.normal(0, 5, rows)


def test_thresholds_base_and_scale_follow_the_rows() -> None:
    table, price = houses()
    after = refit(PRICE, table, price)
    compared = compare(PRICE, after, table, price)
    assert compared.after.rmse < 0.2 * compared.before.rmse
    assert compared.after.r2 > 0.6
    assert after.expressions == PRICE.expressions
    assert after.predicts == "number"
    new, truth = houses(seed=1)
    assert compare(PRICE, after, new, truth).after.r2 > 0.5


def test_numbers_are_those_that_are_printed() -> None:
    table, price = houses()
    after = refit(PRICE, table, price)
    assert after.with_rule("price", str(after).removeprefix("price = ")).predict(
        table
    ).tolist() == pytest.approx(after.predict(table).tolist())
    assert len(f"{after.scale:g}") <= 5


def test_rows_count_as_much_as_they_weigh() -> None:
    table, price = houses()
    both = np.concatenate([table, table]), np.concatenate([price, -price])
    weights = np.repeat([1.0, 0.0], len(table))
    assert refit(PRICE, *both, weights) == refit(PRICE, table, price)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.sampled_from([1e-9, 1.0, 1e9]), st.sampled_from([0.0, 1e6]))
def test_the_error_never_rises(seed: int, unit: float, base: float) -> None:
    table, price = houses(40, seed)
    price = np.random.default_rng(seed).permutation(price) * unit + base
    rules = replace(PRICE, scale=unit, intercepts=(base,))
    after = refit(rules, table, price)
    compared = compare(rules, after, table, price)
    assert compared.after.rmse <= compared.before.rmse
    assert np.isfinite(after.predict(table)).all()


def test_rules_without_terms_become_the_mean() -> None:
    table, price = houses()
    bare = replace(PRICE, rules=(Rule("price", parse("unknown")),))
    assert refit(bare, table, price).predict(table[:1])[0] == pytest.approx(
        price.mean(), rel=0.01
    )


def test_what_is_no_number_is_refused() -> None:
    table, price = houses()
    with pytest.raises(TableError, match="number"):
        refit(PRICE, table, ["dear"] * len(price))
    with pytest.raises(TableError, match="y must"):
        refit(PRICE, table, None)
