"""What several tests of the estimators start from."""

from __future__ import annotations

import pytest

from crisplogic import LogicClassifier
from crisplogic.train.descent import Descent
from descents import watch_steps
from estimators.samples import X, Y, quick


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    """A classifier fitted on X and Y; tests do not change it."""
    return quick().fit(X, Y)


@pytest.fixture
def steppers(monkeypatch: pytest.MonkeyPatch) -> list[Descent]:
    """The descent of every step that is taken."""
    seen: list[Descent] = []

    watch_steps(monkeypatch, seen.append)
    return seen
