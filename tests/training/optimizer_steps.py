"""Observe the optimizer steps of training."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crisplogic import kernels
from crisplogic.training.optim import SGD, Adam


def watch_steps(monkeypatch: pytest.MonkeyPatch, see: Callable[[SGD], None]) -> None:
    """Call ``see`` with the optimizer before each of its steps; the kernel takes none."""
    monkeypatch.setattr(kernels, "compiled", None)

    def watched(kind: type[SGD]) -> None:
        step = kind.step

        def seen(self: SGD) -> None:
            see(self)
            step(self)

        monkeypatch.setattr(kind, "step", seen)

    watched(SGD)
    watched(Adam)
