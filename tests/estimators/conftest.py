"""What several tests of the estimators start from."""

from __future__ import annotations

import pytest

from crisplogic import LogicClassifier
from crisplogic.training.optim import SGD
from tests.estimators.samples import X, Y, quick
from tests.training.optimizer_steps import watch_steps


@pytest.fixture(scope="session")
def fitted() -> LogicClassifier:
    """A classifier fitted on X and Y; tests do not change it."""
    return quick().fit(X, Y)


@pytest.fixture
def steppers(monkeypatch: pytest.MonkeyPatch) -> list[SGD]:
    """The optimizer of every step."""
    seen: list[SGD] = []

    watch_steps(monkeypatch, seen.append)
    return seen
