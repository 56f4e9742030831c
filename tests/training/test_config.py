"""PhaseConfig and TrainingConfig: the values of the paper, and invalid values."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, asdict
from typing import Any

import numpy as np
import pytest

from crisplogic.training import PAPER_CONFIG, PhaseConfig, TrainingConfig
from crisplogic.training.losses import LOSSES

# Each parameter, what it must be, and values that it is not.
COUNTS: tuple[Any, ...] = (0, -1, 1.5, "3", None, True, math.nan, math.inf)
AMOUNTS: tuple[Any, ...] = (-1, -1e-9, "0.1", None, math.nan, math.inf, 1j)
NONSENSE: dict[str, tuple[str, tuple[Any, ...]]] = {
    "epochs": ("a whole number of at least 1", COUNTS),
    "batch_size": ("a whole number of at least 1", COUNTS),
    "learning_rate": ("a finite number above 0", (0, 0.0, *AMOUNTS)),
    "l1": ("a finite number, 0 or more", AMOUNTS),
    "literal_penalty": ("a finite number, 0 or more", AMOUNTS),
    "membership_lr_scale": ("a finite number, 0 or more", AMOUNTS),
    "optimizer": ("one of 'adam', 'sgd'", ("Adam", "", None, 3)),
    "loss": (
        "one of 'cross_entropy', 'squared_error', 'mean_squared_error', 'huber'",
        ("hinge", "", None, 3),
    ),
    "patience": ("a whole number of at least 1, or None", (0, -1, 1.5, "3", math.nan)),
}
CASES = [(name, value) for name, (_, values) in NONSENSE.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_invalid_values_raise_an_error_that_names_the_parameter(name: str, value: Any) -> None:
    needed = NONSENSE[name][0]
    with pytest.raises(ValueError, match=f"^{name} must be {needed}, got ") as error:
        PhaseConfig(**{name: value})
    assert str(error.value).endswith(f"got {value!r}")


def test_every_parameter_has_invalid_values() -> None:
    assert set(NONSENSE) == set(asdict(PhaseConfig()))


def test_numpy_numbers_are_numbers() -> None:
    counts = {name: np.int64(3) for name in ("epochs", "batch_size", "patience")}
    names = ("learning_rate", "l1", "literal_penalty", "membership_lr_scale")
    amounts = {name: np.float32(0.5) for name in names}
    values: dict[str, Any] = {**counts, **amounts}
    assert asdict(PhaseConfig(**values)).items() >= values.items()


def test_penalties_may_be_0_and_rates_whole_numbers() -> None:
    settings = PhaseConfig(l1=0, literal_penalty=0, learning_rate=1)
    assert (settings.l1, settings.literal_penalty, settings.learning_rate) == (0, 0, 1)


def test_the_paper_states_the_learning_rate_and_the_l1_penalty() -> None:
    paper = PAPER_CONFIG
    assert (paper.learning_rate, paper.l1) == (0.01, 0.0001)
    assert (paper.optimizer, paper.loss, paper.batch_size) == ("sgd", "squared_error", 1)
    assert paper.patience is None
    assert paper.literal_penalty == 0


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_that_exists_can_be_named(name: Any) -> None:
    assert PhaseConfig(loss=name).loss == name


def test_settings_cannot_be_changed_in_the_middle_of_a_run() -> None:
    with pytest.raises(FrozenInstanceError):
        PhaseConfig().epochs = 3  # type: ignore[misc]


def test_crisp_literals_need_learned_memberships() -> None:
    phase = PhaseConfig(epochs=1)
    with pytest.raises(ValueError, match="memberships must be at least 1 where literals are"):
        TrainingConfig(depth=1, width=2, soft=phase, snapped=phase, literals="crisp")


def test_literals_are_crisp_or_graded() -> None:
    phase = PhaseConfig(epochs=1)
    unknown: Any = "fuzzy"
    with pytest.raises(ValueError, match="literals must be"):
        TrainingConfig(depth=1, width=2, soft=phase, snapped=phase, literals=unknown)
