"""The paper's network by the letter of the paper, on many folds at once, and its rounding."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from crisplogic.datasets import Dataset
from crisplogic.nn import LogicNetwork
from crisplogic.rules import RuleSet
from crisplogic.snap import snap
from crisplogic.training import OnEpoch, Rows, train
from experiments.harness.folds import Split
from experiments.harness.judging import error_of, tied
from experiments.harness.store import Document
from experiments.reproduction.descent import folded_rows
from experiments.reproduction.reading import Reading

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FoldFigures:
    """One fold: errors are shares of its test rows.

    ``snapped_...`` are those of the rules that the network snaps to, by nearest value:
    rows on which two classes tie, and how many classes are predicted at all.
    ``without_tanh_error`` is that of the same rules if the tanh between their two levels is
    left out of the evaluation as well as of the print. ``majority_error`` is that of always
    predicting the class that most training rows have.
    """

    majority_error: float
    network_error: float
    snapped_error: float
    without_tanh_error: float
    snapped_tied: int
    snapped_classes: int
    snapped_literals: int


def trained(
    reading: Reading,
    table: Dataset,
    splits: Sequence[Split],
    seed: int,
    device: torch.device,
    on_epoch: OnEpoch = lambda epoch: None,
) -> list[LogicNetwork]:
    """One network a fold, on the CPU, trained side by side one row a step.

    In every step all networks are shown the same row; those that may not see it count it 0
    times, and pay the price of weights in all steps so much less that an epoch costs them
    what it would cost alone.
    """
    generator = torch.Generator().manual_seed(seed)
    classes, y = np.unique(table.y, return_inverse=True)
    rows = folded_rows(table.X, y, splits)
    prices = rows.weights.mean(1)
    network = reading.network(rows.inputs.shape[-1], len(classes), len(splits), generator)
    network.to(device)
    seen = [each.to(device) for each in (rows.inputs, rows.targets, rows.weights, prices)]
    train(network, Rows(*seen), reading.settings, generator, on_epoch=on_epoch)
    return [_of_fold(network, number, table, split) for number, split in enumerate(splits)]


def measured(
    networks: Sequence[LogicNetwork], table: Dataset, splits: Sequence[Split]
) -> Document:
    """The figures of every fold, and the rules of the first."""
    rules = [rounded(network, table) for network in networks]
    folds = [
        _judged(network, rules_, table, split)
        for network, rules_, split in zip(networks, rules, splits, strict=True)
    ]
    return {
        "folds": [asdict(fold) for fold in folds],
        "first_rules": json.loads(rules[0].to_json()),
    }


def rounded(network: LogicNetwork, table: Dataset) -> RuleSet:
    """The rules by the paper's snapping: every parameter at the nearest whole value."""
    return snap(network, table.feature_names, np.unique(table.y).tolist())


def without_tanh(network: LogicNetwork) -> LogicNetwork:
    """The snapped network without the tanh between its levels."""
    bare = copy.deepcopy(network)
    bare.snap()
    for name, layer in bare.logic.named_children():
        if isinstance(layer, nn.Tanh):
            setattr(bare.logic, name, nn.Identity())
    return bare


def _of_fold(networks: LogicNetwork, number: int, table: Dataset, split: Split) -> LogicNetwork:
    network = networks.copy(number).cpu()
    network.fit(torch.from_numpy(table.X[split.train]))
    return network


@torch.no_grad()
def _judged(network: LogicNetwork, rules: RuleSet, table: Dataset, split: Split) -> FoldFigures:
    X, y = table.X[split.test], table.y[split.test]
    inputs, labels = torch.from_numpy(X), np.array(rules.labels)
    by_rules = rules.predict(X)
    return FoldFigures(
        majority_error=error_of(_most_frequent(table.y[split.train]), y),
        network_error=error_of(labels[network.predict(inputs)], y),
        snapped_error=error_of(by_rules, y),
        without_tanh_error=error_of(labels[without_tanh(network).predict(inputs)], y),
        snapped_tied=tied(rules.scores(X)),
        snapped_classes=len(np.unique(by_rules)),
        snapped_literals=rules.size,
    )


def _most_frequent(y: NDArray[np.str_]) -> NDArray[np.str_]:
    labels, counts = np.unique(y, return_counts=True)
    most: NDArray[np.str_] = labels[[counts.argmax()]]
    return most
