"""Tasks: the paper's network, or a model that it is compared with, on some folds of a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from statistics import fmean
from typing import Any, Literal

import numpy as np
import torch

from crisplogic.datasets import load
from experiments.harness.evaluation import error_of, splits
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.reproduction.anfis import ENSEMBLE, Ensemble, ensemble_predictions
from experiments.reproduction.descent import Descent
from experiments.reproduction.paper_network import Reading, measure_folds, train_networks
from experiments.reproduction.tanh_network import TANH_SETTINGS, tanh_predictions

SECONDS_BETWEEN_LINES = 60.0
QUICK_EPOCHS = 2


@dataclass(frozen=True)
class PaperTask:
    """Trained on the first ``folds`` folds at once, from one seed."""

    table: str
    folds: int
    reading: Reading = field(default_factory=Reading)
    label: str = "table-one/paper"
    device: str = "cpu"
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"{self.label}/{self.table}"

    def question(self) -> Document:
        """What stored figures must agree with; the device is no part of it."""
        return {
            "model": "paper",
            "table": self.table,
            "folds": self.folds,
            "seed": self.seed,
            "reading": asdict(self.reading),
        }

    def perform(self) -> Document:
        """Train in one thread and test every fold on its test rows."""
        table = load(self.table)
        chosen = splits(table)[: self.folds]
        on_epoch = report_epochs(f"{self.name} of {self.reading.epochs} epochs")
        with one_thread():
            device = torch.device(self.device)
            networks = train_networks(self.reading, table, chosen, self.seed, device, on_epoch)
            return {
                "device": device_name(self.device),
                **measure_folds(networks, table, chosen),
            }

    def line(self, figures: Document) -> str:
        """Errors."""
        network, snapped = (
            fmean(fold[f"{what}_error"] for fold in figures["folds"])
            for what in ("network", "snapped")
        )
        return f"{self.name}: network {network:.1%}, snapped {snapped:.1%}"


def device_name(device: str) -> str:
    """The name of a device; for a GPU also its kind.

    >>> device_name("cpu")
    'cpu'
    """
    return device if device == "cpu" else f"{device}: {torch.cuda.get_device_name()}"


def report_epochs(what: str) -> Callable[[Any], None]:
    """A function to call after every epoch; it prints a line once a minute."""
    last = time.monotonic()
    numbers = count(1)

    def on_epoch(_: Any) -> None:
        nonlocal last
        number = next(numbers)
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"  {what}: {number} epochs done", file=sys.stderr, flush=True)

    return on_epoch


@dataclass(frozen=True)
class BaselineTask:
    """Trained on the first ``folds`` folds at once, from one seed."""

    model: Literal["tanh", "efc"]
    table: str
    folds: int
    quick: bool = False
    device: str = "cpu"
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"table-one/{self.model}/{self.table}"

    def question(self) -> Document:
        """What stored figures must agree with; the device is no part of it."""
        return {
            "model": self.model,
            "table": self.table,
            "folds": self.folds,
            "seed": self.seed,
            "settings": asdict(self._settings()),
        }

    def perform(self) -> Document:
        """Train in one thread and test every fold on its test rows."""
        table = load(self.table)
        chosen = splits(table)[: self.folds]
        classes, y = np.unique(table.y, return_inverse=True)
        with one_thread():
            predicted = _PREDICTIONS[self.model](
                table.X,
                y,
                len(classes),
                chosen,
                self._settings(),
                seed=self.seed,
                device=self.device,
                on_epoch=report_epochs(self.name),
            )
        folds = [
            {"error": error_of(of_fold[split.test], y[split.test])}
            for of_fold, split in zip(predicted, chosen, strict=True)
        ]
        return {"device": device_name(self.device), "folds": folds}

    def line(self, figures: Document) -> str:
        """The error."""
        return f"{self.name}: {fmean(fold['error'] for fold in figures['folds']):.1%}"

    def _settings(self) -> Descent | Ensemble:
        settings = _SETTINGS[self.model]
        return _quick(settings) if self.quick else settings


def _quick(settings: Descent | Ensemble) -> Descent | Ensemble:
    if isinstance(settings, Ensemble):
        descent = replace(settings.descent, epochs=QUICK_EPOCHS)
        return replace(settings, members=2, descent=descent)
    return replace(settings, epochs=QUICK_EPOCHS)


_SETTINGS: dict[str, Descent | Ensemble] = {"tanh": TANH_SETTINGS, "efc": ENSEMBLE}
_PREDICTIONS: dict[str, Callable[..., Any]] = {
    "tanh": tanh_predictions,
    "efc": ensemble_predictions,
}
