"""Compiled steps are those that autograd takes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from crisplogic import kernels, threads
from crisplogic.nn import LogicNetwork
from crisplogic.training import PhaseConfig, TrainingData, compiled, train
from crisplogic.training.compiled import MAX_INPUTS, CompiledTrainStep, make_step
from crisplogic.training.loop import TrainingState
from crisplogic.training.losses import LossName
from crisplogic.training.optim import BETA1, BETA2, EPSILON, Adam
from crisplogic.training.step import TrainStep
from crisplogic.training.windows import InMemory, Window
from tests.training.samples import same, seeded, state_of

built = pytest.mark.skipif(kernels.compiled is None, reason="no kernels were built")
COPIES, ROWS, COLUMNS = 3, 90, 5


def some_networks(units: int, copies: int | None = COPIES, **options: Any) -> LogicNetwork:
    """Copies with all kinds of parameters: at their bounds, at 0, close to it, and equal."""
    generator = seeded(2)
    options = {"depth": 1, "width": 3, "memberships": 2, "intercepts": True, **options}
    network = LogicNetwork(COLUMNS, units, copies=copies, generator=generator, **options)
    with torch.no_grad():
        for parameter in network.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.add_(noise, alpha=0.4)
        for fuzzy, selector in network.levels():
            fuzzy.alpha[..., ::3] *= 1e-4
            selector.weight[..., ::4] = 0.0
            selector.weight[..., 1::4] = 0.25
    return network


def some_rows(
    loss: LossName = "cross_entropy",
    units: int = 3,
    own: bool = False,
    missing: bool = False,
    weighted: bool = False,
) -> TrainingData:
    """Rows; with ``own`` each copy has its own, also their targets if these are numbers."""
    generator = seeded(3)
    inputs = torch.rand(
        (COPIES, ROWS, COLUMNS) if own else (ROWS, COLUMNS), generator=generator
    )
    inputs = inputs * 2 - 1
    if missing:
        inputs[inputs > 0.7] = torch.nan
    targets = torch.randint(0, units, (ROWS,), generator=generator)
    if loss in ("mean_squared_error", "huber"):
        targets = 2 * torch.randn((COPIES, ROWS) if own else (ROWS,), generator=generator)
    if not weighted:
        return TrainingData(inputs, targets)
    weights = torch.rand(COPIES, ROWS, generator=generator)
    return TrainingData(inputs, targets, weights, torch.tensor([0.5, 1.0, 3.0]))


def in_double_precision(data: TrainingData) -> TrainingData:
    tensors = (data.inputs, data.targets, data.weights, data.penalty_factors)
    inputs, targets, *others = (
        each.double() if each is not None and each.is_floating_point() else each
        for each in tensors
    )
    assert inputs is not None
    assert targets is not None
    return TrainingData(inputs, targets, *others)


def step_of(
    kind: type[TrainStep], network: LogicNetwork, data: TrainingData, config: PhaseConfig
) -> tuple[TrainStep, Window]:
    windows = InMemory(data)
    return kind(network, windows, windows.read(0), config), windows.read(0)


def assert_same_steps(network: LogicNetwork, data: TrainingData, config: PhaseConfig) -> None:
    """Compare a pass with that of autograd in double precision."""
    assert compiled.is_compiled(network)
    exact = copy.deepcopy(network).double()
    order = torch.randperm(len(data), generator=seeded(4))
    plain, window = step_of(TrainStep, exact, in_double_precision(data), config)
    expected = plain.pass_over(window, order).item()
    step, window = step_of(CompiledTrainStep, network, data, config)
    assert step.pass_over(window, order).item() == pytest.approx(expected, rel=1e-5)
    for each in (network, exact):
        each.keep_in_range_()
    for name, found in state_of(network).items():
        torch.testing.assert_close(found.double(), state_of(exact)[name], rtol=0, atol=2e-5)


# A step of plain descent shows the gradient of every parameter. The rate is small, so that no
# parameter crosses a bound or a half, where a last digit would decide.
def descent(**options: Any) -> PhaseConfig:
    settings = {"optimizer": "sgd", "learning_rate": 0.05, "membership_lr_scale": 1.0}
    return PhaseConfig(**{"epochs": 3, "batch_size": 40, "l1": 0.01, **settings, **options})


@built
@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("memberships", [0, 1, 2])
def test_gradients_of_networks(depth: int, memberships: int, skip: bool, snapped: bool) -> None:
    network = some_networks(3, depth=depth, memberships=memberships, skip=skip)
    network.snap(snapped)
    missing = memberships > 0  # the paper's memberships know no missing values any more
    data = some_rows(own=True, missing=missing, weighted=True)
    assert_same_steps(network, data, descent(literal_penalty=0.02))


@built
@pytest.mark.parametrize(
    ("loss", "units"),
    [
        ("cross_entropy", 2),
        ("cross_entropy", 9),
        ("squared_error", 4),
        ("mean_squared_error", 1),
        ("huber", 1),
    ],
)
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("intercepts", [False, True])
def test_gradients_of_losses(loss: LossName, units: int, own: bool, intercepts: bool) -> None:
    network = some_networks(units, intercepts=intercepts)
    data = some_rows(loss, units, own=own, weighted=own)
    assert_same_steps(network, data, descent(loss=loss))


@built
@pytest.mark.parametrize("batch_size", [1, 7, 64, 1000])
def test_gradients_of_batches_of_any_size(batch_size: int) -> None:
    rate = 0.002 if batch_size == 1 else 0.02
    assert_same_steps(
        some_networks(3, depth=2, memberships=0, copies=None),
        some_rows(),
        descent(batch_size=batch_size, learning_rate=rate, loss="squared_error"),
    )


@built
@pytest.mark.parametrize("columns", [1, 2, 7, 8, 9, 23])
@pytest.mark.parametrize("units", [1, 2, 3, 4, 6])
def test_gradients_of_networks_of_any_size(columns: int, units: int) -> None:
    generator = seeded(5)
    network = LogicNetwork(columns, units, units, 2, memberships=1, generator=generator)
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.uniform_(-0.4, 0.4, generator=generator)
    inputs = torch.rand(20, columns, generator=generator) * 2 - 1
    targets = torch.randint(0, units, (20,), generator=generator)
    assert_same_steps(network, TrainingData(inputs, targets), descent(loss="squared_error"))


@built
@pytest.mark.parametrize("snapped", [False, True])
def test_steps_of_adam(snapped: bool) -> None:
    """Its moments show the gradients, and its steps follow from its moments."""
    network, data = some_networks(3), some_rows(weighted=True, missing=True)
    network.snap(snapped)
    config = PhaseConfig(epochs=2, batch_size=ROWS, learning_rate=0.05, literal_penalty=0.01)
    network.keep_in_range_()
    exact = copy.deepcopy(network).double()
    plain, exact_window = step_of(TrainStep, exact, in_double_precision(data), config)
    step, window = step_of(CompiledTrainStep, network, data, config)
    order = torch.arange(ROWS)
    for taken, decay in ((1, 1.0), (2, 0.5)):
        before = [parameter.detach().clone() for parameter, _ in step.optimizer]
        if taken == 1:
            plain.pass_over(exact_window, order)
        step.pass_over(window, order)
        assert isinstance(step.optimizer, Adam)
        if taken == 1:
            for own, other in zip(step.optimizer.state(), plain.optimizer.state(), strict=True):
                torch.testing.assert_close(own.double(), other.double(), rtol=1e-4, atol=1e-7)
        assert step.optimizer.n_steps == step.n_steps == taken
        network.keep_in_range_()
        for (parameter, rate), (mean, square), start in zip(
            step.optimizer, step.optimizer.moments, before, strict=True
        ):
            full = config.learning_rate * (1.0 if rate is step.optimizer.rates[0] else 0.25)
            size = (square.double() / (1 - BETA2**taken)).sqrt() + EPSILON
            change = decay * full * mean.double() / (1 - BETA1**taken) / size
            expected = start.double() - change
            inside = expected.abs() < 1
            torch.testing.assert_close(
                parameter.double()[inside], expected[inside], rtol=0, atol=1e-6
            )


@built
def test_a_part_of_a_window_takes_plain_steps_with_the_same_optimizer() -> None:
    data, config = some_rows(weighted=True), PhaseConfig(epochs=2, batch_size=16)
    order, places = torch.randperm(ROWS, generator=seeded(4)), torch.arange(ROWS)
    networks = some_networks(3), some_networks(3)
    steps = [
        step_of(kind, network, data, config)[0]
        for kind, network in zip((TrainStep, CompiledTrainStep), networks, strict=True)
    ]
    for window in (Window.part(data, places, ROWS), Window(data, ROWS)):
        plain, other = (step.pass_over(window, order).item() for step in steps)
        assert other == pytest.approx(plain, rel=1e-3)
    counts = {float(step.optimizer.state()[0]) for step in steps}
    assert counts == {12.0}


# --- the same on every machine ----------------------------------------------------------------


def trained(monkeypatch: pytest.MonkeyPatch, processor: int) -> dict[str, torch.Tensor]:
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "best_processor", lambda: processor)
        network = some_networks(3, depth=2, skip=True)
        config = PhaseConfig(epochs=3, batch_size=16, literal_penalty=0.01)
        train(network, some_rows(missing=True, weighted=True), config, seeded(6))
    return state_of(network)


@built
def test_all_processors_train_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = (
        trained(monkeypatch, number) for number in range(compiled.best_processor() + 1)
    )
    assert all(same(first, other) for other in others)


@built
def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = trained(monkeypatch, 0)
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    monkeypatch.setattr(compiled, "MIN_WORK_FOR_THREADS", 1)
    assert same(alone, trained(monkeypatch, 0))


@built
def test_compiled_training_resumes_bit_for_bit() -> None:
    data, config = some_rows(), PhaseConfig(epochs=4, batch_size=8)
    states: list[TrainingState] = []

    def keep(state: TrainingState, _: bool) -> None:
        states.append(copy.deepcopy(state))

    whole, resumed = some_networks(3), some_networks(3)
    history = train(whole, data, config, seeded(6), callback=keep)
    again = train(resumed, data, config, seeded(7), resume_state=states[1])
    assert again == history
    assert same(state_of(whole), state_of(resumed))


# --- what is compiled -------------------------------------------------------------------------


@built
def test_what_the_kernel_does_not_know_takes_plain_steps() -> None:
    windows = InMemory(TrainingData(torch.zeros(4, 3), torch.tensor([0, 1, 0, 1])))
    crisp = LogicNetwork(3, 2, depth=1, memberships=1)
    crisp.snap(crisp=True)
    frozen = LogicNetwork(3, 2, depth=1)
    frozen.log_scale.requires_grad_(False)
    cases = [
        LogicNetwork(3, 2, copies=2, memberships=1),
        LogicNetwork(3, 2, depth=1, memberships=MAX_INPUTS),
        LogicNetwork(3, 2, dtype=torch.float64),
        crisp,
        frozen,
    ]
    steps = [make_step(network, windows, windows.read(0), PhaseConfig()) for network in cases]
    assert [type(step) for step in steps] == [CompiledTrainStep] + [TrainStep] * 4


def test_steps_are_plain_where_no_kernels_were_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", None)
    windows = InMemory(TrainingData(torch.zeros(4, 3), torch.tensor([0, 1, 0, 1])))
    step = make_step(LogicNetwork(3, 2), windows, windows.read(0), PhaseConfig())
    assert type(step) is TrainStep


NETWORK = (1, 2, 0, False, False, False, 0.001, -4.0, 1.0)
ROWS_OF_TWO = (
    np.zeros((4, 2), np.float32),
    np.array([0, 1, 1, 0]),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
)
SCHEDULE = (np.arange(4), 2, 0, 10, 0)
SETTINGS = ("cross_entropy", "sgd", 0.1, 0.1, 0.0, 0.0, 1.35, 0.9, 0.999, 1e-8)


def values(*sizes: int) -> tuple[np.ndarray[Any, np.dtype[np.float32]], ...]:
    return tuple(np.zeros(size, np.float32) for size in sizes)


def call(**changes: Any) -> None:
    arguments = {
        "network": NETWORK,
        "levels": ((2, 2),),
        "parameters": (values(5, 10, 1), (), ()),
        "rows": ROWS_OF_TWO,
        "schedule": SCHEDULE,
        "settings": SETTINGS,
        "copies": (0, 1),
        "processor": 0,
        "objectives": np.zeros(1),
    }
    assert kernels.compiled is not None
    kernels.compiled.train_networks(*{**arguments, **changes}.values())


def replaced(arguments: tuple[Any, ...], at: int, by: Any) -> tuple[Any, ...]:
    return *arguments[:at], by, *arguments[at + 1 :]


@built
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": replaced(NETWORK, 0, 0)}, "copies"),
        ({"network": replaced(NETWORK, 0, 2)}, "fit the network"),
        ({"network": replaced(NETWORK, 1, 1 << 30)}, "too many inputs"),
        ({"network": replaced(NETWORK, 2, 1)}, "too few arrays"),
        ({"levels": ()}, "levels"),
        ({"levels": ((2, 2),) * 17}, "levels"),
        ({"levels": ((2, 2), (3, 2))}, "inputs"),
        ({"levels": ((2, 0),)}, "units"),
        ({"levels": (2,)}, "a level"),
        ({"parameters": ((), (), ())}, "need parameters"),
        ({"parameters": (values(5, 9, 1), (), ())}, "fit the network"),
        ({"parameters": (values(5, 10, 1, 1), (), ())}, "too many arrays"),
        ({"parameters": (values(5, 10, 1), values(5, 10, 1), ())}, "moments"),
        ({"rows": replaced(ROWS_OF_TWO, 0, np.zeros((4, 3), np.float32))}, "columns"),
        ({"rows": replaced(ROWS_OF_TWO, 0, np.zeros((3, 4, 2), np.float32))}, "one copy"),
        ({"rows": replaced(ROWS_OF_TWO, 0, np.zeros(8, np.float32))}, "matrices"),
        ({"rows": replaced(ROWS_OF_TWO, 1, np.array([0, 1, 2, 0]))}, "class"),
        ({"rows": replaced(ROWS_OF_TWO, 1, np.array([0, 1, -1, 0]))}, "class"),
        ({"rows": replaced(ROWS_OF_TWO, 1, np.array([0, 1]))}, "target"),
        ({"rows": replaced(ROWS_OF_TWO, 2, np.zeros(4, np.float32))}, "classes or numbers"),
        ({"rows": replaced(ROWS_OF_TWO, 3, np.zeros(3, np.float32))}, "weight"),
        ({"rows": replaced(ROWS_OF_TWO, 4, np.zeros(3, np.float32))}, "factor"),
        ({"schedule": replaced(SCHEDULE, 0, np.array([0, 4]))}, "row"),
        ({"schedule": replaced(SCHEDULE, 0, np.array([0, -1]))}, "row"),
        ({"schedule": replaced(SCHEDULE, 1, 0)}, "batch"),
        ({"schedule": replaced(SCHEDULE, 3, 0)}, "steps"),
        ({"settings": replaced(SETTINGS, 0, "absolute")}, "loss"),
        ({"settings": replaced(SETTINGS, 0, "huber")}, "other targets"),
        ({"settings": replaced(SETTINGS, 1, "adam")}, "moments"),
        ({"settings": replaced(SETTINGS, 1, "newton")}, "optimizer"),
        ({"copies": (0, 2)}, "copies"),
        ({"copies": (1, 0)}, "copies"),
        ({"processor": 99}, "processor"),
        ({"objectives": np.zeros(2)}, "objective"),
    ],
)
def test_the_kernel_refuses_what_does_not_fit(changes: dict[str, Any], message: str) -> None:
    call()
    with pytest.raises(ValueError, match=message):
        call(**changes)


@built
def test_the_kernel_refuses_other_types() -> None:
    with pytest.raises(TypeError, match="floats"):
        call(rows=replaced(ROWS_OF_TWO, 0, np.zeros((4, 2))))
    with pytest.raises(TypeError, match="integers"):
        call(rows=replaced(ROWS_OF_TWO, 1, np.zeros(4)))
