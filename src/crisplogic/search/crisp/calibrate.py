"""Probabilities of rules that count, from how often each class has each count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules
from crisplogic.search.crisp.checklist import fit_logits
from crisplogic.search.crisp.convert import with_tie

Floats = NDArray[np.float64]


def calibrate(
    rules: ClassificationRules, difference: Floats, counts: Floats
) -> ClassificationRules:
    """Crisp rules of two classes with the probabilities of the least log loss.

    No prediction changes. Shape: ``difference`` (values,), by how much the score of the second
    class is above that of the first; ``counts`` (values, 2), how much of each class has it.
    """
    positive = 1 if rules.positive is None else rules.labels.index(rules.positive)
    above = difference if positive == 1 else -difference
    scale, tie = fit_logits(counts[:, positive], counts[:, 1 - positive], above)
    return with_tie(replace(rules, scale=scale), rules.labels[positive], tie)
