"""What several tests of the estimators start from."""

from __future__ import annotations

import pytest

from crisplogic import LogicClassifier
from crisplogic.train.descent import Adam, Descent
from estimators.samples import X, Y, quick


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    """A classifier fitted on X and Y; tests do not change it."""
    return quick().fit(X, Y)


@pytest.fixture
def steppers(monkeypatch: pytest.MonkeyPatch) -> list[Descent]:
    """The descent of every step that is taken."""
    seen: list[Descent] = []

    def watched(kind: type[Descent]) -> None:
        step = kind.step

        def see(self: Descent) -> None:
            seen.append(self)
            step(self)

        monkeypatch.setattr(kind, "step", see)

    watched(Descent)
    watched(Adam)
    return seen
