"""TrainingSet: parts, samples, ranges and weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.drafts import a_sample, repeated, training_set, weighed

INF, NAN = np.inf, np.nan


def test_some_rows_of_a_sample_keep_their_columns_and_targets() -> None:
    data = training_set(np.arange(12.0).reshape(2, 6), np.arange(6), classes=6)
    some = data.take(np.array([4, 1]))
    assert some.columns.tolist() == [[4, 1], [10, 7]]
    assert some.y.tolist() == [4, 1]
    assert (len(some), some.n_outputs) == (2, 6)


@pytest.mark.parametrize(("rows", "kept"), [(7, 7), (8, 7), (3, 3), (1, 1)])
def test_at_most_so_many_rows_are_kept_and_none_twice(rows: int, kept: int) -> None:
    data = training_set(np.arange(7.0)[None], np.arange(7), classes=7).subsample(rows)
    assert len(data) == len(set(data.y)) == kept
    assert data.columns[0].tolist() == data.y.tolist()


def test_rows_that_alternate_between_classes_are_kept_in_their_proportions() -> None:
    """Every second row, or every tenth, would be of one class."""
    y = np.arange(4000) % 2
    kept = training_set(np.zeros((1, 4000)), y, classes=2).subsample(400).y
    assert np.bincount(kept).tolist() == [200, 200]


def test_another_seed_keeps_other_rows() -> None:
    data = training_set(np.arange(1000.0)[None], np.zeros(1000, dtype=np.intp), classes=1)
    some, again, others = (data.subsample(50, seed).X.ravel().tolist() for seed in (0, 0, 1))
    assert some == again != others


def test_ranges_are_those_of_the_known_values() -> None:
    columns = np.array([[1.0, NAN, -2.0], [INF, 5.0, -INF], [NAN, NAN, NAN], [7.0, 7.0, 7.0]])
    low, high = training_set(columns, np.zeros(3, dtype=np.intp), classes=1).ranges()
    assert low.tolist() == [-2, 5, 0, 7]
    assert high.tolist() == [1, 5, 0, 7]


def test_rows_of_a_sample_keep_their_weights() -> None:
    data = weighed(a_sample(rows=20))
    assert data.weights is not None
    numbers = np.array([7, 3, 11])
    some = data.take(numbers)
    assert some.weights is not None
    assert some.weights.tolist() == data.weights[numbers].tolist()
    assert (
        data.total_weight
        == data.weights.sum()
        == repeated(data).total_weight
        == len(repeated(data))
    )


def test_of_many_rows_some_are_taken_as_often_as_they_count() -> None:
    weights = np.where(np.arange(1000) % 100 == 0, 500.0, 1.0)
    data = training_set(np.arange(1000.0)[None], np.arange(1000), 1000, weights)
    few = data.subsample(600)
    assert few.weights is not None
    assert few.total_weight == 600
    assert set(np.arange(0, 1000, 100)) <= set(few.y)
    share = few.weights[few.y % 100 == 0].sum() / 600
    assert share == pytest.approx(5000 / 5990, abs=0.01)
