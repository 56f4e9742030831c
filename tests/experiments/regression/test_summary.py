from __future__ import annotations

import numpy as np
import pytest

from crisplogic.estimators.cross_validation import corrected_standard_error
from experiments.regression.summary import (
    TEST_SHARE,
    collect,
    difference,
    learner_names,
    mean,
)
from tests.experiments.regression.samples import documents, ebm_documents


def test_folds_are_brought_into_their_order() -> None:
    found = collect(reversed(documents(rules=0.8)))["vehicle"]
    assert found.r2["rules"] == pytest.approx([0.80, 0.81, 0.82])
    assert found.literals == [20, 20, 20]


def test_times_are_those_of_boosting_in_the_same_measurement() -> None:
    found = collect([*documents(), *ebm_documents()])["vehicle"]
    assert found.times["rules"] == [8.0] * 3
    assert found.times["EBM"] == [3.0] * 3
    assert found.times["boosting"] == [1.0] * 3


def test_tables_are_kept_apart() -> None:
    found = collect([*documents("yeast"), *documents("vehicle"), *ebm_documents("yeast")])
    assert list(found) == ["yeast", "vehicle"]
    assert "EBM" in found["yeast"].r2
    assert "EBM" not in found["vehicle"].r2
    assert "EBM" in learner_names(found)


def test_the_standard_error_of_a_mean_is_corrected_for_shared_rows() -> None:
    values = [0.1, 0.2, 0.4]
    assert mean(values).error == corrected_standard_error(np.array(values), TEST_SHARE)


@pytest.mark.parametrize(
    ("others", "verdict"),
    [
        ([0.10, 0.21, 0.30, 0.40], "better"),
        ([0.90, 0.81, 0.90, 0.95], "worse"),
        ([0.20, 0.90, 0.10, 0.80], "alike"),
    ],
)
def test_only_differences_beyond_chance_count(others: list[float], verdict: str) -> None:
    assert difference([0.5, 0.6, 0.5, 0.6], others).verdict == verdict


def test_a_single_fold_decides_nothing() -> None:
    found = difference([0.9], [0.1])
    assert (found.by.error, found.verdict) == (None, "alike")
