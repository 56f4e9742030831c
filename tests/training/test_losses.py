"""Losses: their values by hand, their derivatives, and how they read targets."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from crisplogic.nn import LogicNetwork
from crisplogic.rules import outliers
from crisplogic.training.losses import (
    DELTA,
    LOSSES,
    ROWS_PER_STRATUM,
    LossName,
    cross_entropy,
    huber,
    mean_squared_error,
    squared_error,
)

NETWORK = LogicNetwork(2, 3, depth=1)
TARGETS = torch.tensor([2, 0])
OF_CLASSES: tuple[LossName, ...] = ("cross_entropy", "squared_error")


def some_scores() -> Tensor:
    return torch.tensor([[0.5, -1.0, 2.0], [1.0, -1.0, -1.0]], requires_grad=True)


def with_scale(log_scale: float) -> LogicNetwork:
    network = LogicNetwork(2, 3, depth=1)
    torch.nn.init.constant_(network.log_scale, log_scale)
    return network


def test_squared_error_is_half_the_squared_distance_from_true_and_false() -> None:
    first = (1.5**2 + 0.0**2 + 1.0**2) / 2
    second = 0.0  # exactly true for its class and false for the others
    assert squared_error(NETWORK, some_scores(), TARGETS).tolist() == pytest.approx(
        [first, second]
    )


def test_the_derivative_of_squared_error_is_the_error() -> None:
    scores = some_scores()
    squared_error(NETWORK, scores, TARGETS)[0].backward()
    assert scores.grad is not None
    assert scores.grad[0].tolist() == [1.5, 0.0, 1.0]


def test_squared_error_ignores_the_scale() -> None:
    losses = [squared_error(with_scale(value), some_scores(), TARGETS) for value in (-2, 0, 3)]
    assert torch.equal(losses[0], losses[1])
    assert torch.equal(losses[0], losses[2])


@pytest.mark.parametrize("log_scale", [-1.0, 0.0, 0.7])
def test_cross_entropy_is_the_negative_log_probability_of_the_right_class(
    log_scale: float,
) -> None:
    expected = []
    for scores, target in zip(some_scores().tolist(), TARGETS.tolist(), strict=True):
        weights = [math.exp(math.exp(log_scale) * score) for score in scores]
        expected.append(-math.log(weights[target] / sum(weights)))
    losses = cross_entropy(with_scale(log_scale), some_scores(), TARGETS)
    assert losses.tolist() == pytest.approx(expected, rel=1e-5)


def test_cross_entropy_trains_the_scale() -> None:
    network = with_scale(0.0)
    cross_entropy(network, some_scores(), TARGETS).sum().backward()
    assert network.log_scale.grad is not None
    assert network.log_scale.grad < 0  # both rows are right: being surer makes it smaller


@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_better_score_of_the_right_class_is_never_worse(name: LossName) -> None:
    scores = some_scores().detach()
    scores[:, 1] = torch.tensor([-0.5, 0.5])
    better = scores.clone()
    better[1, 0] = 1.0
    scores[1, 0] = 0.2
    first, second = (LOSSES[name](NETWORK, each, TARGETS) for each in (better, scores))
    assert first[1] < second[1]
    assert first[0] == second[0]  # rows do not touch each other


@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_losses_of_copies_are_those_of_each(name: LossName) -> None:
    together = LogicNetwork(2, 3, depth=1, copies=2)
    with torch.no_grad():
        together.log_scale.copy_(torch.tensor([-0.5, 1.0]))
    scores = torch.stack([some_scores(), 2 * some_scores()])
    losses = LOSSES[name](together, scores, TARGETS)
    assert losses.shape == (2, 2)
    for number in range(2):
        alone = LOSSES[name](together.copy(number), scores[number], TARGETS)
        torch.testing.assert_close(losses[number], alone)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_scores_far_apart_give_finite_losses(name: LossName) -> None:
    scores = torch.tensor([[1e4, -1e4, 0.0], [1e4, -1e4, 0.0]])
    assert LOSSES[name](NETWORK, scores, TARGETS).isfinite().all()


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("log_scale", [-1.0, 0.0, 0.7])
def test_mean_squared_error_is_half_the_squared_error_of_the_scaled_score(
    log_scale: float,
) -> None:
    network = LogicNetwork(2, 1, depth=1)
    torch.nn.init.constant_(network.log_scale, log_scale)
    scores, targets = torch.tensor([[0.5], [-2.0]]), torch.tensor([1.5, 0.25])
    scale = math.exp(log_scale)
    expected = [(scale * 0.5 - 1.5) ** 2 / 2, (scale * -2.0 - 0.25) ** 2 / 2]
    assert mean_squared_error(network, scores, targets).tolist() == pytest.approx(expected)


def test_copies_may_have_their_own_targets() -> None:
    together = LogicNetwork(2, 1, depth=1, copies=3)
    scores, targets = torch.randn(3, 5, 1), torch.randn(3, 5)
    losses = mean_squared_error(together, scores, targets)
    for number in range(3):
        alone = mean_squared_error(together.copy(number), scores[number], targets[number])
        torch.testing.assert_close(losses[number], alone)
    alike = mean_squared_error(together, scores, targets[0])
    torch.testing.assert_close(alike[0], losses[0])


def test_the_huber_loss_is_that_of_torch_and_of_the_search() -> None:
    scores, targets = torch.linspace(-5, 5, 21).unsqueeze(1), torch.zeros(21)
    network = LogicNetwork(2, 1, depth=1)
    expected = functional.huber_loss(
        network.logits(scores).squeeze(-1), targets, reduction="none", delta=DELTA
    )
    torch.testing.assert_close(huber(network, scores, targets), expected)
    assert DELTA == outliers.DELTA


# --- tasks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_CLASSES)
def test_classification_encodes_one_hot_and_decodes_probabilities(name: LossName) -> None:
    loss, targets = LOSSES[name], LOSSES[name].to_tensor(np.array([2, 0]))
    assert targets.dtype == torch.int64
    assert loss.encode(targets, 3).tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert loss.decode(some_scores()).sum(1).tolist() == pytest.approx([1.0, 1.0])
    assert loss.strata(targets).tolist() == [2, 0]


def test_regression_keeps_numbers_as_they_are() -> None:
    loss, targets = mean_squared_error, mean_squared_error.to_tensor(np.array([1.5, 0.25]))
    assert targets.dtype == torch.float32
    assert torch.equal(loss.decode(loss.encode(targets, 1)), targets.unsqueeze(1))


def test_strata_of_numbers_are_groups_of_similar_numbers() -> None:
    targets = torch.randperm(3 * ROWS_PER_STRATUM, generator=torch.Generator().manual_seed(0))
    strata = mean_squared_error.strata(targets.double())
    assert strata.bincount().tolist() == [ROWS_PER_STRATUM] * 3
    for low, high in pairwise(range(3)):
        assert targets[strata == low].max() < targets[strata == high].min()
