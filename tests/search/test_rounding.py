"""Tidying up: numbers that are printed in full, and no vote that could be left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import Var
from crisplogic.rules import ClassificationRules, Ramp, RuleSet
from crisplogic.search.convert import as_rules
from crisplogic.search.draft import Draft
from crisplogic.search.rounding import rounded, tidied, without_junk
from crisplogic.search.sample import Sample
from tests.search.drafts import FEATURES, a_draft, a_sample, cases, loss_of, predicted, same


def read_back(rules: RuleSet) -> RuleSet:
    """The rules with every number taken from what is printed of them."""
    ends = re.findall(r"false up to (\S+), true from (\S+)$", rules.legend(), re.MULTILINE)
    bodies = [line.split(" = ")[1] for line in rules.to_text().splitlines()]
    intercepts = [re.search(r"(?:^| ([+-]) )([-0-9.e]+)$", body) for body in bodies]
    return ClassificationRules(
        rules.features,
        tuple(
            Ramp(each.feature, float(low), float(high))
            for each, (low, high) in zip(rules.memberships, ends, strict=True)
        ),
        rules.rules,
        rules.scale,
        tuple(
            float((found[1] or "") + found[2]) if found else 0.0
            for found in intercepts[-len(rules.rules) :]
        ),
    )


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_tidying_twice_changes_no_more(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    once = tidied(draft, sample)
    assert same(tidied(once, sample), once)


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_no_vote_is_left_that_could_go_without_changing_a_prediction(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    tidy = tidied(draft, sample)
    predictions = predicted(tidy, sample).tolist()
    for place in np.argwhere(tidy.votes).tolist():
        votes = tidy.votes.copy()
        votes[tuple(place)] = 0.0
        assert predicted(tidy.voting(votes), sample).tolist() != predictions


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_dropping_votes_changes_no_prediction_and_nothing_else(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    less = without_junk(draft, sample)
    assert predicted(less, sample).tolist() == predicted(draft, sample).tolist()
    assert less.size() <= draft.size()
    assert (less.bias.tolist(), less.scale) == (draft.bias.tolist(), draft.scale)


def test_a_vote_that_decides_nothing_goes_and_one_that_decides_stays() -> None:
    column = np.linspace(-1, 1, 21)
    sample = Sample(np.stack([column, -column]), (column > 0).astype(np.intp), classes=2)
    draft = Draft(
        np.arange(2), np.zeros(2), np.array([0.5, 40.0]), (Var(0), Var(1)),
        np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.05, 0.0]), 2.0,
    )  # fmt: skip
    less = without_junk(draft, sample)
    assert less.terms == (Var(0),)
    assert less.feature.tolist() == [0]
    assert less.width.tolist() == [0.5]


def test_rules_that_always_predict_the_same_lose_all_their_terms() -> None:
    sample = a_sample(classes=3)
    draft = a_draft(sample, [Var(0), Var(1) & Var(2)], [[1, 0, 0], [0, 1, 0]], scale=0.5)
    biased = Draft(**{**draft.__dict__, "bias": np.array([0.0, 0.0, 9.0])})
    assert tidied(biased, sample).terms == ()
    assert predicted(tidied(biased, sample), sample).tolist() == [2] * len(sample)


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_what_is_printed_of_tidy_rules_is_what_is_computed(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    rules = as_rules(tidied(draft, sample), FEATURES, range(sample.classes))
    table = sample.columns.T
    again = read_back(rules)
    assert again == rules
    assert again.degrees(table).tobytes() == rules.degrees(table).tobytes()
    assert again.scores(table).tobytes() == rules.scores(table).tobytes()
    for ramp in rules.memberships:
        assert isinstance(ramp, Ramp)
        assert float(ramp.name("x")[2:]) == pytest.approx(ramp.threshold, rel=1e-15)


def test_a_threshold_far_from_zero_is_printed_in_full() -> None:
    days = 2460000.5 + np.linspace(0, 1, 50)  # as astronomers count them
    sample = Sample(days[None], (days > days[20]).astype(np.intp), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp), np.array([2460000.912345]), np.array([0.1]), (Var(0),),
        np.array([[0.0, 1.0]]), np.zeros(2), 2.0,
    )  # fmt: skip
    rules = as_rules(tidied(draft, sample), ["day"], [0, 1])
    (ramp,) = rules.memberships
    assert isinstance(ramp, Ramp)
    assert ramp.threshold == pytest.approx(2460000.912, abs=1e-6)
    assert rules.names == ("day>2460000.912",)


@given(cases(max_terms=4, missing=0.0))
@settings(max_examples=40)
def test_rounding_moves_thresholds_by_less_than_a_hundredth_of_the_range(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    round_ = rounded(draft, sample)
    low, high = (ends[draft.feature] for ends in sample.ranges())
    assert (np.abs(round_.centre - draft.centre) <= 0.0051 * (high - low)).all()
    assert (np.abs(round_.width - draft.width) <= 0.0051 * (high - low)).all()
    assert (round_.width > 0).all()


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_the_least_intercept_is_zero_and_pure_rules_have_none(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    rules = as_rules(tidied(draft, sample), FEATURES, range(sample.classes))
    assert min(rules.intercepts) == 0
    assert all(round(value, 2) == value for value in rules.intercepts)
    if draft.pure:
        assert rules.intercepts == (0.0,) * sample.classes
        assert rules.scale == 1.0


def test_the_loss_hardly_changes() -> None:
    sample = a_sample(rows=100, classes=3)
    draft = a_draft(sample, [Var(0), Var(1) & Var(2)], [[-1, 0, 1], [0, 1, -1]], scale=2.0)
    assert loss_of(rounded(draft, sample), sample) == pytest.approx(
        loss_of(draft, sample), abs=0.02
    )


@pytest.mark.parametrize("column", [np.full(30, 7.0), np.full(30, np.nan)], ids=["7", "nan"])
def test_a_column_that_does_not_vary_here_is_no_trouble(column: np.ndarray) -> None:
    sample = a_sample(rows=30)
    draft = a_draft(sample, [Var(0), Var(1)], [[0, 1], [0, -1]])
    odd = Sample(np.stack([sample.columns[0], column]), sample.targets, 2)
    tidy = rounded(draft, odd)
    assert np.isfinite([*tidy.centre, *tidy.width]).all()
    assert (tidy.width > 0).all()
    assert same(rounded(tidy, odd), tidy)


@given(st.floats(-300, 300), st.integers(-12, 12))
def test_a_range_of_any_size_is_rounded_to_three_digits_of_it(where: float, power: int) -> None:
    unit = 10.0**power
    sample = Sample(np.array([[where * unit, (where + 1) * unit]]), np.arange(2), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp), np.array([(where + 0.123456) * unit]), np.array([unit / 7]),
        (Var(0),), np.array([[0.0, 1.0]]), np.zeros(2), 1.0,
    )  # fmt: skip
    tidy = rounded(draft, sample)
    assert abs(tidy.centre[0] - draft.centre[0]) <= 0.0051 * unit
    assert len(f"{tidy.width[0] / unit:.9g}") <= len("0.143")
