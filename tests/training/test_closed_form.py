"""Steps in closed form are those that autograd takes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

from crisplogic.nn import LogicNetwork
from crisplogic.training import PhaseConfig, TrainingData, train
from crisplogic.training.closed_form import MAX_INPUTS, ClosedFormStep, make_step
from crisplogic.training.loop import TrainingState
from crisplogic.training.losses import LossName
from crisplogic.training.step import TrainStep
from crisplogic.training.windows import InMemory
from tests.training.samples import same, seeded, state_of

COPIES, ROWS, COLUMNS = 3, 30, 4


def some_copies(units: int, memberships: int = 2, **options: Any) -> LogicNetwork:
    """Copies with all kinds of parameters: at their bounds, at 0, and close to it."""
    generator = seeded(2)
    network = LogicNetwork(
        COLUMNS,
        units,
        depth=1,
        memberships=memberships,
        copies=COPIES,
        generator=generator,
        dtype=torch.float64,
        **options,
    )
    with torch.no_grad():
        for parameter in network.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            parameter.add_(noise, alpha=0.4)
        fuzzy, selector = next(network.levels())
        fuzzy.alpha[:, ::3] *= 1e-4
        selector.weight[..., ::4] = 0.0
    return network


def some_rows(loss: LossName, units: int, own_scales: bool, missing: bool) -> TrainingData:
    generator = seeded(3)
    shape = (COPIES, ROWS, COLUMNS) if own_scales else (ROWS, COLUMNS)
    inputs = torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1
    if missing:
        inputs[inputs > 0.7] = torch.nan
    targets = torch.randint(0, units, (ROWS,), generator=generator)
    if loss != "cross_entropy":
        targets = 3 * torch.randn(COPIES, ROWS, generator=generator, dtype=torch.float64)
    weights = torch.rand(COPIES, ROWS, generator=generator, dtype=torch.float64)
    factors = torch.tensor([0.5, 1.0, 3.0], dtype=torch.float64)
    return TrainingData(inputs, targets, weights, factors)


@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("loss", "units", "intercepts"),
    [
        ("cross_entropy", 3, True),
        ("cross_entropy", 2, False),
        ("mean_squared_error", 1, True),
        ("huber", 1, False),
    ],
)
def test_steps_in_closed_form_are_those_of_autograd(
    loss: LossName, units: int, intercepts: bool, missing: bool, snapped: bool
) -> None:
    network = some_copies(units, memberships=1 if missing else 2, intercepts=intercepts)
    network.snap(snapped)
    data = some_rows(loss, units, own_scales=snapped, missing=missing)
    penalty = 0.02 if snapped else 0.0
    config = PhaseConfig(
        epochs=3, batch_size=8, learning_rate=0.05, l1=0.01, literal_penalty=penalty, loss=loss
    )
    for batch in torch.randperm(ROWS, generator=seeded(4)).split(8):
        one, other = copy.deepcopy(network), copy.deepcopy(network)
        windows = InMemory(data)
        plain = TrainStep(one, windows, windows.read(0), config)
        closed = ClosedFormStep(other, windows, windows.read(0), config)
        found, expected = closed(batch, len(batch)).item(), plain(batch, len(batch)).item()
        assert found == pytest.approx(expected, abs=1e-12)
        closed.write_parameters()
        for each in (one, other):
            each.keep_in_range_()
        # Adam divides by the size of a gradient, which may be next to nothing.
        for name, value in state_of(one).items():
            assert torch.allclose(other.state_dict()[name], value, rtol=0, atol=1e-7), name


def test_what_has_no_closed_form_takes_plain_steps() -> None:
    windows = InMemory(TrainingData(torch.zeros(4, 3), torch.tensor([0, 1, 0, 1])))
    options: dict[str, Any] = {"depth": 1, "memberships": 1, "copies": 2}
    cases: list[tuple[dict[str, Any], PhaseConfig]] = [
        ({}, PhaseConfig()),
        ({"depth": 2}, PhaseConfig()),
        ({"memberships": 0}, PhaseConfig()),
        ({"copies": None}, PhaseConfig()),
        ({"memberships": MAX_INPUTS}, PhaseConfig()),
        ({}, PhaseConfig(optimizer="sgd")),
        ({}, PhaseConfig(loss="squared_error")),
    ]
    steps = [
        make_step(
            LogicNetwork(3, 2, **{**options, **changes}), windows, windows.read(0), config
        )
        for changes, config in cases
    ]
    assert [type(step) for step in steps] == [ClosedFormStep] + [TrainStep] * 6


def test_training_in_closed_form_resumes_bit_for_bit() -> None:
    data = some_rows("cross_entropy", 2, own_scales=False, missing=False)
    config = PhaseConfig(epochs=4, batch_size=8)
    states: list[TrainingState] = []

    def keep(state: TrainingState, _: bool) -> None:
        states.append(copy.deepcopy(state))

    whole, resumed = some_copies(2), some_copies(2)
    history = train(whole, data, config, seeded(6), callback=keep)
    again = train(resumed, data, config, seeded(7), resume_state=states[1])
    assert again == history
    assert same(state_of(whole), state_of(resumed))
