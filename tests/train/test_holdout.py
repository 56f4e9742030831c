"""stratified_holdout: who is set aside, who is left, and that the seed alone decides."""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from crisplogic.errors import TableError
from crisplogic.train import stratified_holdout

class_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=5)
fractions = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**31 - 1)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def shuffled_targets(sizes: list[int], seed: int = 0) -> Tensor:
    """Class numbers in a random order, so many of each."""
    targets = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    return targets[torch.randperm(len(targets), generator=seeded(seed))]


def held_out_of(size: int, fraction: float) -> int:
    return min(round(fraction * size), size - 1)


@given(class_sizes, fractions, seeds)
def test_every_class_is_set_aside_in_its_proportion_and_left_with_a_row(
    sizes: list[int], fraction: float, seed: int
) -> None:
    expected = [held_out_of(size, fraction) for size in sizes]
    assume(any(expected))
    targets = shuffled_targets(sizes, seed)
    train, validate = stratified_holdout(targets, fraction, seeded(seed))
    assert targets[validate].bincount(minlength=len(sizes)).tolist() == expected
    assert targets[train].bincount(minlength=len(sizes)).min() >= 1


@given(class_sizes, fractions, seeds)
def test_every_row_is_on_one_side_in_the_order_of_the_table(
    sizes: list[int], fraction: float, seed: int
) -> None:
    assume(any(held_out_of(size, fraction) for size in sizes))
    targets = shuffled_targets(sizes, seed)
    train, validate = stratified_holdout(targets, fraction, seeded(seed))
    assert sorted([*train.tolist(), *validate.tolist()]) == list(range(len(targets)))
    for side in (train, validate):
        assert side.tolist() == sorted(side.tolist())


def test_the_seed_alone_decides() -> None:
    targets = shuffled_targets([40, 40])
    first, same, other = (
        stratified_holdout(targets, 0.25, seeded(seed))[1].tolist() for seed in (1, 1, 2)
    )
    assert first == same != other


def test_every_row_of_a_class_may_be_drawn() -> None:
    targets = torch.zeros(4, dtype=torch.int64)
    drawn = {stratified_holdout(targets, 0.25, seeded(seed))[1].item() for seed in range(60)}
    assert drawn == {0, 1, 2, 3}


def test_torchs_own_random_numbers_are_left_alone() -> None:
    before = torch.get_rng_state()
    stratified_holdout(shuffled_targets([5, 5]), 0.4, seeded())
    assert torch.equal(torch.get_rng_state(), before)


def test_the_smallest_table_that_works_has_two_rows_of_a_class() -> None:
    train, validate = stratified_holdout(torch.tensor([0, 1, 0]), 0.5, seeded())
    assert (len(train), len(validate)) == (2, 1)


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1], [4, 4]])
def test_a_table_too_small_to_set_anything_aside_is_refused_with_advice(
    sizes: list[int],
) -> None:
    rows = sum(sizes)
    with pytest.raises(TableError, match=f"the table has {rows} rows; use a larger fraction"):
        stratified_holdout(shuffled_targets(sizes), 0.1, seeded())


def test_class_numbers_need_not_be_consecutive() -> None:
    targets = torch.tensor([7, 7, 7, 7, 3, 3])
    _, validate = stratified_holdout(targets, 0.5, seeded())
    assert sorted(targets[validate].tolist()) == [3, 7, 7]
