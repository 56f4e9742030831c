from __future__ import annotations

import json
from typing import Any

import pytest

from crisplogic import LogicRegressor
from experiments.harness.store import to_json
from experiments.numbers import tasks
from experiments.numbers.folds import SPLIT_SEED, fold_of
from experiments.numbers.peers import PEERS, additive, asked, cut_to_size
from experiments.numbers.tasks import SMALL_LIMIT, AdditiveTask, Figures, measure, rules_task
from tests.experiments.numbers_experiment.samples import tiny_table

SOON_DONE: dict[str, Any] = {"epochs": 5, "restarts": 1, "folds": 0, "random_state": 0}


@pytest.fixture(scope="module")
def figures() -> Figures:
    table = tiny_table()
    return measure(table, fold_of(table, 0), LogicRegressor(**SOON_DONE), seed=0)


def test_everyone_is_judged_and_every_fit_is_timed(figures: Figures) -> None:
    assert set(figures.scores) == {"rules", "small", "network", "noiseless", *PEERS}
    assert set(figures.seconds) == {"rules", *PEERS}
    assert all(seconds > 0 for seconds in figures.seconds.values())
    assert all(score.r2 <= 1 and score.rmse > 0 for score in figures.scores.values())
    assert figures.scores["rules"].r2 > 0.5
    assert figures.small_literals <= SMALL_LIMIT


def test_rules_are_printed_in_the_words_of_the_table(figures: Figures) -> None:
    assert figures.text.startswith("price = ")
    assert "size>" in figures.legend


def test_rules_and_network_are_not_the_same(figures: Figures) -> None:
    assert figures.scores["rules"] != figures.scores["network"]


def test_the_tree_is_as_large_as_the_rules() -> None:
    fold = fold_of(tiny_table(), 0)
    tree = cut_to_size(PEERS["tree"](0), 5).fit(fold.train.X, fold.train.y)
    assert tree.get_n_leaves() == 5
    assert cut_to_size(PEERS["tree"](0), 1).max_leaf_nodes == 2


def test_the_question_is_complete_and_is_json() -> None:
    question = json.loads(to_json(rules_task("yeast", 3).question()))
    assert (question["table"], question["fold"], question["seed"]) == ("yeast", 3, 3)
    assert question["split_seed"] == SPLIT_SEED
    assert question["settings"] == LogicRegressor(random_state=3).get_params()
    assert question["peers"]["forest"] == "RandomForestRegressor(random_state=3)"
    assert set(question["peers"]) == set(PEERS)


def test_a_task_is_performed_on_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "table", lambda name: tiny_table())
    task = tasks.RulesTask("vehicle", 1, SOON_DONE)
    figures = json.loads(to_json(task.perform()))
    assert figures["literals"] > 0
    assert task.line(figures).startswith("vehicle, fold 1: R² of rules ")


def test_an_ebm_is_timed_beside_boosting(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("interpret")
    monkeypatch.setattr(tasks, "table", lambda name: tiny_table())
    task = AdditiveTask("vehicle", 0)
    figures = json.loads(to_json(task.perform()))
    assert figures["scores"]["EBM"]["r2"] > 0.5
    assert set(figures["seconds"]) == {"EBM", "boosting"}
    assert "EBM" in task.line(figures)
    assert task.question()["peers"]["EBM"] == asked(additive(0))  # said without interpret
