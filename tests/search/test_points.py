"""Amounts: terms of a number count as often as they are worth, within limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.constraints.limits import Limits
from crisplogic.expr import Var
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate
from crisplogic.search.points import MAX_POINTS, improve_points
from crisplogic.search.tasks import REGRESSION
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import loss_of, number_set, repeated, weighed

FEATURES = ("a", "b", "c")


def a_sample(worth: tuple[float, ...], rows: int = 300, noise: float = 0.5) -> TrainingSet:
    """A number that steps in each column by twice what it is worth."""
    rng = np.random.default_rng(0)
    columns = rng.choice([-1.0, 1.0], (len(worth), rows))
    targets = 50 + np.array(worth) @ columns + rng.normal(0, noise, rows)
    return number_set(columns, targets)


def a_draft(data: TrainingSet) -> Draft:
    """Every column counts once."""
    terms = len(data.columns)
    draft = Draft(
        feature=np.arange(terms),
        centre=np.zeros(terms),
        width=np.ones(terms),
        terms=tuple(map(Var, range(terms))),
        votes=np.ones((terms, 1)),
        bias=np.zeros(1),
        scale=1.0,
    )
    return calibrate(draft, draft.values(data), data)


@pytest.mark.parametrize("points", [(1, 1, 1), (1, 3, 2), (9, 1, -4), (-1, 2, 1)])
def test_what_terms_are_worth_is_found(points: tuple[float, ...]) -> None:
    data = a_sample(tuple(4.0 * each for each in points))
    found = improve_points(a_draft(data), data)
    assert found.votes[:, 0].tolist() == list(points)
    assert found.scale == pytest.approx(4.0, rel=0.05)
    assert found.bias[0] == pytest.approx(50.0, rel=0.05)


def test_without_need_terms_count_alike() -> None:
    """Amounts that hardly differ, on few rows with much noise, are the same."""
    data = a_sample((4.0, 4.4, 3.7), rows=40, noise=4.0)
    assert set(improve_points(a_draft(data), data).votes[:, 0]) == {1.0}


@settings(max_examples=40)
@given(
    st.lists(st.floats(-9, 9), min_size=1, max_size=3),
    st.sampled_from([1e-9, 1.0, 1e9]),
    st.sampled_from([0.0, 0.5, 5.0]),
)
def test_they_are_small_and_whole_and_never_make_it_worse(
    worth: list[float], unit: float, noise: float
) -> None:
    data = a_sample(tuple(worth), rows=30, noise=noise)
    data = replace(data, y=data.y * unit)
    draft = a_draft(data)
    found = improve_points(draft, data)
    votes = found.votes[:, 0]
    assert (votes == votes.round()).all()
    assert (np.abs(votes) >= 1).all()
    assert (np.abs(votes) <= MAX_POINTS).all()
    assert found.scale > 0
    assert loss_of(found, data) <= loss_of(draft, data) + 1e-9


def test_a_term_that_may_only_rise_never_counts_against() -> None:
    data = a_sample((3.0, -6.0, 3.0))
    up = Limits(np.ones((3, 1), bool), np.array([[False], [False], [True]]))
    limited = replace(data, limits=up)
    votes = improve_points(a_draft(data), limited).votes[:, 0]
    assert (votes[:2] > 0).all()
    assert improve_points(a_draft(data), data).votes[1, 0] < 0


def test_weights_are_repeated_rows() -> None:
    data = weighed(a_sample((1.0, 5.0, 2.0)))
    one, other = (improve_points(a_draft(each), each) for each in (data, repeated(data)))
    assert one.votes.tolist() == other.votes.tolist()
    assert one.scale == pytest.approx(other.scale)


def test_rules_count_and_print_them_as_often() -> None:
    data = a_sample((4.0, 12.0, -8.0))
    draft = improve_points(a_draft(data), data)
    rules = rules_from_draft(
        replace(draft, bias=np.array([50.0]), scale=4.0), FEATURES, ["y"], REGRESSION
    )
    assert rules.to_text() == "y = 50 + 4 × (a>0±1 + 3 × (b>0±1) + 2 × (c<0±1))"
    assert rules.size == 3
    np.testing.assert_allclose(
        rules.predict(data.columns.T), 50 + 4.0 * (draft.votes.T @ data.columns)[0]
    )
