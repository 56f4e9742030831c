"""Training steps: by hand, their learning rates, and the training objective."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from crisplogic import kernels
from crisplogic.nn import LogicNetwork
from crisplogic.training import (
    PAPER_CONFIG,
    PhaseConfig,
    TrainingData,
    objectives,
    train,
)
from crisplogic.training.losses import LOSSES
from crisplogic.training.optim import SGD
from tests.training.optimizer_steps import watch_steps
from tests.training.samples import (
    ROUGH,
    SMALL,
    State,
    copies_of,
    fresh_network,
    seeded,
    some_data,
    some_weights,
    state_of,
)


def papers_step(network: LogicNetwork, row: list[float], target: int) -> State:
    """One step of the paper's training at depth 1, in nothing but Python floats.

    Squared error, plain gradient descent at rate 0.01, L1 at 0.0001.
    """
    ((fuzzy, selector),) = network.levels()
    first, second = row
    pairs = [(first, second), (first, -1.0), (first, 1.0), (second, -1.0), (second, 1.0)]
    alphas, weights = fuzzy.alpha.tolist(), selector.weight.tolist()
    values = [
        (x + a) * (y + a) / (1 + abs(a)) - abs(a)
        for (x, y), a in zip(pairs, alphas, strict=True)
    ]
    by_alpha = [
        (abs(a) * (x + y) - a * (x * y + 1)) / (abs(a) * (abs(a) + 1) ** 2)
        for (x, y), a in zip(pairs, alphas, strict=True)
    ]
    scores = [sum(w * f for w, f in zip(unit, values, strict=True)) for unit in weights]
    blame = [score - (1 if number == target else -1) for number, score in enumerate(scores)]
    new_alphas = [
        a
        - 0.01 * gradient * sum(b * unit[pair] for b, unit in zip(blame, weights, strict=True))
        for pair, (a, gradient) in enumerate(zip(alphas, by_alpha, strict=True))
    ]
    new_weights = [
        [
            w - 0.01 * (b * value + 0.0001 * math.copysign(1, w))
            for w, value in zip(unit, values, strict=True)
        ]
        for b, unit in zip(blame, weights, strict=True)
    ]
    return {
        "alpha": torch.tensor(new_alphas, dtype=torch.float64),
        "weight": torch.tensor(new_weights, dtype=torch.float64),
    }


def test_a_step_with_the_papers_settings_is_the_papers_step_by_hand() -> None:
    network = fresh_network(columns=2, dtype=torch.float64)
    ((fuzzy, selector),) = network.levels()
    rows = TrainingData(torch.tensor([[0.3, -0.8]], dtype=torch.float64), torch.tensor([1]))
    for _ in range(5):  # the rate is constant: five runs of one epoch, five equal steps
        expected = papers_step(network, [0.3, -0.8], 1)
        train(network, rows, replace(PAPER_CONFIG, epochs=1), seeded())
        torch.testing.assert_close(fuzzy.alpha.detach(), expected["alpha"])
        torch.testing.assert_close(selector.weight.detach(), expected["weight"])
    assert network.log_scale == 0


def descend(network: LogicNetwork, rows: TrainingData, order: Tensor) -> None:
    """The paper's training on one row after the other, with torch's derivatives."""
    for row in order.tolist():
        network.zero_grad()
        scores = network.scores(rows.inputs[[row]])
        truth = torch.full_like(scores, -1.0)
        truth[0, rows.targets[row]] = 1.0
        ((scores - truth).square().sum() / 2 + 1e-4 * network.l1()).backward()
        with torch.no_grad():
            for parameter in network.parameters():
                if parameter.grad is not None:
                    parameter.sub_(0.01 * parameter.grad).clamp_(-1, 1)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_papers_training_takes_one_plain_step_a_row(depth: int) -> None:
    network, by_hand = fresh_network(depth), fresh_network(depth)
    rows = some_data(10)
    train(network, rows, replace(PAPER_CONFIG, epochs=1), seeded(3))
    descend(by_hand, rows, torch.randperm(10, generator=seeded(3)))
    for one, other in zip(network.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("snapped", [False, True])
def test_a_weighted_row_counts_as_that_many_rows(
    optimizer: Literal["adam", "sgd"],
    loss: Literal["cross_entropy", "squared_error"],
    snapped: bool,
) -> None:
    """Where a step sees all rows, for each copy by its own weights."""
    options: dict[str, Any] = {"copies": 2, "memberships": 2, "dtype": torch.float64}
    together = fresh_network(intercepts=True, **options)
    alone = copy.deepcopy(together)
    rows = some_data(12, dtype=torch.float64)
    times = torch.randint(1, 5, (2, 12), generator=seeded(2))
    weights = times * (12 / times.sum(1, keepdim=True, dtype=torch.float64))
    settings = PhaseConfig(10, 100, 0.05, 1e-3, 1e-3, optimizer=optimizer, loss=loss)
    for network in (together, alone):
        network.snap(snapped)
    train(together, replace(rows, weights=weights), settings, seeded())
    for number, repeats in enumerate(times):
        repeated = rows[torch.arange(12).repeat_interleave(repeats)]
        network = copy.deepcopy(alone)
        train(network, repeated, settings, seeded())
        expected = state_of(network.copy(number))
        for name, tensor in state_of(together.copy(number)).items():
            torch.testing.assert_close(tensor, expected[name], rtol=1e-6, atol=1e-6)
        found, other = objectives(together, rows, settings), objectives(network, rows, settings)
        assert found[number].item() == pytest.approx(other[number].item(), rel=1e-6)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[dict[int, float]]:
    """The learning rate of every parameter in every step that is taken."""
    seen: list[dict[int, float]] = []

    def see(descent: SGD) -> None:
        seen.append({id(parameter): float(rate) for parameter, rate in descent})

    watch_steps(monkeypatch, see)
    return seen


Steps = list[dict[int, float]]


def rates_of(steps: Steps) -> list[float]:
    """The one rate of all parameters, step by step."""
    rates = [set(step.values()) for step in steps]
    assert all(len(rate) == 1 for rate in rates)
    return [rate.pop() for rate in rates]


def test_the_papers_learning_rate_is_constant(steps: Steps) -> None:
    train(fresh_network(), some_data(20), replace(PAPER_CONFIG, epochs=2), seeded())
    assert rates_of(steps) == [0.01] * 40


@pytest.mark.parametrize("settings", [SMALL, ROUGH], ids=["adam", "sgd"])
@pytest.mark.parametrize("scale", [0.25, 1.0, 3.0])
def test_every_parameter_is_trained_and_memberships_at_their_own_rate(
    settings: PhaseConfig, scale: float, steps: Steps
) -> None:
    network = fresh_network(memberships=2, intercepts=True)
    slow = {id(parameter) for parameter in network.membership.parameters()}
    train(
        network, some_data(), replace(settings, epochs=2, membership_lr_scale=scale), seeded()
    )
    assert len(steps) == 2 * 5
    for step in steps:
        assert set(step) == {id(parameter) for parameter in network.parameters()}
        of_logic = step[id(network.log_scale)]
        for parameter, rate in step.items():
            assert rate == pytest.approx(of_logic * (scale if parameter in slow else 1.0))
    assert steps[0][id(network.log_scale)] == settings.learning_rate


@pytest.mark.parametrize("settings", [SMALL, ROUGH], ids=["adam", "sgd"])
def test_memberships_with_a_rate_of_0_do_not_change(settings: PhaseConfig) -> None:
    network = fresh_network(memberships=2)
    before = state_of(network)
    settings = replace(settings, loss="cross_entropy", membership_lr_scale=0)
    train(network, some_data(), settings, seeded())
    for name, value in state_of(network).items():
        assert torch.equal(value, before[name]) == name.startswith("membership.")


def test_the_rate_of_adam_falls_to_0_along_a_cosine(steps: Steps) -> None:
    train(fresh_network(), some_data(21), PhaseConfig(epochs=10, batch_size=5), seeded())
    rates = rates_of(steps)
    cosine = [0.02 * (1 + math.cos(math.pi * step / 50)) / 2 for step in range(50)]
    assert rates == pytest.approx(cosine)
    assert rates[-1] < rates[0] / 1000


def test_every_epoch_goes_once_through_all_rows_in_an_order_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches: list[list[int]] = []

    def watched(network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        if torch.is_grad_enabled():  # a step, not an evaluation
            batches.append(targets.tolist())
        return scores.square().sum(-1)

    monkeypatch.setattr(kernels, "compiled", None)  # it has a loss of its own
    monkeypatch.setitem(LOSSES, "squared_error", watched)
    rows = TrainingData(
        torch.zeros(10, 3), torch.arange(10)
    )  # the class is the number of the row
    settings = PhaseConfig(epochs=2, batch_size=4, loss="squared_error")
    train(fresh_network(classes=10), rows, settings, seeded())
    assert [len(batch) for batch in batches] == [4, 4, 2, 4, 4, 2]
    first, second = (list(chain(*batches[start : start + 3])) for start in (0, 3))
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


# --- objectives -------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_objectives_are_the_loss_of_every_copy_plus_its_penalties(
    loss: Literal["cross_entropy", "squared_error"], weighted: bool
) -> None:
    network, rows = copies_of(depth=2, memberships=1), some_data(dtype=torch.float64)
    weights = some_weights(3, len(rows)) if weighted else torch.ones(3, len(rows))
    settings = PhaseConfig(l1=0.01, literal_penalty=0.02, loss=loss)
    found = objectives(network, replace(rows, weights=weights if weighted else None), settings)
    assert found.shape == (3,)
    assert not found.requires_grad
    for number, one in enumerate(network.copy(number) for number in range(3)):
        losses = LOSSES[loss](one, one.scores(rows.inputs), rows.targets)
        mean = (losses * weights[number]).sum() / len(rows)
        expected = mean + 0.01 * one.l1() + 0.02 * one.literals()
        assert found[number].item() == pytest.approx(expected.item())


def test_a_single_network_has_one_objective() -> None:
    assert objectives(fresh_network(), some_data(), SMALL).shape == ()
