"""Watching the steps that training takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crisplogic.train.descent import Adam, Descent


def watch_steps(monkeypatch: pytest.MonkeyPatch, see: Callable[[Descent], None]) -> None:
    """Let ``see`` look at every descent that is about to take a step."""

    def watched(kind: type[Descent]) -> None:
        step = kind.step

        def seen(self: Descent) -> None:
            see(self)
            step(self)

        monkeypatch.setattr(kind, "step", seen)

    watched(Descent)
    watched(Adam)
