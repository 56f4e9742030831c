"""TrainingData: rows are selected with all that belongs to them."""

from __future__ import annotations

from dataclasses import replace

import torch

from tests.training.samples import (
    some_data,
)


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
