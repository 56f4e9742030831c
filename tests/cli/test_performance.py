"""How good rules are on some rows: figures beside a baseline, and the table of classes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score

from crisplogic.cli.performance import (
    ClassPerformance,
    Confusion,
    NumberPerformance,
    measure_performance,
)
from tests.rules.rule_sets import PRICE, rules_of
from tests.strategies import INPUTS

GENERATOR = np.random.default_rng(0)
TABLE = GENERATOR.uniform(-1, 1, (200, INPUTS))
LABELS = ("a", "b", "c")
TRUTH = np.array(LABELS)[GENERATOR.integers(0, 3, 200)]
WEIGHTS = GENERATOR.integers(0, 4, 200).astype(float)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_figures_of_classes_are_those_of_scikit_learn(weights: np.ndarray | None) -> None:
    rules = rules_of("0", "1 & 2", "~3", labels=LABELS)
    found = measure_performance(rules, TABLE, TRUTH, weights)
    assert isinstance(found, ClassPerformance)
    predicted = rules.predict(TABLE)
    counts = confusion_matrix(TRUTH, predicted, labels=LABELS, sample_weight=weights)
    np.testing.assert_allclose(found.confusion.counts, counts)
    assert found.error == pytest.approx(1 - np.trace(counts) / counts.sum())
    assert found.baseline == pytest.approx(1 - counts.sum(axis=1).max() / counts.sum())
    assert found.most_frequent == LABELS[int(counts.sum(axis=1).argmax())]
    proba = rules.predict_proba(TABLE)
    auc = roc_auc_score(TRUTH, proba, multi_class="ovr", sample_weight=weights)
    assert found.auc == pytest.approx(auc)


def test_figures_of_a_number_stand_beside_those_of_the_mean() -> None:
    houses = np.column_stack([np.linspace(5, 8, 50), np.full(50, 5.0), np.full(50, 1.0)])
    prices = PRICE.predict(houses) + np.tile([1.0, -1.0], 25)
    found = measure_performance(PRICE, houses, prices)
    assert isinstance(found, NumberPerformance)
    assert found.rmse == pytest.approx(1.0)
    assert found.mae == pytest.approx(1.0)
    assert found.baseline == pytest.approx(prices.std())
    assert found.r2 == pytest.approx(1 - 1 / prices.var())
    assert "always the mean " in found.to_text(network_error=2.0)


def test_a_table_shows_counts_and_recalls() -> None:
    truth, predicted = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    found = Confusion.of(("no", "light blue", "never"), truth, predicted)
    assert found.to_text().splitlines() == [
        '              predicted',
        '               no  "light blue"  never  recall',
        'no              2             1      0   66.7%',
        '"light blue"    0             1      0  100.0%',
        'never           0             0      0       -',
    ]  # fmt: skip


def test_of_many_classes_the_recalls_are_shown() -> None:
    labels = tuple(range(20))
    found = Confusion.of(labels, np.arange(20), np.zeros(20, dtype=int))
    lines = found.to_text().splitlines()
    assert lines[0] == "recall of every class:"
    assert lines[1].split() == ["0", "100.0%", "of", "1"]
    assert len(lines) == 21


def test_a_long_name_does_not_make_the_table_wide() -> None:
    found = Confusion.of(("x" * 200, "y"), np.array([0, 1]), np.array([0, 1]))
    assert max(map(len, found.to_text().splitlines())) < 60


def test_a_class_alone_has_no_area_and_json_no_nan() -> None:
    rules = rules_of("0", "1", labels=("a", "b"))
    found = measure_performance(rules, TABLE[:3], ["a", "a", "a"])
    assert isinstance(found, ClassPerformance)
    assert math.isnan(found.auc)
    assert "AUC" not in found.to_text(network_error=0.0)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["auc"] is None
