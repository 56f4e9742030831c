"""Thresholds of one column that part hardly any rows become one, unless that costs much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from crisplogic.expr import Var
from crisplogic.search.draft import Draft
from crisplogic.search.merging import MERGE_PENALTY, merge_ramps
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import a_draft, cases, loss_of, training_set


def with_two_ramps(data: TrainingSet, first: float, second: float) -> Draft:
    """A draft with two thresholds of the first column."""
    draft = a_draft(data, [Var(0) & Var(1), Var(2)], [[0, 1], [0, 1]])
    return replace(
        draft,
        feature=np.array([0, 1, 0]),
        centre=np.array([first, draft.centre[1], second]),
        width=np.full(3, 0.5),
    )


def a_table() -> TrainingSet:
    columns = np.random.default_rng(0).normal(size=(2, 300))
    return training_set(columns, (columns[0] > 0.3).astype(np.intp), 2)


def test_near_thresholds_become_one() -> None:
    data = a_table()
    merged = merge_ramps(with_two_ramps(data, 0.3, 0.31), data)
    assert sorted(merged.feature.tolist()) == [0, 1]
    assert len(merged.terms) == 2


def test_a_term_over_two_near_thresholds_becomes_smaller() -> None:
    data = a_table()
    draft = with_two_ramps(data, 0.3, 0.31)
    draft = replace(draft, terms=(Var(0) & Var(2), Var(1)))
    assert set(merge_ramps(draft, data).terms) == {Var(0), Var(1)}


def test_thresholds_with_many_rows_between_them_stay_two() -> None:
    data = a_table()
    draft = with_two_ramps(data, -0.5, 0.5)
    assert merge_ramps(draft, data) is draft


def test_near_thresholds_that_pay_stay_two() -> None:
    rng = np.random.default_rng(0)
    column = np.concatenate([rng.uniform(0, 1, 2000), rng.uniform(1, 1.1, 40)])
    inside = (column > 1.0) & (column < 1.2)
    column = np.append(column, rng.uniform(1.2, 2.2, 2000))
    y = np.append(inside, np.zeros(2000)).astype(np.intp)
    data = training_set(np.stack([column, column]), y, 2)
    draft = with_two_ramps(data, 1.0, 1.15)
    draft = replace(draft, terms=(Var(0), Var(2)), votes=np.array([[0.0, 1.0], [0.0, -1.0]]))
    draft = replace(draft, width=np.full(3, 0.02), scale=3.0, bias=np.array([3.0, 0.0]))
    assert merge_ramps(draft, data) is draft


@given(cases())
@settings(max_examples=30)
def test_what_is_merged_costs_little(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    merged = merge_ramps(draft, data)
    times = len(draft.feature) - len(merged.feature)
    assert (
        loss_of(merged, data) <= loss_of(draft, data) + times * MERGE_PENALTY / len(data) + 1e-9
    )
    assert merged.size() <= draft.size()
