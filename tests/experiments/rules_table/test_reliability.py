from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

from experiments.rules_table.reliability import measure_reliability, pool

CLASSES = np.array(["a", "b", "c"])
PROBABILITIES = np.array(
    [[0.95, 0.05, 0.0], [1.0, 0.0, 0.0], [0.1, 0.7, 0.2], [0.4, 0.35, 0.25]]
)
ACTUAL = np.array(["a", "b", "b", "a"])


def test_calibration_error_is_the_gap_of_every_bin_weighted_by_its_rows() -> None:
    told = measure_reliability(PROBABILITIES, CLASSES, ACTUAL)
    # 0.95 and 1.0 share the last bin, half of them right; 0.7 and 0.4 have one each.
    expected = (2 * abs(0.975 - 0.5) + abs(0.7 - 1) + abs(0.4 - 1)) / 4
    assert told.calibration_error == pytest.approx(expected)


def test_log_loss_is_that_of_scikit_learn() -> None:
    told = measure_reliability(PROBABILITIES, CLASSES, ACTUAL)
    assert told.log_loss == pytest.approx(log_loss(ACTUAL, PROBABILITIES, labels=CLASSES))


def test_the_log_loss_of_a_class_that_training_never_saw_is_finite() -> None:
    told = measure_reliability(np.array([[0.5, 0.5]]), CLASSES[:2], np.array(["never seen"]))
    assert told.log_loss == pytest.approx(36.04, abs=0.01)
    assert sum(told.right) == 0


def test_pooled_parts_are_the_whole() -> None:
    parts = [
        measure_reliability(PROBABILITIES[part], CLASSES, ACTUAL[part])
        for part in (slice(0, 1), slice(1, 4))
    ]
    whole = measure_reliability(PROBABILITIES, CLASSES, ACTUAL)
    assert pool(parts).calibration_error == pytest.approx(whole.calibration_error)
    assert pool(parts).log_loss == pytest.approx(whole.log_loss)
    assert pool(parts).rows == whole.rows
