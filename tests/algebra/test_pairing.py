"""Pairs come in the order of the authors' code, each once."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.algebra.pairing import pair_count, pair_indices


@pytest.mark.parametrize("inputs", [0, 1, 2, 3, 9, 40])
def test_the_order_is_each_input_with_the_later_ones_then_false_then_true(inputs: int) -> None:
    false, true = inputs, inputs + 1
    expected = [
        (i, partner) for i in range(inputs) for partner in (*range(i + 1, inputs), false, true)
    ]
    left, right = pair_indices(inputs)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == expected


@pytest.mark.parametrize(("inputs", "pairs"), [(0, 0), (1, 2), (2, 5), (9, 54), (40, 860)])
def test_the_count_is_the_papers(inputs: int, pairs: int) -> None:
    assert pair_count(inputs) == pairs
    assert [len(members) for members in pair_indices(inputs)] == [pairs, pairs]


def test_no_pair_comes_twice_and_none_is_of_an_input_with_itself() -> None:
    pairs = np.stack(pair_indices(20), axis=1)
    assert len(np.unique(pairs, axis=0)) == pair_count(20)
    assert (pairs[:, 0] < pairs[:, 1]).all()


def test_indices_are_whole_numbers_that_torch_can_index_with() -> None:
    assert [members.dtype for members in pair_indices(3)] == [np.int64, np.int64]
