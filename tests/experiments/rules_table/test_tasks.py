from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from crisplogic import LogicClassifier
from crisplogic.datasets import load
from experiments.harness.folds import FOLDS, Split, splits
from experiments.rules_table.tasks import Figures, measure
from tests.experiments.rules_table.samples import SOON_DONE, task, tiny_table

LEARNS_SOME = {**SOON_DONE, "epochs": 20}
TABLE = tiny_table()
SPLIT = Split(train=np.arange(40), test=np.arange(40, 60))
X, Y = TABLE.X[SPLIT.test], TABLE.y[SPLIT.test]


@pytest.fixture(scope="module")
def fold() -> tuple[LogicClassifier, Figures]:
    """A fitted classifier and what was measured of it; tests leave it as it is."""
    clf = LogicClassifier(**LEARNS_SOME, random_state=3)
    return clf, measure(TABLE, SPLIT, clf, small_limit=2)


def test_a_fold_is_measured_from_a_table_a_split_and_a_classifier(
    fold: tuple[LogicClassifier, Figures],
) -> None:
    clf, figures = fold
    assert figures.rows == 20
    assert figures.rules_error == np.mean(clf.predict(X) != Y)
    assert figures.rules_literals == clf.rules_.size
    assert figures.rules_classes == 2
    assert 0 <= figures.rules_tied <= 20
    assert figures.small_error == np.mean(clf.rules_at(2).predict(X) != Y)
    assert 0 < figures.small_literals <= 2
    assert 0 <= figures.nearest_error <= 1
    assert figures.fit_seconds > 0
    assert sum(figures.reliability.rows) == 20
    assert sum(figures.reliability.right) == pytest.approx(20 * (1 - figures.rules_error))


def test_the_network_is_asked_for_its_own_opinion_and_the_rules_stay_in_charge(
    fold: tuple[LogicClassifier, Figures],
) -> None:
    clf, figures = fold
    assert clf.predict_with == "rules"
    by_network = copy.copy(clf).set_params(predict_with="network")
    assert figures.network_error == np.mean(by_network.predict(X) != Y)


def test_nearest_rounding_is_that_of_a_classifier_that_does_nothing_else(
    fold: tuple[LogicClassifier, Figures],
) -> None:
    clf = LogicClassifier(**LEARNS_SOME, snapping="nearest", random_state=3)
    figures = measure(TABLE, SPLIT, clf, small_limit=1000)
    assert figures.rules_error == figures.nearest_error == fold[1].nearest_error


def test_a_task_names_all_settings_and_its_fold_is_the_seed() -> None:
    seventh = task(fold=7, epochs=2)
    assert seventh.settings == LogicClassifier(epochs=2, random_state=7).get_params()
    assert seventh.seed == 7


def test_a_task_is_performed_in_one_thread_and_the_others_come_back() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        figures = task("breast-cancer-wisconsin", fold=29, **SOON_DONE).perform()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert figures["rows"] == 69


def test_the_folds_are_thirty_and_three_times_every_row() -> None:
    yeast = load("yeast")  # has a class of fewer rows than folds, about which nobody warns
    folds = splits(yeast)
    assert len(folds) == FOLDS == 30
    tested = np.bincount(np.concatenate([fold.test for fold in folds]))
    assert (tested == 3).all()
    assert all(len(np.intersect1d(fold.train, fold.test)) == 0 for fold in folds)
