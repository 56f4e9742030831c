"""What several tests of the estimators start from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from crisplogic import LogicClassifier
from estimators.samples import X, Y, quick


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    """A classifier fitted on X and Y; tests do not change it."""
    return quick().fit(X, Y)


@pytest.fixture
def steppers() -> Iterator[list[torch.optim.Optimizer]]:
    """The optimiser of every step that is taken."""
    seen: list[torch.optim.Optimizer] = []
    hook = register_optimizer_step_pre_hook(lambda optimizer, *_: seen.append(optimizer))
    yield seen
    hook.remove()
