from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crisplogic import LogicClassifier
from experiments.harness.evaluation import Split
from experiments.harness.store import Store
from experiments.rules_table.tasks import Figures, figures_from, measure, rules_task, tasks_for
from tests.experiments.rules_table.samples import SOON_DONE, document, tiny_table

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
    assert figures.classes == 2
    assert figures.rules_error == np.mean(clf.predict(X) != Y)
    assert figures.rules_literals == clf.rules_.size
    assert figures.rules_classes == len(np.unique(clf.predict(X)))
    assert 0 <= figures.rules_tied <= 20
    assert figures.small_error == np.mean(clf.rules_at(2).predict(X) != Y)
    assert figures.small_literals == clf.rules_at(2).size <= 2
    assert 0 <= figures.nearest_error <= 1
    assert figures.fit_seconds > 0
    assert sum(figures.reliability.rows) == 20
    assert sum(figures.reliability.right) == pytest.approx(20 * (1 - figures.rules_error))


def test_the_network_is_measured_too_and_the_classifier_stays_as_it_was(
    fold: tuple[LogicClassifier, Figures],
) -> None:
    clf, figures = fold
    assert clf.predict_with == "rules"
    by_network = copy.copy(clf).set_params(predict_with="network")
    assert figures.network_error == np.mean(by_network.predict(X) != Y)


def test_nearest_rounding_is_that_of_a_classifier_that_does_nothing_else(
    fold: tuple[LogicClassifier, Figures],
) -> None:
    rounded: dict[str, Any] = {"snapping": "nearest", "literals": "graded"}  # as in the paper
    clf = LogicClassifier(**LEARNS_SOME, **rounded, random_state=3)
    figures = measure(TABLE, SPLIT, clf, small_limit=1000)
    assert figures.rules_error == figures.nearest_error == fold[1].nearest_error


def test_a_task_names_all_settings_and_its_fold_is_the_seed() -> None:
    seventh = rules_task("vehicle", 7, epochs=2)
    assert seventh.settings == LogicClassifier(epochs=2, random_state=7).get_params()
    assert seventh.question()["seed"] == 7


def test_a_task_is_performed_in_one_thread_and_the_others_come_back() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        figures = rules_task("breast-cancer-wisconsin", 29, **SOON_DONE).perform()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert figures["rows"] == 69


def test_a_task_can_travel_to_a_worker_process() -> None:
    task = rules_task("vehicle", 5, **SOON_DONE)
    assert pickle.loads(pickle.dumps(task)) == task


def test_figures_come_back_as_they_were_stored(tmp_path: Path) -> None:
    store, fold = Store(tmp_path), document(fold=3)
    store.add("folds/vehicle/03", fold)
    stored = store.load()["folds/vehicle/03"]
    assert figures_from(stored["figures"]) == figures_from(fold["figures"])


def test_tables_take_turns_and_yeast_may_have_larger_small_rules() -> None:
    tasks = tasks_for(["vehicle", "yeast"], folds=2)
    assert [(task.name, task.small_limit) for task in tasks] == [
        (f"{kind}/{table}/0{fold}", limit)
        for fold in (0, 1)
        for table, limit in (("vehicle", 12), ("yeast", 20))
        for kind in ("crisp", "graded")
    ]


def test_crisp_tasks_have_default_settings_and_graded_ones_differ_in_literals_alone() -> None:
    crisp, graded = tasks_for(["vehicle"], folds=1)
    assert crisp.settings == LogicClassifier(random_state=0).get_params()
    assert graded.settings == {**crisp.settings, "literals": "graded"}
