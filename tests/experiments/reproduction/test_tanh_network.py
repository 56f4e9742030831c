from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from crisplogic.nn import LogicNetwork
from crisplogic.training import PAPER_CONFIG as PAPER
from experiments.harness.evaluation import Split
from experiments.reproduction.descent import Descent, FoldedRows, descend
from experiments.reproduction.tanh_network import (
    TANH_SETTINGS,
    TanhNetwork,
    logic_parameters,
    predictions,
    similar_width,
    tanh_predictions,
)

# Columns and classes of the paper's five tables.
SHAPES = [(9, 2), (8, 2), (18, 4), (40, 3), (8, 10)]
QUICK = Descent(epochs=8, batch_size=1, learning_rate=0.05)
ROWS = np.arange(30)
SPLITS = [Split(train=ROWS[5:], test=ROWS[:5]), Split(train=ROWS[:25], test=ROWS[25:])]


def network(columns: int = 3, classes: int = 2, width: int = 5, copies: int = 2) -> TanhNetwork:
    generator = torch.Generator().manual_seed(0)
    return TanhNetwork(columns, classes, width, copies, generator)


def clouds() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = random.normal(size=(30, 4)) + 3 * np.eye(3, 4)[y]
    X[2, 0] = np.nan
    return X, y


@pytest.mark.parametrize(("columns", "classes"), SHAPES)
def test_parameters_of_the_papers_network_are_counted(columns: int, classes: int) -> None:
    layers = [layer for level in LogicNetwork(columns, classes).levels() for layer in level]
    counted = sum(parameter.numel() for layer in layers for parameter in layer.parameters())
    assert len(layers) == 4
    assert logic_parameters(columns, classes) == counted


@pytest.mark.parametrize(("columns", "classes"), SHAPES)
def test_the_width_is_the_one_with_the_nearest_number_of_parameters(
    columns: int, classes: int
) -> None:
    wanted = logic_parameters(columns, classes)
    away = {
        width: abs(network(columns, classes, width, copies=1).parameter_count - wanted)
        for width in range(1, 70)
    }
    width = similar_width(columns, classes, wanted)
    assert away[width] == min(away.values())
    assert away[width] < 0.1 * wanted


def test_there_is_a_width_for_very_few_parameters_too() -> None:
    assert similar_width(40, 3, parameters=1) == 1


def test_a_copy_is_a_plain_network_of_four_layers() -> None:
    generator = torch.Generator().manual_seed(5)
    model = network()
    for biases in model.biases:
        biases.data.uniform_(-1, 1, generator=generator)
    inputs = torch.rand(2, 7, 3, generator=generator) * 2 - 1
    scores = model(inputs).detach().numpy()
    for one in range(2):
        values = inputs[one].numpy()
        for weights, biases in zip(model.weights, model.biases, strict=True):
            weight, bias = weights[one].detach().numpy(), biases[one, 0].detach().numpy()
            values = np.tanh(values @ weight + bias)
        np.testing.assert_allclose(scores[one], values, rtol=1e-4, atol=1e-6)
    assert len(model.weights) == 4


def test_copies_start_differently_within_glorots_bounds() -> None:
    model = network(width=50, copies=3)
    for weights, (inputs, outputs) in zip(
        model.weights, [(3, 50), (50, 50), (50, 50), (50, 2)], strict=True
    ):
        bound = (6 / (inputs + outputs)) ** 0.5
        assert 0.9 * bound < weights.abs().max() <= bound
        assert not torch.equal(weights[0], weights[1])
    assert all(biases.eq(0).all() for biases in model.biases)


def test_it_learns_xor() -> None:
    inputs = torch.tensor([[-1.0, -1], [-1, 1], [1, -1], [1, 1]]).expand(4, 4, 2)
    rows = FoldedRows(inputs, torch.tensor([0, 1, 1, 0]), torch.ones(4, 4))
    model = network(columns=2, width=8, copies=4)
    descend(model, rows, Descent(400, 1, 0.05), torch.Generator().manual_seed(0))
    assert predictions(model, rows).tolist() == [[0, 1, 1, 0]] * 4


def test_it_tells_clouds_apart_on_rows_it_was_not_shown() -> None:
    X, y = clouds()
    found = tanh_predictions(X, y, 3, SPLITS, QUICK, seed=0)
    assert found.shape == (2, 30)
    wrong = [
        np.sum(row[split.test] != y[split.test])
        for row, split in zip(found, SPLITS, strict=True)
    ]
    assert sum(wrong) <= 1


def test_a_fold_knows_nothing_of_its_test_rows() -> None:
    random = np.random.default_rng(3)
    X, y = random.normal(size=(30, 4)), random.integers(0, 3, 30)  # noise: all hangs on details
    before = tanh_predictions(X, y, 3, SPLITS, QUICK, seed=0)
    test, train = SPLITS[0].test, SPLITS[0].train
    X[test], y[test] = 1e6, (y[test] + 1) % 3
    after = tanh_predictions(X, y, 3, SPLITS, QUICK, seed=0)
    assert before[0, train].tolist() == after[0, train].tolist()
    assert before[1, train].tolist() != after[1, train].tolist()  # it learns from these rows


def test_a_seed_says_all_and_the_device_may_be_named() -> None:
    X, y = clouds()
    short = Descent(epochs=1, batch_size=1, learning_rate=0.01)
    one = tanh_predictions(X, y, 3, SPLITS, short, seed=1, device=torch.device("cpu"))
    same = tanh_predictions(X, y, 3, SPLITS, short, seed=1)
    other = tanh_predictions(X, y, 3, SPLITS, short, seed=2)
    assert one.tolist() == same.tolist() != other.tolist()


def test_it_is_trained_as_the_papers_network_is() -> None:
    ours = TANH_SETTINGS
    assert (ours.epochs, ours.batch_size) == (PAPER.epochs, PAPER.batch_size)
    assert (ours.learning_rate, ours.optimizer) == (PAPER.learning_rate, PAPER.optimizer)
