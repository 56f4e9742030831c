"""The sample depends on row numbers and weights, and on nothing else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from crisplogic.streaming import Examples, PrioritySample, fold_numbers, sample_of, uniform
from crisplogic.tables import Columns, Numbers, Text


def rows(n: int, weighted: bool = False, rare: int = 0) -> Examples:
    numbers = np.arange(n)
    target = Text(("no", "yes"), (numbers < rare).astype(np.int32))
    weights = (1 + numbers % 7).astype(np.float64) if weighted else None
    columns = Columns(("x",), (Numbers(numbers.astype(np.float64)),), n)
    return Examples(numbers, columns, target, weights)


def cut(whole: Examples, ends: list[int]) -> list[Examples]:
    limits = [0, *ends, len(whole)]
    return [whole.take(np.arange(low, high)) for low, high in pairwise(limits)]


def same(first: Examples, second: Examples) -> bool:
    if first.weights is None or second.weights is None:
        alike = first.weights is second.weights
    else:
        alike = np.array_equal(first.weights, second.weights)
    return alike and np.array_equal(first.numbers, second.numbers)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rare", [0, 30])
def test_it_does_not_depend_on_parts_their_order_or_their_readers(
    weighted: bool, rare: int
) -> None:
    whole = rows(5000, weighted, rare)
    expected = sample_of([whole], 400, per_class=20).examples()
    parts = cut(whole, [10, 11, 2500, 4000])
    assert same(sample_of(parts[::-1], 400, per_class=20).examples(), expected)
    readers = [sample_of(parts[at::3], 400, per_class=20) for at in range(3)]
    merged = readers[2].merge(readers[0]).merge(readers[1])
    assert same(merged.examples(), expected)
    assert merged.rows == 5000


def test_of_few_rows_it_is_the_table() -> None:
    whole = rows(300, weighted=True)
    found = sample_of(cut(whole, [100])[::-1], 300).examples()
    assert same(found, whole)


def test_without_weights_all_rows_count_the_same() -> None:
    found = sample_of([rows(5000)], 400).examples()
    assert (len(found), found.weights) == (400, None)
    assert abs(found.numbers.mean() - 2500) < 5 * 5000 / np.sqrt(12 * 400)


def test_sums_over_the_sample_are_near_those_over_the_table() -> None:
    whole = rows(50_000, weighted=True)
    found = sample_of([whole], 4000).examples()
    assert whole.weights is not None
    assert found.weights is not None
    assert found.weights.sum() == pytest.approx(whole.weights.sum(), rel=0.02)
    mean = np.average(found.numbers % 7, weights=found.weights)
    assert mean == pytest.approx(np.average(whole.numbers % 7, weights=whole.weights), rel=0.03)


def test_a_rare_class_is_there_and_counts_no_more_than_it_should() -> None:
    found = sample_of([rows(50_000, rare=60)], 1000, per_class=40).examples()
    of_class = found.target.codes == 1  # type: ignore[union-attr]
    assert 40 <= of_class.sum() <= 41
    assert found.weights is not None
    share = found.weights[of_class].sum() / found.weights.sum()
    assert share == pytest.approx(60 / 50_000, rel=0.5)


def test_a_class_of_which_all_rows_are_drawn_counts_what_it_weighs() -> None:
    found = sample_of([rows(5000, rare=10)], 1000, per_class=40).examples()
    of_class = found.target.codes == 1  # type: ignore[union-attr]
    assert of_class.sum() == 10
    assert found.weights is not None
    assert set(found.weights[of_class].tolist()) == {1.0}
    assert found.weights.sum() == pytest.approx(5000, rel=0.05)


def test_memory_is_bounded_by_the_sample() -> None:
    sample = PrioritySample(100)
    for first in range(0, 200_000, 1000):
        part = rows(1000)
        sample.add(Examples(part.numbers + first, part.columns, part.target))
        assert sum(len(own) for own, _ in sample._kept) <= sample._room
    assert sample.rows == 200_000


def test_random_numbers_of_rows_are_independent_of_each_other() -> None:
    numbers = np.arange(200_000)
    found = uniform(numbers)
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.01
    assert abs(np.corrcoef(found, uniform(numbers, seed=1))[0, 1]) < 0.01
    assert np.histogram(found, 10)[0].min() > 19_000
    assert np.array_equal(fold_numbers(numbers, 5)[70:80], fold_numbers(numbers[70:80], 5))
