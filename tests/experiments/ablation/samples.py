"""Made-up results."""

from __future__ import annotations

from typing import Any

from experiments.ablation.tasks import VariantTask
from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import make_document

ORIGIN = Origin("python -m experiments.ablation", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"
FIGURES = {"rules_error": 0.1, "network_error": 0.2, "literals": 5, "seconds": 1.5}


def document(task: VariantTask, **figures: Any) -> Document:
    return make_document(task, {**FIGURES, **figures}, ORIGIN, DATE)
