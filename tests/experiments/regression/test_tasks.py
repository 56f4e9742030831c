from __future__ import annotations

import json
from typing import Any

import pytest

from crisplogic import LogicRegressor
from experiments.regression import tasks
from experiments.regression.learners import PEERS, describe, limit_leaves, make_ebm
from experiments.regression.tables import NAMES, SPLIT_SEED, fold_of
from experiments.regression.tasks import (
    SMALL_LIMIT,
    EbmTask,
    Figures,
    measure,
    rules_task,
    tasks_for,
)
from tests.experiments.regression.samples import tiny_table

SOON_DONE: dict[str, Any] = {"epochs": 5, "restarts": 1, "folds": 0, "random_state": 0}


@pytest.fixture(scope="module")
def figures() -> Figures:
    table = tiny_table()
    return measure(table, fold_of(table, 0), LogicRegressor(**SOON_DONE), seed=0)


def test_every_learner_is_scored_and_every_fit_is_timed(figures: Figures) -> None:
    assert set(figures.scores) == {"rules", "small", "network", "noiseless", *PEERS}
    assert set(figures.seconds) == {"rules", *PEERS}
    assert all(seconds > 0 for seconds in figures.seconds.values())
    assert all(score.r2 <= 1 and score.rmse > 0 for score in figures.scores.values())
    assert figures.small_literals <= SMALL_LIMIT


def test_rules_are_printed_with_the_names_of_the_table(figures: Figures) -> None:
    assert "price" in figures.text
    assert "x0" not in figures.text


def test_rules_and_network_are_not_the_same(figures: Figures) -> None:
    assert figures.scores["rules"] != figures.scores["network"]


def test_the_tree_is_as_large_as_the_rules() -> None:
    fold = fold_of(tiny_table(), 0)
    tree = limit_leaves(PEERS["tree"](0), 5).fit(fold.train.X, fold.train.y)
    assert tree.get_n_leaves() == 5
    assert limit_leaves(PEERS["tree"](0), 1).max_leaf_nodes == 2


def test_the_question_is_complete_and_is_json() -> None:
    question = json.loads(json.dumps(rules_task("yeast", 3).question(), allow_nan=False))
    assert (question["table"], question["fold"], question["seed"]) == ("yeast", 3, 3)
    assert question["split_seed"] == SPLIT_SEED
    same = LogicRegressor(loss="squared_error", random_state=3)
    assert question["settings"] == same.get_params()
    assert question["peers"]["forest"] == "RandomForestRegressor(random_state=3)"
    assert set(question["peers"]) == set(PEERS)


def test_a_task_is_performed_on_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "table", lambda name: tiny_table())
    task = tasks.RulesTask("vehicle", 1, SOON_DONE)
    figures = json.loads(json.dumps(task.perform(), allow_nan=False))
    assert figures["literals"] >= 0
    assert task.line(figures).startswith("vehicle, fold 1: R² of rules ")


def test_an_ebm_is_timed_beside_boosting(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("interpret")
    monkeypatch.setattr(tasks, "table", lambda name: tiny_table())
    task = EbmTask("vehicle", 0)
    figures = json.loads(json.dumps(task.perform(), allow_nan=False))
    assert figures["scores"]["EBM"]["r2"] <= 1
    assert set(figures["seconds"]) == {"EBM", "boosting"}
    assert "EBM" in task.line(figures)
    assert task.question()["peers"]["EBM"] == describe(make_ebm(0))


def test_an_ebm_is_measured_on_the_same_folds() -> None:
    names = [task.name for task in tasks_for(NAMES, 10, ebm=True)]
    assert names[:60] == [task.name for task in tasks_for(NAMES, 10, ebm=False)]
    assert names[60:] == [name.replace("folds/", "ebm/") for name in names[:60]]
    assert len(set(names)) == 120
