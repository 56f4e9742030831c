"""One of the models that the paper compares its network with, on some folds of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, Literal

import numpy as np

from crisplogic.datasets import load
from experiments.harness.folds import splits
from experiments.harness.judging import error_of
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.reproduction.anfis import ENSEMBLE, Ensemble, ensemble_predictions
from experiments.reproduction.descent import Descent
from experiments.reproduction.paper_task import device_name, now_and_then
from experiments.reproduction.tanh_network import TANH_SETTINGS, tanh_predictions

QUICK_EPOCHS = 2


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
        """Train in one thread and judge every fold on its test rows."""
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
                on_epoch=now_and_then(self.name),
            )
        folds = [
            {"error": error_of(of_fold[split.test], y[split.test])}
            for of_fold, split in zip(predicted, chosen, strict=True)
        ]
        return {"device": device_name(self.device), "folds": folds}

    def line(self, figures: Document) -> str:
        """The error, for whoever waits."""
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
