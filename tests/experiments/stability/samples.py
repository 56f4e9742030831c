"""Made-up rules and fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Rule, Step
from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import make_document
from experiments.stability.tasks import SAMPLES, SEEDS, Kind, fit_task

ORIGIN = Origin("python -m experiments.stability", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"
# A column of all whole numbers from 1 to 100: a threshold is a share of the rows in percent.
MATRIX = np.repeat(np.arange(1.0, 101.0)[:, None], 18, axis=1)


def rules_of(*thresholds: tuple[int, float]) -> ClassificationRules:
    """A checklist of statements *column is above threshold*."""
    text = " + ".join(map(str, range(len(thresholds)))) or "unknown"
    both = Rule("ill", parse(text)), Rule("well", parse("unknown"))
    return ClassificationRules(
        tuple(f"x{each}" for each in range(18)),
        tuple(Step(*each) for each in thresholds),
        both,
        intercepts=(0.5, 0.0),
        crisp=True,
    )


def document(kind: Kind, number: int, rules: ClassificationRules) -> Document:
    figures = {"rules": rules.to_json(), "literals": rules.size}
    return make_document(fit_task(kind, "vehicle", number), figures, ORIGIN, DATE)


def documents(rules: Sequence[ClassificationRules] | None = None) -> list[Document]:
    """All fits on one table; they give these rules in turn."""
    found = rules or [rules_of((0, 10.0), (1, 20.0))]
    counts: dict[Kind, int] = {"seeds": SEEDS, "samples": SAMPLES}
    return [
        document(kind, number, found[number % len(found)])
        for kind, count in counts.items()
        for number in range(count)
    ]
