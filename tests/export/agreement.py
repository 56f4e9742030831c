"""Whether a target gives the answers of the library."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.errors import ExportError
from crisplogic.export.check import RUNNERS
from crisplogic.export.running.rows import Answers, decode_matrix, library_answers
from crisplogic.rules import RuleSet

TOLERANCE = 1e-9
# A seed, the task, whether rules are crisp, have hostile names, and neat intercepts.
KINDS = [
    (task, crisp, hostile, neat)
    for task in ("two", "several", "number")
    for crisp in (True, False)
    for hostile in (False, True)
    for neat in (True, False)
]
CASES = [
    pytest.param(
        seed,
        *kind,
        id=f"{kind[0]}-{'crisp' if kind[1] else 'graded'}-{seed}",
    )
    for seed, kind in enumerate(KINDS)
]


def answers_of(
    target: str, rules: RuleSet, matrix: NDArray[np.float64], **options: object
) -> Answers:
    """What a target says of the rows of a matrix; the test is skipped if it is not there."""
    try:
        return RUNNERS[target](rules, decode_matrix(rules, matrix), **options)
    except ImportError as error:
        pytest.skip(str(error))
    except ExportError as error:
        if "not installed" in str(error):
            pytest.skip(str(error))
        raise


def assert_same(rules: RuleSet, matrix: NDArray[np.float64], found: Answers) -> None:
    """No class differs, and no number or probability by more than the tolerance."""
    wanted = library_answers(rules, matrix)
    assert len(found.predictions) == len(matrix)
    if wanted.probabilities is None:
        numbers = np.array(found.predictions, dtype=float)
        np.testing.assert_allclose(numbers, wanted.predictions, rtol=TOLERANCE, atol=TOLERANCE)
        return
    pairs = enumerate(zip(wanted.predictions, found.predictions, strict=True))
    wrong = [at for at, (a, b) in pairs if a != b]
    assert not wrong, (len(wrong), matrix[wrong[0]].tolist())
    assert found.probabilities is not None
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=TOLERANCE)
