from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from crisplogic.errors import DivergedError
from crisplogic.nn import LinearMembership, LogicNetwork
from crisplogic.training import PhaseConfig, TrainingData, train
from experiments.harness.evaluation import Split
from experiments.reproduction.descent import (
    Baseline,
    Descent,
    FoldedRows,
    descend,
    folded_rows,
    scores_of,
    signed_truth,
)

ROWS = np.arange(20)
SPLITS = [Split(train=ROWS[4:], test=ROWS[:4]), Split(train=ROWS[:15], test=ROWS[15:])]
SGD = Descent(epochs=3, batch_size=1, learning_rate=0.05)
ADAM = Descent(epochs=3, batch_size=6, learning_rate=0.05, optimizer="adam")  # 20 = 3 * 6 + 2


def some_table() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 3)) * [1, 50, 0.01] + [0, 1000, 0]
    X[3, 1] = X[9, 2] = np.nan
    return X, random.integers(0, 3, 20)


class Linear(Baseline):
    def __init__(self, columns: int, classes: int, copies: int) -> None:
        super().__init__()
        self.classes = classes
        generator = torch.Generator().manual_seed(1)
        self.weights = nn.Parameter(torch.randn(copies, columns, classes, generator=generator))

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs @ self.weights


def trained(rows: FoldedRows, settings: Descent, model: Linear | None = None) -> Tensor:
    model = Linear(3, 3, len(rows.inputs)) if model is None else copy.deepcopy(model)
    return descend(model, rows, settings, torch.Generator().manual_seed(2)).weights.detach()


def test_each_fold_is_scaled_by_its_own_training_rows() -> None:
    X, y = some_table()
    rows = folded_rows(X, y, SPLITS)
    assert rows.inputs.shape == (2, 20, 3)
    assert rows.inputs.dtype == rows.weights.dtype == torch.float32
    assert rows.targets.tolist() == y.tolist()
    assert len(rows) == 20
    for inputs, weights, split in zip(rows.inputs, rows.weights, SPLITS, strict=True):
        membership = LinearMembership(3).fit(torch.from_numpy(X[split.train]))
        torch.testing.assert_close(inputs, membership(torch.from_numpy(X)).float())
        assert inputs[split.train].amin(0).tolist() == [-1, -1, -1]
        assert inputs[split.train].amax(0).tolist() == [1, 1, 1]
        assert inputs.abs().max() == 1
        assert inputs[3, 1] == inputs[9, 2] == 0
        assert weights[split.train].eq(1).all()
        assert weights[split.test].eq(0).all()


@pytest.mark.parametrize("settings", [SGD, ADAM])
@pytest.mark.parametrize("fold", [0, 1])
def test_rows_of_the_test_part_teach_nothing(settings: Descent, fold: int) -> None:
    X, y = some_table()
    before = folded_rows(X, y, SPLITS)
    test = SPLITS[fold].test
    X[test], y[test] = 1e6, (y[test] + 1) % 3
    after = folded_rows(X, y, SPLITS)
    train = SPLITS[fold].train
    assert torch.equal(before.inputs[fold, train], after.inputs[fold, train])
    assert torch.equal(trained(before, settings)[fold], trained(after, settings)[fold])
    other = 1 - fold  # to which the same rows were shown
    assert not torch.equal(trained(before, settings)[other], trained(after, settings)[other])


@pytest.mark.parametrize("settings", [SGD, ADAM])
def test_folds_learn_together_what_each_learns_alone(settings: Descent) -> None:
    rows = folded_rows(*some_table(), SPLITS)
    model = Linear(3, 3, copies=2)
    together = trained(rows, settings, model)
    for fold in (0, 1):
        one = slice(fold, fold + 1)
        alone = copy.deepcopy(model)
        alone.weights = nn.Parameter(model.weights[one].detach().clone())
        seen = FoldedRows(rows.inputs[one], rows.targets, rows.weights[one])
        torch.testing.assert_close(trained(seen, settings, alone), together[one])


@pytest.mark.parametrize("settings", [SGD, ADAM])
def test_steps_are_those_of_pytorch_for_the_loss_written_out(settings: Descent) -> None:
    rows = folded_rows(*some_table(), SPLITS)
    rows.weights[0, 7] = 3.0  # as if it were drawn three times
    model = Linear(3, 3, copies=2)
    kind: Any = torch.optim.Adam if settings.optimizer == "adam" else torch.optim.SGD
    optimizer = kind(model.parameters(), lr=settings.learning_rate)
    found = trained(rows, settings, model)
    generator = torch.Generator().manual_seed(2)
    for _ in range(settings.epochs):
        for batch in torch.randperm(20, generator=generator).split(settings.batch_size):
            distances = model(rows.inputs[:, batch]) - signed_truth(rows.targets[batch], 3)
            losses = distances.square().sum(-1) / 2 * rows.weights[:, batch]
            optimizer.zero_grad()
            losses.mean(-1).sum().backward()
            optimizer.step()
    torch.testing.assert_close(found, model.weights.detach())


def test_the_same_generator_gives_the_same_model_and_another_one_another() -> None:
    rows = folded_rows(*some_table(), SPLITS)
    assert torch.equal(trained(rows, SGD), trained(rows, SGD))
    other = descend(Linear(3, 3, 2), rows, SGD, torch.Generator().manual_seed(3))
    assert not torch.equal(trained(rows, SGD), other.weights)


def test_epochs_are_told_one_by_one() -> None:
    told: list[int] = []
    rows = folded_rows(*some_table(), SPLITS)
    model = Linear(3, 3, 2)
    assert descend(model, rows, SGD, torch.Generator(), told.append) is model
    assert told == [1, 2, 3]


def test_a_training_that_runs_off_says_so() -> None:
    rows = folded_rows(*some_table(), SPLITS)
    wild = Descent(epochs=50, batch_size=1, learning_rate=1e6)
    with pytest.raises(DivergedError, match="such as 100000"):
        descend(Linear(3, 3, 2), rows, wild, torch.Generator())


def test_scores_by_chunks_are_those_of_all_rows_at_once() -> None:
    model, inputs = Linear(3, 2, copies=2), torch.rand(2, 600, 3)
    scores = scores_of(model, inputs)
    assert not scores.requires_grad
    torch.testing.assert_close(scores, model(inputs).detach())


def test_the_rows_serve_the_papers_network_too() -> None:
    folded = folded_rows(*some_table(), SPLITS).to("cpu")
    rows = TrainingData(inputs=folded.inputs, targets=folded.targets, weights=folded.weights)
    network = LogicNetwork(3, 3, copies=2)
    settings = PhaseConfig(epochs=2, batch_size=1, optimizer="sgd", loss="squared_error")
    history = train(network, rows, settings, torch.Generator().manual_seed(0))
    assert len(history) == 2
