"""Candidates predict, and are as large, as the rules that they become."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.rules import ClassificationRules
from crisplogic.search import CLASSIFICATION, REGRESSION, TrainingSet
from crisplogic.search.crisp.search import find_crisp
from crisplogic.search.crisp.values import StatementValues

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(160, 4)).round(1)
X[RANDOM.random(X.shape) < 0.1] = np.nan
SCORE = np.nan_to_num(X) @ [1.0, -1.0, 0.5, 0.0] + 0.3 * RANDOM.normal(size=160)


def table(outputs: int) -> TrainingSet:
    """One output is a number."""
    if outputs == 1:
        return TrainingSet(X, SCORE, ("y",), REGRESSION)
    cuts = np.quantile(SCORE, np.linspace(0, 1, outputs + 1)[1:-1])
    return TrainingSet(X, np.digitize(SCORE, cuts), tuple("abc"[:outputs]), CLASSIFICATION)


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_candidates_predict_as_their_rules_do(outputs: int) -> None:
    learned, other = table(outputs).take(np.arange(120)), table(outputs)
    found = find_crisp(learned, tuple("pqrs"), most=12)
    assert len(found) > 3
    values = StatementValues(other.columns)
    for candidate in found:
        rules = candidate.rules
        scores = rules.scores(other.X)
        if isinstance(rules, ClassificationRules):
            scores = rules.logits(scores)
        np.testing.assert_allclose(candidate.logits(other, values).T, scores, atol=1e-9)
        assert candidate.size == rules.size
