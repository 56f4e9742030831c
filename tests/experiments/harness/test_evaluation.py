from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from crisplogic.datasets import load
from experiments.harness.evaluation import FOLDS, corrected_p_value, splits

RNG = np.random.default_rng(0)
ONE, OTHER = RNG.normal(0.20, 0.05, 30), RNG.normal(0.23, 0.05, 30)


def test_without_shared_rows_it_is_the_paired_t_test() -> None:
    ours = corrected_p_value(ONE.tolist(), OTHER.tolist(), test_share=0.0)
    assert ours == pytest.approx(ttest_rel(ONE, OTHER).pvalue)


def test_the_correction_makes_it_harder_to_be_significant() -> None:
    plain = corrected_p_value(ONE.tolist(), OTHER.tolist(), test_share=0.0)
    assert corrected_p_value(ONE.tolist(), OTHER.tolist()) > plain


def test_it_does_not_matter_which_of_the_two_comes_first() -> None:
    one = corrected_p_value(ONE.tolist(), OTHER.tolist())
    assert corrected_p_value(OTHER.tolist(), ONE.tolist()) == pytest.approx(one)


@pytest.mark.parametrize(
    ("errors", "others", "expected"),
    [
        ([0.1, 0.1], [0.1, 0.1], 1.0),  # no difference
        ([0.1, 0.3], [0.3, 0.1], 1.0),  # none on average
        ([0.1], [0.5], 1.0),  # a single fold says nothing
        ([0.25, 0.25], [0.5, 0.5], 0.0),  # always the same difference
    ],
)
def test_differences_that_do_not_vary_are_no_error(
    errors: list[float], others: list[float], expected: float
) -> None:
    assert corrected_p_value(errors, others) == expected


def test_the_folds_are_thirty_and_three_times_every_row() -> None:
    yeast = load("yeast")  # has a class of fewer rows than folds, about which nobody warns
    folds = splits(yeast)
    assert len(folds) == FOLDS == 30
    tested = np.bincount(np.concatenate([fold.test for fold in folds]))
    assert (tested == 3).all()
    assert all(len(np.intersect1d(fold.train, fold.test)) == 0 for fold in folds)
