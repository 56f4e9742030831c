"""Checkpoints: what is saved is resumed; other versions and other fits are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from crisplogic.errors import CheckpointError
from crisplogic.training import PhaseConfig, fingerprint, train
from crisplogic.training import checkpoint as checkpoint_module
from crisplogic.training.checkpoint import Checkpoint
from crisplogic.training.loop import Epoch
from tests.training.samples import SMALL, fresh_network, same, seeded, some_data, state_of

FINGERPRINT = fingerprint(SMALL, 0, {"table": np.zeros((2, 2)), "weights": None})


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(checkpoint_module, "SECONDS_BETWEEN", 0.0)
    return tmp_path / "fit.npz"


class StopError(Exception):
    """Interrupts training."""


def interrupt(path: Path, after: int) -> None:
    """Train, and stop after an epoch."""

    def stop(epoch: Epoch) -> None:
        if epoch.number > after:
            raise StopError

    network = fresh_network()
    callback = Checkpoint(path, FINGERPRINT, 5).callback("soft", network, [])
    with pytest.raises(StopError):
        train(network, some_data(), SMALL, seeded(), on_epoch=stop, callback=callback)


@pytest.mark.parametrize("after", [1, 5])
def test_a_phase_resumes_bit_for_bit(path: Path, after: int) -> None:
    whole, resumed = fresh_network(), fresh_network()
    history = train(whole, some_data(), SMALL, seeded())
    interrupt(path, after)
    saved = Checkpoint(path, FINGERPRINT, 6)
    assert saved.seed == 5
    assert not saved.is_done("soft")
    assert saved.is_done("screening")
    assert saved.resume_state("snapped") is None
    assert saved.restore(resumed) == []
    state = saved.resume_state("soft")
    again = train(resumed, some_data(), SMALL, seeded(9), resume_state=state)
    assert again == history
    assert same(state_of(resumed), state_of(whole))


def test_without_a_path_nothing_is_saved_or_resumed() -> None:
    none, network = Checkpoint(), fresh_network()
    before = state_of(network)
    assert none.restore(network) == []
    assert same(state_of(network), before)
    assert none.resume_state("soft") is None
    assert none.callback("soft", network, []) is None


def test_a_checkpoint_of_another_version_is_refused_clearly(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_module, "FORMAT", "crisplogic checkpoint 1")
        interrupt(path, 1)
    with pytest.raises(
        CheckpointError, match=r"fit\.npz was saved by another version"
    ) as error:
        Checkpoint(path, FINGERPRINT, 5)
    assert "remove it to start anew" in str(error.value)


def test_other_data_and_other_parameters_are_named(path: Path) -> None:
    interrupt(path, 1)
    other = fingerprint(
        PhaseConfig(epochs=3, batch_size=8), 0, {"table": np.ones((2, 2)), "weights": None}
    )
    with pytest.raises(CheckpointError, match=r"differs in table, epochs \(8 there, 3 here\);"):
        Checkpoint(path, other, 5)


def test_a_fingerprint_tells_arrays_apart_by_values_types_and_shapes() -> None:
    arrays: list[NDArray[Any]] = [
        np.zeros(4),
        np.ones(4),
        np.zeros((2, 2)),
        np.zeros(4, np.float32),
    ]
    digests = {fingerprint(SMALL, None, {"table": array})["table"] for array in arrays}
    assert len(digests) == len(arrays)


def test_removing_it_leaves_nothing(path: Path) -> None:
    interrupt(path, 1)
    Checkpoint(path, FINGERPRINT, 5).remove()
    assert list(path.parent.iterdir()) == []


def test_states_hold_the_tensors_that_training_changes(path: Path) -> None:
    interrupt(path, 2)
    state = Checkpoint(path, FINGERPRINT, 5).resume_state("soft")
    assert state is not None
    assert set(state.group("network")) == set(fresh_network().state_dict())
    assert torch.equal(state.group("optimizer")["0"], torch.tensor(10.0).double())
