"""Refitting: ramps, bias and scale that surprise less, within the columns' bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import Var
from crisplogic.search.draft import Draft, renumbered
from crisplogic.search.fit import (
    MOST_GRADUAL,
    MOVE_PRICE,
    STEEPEST,
    STRETCH_PRICE,
    _objective,
    refitted,
)
from crisplogic.search.sample import Sample
from tests.search.drafts import a_draft, a_sample, cases, loss_of

Floats = NDArray[np.float64]


def spans(draft: Draft, sample: Sample) -> Floats:
    low, high = sample.ranges()
    return (high - low)[draft.feature]


def price(before: Draft, after: Draft, sample: Sample) -> float:
    """What the moves of the ramps cost, by the prior that they stay where they were."""
    moves = (after.centre - before.centre) / spans(before, sample)
    stretches = np.log(after.width / before.width)
    cost = MOVE_PRICE * (moves @ moves) + STRETCH_PRICE * (stretches @ stretches)
    return float(cost) / (2 * len(sample))


@given(cases(), st.sampled_from([1, 3, 10]))
@settings(max_examples=35)
def test_it_never_raises_the_loss_and_what_the_moves_cost(
    case: tuple[Draft, Sample], steps: int
) -> None:
    draft, sample = case
    after = refitted(draft, sample, steps)
    paid = loss_of(after, sample) + price(draft, after, sample)
    assert paid <= loss_of(draft, sample) + 1e-9


@given(cases())
@settings(max_examples=35)
def test_thresholds_stay_within_their_columns_and_widths_within_their_bounds(
    case: tuple[Draft, Sample],
) -> None:
    draft, sample = case
    after = refitted(draft, sample, steps=30)
    low, high = (ends[draft.feature] for ends in sample.ranges())
    span = high - low
    slack = 1e-9 * (span + np.abs(low))
    assert (after.centre >= low - slack).all()
    assert (after.centre <= high + slack).all()
    assert (after.width >= STEEPEST * span * (1 - 1e-9)).all()
    assert (after.width <= MOST_GRADUAL * span * (1 + 1e-9)).all()


@given(cases())
@settings(max_examples=30)
def test_the_logic_stays_as_it_is(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    after = refitted(draft, sample)
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
        terms=tuple(renumbered(term, numbers) for term in draft.terms),
    )


@pytest.mark.parametrize("seed", range(6))
def test_its_gradient_is_that_of_finite_differences(seed: int) -> None:
    sample = a_sample(seed, rows=25, classes=3, missing=0.1)
    terms = [Var(3), Var(2) & ~Var(0), Var(1) ^ Var(3), Var(5) | Var(4)]
    votes = [[1, -1, 0], [0, 1, 1], [-1, 0, 1], [1, 1, -1]]
    draft = turned_around(a_draft(sample, terms, votes, seed))
    objective = _objective(draft, sample, spans(draft, sample))
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
    assert objective(start)[0] == pytest.approx(loss_of(draft, sample))
    assert value != pytest.approx(loss_of(draft, sample))


def test_a_threshold_moves_to_where_the_classes_part() -> None:
    column = np.linspace(0, 100, 201)
    sample = Sample(column[None], (column > 30).astype(np.intp), classes=2)
    draft = Draft(
        np.zeros(1, dtype=np.intp),
        np.array([60.0]),
        np.array([30.0]),
        (Var(0),),
        np.array([[0.0, 1.0]]),
        np.zeros(2),
        1.0,
    )
    after = refitted(draft, sample, steps=200)
    assert after.centre[0] == pytest.approx(30, abs=4)
    right = after.logits(after.values(sample)).argmax(axis=0) == sample.targets
    assert right.mean() > 0.97


def odd_columns(name: str) -> Sample:
    sample = a_sample(rows=40, classes=3)
    odd: dict[str, Floats] = {
        "constant": np.full(40, 7.0),
        "constant far away": np.full(40, -1e12),
        "missing": np.full(40, np.nan),
        "nearly all missing": np.where(np.arange(40) == 3, 2.0, np.nan),
        "infinite": np.where(np.arange(40) % 5 == 0, np.inf, np.arange(40.0)),
        "huge": np.linspace(-1e300, 1e300, 40),
        "tiny": np.linspace(0, 1e-300, 40),
    }
    columns = sample.columns.copy()
    columns[1] = odd[name]
    return replace(sample, columns=columns)


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
    sample = odd_columns(name)
    terms = [Var(1), Var(0) & Var(1), Var(2)]
    draft = a_draft(sample, terms, [[1, 0, -1], [0, 1, 0], [-1, 0, 1]])
    where = draft.feature == 1
    if not name.startswith(("huge", "tiny")):  # as learned from other rows of the table
        draft = replace(
            draft,
            centre=np.where(where, centre, draft.centre),
            width=np.where(where, 2.0, draft.width),
        )
    after = refitted(draft, sample)
    assert np.isfinite([*after.centre, *after.width, *after.bias, after.scale]).all()
    assert (after.width > 0).all()
    assert np.isfinite(loss_of(after, sample))


def test_without_terms_the_bias_says_how_frequent_the_classes_are() -> None:
    sample = Sample(np.zeros((1, 10)), np.array([0] * 7 + [1] * 3), classes=3)
    nothing = a_draft(sample, [], np.empty((0, 3)))
    after = refitted(nothing, sample)
    shares = np.exp(after.bias) / np.exp(after.bias).sum()
    assert shares == pytest.approx([8 / 13, 4 / 13, 1 / 13])
    pure = refitted(a_draft(sample, [], np.empty((0, 3)), pure=True), sample)
    assert not pure.bias.any()
