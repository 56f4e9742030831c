"""The distance from numbers: its values, its slopes, and what does not change it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.search.calibrate import calibrated
from crisplogic.search.fit import refitted
from crisplogic.search.log_loss import DOUBT
from crisplogic.search.path import shrinking
from crisplogic.search.rounding import rounded
from crisplogic.search.sample import Sample, centre_and_spread
from crisplogic.search.squared_error import curvatures, losses, slopes
from tests.search.drafts import a_draft, a_sample, loss_of, pairs, repeated, weighed

Floats = NDArray[np.float64]
TERMS = [pairs(4)[0], pairs(4)[5], pairs(4)[9]]
VOTES = [[1.0], [-1.0], [1.0]]


def numbers(seed: int = 0, rows: int = 60, unit: float = 3.0, missing: float = 0.0) -> Sample:
    """A sample whose first two columns say how large a number is, but for some noise."""
    sample = a_sample(seed, rows, missing=missing)
    rng = np.random.default_rng(seed)
    known = np.nan_to_num(sample.columns[:2])
    z = (known - known.mean(axis=1, keepdims=True)) / known.std(axis=1, keepdims=True)
    targets = 20 + unit * (z[0] + np.maximum(z[0], z[1]) + 0.3 * rng.normal(size=rows))
    return replace(sample, targets=targets, classes=1)


def test_it_is_half_the_logarithm_of_the_mean_square_in_the_unit_of_the_numbers() -> None:
    sample = numbers(rows=9)
    said = sample.targets + np.random.default_rng(1).normal(size=(1, 9))
    variance = sample.targets.var()
    square = np.square(said[0] - sample.targets).mean() / variance
    assert float(losses(said, sample)) == pytest.approx(np.log(square + DOUBT / 9) / 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_its_slopes_are_those_of_finite_differences(weighted: bool) -> None:
    sample = weighed(numbers(rows=7)) if weighted else numbers(rows=7)
    said = sample.targets + np.random.default_rng(1).normal(size=(1, 7))
    expected = np.empty_like(said)
    for place in np.ndindex(*said.shape):
        aside = np.zeros_like(said)
        aside[place] = 1e-5 * sample.spread
        rise = losses(said + aside, sample) - losses(said - aside, sample)
        expected[place] = rise / 2e-5
    np.testing.assert_allclose(slopes(said, sample), expected, rtol=1e-5, atol=1e-8)


def test_curvatures_tell_by_how_much_a_small_step_of_all_rows_changes_slopes() -> None:
    """Around the best numbers there are, where the size of the distances does not change."""
    sample = numbers(rows=30)
    said = sample.targets[None] + np.random.default_rng(1).normal(size=(1, 30))
    said -= (said - sample.targets).mean()
    change = slopes(said + 1e-6 * sample.spread, sample).sum() - slopes(said, sample).sum()
    assert change / 1e-6 == pytest.approx(curvatures(said, sample).sum(), rel=1e-4)


def test_several_drafts_are_judged_at_once() -> None:
    sample = numbers(rows=12)
    said = np.random.default_rng(1).normal(20, 3, size=(5, 1, 12))
    assert losses(said, sample).tolist() == [float(losses(each, sample)) for each in said]


@pytest.mark.parametrize("unit", [1e-90, 1e-6, 1e6, 1e90])
def test_the_unit_of_the_numbers_changes_no_loss_and_no_rule(unit: float) -> None:
    one = numbers()
    other = replace(one, targets=one.targets * unit)
    draft = a_draft(one, TERMS, VOTES, scale=2.0)
    in_unit = replace(draft, bias=draft.bias * unit, scale=draft.scale * unit)
    ends = [list(shrinking(draft, one))[-1], list(shrinking(in_unit, other))[-1]]
    assert ends[0].terms == ends[1].terms
    assert loss_of(ends[0], one) == pytest.approx(loss_of(ends[1], other), rel=1e-4)


def test_numbers_that_are_all_the_same_are_no_problem() -> None:
    sample = replace(numbers(), targets=np.full(60, 7.1))
    draft = a_draft(sample, TERMS, VOTES)
    for end in shrinking(draft, sample):
        tidy = rounded(end, sample)
        said = tidy.logits(tidy.values(sample))[0]
        np.testing.assert_allclose(said, 7.1, rtol=0.02)  # terms are worth something


def test_the_line_is_the_one_of_least_squares() -> None:
    sample = numbers()
    draft = a_draft(sample, TERMS, VOTES)
    values = draft.values(sample)
    found = calibrated(draft, values, sample)
    sums = (draft.votes.T @ values)[0]
    slope, base = np.polyfit(sums, sample.targets, 1)
    if slope > 0:
        assert found.scale == pytest.approx(slope)
        assert found.bias[0] == pytest.approx(base)


def test_what_a_term_is_worth_is_never_below_0() -> None:
    """What speaks against is a vote against, not a negative scale."""
    sample = numbers()
    draft = a_draft(sample, TERMS[:1], [[-1.0]])
    found = calibrated(draft, draft.values(sample), sample)
    assert found.scale > 0
    assert refitted(found, sample).scale > 0


@pytest.mark.parametrize("seed", range(5))
def test_refitting_makes_it_less(seed: int) -> None:
    sample = numbers(seed, missing=0.1)
    draft = a_draft(sample, TERMS, VOTES, seed)
    draft = calibrated(draft, draft.values(sample), sample)
    assert loss_of(refitted(draft, sample), sample) <= loss_of(draft, sample)


def test_weights_are_repeated_rows() -> None:
    sample = weighed(numbers())
    again = repeated(sample)
    draft = a_draft(sample, TERMS, VOTES)
    assert centre_and_spread(sample.targets, sample.weights) == pytest.approx(
        centre_and_spread(again.targets, None)
    )
    assert loss_of(draft, sample) == pytest.approx(loss_of(draft, again))
    one, other = (refitted(draft, each, 5) for each in (sample, again))
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
    sample = numbers()
    draft = replace(a_draft(sample, TERMS, VOTES, scale=scale), bias=np.array([bias]))
    tidy = rounded(draft, sample)
    assert (tidy.scale, tidy.bias[0]) == expected
