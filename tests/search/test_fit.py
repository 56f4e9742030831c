"""Refitting: ramps, bias and scale that surprise less, within the columns' bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import softmax

from crisplogic.expr import Var
from crisplogic.search.draft import Draft, renumber
from crisplogic.search.fit import (
    MOVE_PENALTY,
    NARROWEST,
    STRETCH_PENALTY,
    WIDEST,
    _objective,
    calibrate,
    fit_draft,
)
from crisplogic.search.losses import MIN_SCALE, centre_and_spread
from crisplogic.search.rounding import round_draft
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import (
    TERMS,
    VOTES,
    a_draft,
    a_sample,
    cases,
    loss_of,
    numbers,
    repeated,
    training_set,
    weighed,
)

Floats = NDArray[np.float64]


def spans(draft: Draft, data: TrainingSet) -> Floats:
    low, high = data.ranges()
    return (high - low)[draft.feature]


def penalty(before: Draft, after: Draft, data: TrainingSet) -> float:
    """What the moves of the ramps cost, by the prior that they stay where they were."""
    moves = (after.centre - before.centre) / spans(before, data)
    stretches = np.log(after.width / before.width)
    cost = MOVE_PENALTY * (moves @ moves) + STRETCH_PENALTY * (stretches @ stretches)
    return float(cost) / (2 * len(data))


@given(cases(), st.sampled_from([1, 3, 10]))
@settings(max_examples=35)
def test_it_never_raises_the_loss_and_what_the_moves_cost(
    case: tuple[Draft, TrainingSet], steps: int
) -> None:
    draft, data = case
    low, high = (ends[draft.feature] for ends in data.ranges())
    # What starts outside its bounds is moved to them first, which has its cost.
    width = draft.width.clip(NARROWEST * (high - low), WIDEST * (high - low))
    start = replace(draft, centre=draft.centre.clip(low, high), width=width)
    after = fit_draft(draft, data, steps)
    total = loss_of(after, data) + penalty(draft, after, data)
    assert total <= loss_of(start, data) + penalty(draft, start, data) + 1e-9


@given(cases())
@settings(max_examples=35)
def test_thresholds_stay_within_their_columns_and_widths_within_their_bounds(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    after = fit_draft(draft, data, steps=30)
    low, high = (ends[draft.feature] for ends in data.ranges())
    span = high - low
    slack = 1e-9 * (span + np.abs(low))
    assert (after.centre >= low - slack).all()
    assert (after.centre <= high + slack).all()
    assert (after.width >= NARROWEST * span * (1 - 1e-9)).all()
    assert (after.width <= WIDEST * span * (1 + 1e-9)).all()


@given(cases())
@settings(max_examples=30)
def test_the_logic_stays_as_it_is(case: tuple[Draft, TrainingSet]) -> None:
    draft, data = case
    after = fit_draft(draft, data)
    assert after.terms == draft.terms
    assert after.votes.tolist() == draft.votes.tolist()
    assert after.feature.tolist() == draft.feature.tolist()
    assert after.scale > 0
    assert after.pure == draft.pure
    if draft.pure:
        assert not after.bias.any()


def turned_around(draft: Draft) -> Draft:
    """The same draft with its ramps in another order than terms mention them."""
    last = len(draft.feature) - 1
    numbers = {ramp: last - ramp for ramp in range(last + 1)}
    return replace(
        draft,
        feature=draft.feature[::-1],
        centre=draft.centre[::-1],
        width=draft.width[::-1],
        terms=renumber(draft.terms, numbers),
    )


@pytest.mark.parametrize("seed", range(6))
def test_its_gradient_is_that_of_finite_differences(seed: int) -> None:
    data = a_sample(seed, rows=25, classes=3, missing=0.1)
    terms = [Var(3), Var(2) & ~Var(0), Var(1) ^ Var(3), Var(5) | Var(4)]
    votes = [[1, -1, 0], [0, 1, 1], [-1, 0, 1], [1, 1, -1]]
    draft = turned_around(a_draft(data, terms, votes, seed))
    objective = _objective(draft, data, spans(draft, data))
    rng = np.random.default_rng(seed)
    ramps = len(draft.feature)
    point = np.concatenate([rng.normal(size=2 * ramps) * 0.1, rng.normal(size=4) * 0.5])
    value, gradient = objective(point)
    step = 1e-7
    expected = [
        (objective(point + step * unit)[0] - objective(point - step * unit)[0]) / (2 * step)
        for unit in np.eye(len(point))
    ]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
    assert np.abs(gradient).min() > 1e-5  # none of them is 0 by accident
    start = np.concatenate([np.zeros(2 * ramps), draft.bias, [np.log(draft.scale)]])
    assert objective(start)[0] == pytest.approx(loss_of(draft, data))
    assert value != pytest.approx(loss_of(draft, data))


def test_a_threshold_moves_to_where_the_classes_part() -> None:
    column = np.linspace(0, 100, 201)
    data = training_set(column[None], (column > 30).astype(np.intp), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp),
        np.array([60.0]),
        np.array([30.0]),
        (Var(0),),
        np.array([[0.0, 1.0]]),
        np.zeros(2),
        1.0,
    )
    after = fit_draft(draft, data, steps=200)
    assert after.centre[0] == pytest.approx(30, abs=4)
    right = after.logits(after.values(data)).argmax(axis=0) == data.y
    assert right.mean() > 0.97


def odd_columns(name: str) -> TrainingSet:
    data = a_sample(rows=40, classes=3)
    odd: dict[str, Floats] = {
        "constant": np.full(40, 7.0),
        "constant far away": np.full(40, -1e12),
        "missing": np.full(40, np.nan),
        "nearly all missing": np.where(np.arange(40) == 3, 2.0, np.nan),
        "infinite": np.where(np.arange(40) % 5 == 0, np.inf, np.arange(40.0)),
        "huge": np.linspace(-1e300, 1e300, 40),
        "tiny": np.linspace(0, 1e-300, 40),
    }
    columns = data.columns.copy()
    columns[1] = odd[name]
    return replace(data, X=columns.T)


@pytest.mark.parametrize(
    "name",
    [
        "constant",
        "constant far away",
        "missing",
        "nearly all missing",
        "infinite",
        "huge",
        "tiny",
    ],
)
@pytest.mark.parametrize("centre", [0.0, 9.0])
def test_odd_columns_are_no_trouble(name: str, centre: float) -> None:
    data = odd_columns(name)
    terms = [Var(1), Var(0) & Var(1), Var(2)]
    draft = a_draft(data, terms, [[1, 0, -1], [0, 1, 0], [-1, 0, 1]])
    where = draft.feature == 1
    if not name.startswith(("huge", "tiny")):  # as learned from other rows of the table
        draft = replace(
            draft,
            centre=np.where(where, centre, draft.centre),
            width=np.where(where, 2.0, draft.width),
        )
    after = fit_draft(draft, data)
    assert np.isfinite([*after.centre, *after.width, *after.bias, after.scale]).all()
    assert (after.width > 0).all()
    assert np.isfinite(loss_of(after, data))


def test_without_terms_the_bias_says_how_frequent_the_classes_are() -> None:
    data = training_set(np.zeros((1, 10)), np.array([0] * 7 + [1] * 3), classes=3)
    nothing = a_draft(data, [], np.empty((0, 3)))
    after = fit_draft(nothing, data)
    shares = np.exp(after.bias) / np.exp(after.bias).sum()
    assert shares == pytest.approx([8 / 13, 4 / 13, 1 / 13])
    pure = fit_draft(a_draft(data, [], np.empty((0, 3)), pure=True), data)
    assert not pure.bias.any()


# --- calibrate ------------


def drawn_from(draft: Draft, data: TrainingSet, seed: int = 0) -> TrainingSet:
    """The data with targets of which the draft tells the truth."""
    rng = np.random.default_rng(seed)
    chances = softmax(draft.logits(draft.values(data)), axis=0).T
    targets = np.array([rng.choice(data.n_outputs, p=chance) for chance in chances])
    return replace(data, y=targets.astype(np.intp))


def slopes_by_numbers(draft: Draft, data: TrainingSet) -> Floats:
    """The slopes of the loss by every bias and by the scale."""
    values, step = draft.values(data), 1e-5

    def rise(change: Floats) -> float:
        up, down = (
            replace(
                draft, bias=draft.bias + way * change[:-1], scale=draft.scale + way * change[-1]
            )
            for way in (1, -1)
        )
        return float(data.loss(up.logits(values)) - data.loss(down.logits(values)))

    return np.array([rise(step * unit) / (2 * step) for unit in np.eye(data.n_outputs + 1)])


@given(cases(), st.integers(0, 12))
@settings(max_examples=40)
def test_it_never_raises_the_loss_and_changes_nothing_but_bias_and_scale(
    case: tuple[Draft, TrainingSet], steps: int
) -> None:
    draft, data = case
    after = calibrate(draft, draft.values(data), data, steps)
    assert loss_of(after, data) <= loss_of(draft, data)
    assert after.scale >= min(draft.scale, MIN_SCALE)
    assert replace(after, bias=draft.bias, scale=draft.scale).__dict__ == draft.__dict__
    if steps == 0:
        assert (after.bias.tolist(), after.scale) == (draft.bias.tolist(), draft.scale)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("start", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_it_ends_where_no_bias_and_no_scale_would_be_better(
    classes: int, start: float, seed: int
) -> None:
    data = a_sample(seed, rows=200, classes=classes, missing=0.1)
    votes = np.eye(classes)[[1, -1, 0]] - np.eye(classes)[[0, 0, 1]]
    truth = a_draft(data, [Var(0), Var(1) & Var(2), Var(2) ^ Var(3)], votes, seed, scale=2.0)
    data = drawn_from(truth, data, seed)
    draft = replace(truth, scale=start, bias=np.zeros(classes))
    after = calibrate(draft, draft.values(data), data, steps=30)
    assert np.abs(slopes_by_numbers(after, data)).max() < 1e-4
    assert after.scale == pytest.approx(2.0, abs=1.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_pure_draft_gets_the_best_scale_and_keeps_a_bias_of_zero(seed: int) -> None:
    data = a_sample(seed, rows=200, classes=3)
    votes = [[1, -1, 0], [0, 1, -1]]
    truth = a_draft(data, [Var(0), Var(1) | Var(2)], votes, seed, pure=True, scale=2.0)
    data = drawn_from(truth, data, seed)
    draft = replace(truth, scale=0.5)
    after = calibrate(draft, draft.values(data), data, steps=30)
    assert after.bias.tolist() == [0, 0, 0]
    assert abs(slopes_by_numbers(after, data)[-1]) < 1e-4
    assert loss_of(after, data) < loss_of(draft, data)


@given(cases(pure=True))
@settings(max_examples=30)
def test_a_pure_draft_stays_without_bias_whatever_it_votes(
    case: tuple[Draft, TrainingSet],
) -> None:
    draft, data = case
    assert not calibrate(draft, draft.values(data), data).bias.any()


def test_rules_that_say_the_contrary_of_the_truth_lose_their_weight() -> None:
    data = a_sample(rows=100)
    draft = a_draft(data, [Var(0)], [[0, -1]], scale=3.0)
    after = calibrate(draft, draft.values(data), data, steps=30)
    assert 0 < after.scale < 0.2
    counts = np.bincount(data.y)
    odds = np.log(counts[1] / counts[0])
    assert after.bias[1] - after.bias[0] == pytest.approx(odds, abs=0.3)


def test_values_that_never_vary_are_no_trouble() -> None:
    data = a_sample(rows=30, classes=3)
    draft = a_draft(data, [Var(0)], [[1, 0, -1]])
    for constant in (0.0, 1.0):
        values = np.full((1, 30), constant)
        after = calibrate(draft, values, data)
        assert np.isfinite([*after.bias, after.scale]).all()
        shares = softmax(after.logits(values), axis=0)[:, 0]
        counts = np.bincount(data.y, minlength=3)
        assert shares == pytest.approx(counts / counts.sum(), abs=0.05)


# --- numbers ------------


def test_the_line_is_the_one_of_least_squares() -> None:
    data = numbers()
    draft = a_draft(data, TERMS, VOTES)
    values = draft.values(data)
    found = calibrate(draft, values, data)
    sums = (draft.votes.T @ values)[0]
    slope, base = np.polyfit(sums, data.y, 1)
    if slope > 0:
        assert found.scale == pytest.approx(slope)
        assert found.bias[0] == pytest.approx(base)


def test_what_a_term_is_worth_is_never_below_0() -> None:
    """What speaks against is a vote against, not a negative scale."""
    data = numbers()
    draft = a_draft(data, TERMS[:1], [[-1.0]])
    found = calibrate(draft, draft.values(data), data)
    assert found.scale > 0
    assert fit_draft(found, data).scale > 0


@pytest.mark.parametrize("seed", range(5))
def test_refitting_makes_it_less(seed: int) -> None:
    data = numbers(seed, missing=0.1)
    draft = a_draft(data, TERMS, VOTES, seed)
    draft = calibrate(draft, draft.values(data), data)
    assert loss_of(fit_draft(draft, data), data) <= loss_of(draft, data)


def test_weights_are_repeated_rows() -> None:
    data = weighed(numbers())
    again = repeated(data)
    draft = a_draft(data, TERMS, VOTES)
    assert centre_and_spread(data.y, data.weights) == pytest.approx(
        centre_and_spread(again.y, None)
    )
    assert loss_of(draft, data) == pytest.approx(loss_of(draft, again))
    one, other = (fit_draft(draft, each, 5) for each in (data, again))
    np.testing.assert_allclose(one.centre, other.centre, rtol=1e-5)
    assert one.scale == pytest.approx(other.scale, rel=1e-5)


@pytest.mark.parametrize(
    ("scale", "bias", "expected"),
    [
        (4.1267, 22.5312, (4.13, 22.53)),
        (1234.5, 98765.4, (1230.0, 98770.0)),
        (0.00456, 1, (0.00456, 1.0)),
    ],
)
def test_base_and_scale_are_rounded_alike(
    scale: float, bias: float, expected: tuple[float, float]
) -> None:
    data = numbers()
    draft = replace(a_draft(data, TERMS, VOTES, scale=scale), bias=np.array([bias]))
    tidy = round_draft(draft, data)
    assert (tidy.scale, tidy.bias[0]) == expected
