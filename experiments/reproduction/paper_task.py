"""One reading of the paper's network on some folds of a table: a task to be kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import count
from statistics import fmean
from typing import Any

import torch

from crisplogic.datasets import load
from experiments.harness.folds import splits
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.reproduction.paper_network import measured, trained
from experiments.reproduction.reading import Reading

SECONDS_BETWEEN_LINES = 60.0


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
        """Train in one thread and judge every fold on its test rows."""
        table = load(self.table)
        chosen = splits(table)[: self.folds]
        on_epoch = now_and_then(f"{self.name} of {self.reading.epochs} epochs")
        with one_thread():
            device = torch.device(self.device)
            networks = trained(self.reading, table, chosen, self.seed, device, on_epoch)
            return {"device": device_name(self.device), **measured(networks, table, chosen)}

    def line(self, figures: Document) -> str:
        """Errors, for whoever waits."""
        network, snapped = (
            fmean(fold[f"{what}_error"] for fold in figures["folds"])
            for what in ("network", "snapped")
        )
        return f"{self.name}: network {network:.1%}, snapped {snapped:.1%}"


def device_name(device: str) -> str:
    """What a device is called; of a GPU also its kind.

    >>> device_name("cpu")
    'cpu'
    """
    return device if device == "cpu" else f"{device}: {torch.cuda.get_device_name()}"


def now_and_then(what: str) -> Callable[[Any], None]:
    """Something to call after every epoch, that says once a minute how far a training is."""
    last = time.monotonic()
    numbers = count(1)

    def on_epoch(_: Any) -> None:
        nonlocal last
        number = next(numbers)
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"  {what}: {number} epochs done", file=sys.stderr, flush=True)

    return on_epoch
