"""Made-up tables and documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from crisplogic.datasets import Dataset
from experiments.harness.evaluation import Split
from experiments.harness.store import Document

ORIGIN = {
    "date": "2026-11-15T12:00:00+00:00",
    "command": "python -m experiments.reproduction",
    "processor": "Abacus",
    "cores": 2,
    "versions": {"python": "3.11"},
}


def tiny_table() -> Dataset:
    """Two classes that one column tells apart; the other is noise with a gap."""
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (40, 2))
    y = np.where(X[:, 0] > 0, "high", "low")
    X[3, 1] = np.nan
    return Dataset("tiny", X, y, ("size", "noise"), "class", "", "")


SPLITS = [
    Split(train=np.arange(10, 40), test=np.arange(10)),
    Split(train=np.arange(30), test=np.arange(30, 40)),
]


def document(figures: Any, **question: Any) -> Document:
    return {**question, **ORIGIN, "figures": figures}


def paper_fold(network: float, snapped: float, classes: int = 2) -> Document:
    return {
        "majority_error": 0.5,
        "network_error": network,
        "snapped_error": snapped,
        "without_tanh_error": snapped,
        "snapped_tied": 1,
        "snapped_classes": classes,
        "snapped_literals": 3,
    }
