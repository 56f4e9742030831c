from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from crisplogic import LogicClassifier
from crisplogic.expr import parse
from experiments.deep.problems import PROBLEMS, SETTINGS, draw
from experiments.deep.tables import NAMES, TIC_TAC_TOE, Table
from experiments.deep.tasks import (
    DEPTHS,
    ExpressionTask,
    ProblemTask,
    TableTask,
    logic_tasks,
    measure_problem,
    measure_table,
    table_tasks,
)
from experiments.harness.evaluation import Split
from experiments.reproduction.expressions import VARIABLES, learn
from tests.experiments.rules_table.samples import SOON_DONE, tiny_table


def classifier(**changes: Any) -> LogicClassifier:
    return LogicClassifier(**{**SOON_DONE, "random_state": 0, **changes})


def test_rules_for_a_problem_are_judged_by_its_truth() -> None:
    problem, clf = PROBLEMS["monk-3"], classifier()
    figures = measure_problem(problem, 0.05, 0, clf)
    drawn, _ = draw(problem, 0.05, 0)
    assert figures["error"] == np.mean(clf.predict(drawn.known) != drawn.known_truth)
    assert figures["literals"] == clf.rules_.size
    assert figures["seconds"] > 0


def test_rules_for_an_expression_are_judged_as_in_the_reproduction() -> None:
    figures = learn(parse("0 & 1"), 3, classifier())
    assert figures["right"] is True
    assert figures["least_right"] <= figures["literals"]


def test_rules_and_network_of_a_fold_are_judged_by_the_test_rows() -> None:
    found = tiny_table()
    rows = np.arange(len(found.y))
    clf = classifier()
    figures = measure_table(Table(found.X, found.y), Split(rows[:40], rows[40:]), clf)
    assert clf.predict_with == "network"
    expected = np.mean(clf.predict(found.X[40:]) != found.y[40:])
    assert figures["network_error"] == expected
    rules = np.mean(clf.rules_.predict(found.X[40:]) != found.y[40:])
    assert (figures["error"], figures["literals"]) == (rules, clf.rules_.size)


@pytest.mark.parametrize("seeds", [1, 11, 41])
def test_so_many_of_each_are_measured_where_there_are_as_many(seeds: int) -> None:
    tasks = logic_tasks(seeds)
    counts = [
        sum(isinstance(task, kind) for task in tasks)
        for kind in (ProblemTask, ExpressionTask, TableTask)
    ]
    assert counts == [
        seeds * len(SETTINGS),
        min(seeds, 40) * len(VARIABLES),
        min(seeds, 10),
    ]
    assert len({task.name for task in tasks}) == len(tasks)


def test_tables_are_measured_at_each_depth() -> None:
    tasks = [*table_tasks(NAMES, 2), *logic_tasks(1)]
    assert len({task.name for task in tasks}) == len(tasks)
    settings = [task.question()["settings"] for task in table_tasks(["vehicle"], 1)]
    assert [one["depth"] for one in settings] == list(DEPTHS) == [1, "auto", 2]
    assert TIC_TAC_TOE not in NAMES


def test_questions_are_plain_data() -> None:
    for task in [*logic_tasks(1), *table_tasks(["vehicle"], 1)]:
        question = task.question()
        assert json.loads(json.dumps(question)) == question
