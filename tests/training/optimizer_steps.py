"""Watching the steps that training takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crisplogic.training.optim import SGD, Adam


def watch_steps(monkeypatch: pytest.MonkeyPatch, see: Callable[[SGD], None]) -> None:
    """Let ``see`` look at every descent that is about to take a step."""

    def watched(kind: type[SGD]) -> None:
        step = kind.step

        def seen(self: SGD) -> None:
            see(self)
            step(self)

        monkeypatch.setattr(kind, "step", seen)

    watched(SGD)
    watched(Adam)
