"""Held-out evaluation: errors, losses and standard errors on rows that rules never saw."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.expr import Var
from crisplogic.rules import Point
from crisplogic.rules.metrics import brier
from crisplogic.search.search import _logits_by_size
from crisplogic.search.tasks import CLASSIFICATION, HeldOutRows
from tests.rules.rule_sets import rules_of
from tests.search.drafts import a_draft, a_sample

POINTS = [Point(rules_of("0", "1"), error=0.5), Point(rules_of("0 & 1", "1"), error=0.25)]


def sure(rights: list[bool], strength: float = 1.0) -> NDArray[np.float64]:
    """Logits for rows of class 0 that are right or wrong, all equally sure."""
    signs = np.where(rights, strength, -strength)
    return np.stack([signs, -signs])


def evaluate(
    points: list[Point], logits: NDArray[np.float64], y: NDArray[np.intp], pure: bool = False
) -> list[Point]:
    """Evaluate on rows that were held out in one fold."""
    rows = HeldOutRows(logits, y, np.zeros(len(y), dtype=np.intp))
    return CLASSIFICATION.evaluate(points, rows, pure)[0]


def test_errors_and_standard_errors_are_those_of_rows() -> None:
    targets = np.zeros(8, dtype=np.intp)
    rights = [[True] * 5 + [False] * 3, [True] * 7 + [False]]
    logits = np.stack([sure(each) for each in rights])
    small, large = evaluate(POINTS, logits, targets)
    assert (small.held_out_error, large.held_out_error) == (3 / 8, 1 / 8)
    assert (small.error, large.error) == (0.5, 0.25)
    assert large.standard_error == 0
    factors = [
        p.rules.scale / q.rules.scale for p, q in zip((small, large), POINTS, strict=True)
    ]
    rows = [brier(f * each, targets) for f, each in zip(factors, logits, strict=True)]
    assert small.held_out_loss == pytest.approx(rows[0].mean(), rel=1e-2)
    difference = (rows[0] - rows[1]).std() / np.sqrt(8)
    assert small.standard_error == pytest.approx(difference, rel=1e-2)


def test_rules_that_are_too_sure_become_as_sure_as_held_out_rows_allow() -> None:
    targets = np.zeros(400, dtype=np.intp)
    logits = np.stack([sure([True] * 300 + [False] * 100, strength=5.0)] * 2)
    point, _ = evaluate(POINTS, logits, targets)
    # Three of four are right: 10 times the factor is the logarithm of 3.
    assert point.rules.scale == pytest.approx(np.log(3) / 10, rel=0.02)
    assert point.held_out_loss == pytest.approx(0.75 * 2 / 16 + 0.25 * 2 * 9 / 16, rel=1e-2)


def test_how_sure_rules_are_does_not_change_what_a_size_is_worth() -> None:
    rng = np.random.default_rng(0)
    targets = rng.integers(0, 2, 500)
    logits = rng.normal(size=(1, 2, 500)) + np.eye(2)[targets].T
    (calm,) = evaluate(POINTS[:1], logits, targets)
    (shrill,) = evaluate(POINTS[:1], 30 * logits, targets)
    assert shrill.held_out_loss == pytest.approx(calm.held_out_loss, rel=1e-3)


def test_pure_rules_keep_their_scale() -> None:
    logits = np.stack([sure([True, False, True], strength=9.0)] * 2)
    for point, before in zip(
        evaluate(POINTS, logits, np.zeros(3, dtype=np.intp), pure=True),
        POINTS,
        strict=True,
    ):
        assert point.rules == before.rules


def test_a_draft_that_stands_for_several_sizes_says_the_same_in_each() -> None:
    data = a_sample(rows=12)
    one, other = (a_draft(data, [Var(i)], [[0.0, 1.0]]) for i in (0, 1))
    logits = _logits_by_size([one, one, other], data)
    assert logits.shape == (3, 2, 12)
    np.testing.assert_array_equal(logits[0], logits[1])
    np.testing.assert_array_equal(logits[2], other.logits(other.values(data)))


def test_the_distance_is_0_where_right_and_2_where_wrong_without_a_doubt() -> None:
    logits = np.array([[900.0, 900.0, 0.0], [-900.0, -900.0, 0.0], [0.0, 0.0, 0.0]])
    distances = brier(logits, np.array([0, 1, 2]))
    assert distances.tolist() == pytest.approx([0.0, 2.0, 2 / 3])
