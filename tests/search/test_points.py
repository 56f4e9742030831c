"""Amounts: terms of a number count as often as they are worth, within limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.constraints.limits import Demands, Limits
from crisplogic.expr import Var
from crisplogic.search.calibrate import calibrated
from crisplogic.search.convert import as_rules
from crisplogic.search.draft import Draft
from crisplogic.search.points import MOST_POINTS, with_better_amounts
from crisplogic.search.sample import Sample
from tests.search.drafts import loss_of, repeated, weighed

FEATURES = ("a", "b", "c")


def a_sample(worth: tuple[float, ...], rows: int = 300, noise: float = 0.5) -> Sample:
    """A number that steps in each column by twice what it is worth."""
    rng = np.random.default_rng(0)
    columns = rng.choice([-1.0, 1.0], (len(worth), rows))
    targets = 50 + np.array(worth) @ columns + rng.normal(0, noise, rows)
    return Sample(columns, targets, classes=1)


def a_draft(sample: Sample) -> Draft:
    """Every column counts once."""
    terms = len(sample.columns)
    draft = Draft(
        feature=np.arange(terms),
        centre=np.zeros(terms),
        width=np.ones(terms),
        terms=tuple(map(Var, range(terms))),
        votes=np.ones((terms, 1)),
        bias=np.zeros(1),
        scale=1.0,
    )
    return calibrated(draft, draft.values(sample), sample)


@pytest.mark.parametrize("points", [(1, 1, 1), (1, 3, 2), (9, 1, -4), (-1, 2, 1)])
def test_what_terms_are_worth_is_found(points: tuple[float, ...]) -> None:
    sample = a_sample(tuple(4.0 * each for each in points))
    found = with_better_amounts(a_draft(sample), sample)
    assert found.votes[:, 0].tolist() == list(points)
    assert found.scale == pytest.approx(4.0, rel=0.05)
    assert found.bias[0] == pytest.approx(50.0, rel=0.05)


def test_without_need_terms_count_alike() -> None:
    """Amounts that hardly differ, on few rows with much noise, are the same."""
    sample = a_sample((4.0, 4.4, 3.7), rows=40, noise=4.0)
    assert set(with_better_amounts(a_draft(sample), sample).votes[:, 0]) == {1.0}


@settings(max_examples=40)
@given(
    st.lists(st.floats(-9, 9), min_size=1, max_size=3),
    st.sampled_from([1e-9, 1.0, 1e9]),
    st.sampled_from([0.0, 0.5, 5.0]),
)
def test_they_are_small_and_whole_and_never_make_it_worse(
    worth: list[float], unit: float, noise: float
) -> None:
    sample = a_sample(tuple(worth), rows=30, noise=noise)
    sample = replace(sample, targets=sample.targets * unit)
    draft = a_draft(sample)
    found = with_better_amounts(draft, sample)
    votes = found.votes[:, 0]
    assert (votes == votes.round()).all()
    assert (np.abs(votes) >= 1).all()
    assert (np.abs(votes) <= MOST_POINTS).all()
    assert found.scale > 0
    assert loss_of(found, sample) <= loss_of(draft, sample) + 1e-9


def test_a_term_that_may_only_rise_never_counts_against() -> None:
    sample = a_sample((3.0, -6.0, 3.0))
    up = Limits(np.ones((3, 1), bool), np.array([[False], [False], [True]]))
    limited = replace(sample, demands=Demands(up))
    votes = with_better_amounts(a_draft(sample), limited).votes[:, 0]
    assert (votes[:2] > 0).all()
    assert with_better_amounts(a_draft(sample), sample).votes[1, 0] < 0


def test_weights_are_repeated_rows() -> None:
    sample = weighed(a_sample((1.0, 5.0, 2.0)))
    one, other = (
        with_better_amounts(a_draft(each), each) for each in (sample, repeated(sample))
    )
    assert one.votes.tolist() == other.votes.tolist()
    assert one.scale == pytest.approx(other.scale)


def test_rules_count_and_print_them_as_often() -> None:
    sample = a_sample((4.0, 12.0, -8.0))
    draft = with_better_amounts(a_draft(sample), sample)
    rules = as_rules(
        replace(draft, bias=np.array([50.0]), scale=4.0), FEATURES, ["y"], "number"
    )
    assert str(rules) == "y = 50 + 4 × (a>0 + 3 × (b>0) + 2 × (c<0))"
    assert rules.size == 3
    np.testing.assert_allclose(
        rules.predict(sample.columns.T), 50 + 4.0 * (draft.votes.T @ sample.columns)[0]
    )
