from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset
from crisplogic.nn import LogicNetwork
from experiments.harness.evaluation import Split
from experiments.reproduction.choices import CHOSEN, READINGS
from experiments.reproduction.paper_network import (
    EPSILON,
    FlippedFuzzy,
    FlippedGradientFuzzy,
    NormalisedSelector,
    Reading,
    measure_folds,
    round_network,
    train_networks,
    without_tanh,
)
from tests.experiments.reproduction.samples import SPLITS, tiny_table

TABLE = tiny_table()
READING = Reading(width=2, epochs=8)
CPU = torch.device("cpu")


def fit_networks(table: Dataset = TABLE, reading: Reading = READING) -> list[LogicNetwork]:
    return train_networks(reading, table, SPLITS, 0, CPU)


@pytest.fixture(scope="module")
def networks() -> list[LogicNetwork]:
    return fit_networks()


def parameters(network: LogicNetwork) -> torch.Tensor:
    return torch.cat([values.detach().ravel() for values in network.parameters()])


@torch.no_grad()
def squared_error(network: LogicNetwork, split: Split) -> float:
    """The squared error on the training rows of a split."""
    scores = network(torch.from_numpy(TABLE.X[split.train])).numpy()
    truth = np.where(TABLE.y[split.train, np.newaxis] == np.array(["high", "low"]), 1.0, -1.0)
    return float(np.square(scores - truth).mean())


def test_every_fold_learns_a_network_of_its_own(networks: list[LogicNetwork]) -> None:
    assert len(networks) == 2
    assert not torch.equal(parameters(networks[0]), parameters(networks[1]))
    after_one_epoch = fit_networks(reading=replace(READING, epochs=1))
    for network, before, split in zip(networks, after_one_epoch, SPLITS, strict=True):
        assert squared_error(network, split) < squared_error(before, split)


def test_nothing_of_a_folds_test_rows_reaches_its_network(networks: list[LogicNetwork]) -> None:
    X, y = TABLE.X.copy(), TABLE.y.copy()
    X[SPLITS[0].test] = 1e6
    y[SPLITS[0].test] = "low"
    spoiled = fit_networks(replace(TABLE, X=X, y=y))
    assert torch.equal(parameters(spoiled[0]), parameters(networks[0]))
    assert not torch.equal(parameters(spoiled[1]), parameters(networks[1]))


def test_figures_are_those_of_the_test_rows(networks: list[LogicNetwork]) -> None:
    figures = measure_folds(networks, TABLE, SPLITS)
    for fold, network, split in zip(figures["folds"], networks, SPLITS, strict=True):
        X, y = TABLE.X[split.test], TABLE.y[split.test]
        rules = round_network(network, TABLE)
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
    assert torch.allclose(bare(inputs), last(first(bare.scale(inputs))))


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_what_is_chosen_is_what_the_package_calls_the_papers_way() -> None:
    paper = LogicClassifier.as_in_paper()
    settings = Reading().settings
    assert (paper.depth, paper.width) == (2, Reading().width)
    assert (paper.epochs, paper.batch_size) == (settings.epochs, settings.batch_size)
    assert (paper.learning_rate, paper.l1) == (settings.learning_rate, settings.l1)
    assert (settings.optimizer, settings.loss) == ("sgd", "squared_error")


def test_as_chosen_the_network_is_the_packages_own() -> None:
    network = Reading().network(4, 3, 2, generator())
    own = LogicNetwork(4, 3, width=8, depth=2, copies=2, generator=generator())
    for (name, ours), (_, theirs) in zip(
        network.named_parameters(), own.named_parameters(), strict=True
    ):
        assert torch.equal(ours, theirs), name


def test_every_other_reading_differs_in_one_thing() -> None:
    for name, reading in READINGS.items():
        different = [key for key in vars(CHOSEN) if vars(CHOSEN)[key] != vars(reading)[key]]
        assert len(different) == (name != "as chosen"), name


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_every_reading_can_be_used_and_learned_from(reading: Reading) -> None:
    network = reading.network(3, 2, 2, generator())
    network(torch.rand(2, 5, 3)).sum().backward()
    for fuzzy, selector in network.levels():
        assert fuzzy.alpha.grad is not None
        assert selector.weight.grad is not None
        assert torch.isfinite(fuzzy.alpha.grad).all()


def test_a_penalty_that_is_not_scaled_by_the_learning_rate_is_a_hundred_times_as_high() -> None:
    scaled, unscaled = Reading().settings, Reading(penalty="unscaled").settings
    assert unscaled.l1 * unscaled.learning_rate == pytest.approx(1e-4)
    assert scaled.l1 == pytest.approx(1e-4)


def test_the_authors_selector_keeps_positive_weights_that_sum_to_one() -> None:
    selector = NormalisedSelector(3, 2)
    with torch.no_grad():
        selector.weight.copy_(torch.tensor([[-0.5, 0.2, 0.6], [3.0, 0.0, 1.0]]))
    assert selector.used_weight().tolist() == [
        pytest.approx([0.0, 0.25, 0.75]),
        pytest.approx([0.5, 0.0, 0.5]),
    ]


def test_the_papers_text_flips_an_alpha_close_to_0_and_no_other() -> None:
    fuzzy = FlippedFuzzy(3, epsilon=0.0)
    with torch.no_grad():
        fuzzy.alpha.copy_(torch.tensor([EPSILON / 2, -EPSILON / 2, 0.5]))
    assert fuzzy.used_alpha().tolist() == pytest.approx([-EPSILON / 2, EPSILON / 2, 0.5])
    assert fuzzy.used_alpha().tolist() == pytest.approx([EPSILON / 2, -EPSILON / 2, 0.5])


def test_the_authors_program_takes_the_gradient_of_the_other_side() -> None:
    pairs = torch.tensor([[[1.0, 1.0]], [[-1.0, -1.0]]])
    just_above, just_below = (_slopes(pairs, side * EPSILON / 2) for side in (1, -1))
    true_above, true_below = (_slopes(pairs, side * EPSILON * 2) for side in (1, -1))
    assert just_above == pytest.approx(true_below, abs=0.05)
    assert just_below == pytest.approx(true_above, abs=0.05)
    assert true_above != pytest.approx(true_below, abs=0.05)


def _slopes(pairs: torch.Tensor, alpha: float) -> list[float]:
    """The derivative by alpha on each of the patterns."""
    found = []
    for pattern in pairs:
        fuzzy = FlippedGradientFuzzy(1, epsilon=0.0)
        with torch.no_grad():
            fuzzy.alpha.fill_(alpha)
        fuzzy(pattern).sum().backward()
        assert fuzzy.alpha.grad is not None
        found.append(fuzzy.alpha.grad.item())
    return found
