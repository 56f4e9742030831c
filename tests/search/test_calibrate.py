"""Calibrating: the bias and the scale that surprise least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import softmax

from crisplogic.expr import Var
from crisplogic.search.calibrate import LEAST_SCALE, calibrated
from crisplogic.search.draft import Draft
from crisplogic.search.losses import losses
from crisplogic.search.sample import Sample
from tests.search.drafts import a_draft, a_sample, cases, loss_of

Floats = NDArray[np.float64]


def drawn_from(draft: Draft, sample: Sample, seed: int = 0) -> Sample:
    """The sample with targets of which the draft tells the truth."""
    rng = np.random.default_rng(seed)
    chances = softmax(draft.logits(draft.values(sample)), axis=0).T
    targets = np.array([rng.choice(sample.classes, p=chance) for chance in chances])
    return replace(sample, targets=targets.astype(np.intp))


def slopes_by_numbers(draft: Draft, sample: Sample) -> Floats:
    """The slopes of the loss by every bias and by the scale."""
    values, step = draft.values(sample), 1e-5

    def rise(change: Floats) -> float:
        up, down = (
            replace(
                draft, bias=draft.bias + way * change[:-1], scale=draft.scale + way * change[-1]
            )
            for way in (1, -1)
        )
        return float(losses(up.logits(values), sample) - losses(down.logits(values), sample))

    return np.array([rise(step * unit) / (2 * step) for unit in np.eye(sample.classes + 1)])


@given(cases(), st.integers(0, 12))
@settings(max_examples=40)
def test_it_never_raises_the_loss_and_changes_nothing_but_bias_and_scale(
    case: tuple[Draft, Sample], steps: int
) -> None:
    draft, sample = case
    after = calibrated(draft, draft.values(sample), sample, steps)
    assert loss_of(after, sample) <= loss_of(draft, sample)
    assert after.scale >= min(draft.scale, LEAST_SCALE)
    assert replace(after, bias=draft.bias, scale=draft.scale).__dict__ == draft.__dict__
    if steps == 0:
        assert (after.bias.tolist(), after.scale) == (draft.bias.tolist(), draft.scale)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("start", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_it_ends_where_no_bias_and_no_scale_would_be_better(
    classes: int, start: float, seed: int
) -> None:
    sample = a_sample(seed, rows=200, classes=classes, missing=0.1)
    votes = np.eye(classes)[[1, -1, 0]] - np.eye(classes)[[0, 0, 1]]
    truth = a_draft(sample, [Var(0), Var(1) & Var(2), Var(2) ^ Var(3)], votes, seed, scale=2.0)
    sample = drawn_from(truth, sample, seed)
    draft = replace(truth, scale=start, bias=np.zeros(classes))
    after = calibrated(draft, draft.values(sample), sample, steps=30)
    assert np.abs(slopes_by_numbers(after, sample)).max() < 1e-4
    assert after.scale == pytest.approx(2.0, abs=1.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_pure_draft_gets_the_best_scale_and_keeps_a_bias_of_zero(seed: int) -> None:
    sample = a_sample(seed, rows=200, classes=3)
    votes = [[1, -1, 0], [0, 1, -1]]
    truth = a_draft(sample, [Var(0), Var(1) | Var(2)], votes, seed, pure=True, scale=2.0)
    sample = drawn_from(truth, sample, seed)
    draft = replace(truth, scale=0.5)
    after = calibrated(draft, draft.values(sample), sample, steps=30)
    assert after.bias.tolist() == [0, 0, 0]
    assert abs(slopes_by_numbers(after, sample)[-1]) < 1e-4
    assert loss_of(after, sample) < loss_of(draft, sample)


@given(cases(pure=True))
@settings(max_examples=30)
def test_a_pure_draft_stays_without_bias_whatever_it_votes(case: tuple[Draft, Sample]) -> None:
    draft, sample = case
    assert not calibrated(draft, draft.values(sample), sample).bias.any()


def test_rules_that_say_the_contrary_of_the_truth_lose_their_weight() -> None:
    sample = a_sample(rows=100)
    draft = a_draft(sample, [Var(0)], [[0, -1]], scale=3.0)
    after = calibrated(draft, draft.values(sample), sample, steps=30)
    assert 0 < after.scale < 0.2
    counts = np.bincount(sample.targets)
    odds = np.log(counts[1] / counts[0])
    assert after.bias[1] - after.bias[0] == pytest.approx(odds, abs=0.3)


def test_values_that_never_vary_are_no_trouble() -> None:
    sample = a_sample(rows=30, classes=3)
    draft = a_draft(sample, [Var(0)], [[1, 0, -1]])
    for constant in (0.0, 1.0):
        values = np.full((1, 30), constant)
        after = calibrated(draft, values, sample)
        assert np.isfinite([*after.bias, after.scale]).all()
        shares = softmax(after.logits(values), axis=0)[:, 0]
        counts = np.bincount(sample.targets, minlength=3)
        assert shares == pytest.approx(counts / counts.sum(), abs=0.05)
