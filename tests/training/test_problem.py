"""TrainingData: rows are selected with all that belongs to them. Large tables are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from crisplogic.training import PhaseConfig, TrainingConfig, fixed_views
from crisplogic.training.problem import TrainingProblem
from tests.training.samples import seeded, some_data

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


def test_rows_are_picked_by_number() -> None:
    rows = some_data(5)
    part = rows[torch.tensor([4, 0])]
    assert len(rows) == 5
    assert len(part) == 2
    assert torch.equal(part.inputs, rows.inputs[[4, 0]])
    assert torch.equal(part.targets, rows.targets[[4, 0]])
    assert part.weights is None


def test_rows_take_their_weights_along() -> None:
    rows = replace(some_data(5), weights=torch.arange(10.0).reshape(2, 5))
    part = rows[torch.tensor([4, 0])]
    assert part.weights is not None
    assert part.weights.tolist() == [[4.0, 0.0], [9.0, 5.0]]


def problem_of(table: Floats, max_rows: int | None, parts: Sequence[RowNumbers]) -> Any:
    phase = PhaseConfig(epochs=1, batch_size=10)
    config = TrainingConfig(
        depth=1, width=2, soft=phase, snapped=None, memberships=1, folds=2, max_rows=max_rows
    )
    targets = np.arange(len(table)) % 4 // 3
    views = fixed_views(table, targets)
    return TrainingProblem.create(views, targets, 2, config, parts, seeded(), None)


def test_networks_learn_from_a_sample_of_a_large_table() -> None:
    table = np.random.default_rng(0).normal(size=(400, 2))
    problem = problem_of(table, 100, [np.arange(400)])
    data = problem.training_data(snapped=False)
    assert len(data) == len(set(problem.rows)) == 100
    assert data.targets.sum() == 25  # classes have their shares
    assert data.weights.shape == (3, 100)
    assert torch.allclose(data.weights.mean(1), torch.ones(3))
    hidden = (data.weights[1:] == 0).float().mean(1)
    assert torch.allclose(hidden, torch.full((2,), 0.5), atol=0.15)
    assert len(problem.parts[0].rows) == 400  # rules may know more


def test_ranges_of_a_sample_are_those_of_the_rows_that_a_network_sees() -> None:
    table = np.random.default_rng(0).normal(size=(400, 2))
    problem = problem_of(table, 100, [np.arange(400)])
    for number in range(3):
        view = problem.view_of_copy(number)
        known = table[np.intersect1d(view.rows, problem.rows)]
        ranges = problem.single_network(problem.network, number).membership.range
        assert ranges.low.tolist() == known.min(axis=0).tolist()
        assert ranges.high.tolist() == known.max(axis=0).tolist()


def test_each_part_of_a_table_has_its_share_of_the_sample() -> None:
    table = np.random.default_rng(0).normal(size=(400, 2))
    parts = [np.arange(0, 300), np.arange(100, 400)]
    problem = problem_of(table, 90, parts)
    sizes = [np.isin(part, problem.rows).sum() for part in parts]
    assert all(75 <= size <= 105 for size in sizes)
    assert problem.batch_scale == pytest.approx(len(problem.rows) / np.mean(sizes))


def test_small_tables_are_learned_from_whole() -> None:
    table = np.random.default_rng(0).normal(size=(40, 2))
    for most in (None, 40, 100):
        assert problem_of(table, most, [np.arange(40)]).rows.tolist() == list(range(40))
