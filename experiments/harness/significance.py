"""Whether two models differ by more than the folds would let any two differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from crisplogic.estimators.cross_validation import corrected_standard_error
from experiments.harness.folds import SPLITS

# Test rows for each training row in one fold.
TEST_SHARE = 1 / (SPLITS - 1)


def corrected_p_value(
    errors: Sequence[float], others: Sequence[float], test_share: float = TEST_SHARE
) -> float:
    """The corrected resampled t-test of Nadeau and Bengio (2003), two-sided.

    Training parts of folds overlap, so their differences vary less than they should; see
    :func:`crisplogic.estimators.cross_validation.corrected_standard_error`. ``errors`` and
    ``others``
    are of the same folds.

    >>> round(corrected_p_value([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), 3)
    1.0
    >>> corrected_p_value([0.10, 0.11, 0.12, 0.10], [0.50, 0.52, 0.51, 0.53]) < 0.001
    True
    """
    differences = np.subtract(errors, others)
    folds, mean = len(differences), float(differences.mean())
    if folds < 2 or mean == 0:
        return 1.0
    doubt = corrected_standard_error(differences, test_share)
    if doubt == 0:
        return 0.0
    return float(2 * student.sf(abs(mean) / doubt, folds - 1))
