"""Made-up folds."""

from __future__ import annotations

from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import make_document
from experiments.peers.tasks import SIZES, tasks_for

ORIGIN = Origin("python -m experiments.peers", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"


def documents(table: str = "vehicle", folds: int = 1, error: float = 0.30) -> list[Document]:
    """Folds on which rules of every size err alike."""
    found = {"error": error, "literals": 30}
    figures = {
        "chosen": found,
        "sizes": {str(size): {**found, "literals": size} for size in SIZES},
        "seconds": 2.0,
    }
    return [make_document(task, figures, ORIGIN, DATE) for task in tasks_for([table], folds)]
