"""Where training happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pytest
import torch

from crisplogic import LogicClassifier
from crisplogic.errors import CrisplogicError, DeviceError
from crisplogic.nn import LogicNetwork
from crisplogic.training import PhaseConfig, TrainingConfig
from crisplogic.training.device import MIN_WORK_FOR_GPU, device_for, matmul_precision
from tests.training.samples import train_on

NETWORK = LogicNetwork(30, 4, depth=1, copies=8)
MANY = MIN_WORK_FOR_GPU // NETWORK.multiplications() + 1
DEVICES: tuple[Literal["cpu", "cuda"], ...] = ("cpu", "cuda")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.fixture(params=[False, True], ids=["without a GPU", "with a GPU"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param)
    return bool(request.param)


def test_cpu_is_always_the_cpu(gpu: bool) -> None:
    assert device_for("cpu", NETWORK, MANY).type == "cpu"


def test_auto_takes_a_gpu_if_there_is_one_and_enough_to_do(gpu: bool) -> None:
    assert device_for("auto", NETWORK, MANY).type == ("cuda" if gpu else "cpu")
    assert device_for("auto", NETWORK, 5).type == "cpu"


def test_a_missing_gpu_is_an_error_with_advice(gpu: bool) -> None:
    if gpu:
        assert device_for("cuda", NETWORK, 1).type == "cuda"
        return
    with pytest.raises(DeviceError, match="use device='auto' or 'cpu'") as error:
        device_for("cuda", NETWORK, 1)
    assert isinstance(error.value, CrisplogicError)


@pytest.fixture(params=[False, True])
def setting(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = request.param
    yield request.param
    torch.backends.cuda.matmul.allow_tf32 = before


@pytest.mark.parametrize("tf32", [False, True])
def test_how_exactly_to_multiply_is_set_back(setting: bool, tf32: bool) -> None:
    with suppress(KeyError), matmul_precision(tf32=tf32):
        assert torch.backends.cuda.matmul.allow_tf32 == tf32
        raise KeyError
    assert torch.backends.cuda.matmul.allow_tf32 == setting


def some_rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(400, 12))
    return table, (table[:, 0] * table[:, 1] + table[:, 2] > 0).astype(int)


@needs_gpu
@pytest.mark.parametrize("precision", ["float32", "tf32"])
def test_a_gpu_learns_rules_as_good_as_the_cpus(precision: Any) -> None:
    table, targets = some_rows()
    scores = [
        LogicClassifier(random_state=0, device=device, precision=precision)
        .fit(table[:300], targets[:300])
        .score(table[300:], targets[300:])
        for device in ("cpu", "cuda")
    ]
    assert scores[1] > scores[0] - 0.05
    assert scores[1] > 0.8


@needs_gpu
def test_a_gpu_learns_the_same_twice() -> None:
    table, targets = some_rows()
    rules = [
        LogicClassifier(random_state=0, epochs=5, device="cuda").fit(table, targets).rules_
        for _ in range(2)
    ]
    assert rules[0] == rules[1]


@needs_gpu
def test_a_gpu_learns_hard_thresholds_as_well_as_the_cpu() -> None:
    table, targets = some_rows()
    table[::7, 3:5] = np.nan  # pairs of unknowns
    phase = PhaseConfig(batch_size=50, learning_rate=0.05)
    errors = []
    for device in DEVICES:
        config = TrainingConfig(1, 2, phase, phase, 2, True, device=device, literals="crisp")
        trained = train_on(table, targets, 2, config)
        predicted = trained.restarts[0].snapped.predict(torch.from_numpy(table)).numpy()
        errors.append(np.mean(predicted != targets))
    assert errors[1] < errors[0] + 0.05
    assert errors[1] < 0.25
