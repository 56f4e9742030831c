"""best_scale: how sure the scores may be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.rules.metrics import best_scale
from crisplogic.rules.ruleset import softmax

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

TWO_CLASSES = np.array([[1.0, -1.0], [-1.0, 1.0]] * 20)
RIGHT, WRONG = np.array([0, 1] * 20), np.array([1, 0] * 20)


def surprise(scale: float, scores: Floats, targets: Ints) -> float:
    """What the scale is to make small, written as plainly as can be."""
    probabilities = softmax(scale * scores)[np.arange(len(targets)), targets]
    return float(np.log(scale) ** 2 / 2 - np.log(probabilities).sum())


def drawn(scale: float, rows: int = 20_000) -> tuple[Floats, Ints]:
    """Scores, and targets that follow the probabilities they have under a scale."""
    random = np.random.default_rng(0)
    scores = random.uniform(-2, 2, (rows, 3))
    beyond = softmax(scale * scores).cumsum(axis=1) > random.random((rows, 1))
    return scores, beyond.argmax(axis=1)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 6.0])
def test_it_finds_the_scale_that_the_targets_were_drawn_with(scale: float) -> None:
    assert best_scale(*drawn(scale)) == pytest.approx(scale, rel=0.05)


@given(
    hnp.arrays(np.float64, (7, 3), elements=st.integers(-12, 12).map(lambda x: x / 4)),
    hnp.arrays(np.intp, 7, elements=st.integers(0, 2)),
)
@settings(max_examples=50)
def test_no_other_scale_is_less_surprised(scores: Floats, targets: Ints) -> None:
    best = best_scale(scores, targets)
    least = surprise(best, scores, targets)
    for other in [*np.geomspace(0.01, 100, 13), best * 0.9, best * 1.1]:
        assert least <= surprise(other, scores, targets) + 1e-6


def test_scores_that_are_right_may_be_surer_than_scores_that_are_wrong() -> None:
    right, wrong = best_scale(TWO_CLASSES, RIGHT), best_scale(TWO_CLASSES, WRONG)
    assert 0 < wrong < 0.5
    assert 1 < right < np.inf


def test_perfect_scores_stay_finite_however_many() -> None:
    scores, targets = np.tile(TWO_CLASSES, (1000, 1)), np.tile(RIGHT, 1000)
    assert 1 < best_scale(scores, targets) < 1100
    assert best_scale(50 * scores, targets) == pytest.approx(1, abs=1e-4)  # sure as they are


def test_scores_that_say_nothing_leave_the_scale_at_one() -> None:
    assert best_scale(np.zeros((9, 4)), np.arange(9) % 4) == pytest.approx(1, abs=1e-4)
    assert best_scale(np.ones((9, 1)), np.zeros(9, dtype=np.intp)) == pytest.approx(1, abs=1e-4)
    assert best_scale(np.empty((0, 2)), np.empty(0, dtype=np.intp)) == pytest.approx(
        1, abs=1e-4
    )


def test_the_order_of_rows_does_not_matter() -> None:
    scores, targets = drawn(2.0, rows=200)
    turned = best_scale(scores[::-1], targets[::-1])
    assert best_scale(scores, targets) == pytest.approx(turned, rel=1e-6)


def test_a_row_of_some_weight_is_so_many_rows() -> None:
    scores, targets = drawn(0.7)
    weights = np.random.default_rng(1).integers(1, 5, len(targets))
    repeated = best_scale(scores.repeat(weights, axis=0), targets.repeat(weights))
    assert best_scale(scores, targets, weights.astype(float)) == pytest.approx(repeated)
    assert best_scale(scores, targets) != pytest.approx(repeated, rel=1e-6)


def test_weights_of_1_change_nothing() -> None:
    scores, targets = drawn(0.7)
    ones = np.ones(len(targets))
    assert best_scale(scores, targets, ones) == pytest.approx(best_scale(scores, targets))
