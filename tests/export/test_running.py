"""Every target that this machine can run gives the answers of the library, on every row."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export.check import RUNNERS
from crisplogic.export.running.rows import Answers, decode_matrix, library_answers
from crisplogic.rules import RuleSet
from tests.export.generated import rows_of, rules_of

TOLERANCE = 1e-9
CASES = [
    pytest.param(seed, task, crisp, hostile, neat, id=f"{task}-{crisp}-{hostile}-{neat}-{seed}")
    for seed, (task, crisp, hostile, neat) in enumerate(
        (task, crisp, hostile, neat)
        for task in ("two", "several", "number")
        for crisp in (True, False)
        for hostile in (False, True)
        for neat in (True, False)
    )
]


def run(target: str, rules: RuleSet, matrix: np.ndarray, **options: object) -> Answers:
    try:
        return RUNNERS[target](rules, decode_matrix(rules, matrix), **options)
    except ExportError as error:
        if "not installed" in str(error):
            pytest.skip(str(error))
        raise


def assert_same(rules: RuleSet, matrix: np.ndarray, found: Answers) -> None:
    wanted = library_answers(rules, matrix)
    assert len(found.predictions) == len(matrix)
    if wanted.probabilities is None:
        numbers = np.array(found.predictions, dtype=float)
        np.testing.assert_allclose(numbers, wanted.predictions, rtol=TOLERANCE, atol=TOLERANCE)
        return
    wrong = [
        at
        for at, (a, b) in enumerate(zip(wanted.predictions, found.predictions, strict=True))
        if a != b
    ]
    assert not wrong, (len(wrong), matrix[wrong[0]].tolist())
    assert found.probabilities is not None
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=TOLERANCE)


@pytest.mark.parametrize("target", RUNNERS)
@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES)
def test_generated_rules_predict_the_same(
    target: str, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    if target == "java" and seed % 5:
        pytest.skip("its compiler is slow: a few rule sets are enough")
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 400, seed)
    assert_same(rules, matrix, run(target, rules, matrix))
