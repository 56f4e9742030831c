"""Screening: networks see the most informative columns of wide tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic import LogicClassifier
from crisplogic.training import PhaseConfig, TrainingConfig, screening
from crisplogic.training.screening import column_scores, replace_unused, top_columns
from tests.training.samples import train_on


def noise(rows: int, columns: int, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def residuals_of(truth: Tensor) -> Tensor:
    return torch.stack([truth, -truth], 1).float()


def test_an_informative_column_is_found() -> None:
    columns = noise(400, 300)
    scores = column_scores(columns, residuals_of((columns[:, 42] > 0).float()))
    assert scores.argmax() == 42


def test_columns_that_are_informative_only_as_a_pair_are_found() -> None:
    columns = noise(600, 300)
    scores = column_scores(columns, residuals_of((columns[:, 7] * columns[:, 123] > 0).float()))
    assert set(scores.topk(2).indices.tolist()) == {7, 123}


def test_every_class_is_scored() -> None:
    columns = noise(600, 60)
    residuals = noise(600, 4, seed=1)
    residuals[:, 3] = columns[:, 10] * columns[:, 20]
    assert set(column_scores(columns, residuals).topk(2).indices.tolist()) == {10, 20}


def test_blocks_of_columns_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, residuals = noise(100, 37), noise(100, 3, seed=1)
    whole = column_scores(columns, residuals)
    monkeypatch.setattr(screening, "BLOCK", 5)
    torch.testing.assert_close(column_scores(columns, residuals), whole)


def test_scores_do_not_depend_on_units_or_on_columns_that_never_vary() -> None:
    columns, residuals = noise(100, 8), noise(100, 2, seed=1)
    scaled = columns * torch.arange(1.0, 9.0) + 3
    scaled = torch.cat([scaled, torch.full((100, 1), 5.0)], 1)
    found = column_scores(scaled, residuals)
    assert torch.isfinite(found).all()
    assert (
        found[:8].topk(3).indices.tolist()
        == column_scores(columns, residuals).topk(3).indices.tolist()
    )
    assert found[8] == 0


def screened(
    table: NDArray[np.float64],
    targets: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
) -> list[int]:
    """The columns that a network of one column selects."""
    phase = PhaseConfig(epochs=1, batch_size=1000)
    config = TrainingConfig(1, 8, phase, None, memberships=1, n_selected_features=1)
    trained = train_on(table, targets, 2, config, seed=0, weights=weights)
    return trained.restarts[0].network.columns.tolist()


def test_a_sample_of_the_rows_bounds_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "MAX_MULTIPLICATIONS", 10)
    rows: list[int] = []

    def noted(columns: Tensor, *others: Any) -> Tensor:
        rows.append(len(columns))
        return column_scores(columns, *others)

    monkeypatch.setattr(screening, "column_scores", noted)
    table = noise(2000, 30).double().numpy()
    assert screened(table, (table[:, 3] > 0).astype(np.intp)) == [3]
    assert set(rows) == {screening.MIN_ROWS}


def test_a_sample_of_rows_that_alternate_has_both_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every second row would be of one class."""
    monkeypatch.setattr(screening, "MAX_MULTIPLICATIONS", 10)
    targets = (np.arange(2 * screening.MIN_ROWS - 1) % 2).astype(np.intp)
    table = noise(len(targets), 30).double().numpy()
    table[:, 7] += 4 * targets
    assert screened(table, targets) == [7]


def test_a_weighted_row_is_scored_as_that_many_rows() -> None:
    columns, residuals = noise(80, 20), noise(80, 3, seed=1)
    weights = torch.randint(1, 5, (80,), generator=torch.Generator().manual_seed(2))
    found = column_scores(columns, residuals, weights.float())
    repeated = columns.repeat_interleave(weights, 0), residuals.repeat_interleave(weights, 0)
    torch.testing.assert_close(found, column_scores(*repeated), rtol=1e-4, atol=1e-4)


def test_a_sample_prefers_rows_of_large_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(screening, "MAX_MULTIPLICATIONS", 10)
    table = noise(4000, 30).double().numpy()
    weights = np.where(np.arange(4000) < 200, 1.0, 1e-6)
    targets = np.where(np.arange(4000) < 200, table[:, 3] > 0, table[:, 5] > 0).astype(np.intp)
    assert screened(table, targets) == [5]
    assert screened(table, targets, weights) == [3]


def test_the_best_columns_are_selected_in_the_order_of_the_table() -> None:
    assert top_columns(torch.tensor([5.0, 1, 9, 3]), 2).tolist() == [0, 2]
    assert top_columns(torch.tensor([5.0, 1]), 7).tolist() == [0, 1]


def test_used_columns_keep_their_places() -> None:
    selected = torch.tensor([9, 2, 4, 6])
    scores = torch.tensor([8.0, 7, 0, 1, 0, 2, 0, 3, 0, 0])
    found = replace_unused(selected, torch.tensor([0.0, 5, 0.1, 5]), scores)
    assert found.tolist() == [0, 2, 1, 6]


def test_no_column_is_replaced_by_one_with_a_lower_score() -> None:
    selected = torch.tensor([0, 1])
    found = replace_unused(selected, torch.zeros(2), torch.tensor([5.0, 6, 4, 3]))
    assert found.tolist() == [0, 1]


def wide_table() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    table = np.random.default_rng(0).normal(size=(400, 150))
    return table, (table[:, 30] * table[:, 140] > 0).astype(np.intp)


def test_a_pair_hidden_in_a_wide_table_is_found() -> None:
    table, targets = wide_table()
    clf = LogicClassifier(max_columns=10, epochs=15, folds=2, restarts=2, random_state=0)
    clf.fit(table[:300], targets[:300])
    assert clf.score(table[300:], targets[300:]) > 0.9
    used = {membership.feature for membership in clf.rules_.memberships}
    assert {30, 140} <= used
    clf.set_params(predict_with="network")
    assert clf.score(table[300:], targets[300:]) > 0.85


def test_a_fold_is_screened_without_the_rows_that_it_holds_out() -> None:
    table, targets = wide_table()
    settings = PhaseConfig(epochs=1, batch_size=100)
    config = TrainingConfig(
        1, 8, settings, settings, memberships=1, folds=2, n_selected_features=4
    )
    before = train_on(table, targets, 2, config, seed=0)
    held_out = before.folds[0].held_out
    spoiled = table.copy()
    spoiled[held_out] = np.random.default_rng(1).permutation(spoiled[held_out])
    after = train_on(spoiled, targets, 2, config, seed=0)
    assert torch.equal(before.folds[0].snapped.columns, after.folds[0].snapped.columns)


def test_narrow_tables_use_all_columns() -> None:
    table, targets = wide_table()
    options: dict[str, Any] = {"epochs": 1, "folds": 0, "restarts": 1, "random_state": 0}
    clf = LogicClassifier(literals="graded", max_columns=8, **options)
    clf.fit(table[:, :8], targets)
    assert clf.network_.n_selected_features == 8
    assert {epoch.phase for epoch in clf.history_} == {"soft", "snapped"}
