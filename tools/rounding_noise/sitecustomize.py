"""Rounding noise: what is learned differs as it would on another processor.

Python imports a ``sitecustomize`` by itself when it starts, so that every process, the command
line and the examples included, is noisy while this folder is on ``PYTHONPATH``. The variable
``CRISPLOGIC_ROUNDING_NOISE`` is the seed of the noise; without it nothing happens.

Processors differ in how they round sums, by some millionths in single precision. So every
gradient is changed by as little. How much depends on nothing but the gradient itself: the same
computation twice still has the same results, as on any one processor.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

TRAIN_STEP = "crisplogic.training.step"

SEED = int(os.environ.get("CRISPLOGIC_ROUNDING_NOISE", "0"))
# Sums of some hundred numbers are off by as many roundings.
ROUNDINGS = 100
# So that gradients some thousandths apart are changed independently of each other, and those
# that are the same but for rounding stay so.
PACE = 1e3


class _NoisyLoader(Loader):
    """Loads the module as usual, then adds the noise."""

    def __init__(self, usual: Loader) -> None:
        self.usual = usual

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.usual.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.usual.exec_module(module)
        for name in ("Adam", "SGD"):
            setattr(module, name, noisy(getattr(module, name)))


class _Finder(MetaPathFinder):
    """Finds one module: the one that makes the optimisers. Nothing is imported early."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != TRAIN_STEP:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _NoisyLoader(spec.loader)
        return spec


def noisy(optimizer: Callable[..., Any]) -> Callable[..., Any]:
    """Optimisers of this kind that change the gradients a little before they use them."""

    def make(groups: Any, rates: Any) -> Any:
        made = optimizer(groups, rates)
        made.step = _noisy_step(made)
        return made

    return make


def _noisy_step(optimizer: Any) -> Callable[[], None]:
    import torch  # later than this file: not every process needs it

    step = optimizer.step

    def noisy_step() -> None:
        for parameter, _ in optimizer:
            if parameter.grad is not None:
                size = ROUNDINGS * torch.finfo(parameter.dtype).eps
                noise = (PACE * parameter.grad + SEED).sin_()
                parameter.grad.mul_(noise.mul_(size).add_(1.0))
        step()

    return noisy_step


if SEED:
    sys.meta_path.insert(0, _Finder())
