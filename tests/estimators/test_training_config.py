"""How parameters of estimators become those of training: a budget of steps, not of passes."""

from __future__ import annotations

from typing import Any

import pytest

from crisplogic import LogicClassifier
from crisplogic.estimators.params import MAX_STEPS, Objective, training_config
from crisplogic.training import TrainingConfig


def config_of(rows: int, **changes: Any) -> TrainingConfig:
    objective = Objective("cross_entropy")
    return training_config(LogicClassifier(**changes), objective, 1, rows, columns=20)


def steps_of(rows: int, **changes: Any) -> int:
    config = config_of(rows, **changes)
    seen = min(rows, config.max_rows or rows)
    return config.soft.epochs * -(-seen // config.soft.batch_size)


@pytest.mark.parametrize("rows", [1, 2, 11, 150, 2_000, 20_000, 200_000, 50_000_000])
def test_the_steps_of_training_do_not_grow_with_the_rows(rows: int) -> None:
    assert steps_of(rows) <= 1.3 * MAX_STEPS
    assert config_of(rows).soft.batch_size <= 512
    assert config_of(rows).soft.epochs >= 4


def test_small_tables_are_seen_thirty_times() -> None:
    assert {config_of(rows).soft.epochs for rows in (1, 100, 1500, 4000)} == {30}


def test_epochs_that_were_asked_for_are_passes_over_all_rows() -> None:
    config = config_of(10**6, epochs=7)
    assert config.max_rows is None
    assert config.soft.epochs == 7
    assert config_of(10**6, batch_size=5).soft.batch_size == 5


def test_networks_that_are_only_compared_with_rules_are_trained_once_and_softly() -> None:
    crisp, graded = (config_of(500, literals=literals) for literals in ("crisp", "graded"))
    assert (crisp.restarts, crisp.folds, crisp.snapped) == (1, 5, None)
    assert (graded.restarts, graded.folds) == (3, 5)
    assert graded.snapped is not None
    rounded = config_of(500, snapping="straight_through")
    assert (rounded.restarts, rounded.snapped is None) == (3, False)
