from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crisplogic.datasets import Dataset
from crisplogic.nn import LogicNetwork
from experiments.reproduction.paper_network import measured, rounded, trained, without_tanh
from experiments.reproduction.reading import Reading
from tests.experiments.reproduction.samples import SPLITS, tiny_table

TABLE = tiny_table()
READING = Reading(width=2, epochs=60)
CPU = torch.device("cpu")


def taught(table: Dataset = TABLE) -> list[LogicNetwork]:
    return trained(READING, table, SPLITS, 0, CPU)


@pytest.fixture(scope="module")
def networks() -> list[LogicNetwork]:
    return taught()


def parameters(network: LogicNetwork) -> torch.Tensor:
    return torch.cat([values.detach().ravel() for values in network.parameters()])


def test_every_fold_learns_a_network_of_its_own(networks: list[LogicNetwork]) -> None:
    assert len(networks) == 2
    assert not torch.equal(parameters(networks[0]), parameters(networks[1]))
    for network, split in zip(networks, SPLITS, strict=True):
        labels = np.array(["high", "low"])[network.predict(torch.from_numpy(TABLE.X))]
        assert np.mean(labels[split.train] == TABLE.y[split.train]) > 0.8


def test_nothing_of_a_folds_test_rows_reaches_its_network(networks: list[LogicNetwork]) -> None:
    X, y = TABLE.X.copy(), TABLE.y.copy()
    X[SPLITS[0].test] = 1e6
    y[SPLITS[0].test] = "low"
    spoiled = taught(replace(TABLE, X=X, y=y))
    assert torch.equal(parameters(spoiled[0]), parameters(networks[0]))
    assert not torch.equal(parameters(spoiled[1]), parameters(networks[1]))


def test_figures_are_those_of_the_test_rows(networks: list[LogicNetwork]) -> None:
    figures = measured(networks, TABLE, SPLITS)
    for fold, network, split in zip(figures["folds"], networks, SPLITS, strict=True):
        X, y = TABLE.X[split.test], TABLE.y[split.test]
        rules = rounded(network, TABLE)
        by_network = np.array(["high", "low"])[network.predict(torch.from_numpy(X))]
        assert fold["network_error"] == np.mean(by_network != y)
        assert fold["snapped_error"] == np.mean(rules.predict(X) != y)
        assert fold["snapped_literals"] == rules.size
        assert fold["snapped_classes"] == len(set(rules.predict(X)))
        assert 0 <= fold["snapped_tied"] <= len(y)
    labels, counts = np.unique(TABLE.y[SPLITS[0].train], return_counts=True)
    most = labels[counts.argmax()]
    assert figures["folds"][0]["majority_error"] == np.mean(most != TABLE.y[SPLITS[0].test])


def test_without_the_tanh_sums_are_handed_on_as_they_are() -> None:
    network = LogicNetwork(2, 2, width=2, depth=2, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.fill_(1.0)
    network.fit(torch.from_numpy(TABLE.X))
    bare, inputs = without_tanh(network), torch.from_numpy(TABLE.X[4:6])
    network.snap()
    assert not torch.allclose(bare(inputs), network(inputs))
    first, _, last = bare.logic
    assert torch.allclose(bare(inputs), last(first(bare.scaled(inputs))))
