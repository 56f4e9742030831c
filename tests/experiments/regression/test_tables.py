from __future__ import annotations

import numpy as np
import pytest

from crisplogic.datasets import load_yeast
from experiments.regression.tables import CHOSEN_ON, NAMES, SPLITS, fold_of, table
from tests.experiments.regression.samples import rows_of, tiny_table

SHAPES = {
    "friedman1": (600, 10),
    "friedman2": (600, 4),
    "friedman3": (600, 4),
    "diabetes": (442, 10),
    "vehicle": (846, 17),
    "yeast": (1484, 7),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_numbers_without_gaps_and_has_names(name: str) -> None:
    found = table(name)
    assert found.X.shape == SHAPES[name]
    assert found.y.shape == (len(found.X),)
    assert len(found.columns) == found.X.shape[1]
    assert found.target not in found.columns
    assert np.isfinite(found.X).all()
    assert np.isfinite(found.y).all()


def test_what_is_predicted_is_not_among_the_columns() -> None:
    yeast = table("yeast")
    assert yeast.target == "mcg"
    assert yeast.columns == load_yeast().feature_names[1:]
    np.testing.assert_array_equal(yeast.y, load_yeast().X[:, 0])


@pytest.mark.parametrize(("name", "noise"), [("friedman1", 1.0), ("friedman3", 0.1)])
def test_generated_targets_are_noiseless_ones_and_noise(name: str, noise: float) -> None:
    found = table(name)
    assert found.noiseless is not None
    assert (found.y - found.noiseless).std() == pytest.approx(noise, rel=0.1)


def test_on_two_tables_nothing_was_chosen() -> None:
    assert set(NAMES) - set(CHOSEN_ON) == {"vehicle", "yeast"}


def test_every_row_is_a_test_row_once() -> None:
    found = tiny_table()
    folds = [fold_of(found, number) for number in range(SPLITS)]
    tests = [rows_of(fold.test) for fold in folds]
    assert sum(map(len, tests)) == len(set.union(*tests)) == len(found.X)
    for fold, test in zip(folds, tests, strict=True):
        assert not test & rows_of(fold.train)
        assert len(fold.train.y) + len(fold.test.y) == len(found.y)


def test_folds_are_the_same_every_time() -> None:
    one, other = fold_of(tiny_table(), 3), fold_of(tiny_table(), 3)
    np.testing.assert_array_equal(one.test.X, other.test.X)
    np.testing.assert_array_equal(one.train.y, other.train.y)
