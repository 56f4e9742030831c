"""The loss: surprise and doubt, with slopes that finite differences confirm."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.search.log_loss import DOUBT, losses, shares_of, slopes
from crisplogic.search.sample import Sample
from tests.search.drafts import a_sample

Floats = NDArray[np.float64]


def some_logits(sample: Sample, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(sample.classes, len(sample))) * 3


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_it_is_the_mean_surprise_and_a_little_for_every_large_logit(classes: int) -> None:
    sample = a_sample(rows=9, classes=classes)
    logits = some_logits(sample)
    expected = 0.0
    for row, target in zip(logits.T, sample.targets, strict=True):
        expected -= np.log(np.exp(row[target]) / np.exp(row).sum()) / 9
        expected += DOUBT / 2 * ((row - row.mean()) ** 2).sum() / 9 / 9
    assert float(losses(logits, sample)) == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_its_slopes_are_those_of_finite_differences(classes: int) -> None:
    sample = a_sample(rows=7, classes=classes)
    logits = some_logits(sample)
    slope, shares = slopes(logits, sample), shares_of(logits)
    step = 1e-6
    expected = np.empty_like(logits)
    for place in np.ndindex(*logits.shape):
        aside = np.zeros_like(logits)
        aside[place] = step
        rise = losses(logits + aside, sample) - losses(logits - aside, sample)
        expected[place] = rise / (2 * step)
    np.testing.assert_allclose(slope, expected, atol=1e-9)
    np.testing.assert_allclose(shares, np.exp(logits) / np.exp(logits).sum(axis=0))


def test_several_sets_of_logits_are_judged_as_each_alone() -> None:
    sample = a_sample(rows=6, classes=3)
    several = np.stack([some_logits(sample, seed) for seed in range(4)])
    each = [float(losses(logits, sample)) for logits in several]
    np.testing.assert_allclose(losses(several, sample), each)


def test_a_shift_of_all_classes_changes_nothing() -> None:
    sample = a_sample(rows=6, classes=3)
    logits = some_logits(sample)
    assert float(losses(logits + 9.0, sample)) == pytest.approx(float(losses(logits, sample)))


def test_certainty_never_comes_for_free() -> None:
    sample = a_sample(rows=6, classes=2)
    right = np.where(np.arange(2)[:, None] == sample.targets, 1.0, -1.0)
    worth = [float(losses(scale * right, sample)) for scale in (0.0, 1.0, 100.0, 1e6)]
    assert np.isfinite(worth).all()
    assert worth[0] > worth[1] < worth[2] < worth[3]
