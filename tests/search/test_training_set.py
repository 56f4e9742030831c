"""TrainingSet: parts, samples, ranges and weights."""

from __future__ import annotations

from dataclasses import replace

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


def test_rows_that_are_left_out_lie_all_over_the_table() -> None:
    kept = training_set(np.zeros((1, 1000)), np.arange(1000), classes=1000).subsample(10).y
    assert kept[0] == 0
    assert kept[-1] == 999
    assert np.diff(kept).max() <= 112


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


def test_repeated_rows_are_taken_where_one_of_their_weight_would_be() -> None:
    data = weighed(a_sample(rows=60))
    again = repeated(data)
    some, of_many = (
        data.subsample(25),
        replace(again, weights=np.ones(len(again))).subsample(25),
    )
    assert some.weights is not None
    assert of_many.weights is not None
    assert np.array_equal(repeated(some).columns, repeated(of_many).columns)
