"""Tidying up: numbers that are printed in full, and no vote that could be left out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.expr import Var
from crisplogic.rules import ClassificationRules, Ramp, RuleSet
from crisplogic.search.convert import rules_from_draft
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate, fit_draft
from crisplogic.search.rounding import IDLE_PENALTY, drop_idle_votes, round_draft
from crisplogic.search.tasks import CLASSIFICATION, REGRESSION
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import (
    FEATURES,
    a_draft,
    a_sample,
    cases,
    loss_of,
    number_set,
    predicted,
    same,
    training_set,
)


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
def test_there_is_nothing_left_to_drop(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    once = data.task.tidy(draft, data)
    assert same(drop_idle_votes(once, data), once)


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_no_vote_is_left_that_changes_no_class_and_whose_probabilities_are_worth_nothing(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    tidy = data.task.tidy(draft, data)
    predictions = predicted(tidy, data).tolist()
    for place in np.argwhere(tidy.votes).tolist():
        votes = tidy.votes.copy()
        votes[tuple(place)] = 0.0
        without = tidy.with_votes(votes)
        rise = (loss_of(without, data) - loss_of(tidy, data)) * len(data)
        worth = not tidy.pure and rise > IDLE_PENALTY - 1e-9
        assert worth or predicted(without, data).tolist() != predictions


def test_a_vote_that_tells_where_a_rare_class_is_likelier_stays() -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(2, 1000))
    y = (rng.random(1000) < 0.04 * np.exp(columns[0])).astype(np.intp)
    data = training_set(columns, y, 2)
    draft = a_draft(data, [Var(0), Var(1)], [[0, 1], [0, 1]])
    draft = fit_draft(calibrate(draft, draft.values(data), data), data)
    tidy = CLASSIFICATION.tidy(draft, data)
    assert not predicted(tidy, data).any()
    assert 0 in tidy.feature


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_dropping_votes_changes_no_prediction_and_nothing_else(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    less = drop_idle_votes(draft, data)
    assert predicted(less, data).tolist() == predicted(draft, data).tolist()
    assert less.size() <= draft.size()
    assert (less.bias.tolist(), less.scale) == (draft.bias.tolist(), draft.scale)


def test_a_vote_that_decides_nothing_goes_and_one_that_decides_stays() -> None:
    column = np.linspace(-1, 1, 21)
    data = training_set(np.stack([column, -column]), (column > 0).astype(np.intp), classes=2)
    draft = Draft(
        np.arange(2), np.zeros(2), np.array([0.5, 40.0]), (Var(0), Var(1)),
        np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.05, 0.0]), 2.0,
    )  # fmt: skip
    less = drop_idle_votes(draft, data)
    assert less.terms == (Var(0),)
    assert less.feature.tolist() == [0]
    assert less.width.tolist() == [0.5]


def test_rules_that_always_predict_the_same_lose_all_their_terms() -> None:
    data = a_sample(classes=3)
    draft = a_draft(data, [Var(0), Var(1) & Var(2)], [[1, 0, 0], [0, 1, 0]], scale=0.5)
    biased = Draft(**{**draft.__dict__, "bias": np.array([0.0, 0.0, 9.0])})
    assert data.task.tidy(biased, data).terms == ()
    assert predicted(data.task.tidy(biased, data), data).tolist() == [2] * len(data)


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_what_is_printed_of_tidy_rules_is_what_is_computed(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    rules = rules_from_draft(
        data.task.tidy(draft, data), FEATURES, range(data.n_outputs), CLASSIFICATION
    )
    table = data.columns.T
    again = read_back(rules)
    assert again == rules
    assert again.degrees(table).tobytes() == rules.degrees(table).tobytes()
    assert again.scores(table).tobytes() == rules.scores(table).tobytes()
    for ramp in rules.memberships:
        assert isinstance(ramp, Ramp)
        assert float(ramp.shown) == pytest.approx(ramp.threshold, rel=1e-15)


def test_a_threshold_far_from_zero_is_printed_in_full() -> None:
    days = 2460000.5 + np.linspace(0, 1, 50)  # as astronomers count them
    data = training_set(days[None], (days > days[20]).astype(np.intp), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp), np.array([2460000.912345]), np.array([0.1]), (Var(0),),
        np.array([[0.0, 1.0]]), np.zeros(2), 2.0,
    )  # fmt: skip
    rules = rules_from_draft(data.task.tidy(draft, data), ["day"], [0, 1], CLASSIFICATION)
    (ramp,) = rules.memberships
    assert isinstance(ramp, Ramp)
    assert ramp.threshold == pytest.approx(2460000.912, abs=0.005)
    assert rules.names == (f"day>{ramp.threshold:.12g}+/-{ramp.shown_width}",)


@given(cases(max_terms=4, missing=0.0))
@settings(max_examples=40)
def test_rounding_moves_thresholds_by_less_than_a_hundredth_of_the_range(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    round_ = round_draft(draft, data)
    low, high = (ends[draft.feature] for ends in data.ranges())
    assert (np.abs(round_.centre - draft.centre) <= 0.0051 * (high - low)).all()
    assert (np.abs(round_.width - draft.width) <= 0.0051 * (high - low)).all()
    assert (round_.width > 0).all()


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_the_least_intercept_is_zero_and_pure_rules_have_none(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    rules = rules_from_draft(
        data.task.tidy(draft, data), FEATURES, range(data.n_outputs), CLASSIFICATION
    )
    assert min(rules.intercepts) == 0
    assert all(round(value, 2) == value for value in rules.intercepts)
    if draft.pure:
        assert rules.intercepts == (0.0,) * data.n_outputs
        assert rules.scale == 1.0


def test_the_loss_hardly_changes() -> None:
    data = a_sample(rows=100, classes=3)
    draft = a_draft(data, [Var(0), Var(1) & Var(2)], [[-1, 0, 1], [0, 1, -1]], scale=2.0)
    assert loss_of(round_draft(draft, data), data) == pytest.approx(
        loss_of(draft, data), abs=0.02
    )


@pytest.mark.parametrize("column", [np.full(30, 7.0), np.full(30, np.nan)], ids=["7", "nan"])
def test_a_column_that_does_not_vary_here_is_no_trouble(column: np.ndarray) -> None:
    data = a_sample(rows=30)
    draft = a_draft(data, [Var(0), Var(1)], [[0, 1], [0, -1]])
    odd = training_set(np.stack([data.columns[0], column]), data.y, 2)
    tidy = round_draft(draft, odd)
    assert np.isfinite([*tidy.centre, *tidy.width]).all()
    assert (tidy.width > 0).all()
    assert same(round_draft(tidy, odd), tidy)


@given(st.floats(-300, 300), st.integers(-12, 12))
def test_a_range_of_any_size_is_rounded_to_three_digits_of_it(where: float, power: int) -> None:
    unit = 10.0**power
    data = training_set(np.array([[where * unit, (where + 1) * unit]]), np.arange(2), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp), np.array([(where + 0.123456) * unit]), np.array([unit / 7]),
        (Var(0),), np.array([[0.0, 1.0]]), np.zeros(2), 1.0,
    )  # fmt: skip
    tidy = round_draft(draft, data)
    assert abs(tidy.centre[0] - draft.centre[0]) <= 0.0051 * unit
    assert len(f"{tidy.width[0] / unit:.9g}") <= len("0.143")


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12, 1e12, 1e15, 1.7e18])
@pytest.mark.parametrize("span", [1.0, 1e3])
def test_what_is_judged_is_what_is_delivered_far_from_zero(offset: float, span: float) -> None:
    span = max(span, 64 * float(np.spacing(abs(offset))))
    unit = np.random.default_rng(0).random((2, 200))
    data = training_set(offset + span * unit, (unit[0] > 0.4).astype(np.intp), 2)
    draft = a_draft(data, [Var(0), Var(0) & Var(1)], [[0, 1], [0, 1]])
    tidy = CLASSIFICATION.tidy(fit_draft(draft, data), data)
    rules = rules_from_draft(tidy, ["a", "b"], range(2), CLASSIFICATION)
    scores = rules.scores(data.X)
    logits = tidy.logits(tidy.values(data))
    np.testing.assert_allclose(np.diff(scores) * rules.scale, np.diff(logits.T), atol=1e-6)
    assert np.ptp(np.diff(scores)) > 0.5
    assert ((scores.argmax(axis=1) != data.y).mean()) < 0.2


@pytest.mark.parametrize("offset", [0.0, 1e12, 1e15, -1.7e18])
def test_numbers_far_from_zero_are_predicted(offset: float) -> None:
    unit = np.random.default_rng(0).random((2, 200))
    span = max(1.0, 64 * float(np.spacing(abs(offset))))
    data = number_set(unit, offset + span * unit[0])
    draft = a_draft(data, [Var(0)], [[1]])
    draft = fit_draft(calibrate(draft, draft.values(data), data), data, steps=40)
    tidy = REGRESSION.tidy(draft, data)
    rules = rules_from_draft(tidy, ["a", "b"], ["y"], REGRESSION)
    errors = rules.predict(data.X) - data.y
    assert np.sqrt(np.square(errors).mean()) < 0.2 * data.y.std()


# --- thresholds ------------


@given(cases(max_terms=4))
@settings(max_examples=40)
def test_every_threshold_parts_the_rows_of_its_column(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    for fitted in (fit_draft(draft, data), round_draft(fit_draft(draft, data), data)):
        for feature, centre in zip(fitted.feature, fitted.centre, strict=True):
            column = data.columns[feature]
            assert np.nanmin(column) < centre < np.nanmax(column)


def test_a_column_of_two_values_has_its_threshold_between_them() -> None:
    column = np.repeat([0.0, 1.0], 20)
    data = training_set(column[None], (column > 0).astype(np.intp), 2)
    for start in (0.0, 0.3, 1.0, 1.4):
        draft = replace(a_draft(data, [Var(0)], [[0, 1]]), centre=np.array([start]))
        assert round_draft(fit_draft(draft, data), data).centre.tolist() == [0.5]


def test_round_thresholds_are_preferred_where_that_changes_next_to_nothing() -> None:
    rng = np.random.default_rng(0)
    column = rng.normal(120, 30, 400).round()
    data = training_set(column[None], (column > 125).astype(np.intp), 2)
    wide = replace(a_draft(data, [Var(0)], [[0, 1]]), width=np.array([40.3]))
    assert round_draft(replace(wide, centre=np.array([124.7])), data).centre == [125.0]
    # One value in a hundred thousand is far away: it says nothing about the others.
    outlier = training_set(np.append(column, 1e9)[None], np.zeros(401, dtype=np.intp), 2)
    rounded = round_draft(replace(wide, centre=np.array([124.7])), outlier)
    assert rounded.centre == pytest.approx(124.7, abs=1.0)
